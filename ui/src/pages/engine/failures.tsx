import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Dialog } from "../../components/dialog";
import { api } from "../../api/client";
import { Empty, Failed, Loading } from "../../components/states";
import { moment, useLanguage } from "../../texts";

/** The items of a batch that failed, and why, for those who may know. */
export function BatchFailures({ batchId, close }: { batchId: number; close: () => void }) {
  const { texts, language } = useLanguage();
  const t = texts.engine;
  const failures = useInfiniteQuery({
    queryKey: ["failures", batchId],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/engine/batches/{batch_id}/failures", {
        path: { batch_id: batchId },
        query: { after: pageParam, limit: 50 },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
  });
  const all = failures.data?.pages.flatMap((page) => page.failures) ?? [];
  return (
    <Dialog opened onClose={close} title={t.failuresOf(batchId)} size="xl">
      {failures.isPending && <Loading lines={3} />}
      {failures.isError && <Failed error={failures.error} again={() => void failures.refetch()} />}
      {failures.isSuccess && all.length === 0 && <Empty icon="check" title={t.noFailures} />}
      {all.length > 0 && (
        <div className="card-flush card">
          <table className="list">
            <thead>
              <tr>
                <th>{t.item}</th>
                <th>{t.why}</th>
                <th>{t.attempts}</th>
                <th>{t.ended}</th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.item_id}>
                  <td>{one.ordinal + 1}</td>
                  <td className={one.problem === null ? "dim" : "plain"}>
                    {one.problem === null ? t.notYours : texts.notice(one.problem)}
                  </td>
                  <td>{one.attempt}</td>
                  <td className="dim">{moment(one.finished_at, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {failures.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={failures.isFetchingNextPage}
          onClick={() => void failures.fetchNextPage()}
        >
          {texts.state.more}
        </Button>
      )}
    </Dialog>
  );
}
