import { Badge, Button, SegmentedControl } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { type Batch, api } from "../../api/client";
import { Confirm } from "../../components/confirm";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { Bar } from "../../components/task";
import { moment, useLanguage } from "../../texts";
import { BatchFailures } from "./failures";

type Verb = "pause" | "resume" | "cancel" | "retry";

export function Batches({ mayAct }: { mayAct: boolean }) {
  const { texts, language } = useLanguage();
  const [state, setState] = useState<"any" | "open" | "closed">("any");
  const [address, setAddress] = useSearchParams();
  const shown = Number(address.get("failures"));
  const [doomed, setDoomed] = useState<number | null>(null);
  const client = useQueryClient();
  const batches = useInfiniteQuery({
    queryKey: ["batches", state],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/engine/batches", {
        query: { state: state === "any" ? undefined : state, before: pageParam, limit: 50 },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 3_000,
  });
  const steer = useMutation({
    mutationFn: ({ id, verb }: { id: number; verb: Verb }) =>
      api.post("/api/v1/engine/batches/{batch_id}/{verb}", { path: { batch_id: id, verb } }),
    onSuccess: () => setDoomed(null),
    onSettled: () => client.invalidateQueries({ queryKey: ["batches"] }),
  });
  const all = batches.data?.pages.flatMap((page) => page.batches) ?? [];
  const act = (batch: Batch, verb: Verb, text: string) => (
    <Button
      key={verb}
      size="compact-xs"
      variant="default"
      onClick={() => (verb === "cancel" ? setDoomed(batch.batch_id) : steer.mutate({ id: batch.batch_id, verb }))}
    >
      {text}
    </Button>
  );
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
        <Refusal error={steer.error} />
      </div>
      {batches.isPending && <Loading lines={8} />}
      {batches.isError && <Failed error={batches.error} again={() => void batches.refetch()} />}
      {batches.isSuccess && all.length === 0 && (
        <div className="card">
          <Empty icon="engine" title={texts.engine.noBatches} how={texts.engine.noBatchesHow} />
        </div>
      )}
      {all.length > 0 && (
        <div className="card card-flush" role="region" aria-label={texts.engine.batches} tabIndex={0}>
          <table className="list">
            <thead>
              <tr>
                <th>{texts.engine.batch}</th>
                <th>{texts.engine.kind}</th>
                <th>{texts.engine.queue}</th>
                <th>{texts.engine.progress}</th>
                <th>{texts.engine.state}</th>
                <th>{texts.engine.created}</th>
                {mayAct && (
                  <th>
                    <span className="unseen">{texts.engine.actions}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {all.map((batch) => (
                <tr key={batch.batch_id}>
                  <td>{batch.batch_id}</td>
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
                      <Link className="refusal" to={`?failures=${batch.batch_id}`}>
                        {batch.counts.error} {texts.task.counts.error}
                      </Link>
                    )}
                  </td>
                  <td>
                    <Badge
                      variant="light"
                      color={batch.state === "closed" ? "gray" : batch.paused ? "orange" : "blue"}
                      leftSection={
                        <Icon name={batch.state === "closed" ? "check" : batch.paused ? "pause" : "play"} size={10} />
                      }
                    >
                      {batch.state === "closed"
                        ? texts.engine.closed
                        : batch.paused
                          ? texts.engine.paused
                          : texts.engine.open}
                    </Badge>
                  </td>
                  <td className="dim">{moment(batch.created_at, language)}</td>
                  {mayAct && (
                    <td className="cell-end">
                      {batch.state === "open" &&
                        (batch.paused
                          ? act(batch, "resume", texts.engine.resume)
                          : act(batch, "pause", texts.engine.pause))}
                      {batch.state === "open" && act(batch, "cancel", texts.engine.cancel)}
                      {batch.counts.error > 0 && act(batch, "retry", texts.engine.retry)}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
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
      {shown > 0 && <BatchFailures batchId={shown} close={() => setAddress({}, { replace: true })} />}
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
