import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type NewReview, type Result, api, whole } from "./client";
import { type Pending, begun, ended, findingOf, onTheirWay } from "./decisions";
import { useMe } from "./queries";
import { forgetResults, keepResult, resultRead, showResult } from "./results";

const REVIEWS = "/api/v1/extraction/tasks/{task_id}/results/{ordinal}/reviews" as const;

/** Whether the person looking may review in this project. */
export function useMayReview(projectId: number | undefined): boolean {
  const me = useMe();
  const role = me.data?.roles[String(projectId)];
  return (role === "owner" || role === "reviewer") && me.data?.scope !== "read";
}

const sent = new WeakSet<Pending>();

/** A decision outlives its page: whoever has seen it made and leaves at once will find it made. */
function send(decision: Pending): Promise<Result> {
  sent.add(decision);
  const now = findingOf(resultRead(decision.taskId, decision.ordinal), decision);
  const body: NewReview = {
    field: decision.field,
    row: decision.row,
    action: decision.action,
    note: decision.note ?? "",
    // What was seen of the server, unless a decision of one's own came between.
    seen: decision.isLater ? (now?.review?.revision ?? 0) : decision.seen,
  };
  if (decision.action === "edited") body.value = decision.value ?? null;
  if (decision.action === "accepted" && !decision.isLater && decision.seenValue !== undefined)
    body.seen_value = decision.seenValue;
  return api.post(REVIEWS, { path: { task_id: decision.taskId, ordinal: decision.ordinal }, body, keepalive: true });
}

window.addEventListener("pagehide", () => {
  for (const one of onTheirWay()) if (!sent.has(one)) void send(one);
});

/** Judge one value. Shown at once; where the server refuses, what it has is shown again and the promise fails. */
export function useReview(taskId: number) {
  const client = useQueryClient();
  return useMutation({
    // One after the other, as they were made.
    scope: { id: `reviews ${taskId}` },
    retry: false,
    mutationFn: send,
    onMutate: (decision) => {
      begun(decision);
      showResult(client, taskId, decision.ordinal);
    },
    onSuccess: (result) => keepResult(taskId, result),
    onError: async (_, decision) => {
      const path = { task_id: taskId, ordinal: decision.ordinal };
      // What somebody else has done meanwhile, if the server can be reached at all.
      await api.get("/api/v1/extraction/tasks/{task_id}/results/{ordinal}", { path }).then(
        (result) => keepResult(taskId, result),
        () => undefined,
      );
    },
    onSettled: (_, __, decision) => {
      ended(decision);
      showResult(client, taskId, decision.ordinal);
      void client.invalidateQueries({ queryKey: ["reviews", taskId, decision.ordinal] });
    },
  });
}

/** All reviews of a cell there ever were. */
export function useHistory(taskId: number, ordinal: number, row: string, field: string) {
  return useQuery({
    queryKey: ["reviews", taskId, ordinal, row, field],
    staleTime: 30_000,
    queryFn: ({ signal }) =>
      whole(
        (after) =>
          api.get(REVIEWS, { path: { task_id: taskId, ordinal }, query: { row, field, after, limit: 500 }, signal }),
        (page) => page.reviews,
      ),
  });
}

const AT_ONCE = 500;

export function useAcceptVerified(taskId: number) {
  const client = useQueryClient();
  return useMutation({
    scope: { id: `reviews ${taskId}` },
    mutationFn: async ({ ordinals, rows, fieldIds }: { ordinals: number[]; rows: string[][]; fieldIds: string[] }) => {
      const all = { accepted: 0, left: 0 };
      for (let at = 0; at < ordinals.length; at += AT_ONCE) {
        const answer = await api.post("/api/v1/extraction/tasks/{task_id}/reviews/accept-verified", {
          path: { task_id: taskId },
          body: { ordinals: ordinals.slice(at, at + AT_ONCE), rows: rows.slice(at, at + AT_ONCE), field_ids: fieldIds },
        });
        all.accepted += answer.accepted;
        all.left += answer.left;
      }
      return all;
    },
    onSettled: () => {
      forgetResults(client, taskId);
      void client.invalidateQueries({ queryKey: ["reviews", taskId] });
    },
  });
}
