import { Badge, Button, Checkbox, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { type Batch, api } from "../../api/client";
import { Confirm } from "../../components/confirm";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { Bar } from "../../components/task";
import { moment, useLanguage, useTexts } from "../../texts";
import { BatchItems } from "./items";

type Verb = "pause" | "resume" | "cancel" | "retry";
type Shown = "any" | "open" | "closed";

// Batches in one answer of the server. More takes longer to come; fewer needs more presses of the button below.
const PAGE = 50;
// The list is read again after this time. Shorter costs the database queries that show nothing new.
const AGAIN_MS = 3_000;

// Each upload is a batch of one item: a thousand of them would bury the one that matters.
const UPLOADS = "read_document";

function useBatches(state: Shown, withUploads: boolean) {
  return useInfiniteQuery({
    queryKey: ["batches", state, withUploads],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/engine/batches", {
        query: {
          state: state === "any" ? undefined : state,
          without: withUploads ? undefined : UPLOADS,
          before: pageParam,
          limit: PAGE,
        },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: AGAIN_MS,
  });
}

function useSteering(done: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, verb }: { id: number; verb: Verb }) =>
      api.post("/api/v1/engine/batches/{batch_id}/{verb}", { path: { batch_id: id, verb } }),
    onSuccess: done,
    onSettled: () => client.invalidateQueries({ queryKey: ["batches"] }),
  });
}

export function Batches({ mayAct }: { mayAct: boolean }) {
  const texts = useTexts();
  const [state, setState] = useState<Shown>("any");
  const [address, setAddress] = useSearchParams();
  const opened = Number(address.get("batch"));
  const [doomed, setDoomed] = useState<number | null>(null);
  const [withUploads, setWithUploads] = useState(false);
  const batches = useBatches(state, withUploads);
  const steer = useSteering(() => setDoomed(null));
  const all = batches.data?.pages.flatMap((page) => page.batches) ?? [];
  const act = (id: number, verb: Verb) => (verb === "cancel" ? setDoomed(id) : steer.mutate({ id, verb }));
  return (
    <>
      <div className="list-bar">
        <SegmentedControl
          size="xs"
          value={state}
          onChange={setState}
          data={[
            { value: "any", label: texts.engine.any },
            { value: "open", label: texts.engine.onlyOpen },
            { value: "closed", label: texts.engine.onlyClosed },
          ]}
        />
        <Checkbox
          size="xs"
          label={texts.engine.withUploads}
          checked={withUploads}
          onChange={(event) => setWithUploads(event.currentTarget.checked)}
        />
        <Refusal error={steer.error} />
      </div>
      {batches.isPending && <Loading lines={8} />}
      {batches.isError && <Failed error={batches.error} again={() => void batches.refetch()} />}
      {batches.isSuccess && all.length === 0 && (
        <div className="card">
          <Empty icon="engine" title={texts.engine.noBatches} how={texts.engine.noBatchesHow} />
        </div>
      )}
      {all.length > 0 && <BatchTable batches={all} act={mayAct ? act : null} />}
      {batches.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={batches.isFetchingNextPage}
          onClick={() => void batches.fetchNextPage()}
        >
          {texts.state.more}
        </Button>
      )}
      {opened > 0 && <BatchItems batchId={opened} mayAct={mayAct} close={() => setAddress({}, { replace: true })} />}
      <Confirm
        isOpen={doomed !== null}
        text={texts.engine.sureCancel(doomed ?? 0)}
        action={texts.engine.cancel}
        keep={texts.task.keep}
        isBusy={steer.isPending}
        close={() => setDoomed(null)}
        go={() => doomed !== null && steer.mutate({ id: doomed, verb: "cancel" })}
      />
    </>
  );
}

/** What may be done to a batch by the person looking, or null where that is nothing. */
type Act = ((id: number, verb: Verb) => void) | null;

function BatchTable({ batches, act }: { batches: Batch[]; act: Act }) {
  const texts = useTexts();
  const t = texts.engine;
  return (
    <div className="card card-flush" role="region" aria-label={t.batches} tabIndex={0}>
      <table className="list">
        <thead>
          <tr>
            <th>{t.batch}</th>
            <th>{t.kind}</th>
            <th>{t.queue}</th>
            <th>{t.progress}</th>
            <th>{t.state}</th>
            <th>{t.created}</th>
            {act && (
              <th>
                <span className="unseen">{t.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {batches.map((batch) => (
            <BatchRow key={batch.batch_id} batch={batch} act={act} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BatchRow({ batch, act }: { batch: Batch; act: Act }) {
  const { texts, language } = useLanguage();
  return (
    <tr>
      <td>
        <Link to={`?batch=${batch.batch_id}`}>{batch.batch_id}</Link>
      </td>
      <td>
        <code>{batch.kind}</code>
      </td>
      <td>
        <code>{batch.queue}</code>
      </td>
      <td className="cell-bar">
        <Bar counts={batch.counts} total={batch.total} isSmall />
        <span className="dim">{texts.engine.items(batch.total)}</span>
        {batch.counts.error > 0 && (
          <span className="refusal">
            {batch.counts.error} {texts.task.counts.error}
          </span>
        )}
      </td>
      <td>
        <BatchState batch={batch} />
      </td>
      <td className="dim">{moment(batch.created_at, language)}</td>
      {act && (
        <td className="cell-end">
          {verbsOf(batch).map((verb) => (
            <Button key={verb} size="compact-xs" variant="default" onClick={() => act(batch.batch_id, verb)}>
              {texts.engine[verb]}
            </Button>
          ))}
        </td>
      )}
    </tr>
  );
}

/** What can be done to a batch as it is. */
export function verbsOf(batch: Batch): Verb[] {
  const steering: Verb[] = batch.state === "open" ? [batch.paused ? "resume" : "pause", "cancel"] : [];
  return batch.counts.error > 0 ? [...steering, "retry"] : steering;
}

const STATES = {
  closed: { color: "gray", icon: "check" },
  paused: { color: "orange", icon: "pause" },
  open: { color: "blue", icon: "play" },
} as const;

function BatchState({ batch }: { batch: Batch }) {
  const t = useTexts().engine;
  const state = batch.state === "closed" ? "closed" : batch.paused ? "paused" : "open";
  const { color, icon } = STATES[state];
  return (
    <Badge variant="light" color={color} leftSection={<Icon name={icon} size={10} />}>
      {t[state]}
    </Badge>
  );
}
