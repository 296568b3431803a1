import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Schemas, api } from "../../api/client";
import { Dialog } from "../../components/dialog";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { moment, useLanguage, useTexts } from "../../texts";

type Item = Schemas["Item"];
type State = "any" | "pending" | "running" | "completed" | "error" | "cancelled";
const STATES: State[] = ["any", "error", "pending", "running", "completed", "cancelled"];

// Items in one answer of the server.
const PAGE = 50;

function useItems(batchId: number, state: State, from: number) {
  return useInfiniteQuery({
    queryKey: ["items", batchId, state, from],
    // The server gives what comes after an item; to begin with one, what comes after the one before is wanted.
    initialPageParam: Math.max(0, from - 1),
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/engine/batches/{batch_id}/items", {
        path: { batch_id: batchId },
        query: { after: pageParam, limit: PAGE, state: state === "any" ? undefined : state },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

/** The items of a batch: all or those in one state, from an item on. A failed one can be sent back by itself. */
export function BatchItems({ batchId, mayAct, close }: { batchId: number; mayAct: boolean; close: () => void }) {
  const texts = useTexts();
  const t = texts.engine;
  const [state, setState] = useState<State>("any");
  const [from, setFrom] = useState("");
  const items = useItems(batchId, state, Number(from) || 0);
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: (itemId: number) =>
      api.post("/api/v1/engine/batches/{batch_id}/items/{item_id}/retry", {
        path: { batch_id: batchId, item_id: itemId },
      }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["items", batchId] });
      void client.invalidateQueries({ queryKey: ["batches"] });
    },
  });
  const all = items.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Dialog opened onClose={close} title={t.itemsOf(batchId)} size="xl">
      <div className="list-bar">
        <SegmentedControl
          size="xs"
          value={state}
          onChange={setState}
          data={STATES.map((one) => ({ value: one, label: one === "any" ? t.any : (texts.task.counts[one] ?? one) }))}
        />
        <TextInput
          size="xs"
          aria-label={t.fromItem}
          placeholder={t.fromItem}
          inputMode="numeric"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value.replace(/\D/g, "").slice(0, 15))}
        />
        <Refusal error={retry.error} />
      </div>
      {items.isPending && <Loading lines={3} />}
      {items.isError && <Failed error={items.error} again={() => void items.refetch()} />}
      {items.isSuccess && all.length === 0 && <Empty icon="search" title={t.noItems} />}
      {all.length > 0 && <ItemTable items={all} retry={mayAct ? retry.mutate : null} />}
      {items.hasNextPage && (
        <Button variant="default" mt="md" loading={items.isFetchingNextPage} onClick={() => void items.fetchNextPage()}>
          {texts.state.more}
        </Button>
      )}
    </Dialog>
  );
}

function ItemTable({ items, retry }: { items: Item[]; retry: ((itemId: number) => void) | null }) {
  const { texts, language } = useLanguage();
  const t = texts.engine;
  const why = (item: Item) =>
    item.problem !== null ? texts.notice(item.problem) : item.state === "error" ? t.notYours : "";
  return (
    <div className="card-flush card" role="region" aria-label={t.item} tabIndex={0}>
      <table className="list">
        <thead>
          <tr>
            <th>{t.item}</th>
            <th>{t.itemId}</th>
            <th>{t.state}</th>
            <th>{t.why}</th>
            <th>{t.attempts}</th>
            <th>{t.ended}</th>
            {retry && (
              <th>
                <span className="unseen">{t.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.item_id}>
              <td>{item.ordinal + 1}</td>
              <td className="dim">{item.item_id}</td>
              <td>{texts.task.counts[item.state] ?? item.state}</td>
              <td className={item.problem === null ? "dim" : "plain"}>{why(item)}</td>
              <td>{item.attempt}</td>
              <td className="dim">{item.finished_at ? moment(item.finished_at, language) : ""}</td>
              {retry && (
                <td className="cell-end">
                  {item.state === "error" && (
                    <Button size="compact-xs" variant="default" onClick={() => retry(item.item_id)}>
                      {t.retry}
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
