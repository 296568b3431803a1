import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Finding, type NewReview, type Result, api, whole } from "./client";
import { type Results, forgetResults, keepResult, keys, overlay, resultRead, useMe } from "./queries";

export interface Decision {
  ordinal: number;
  row: string;
  field: string;
  action: NewReview["action"];
  value?: NewReview["value"];
  note?: string;
}

interface Pending extends Decision {
  taskId: number;
  by: string;
  seen: number;
  seenValue: Finding["value"] | undefined;
  /** Whether a decision of one's own about the same cell is still on its way. */
  isLater: boolean;
}

const REVIEWS = "/api/v1/extraction/tasks/{task_id}/results/{ordinal}/reviews" as const;

/** Decisions that are on their way, in their order. They are shown as if they had arrived. */
let underway: Pending[] = [];
overlay.lay = (taskId, result) =>
  underway.filter((one) => one.taskId === taskId && one.ordinal === result.ordinal).reduce(laidOver, result);

const isSame = (one: { row: string; field: string }, other: { row: string; field: string }) =>
  one.row === other.row && one.field === other.field;
const findingOf = (result: Result | undefined, place: { row: string; field: string }) =>
  result?.findings.find((one) => isSame(one, place));

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
  for (const one of underway) if (!sent.has(one)) void send(one);
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
      underway = [...underway, decision];
      show(client, taskId, decision.ordinal);
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
      underway = underway.filter((one) => one !== decision);
      show(client, taskId, decision.ordinal);
      void client.invalidateQueries({ queryKey: ["reviews", taskId, decision.ordinal] });
    },
  });
}

/** A decision about what is seen, ready to be sent. */
export function pending(taskId: number, by: string, decision: Decision): Pending {
  const now = findingOf(resultRead(taskId, decision.ordinal), decision);
  const isLater = underway.some(
    (one) => one.taskId === taskId && one.ordinal === decision.ordinal && isSame(one, decision),
  );
  return { ...decision, taskId, by, seen: now?.review?.revision ?? 0, seenValue: now?.value, isLater };
}

function show(client: QueryClient, taskId: number, ordinal: number): void {
  const truth = resultRead(taskId, ordinal);
  if (!truth) return;
  const shown = overlay.lay(taskId, truth);
  client.setQueryData<Results>(
    keys.results(taskId),
    (old) => old && { ...old, results: old.results.map((one) => (one.ordinal === ordinal ? shown : one)) },
  );
}

/** What a document will be after a decision, as far as that can be told here. A value is shown once the server has read it. */
function laidOver(result: Result, decision: Pending): Result {
  if (decision.action === "edited") return result;
  const known = findingOf(result, decision);
  if (!known && decision.action === "withdrawn") return result;
  const before: Finding = known ?? blank(decision);
  const was =
    before.source === "reviewer"
      ? before.extracted
      : { state: before.state, value: before.value, source: before.source };
  let after: Finding;
  if (decision.action === "withdrawn") {
    if (!was) return { ...result, findings: result.findings.filter((one) => one !== known) };
    after = { ...before, ...was, extracted: null, review: null };
  } else {
    const isAccepted = decision.action === "accepted";
    const review = {
      revision: before.review?.revision ?? 0,
      action: isAccepted && before.review && !before.review.is_outdated ? before.review.action : decision.action,
      value: null,
      note: decision.note ?? "",
      by: decision.by,
      at: new Date().toISOString(),
      is_outdated: false,
    };
    after = isAccepted
      ? { ...before, review }
      : {
          ...before,
          state: decision.action,
          value: null,
          source: "reviewer",
          extracted: known ? was : null,
          review,
        };
  }
  return {
    ...result,
    findings: known ? result.findings.map((one) => (one === known ? after : one)) : [...result.findings, after],
  };
}

/** A cell in which nothing was found. */
export function blank(place: { row: string; field: string }): Finding {
  return {
    field: place.field,
    row: place.row,
    state: "",
    value: null,
    quote: "",
    verdict: "no_quote",
    spans: [],
    value_spans: [],
    subject_spans: [],
    reason: null,
    source: "reviewer",
    note: null,
    extracted: null,
    review: null,
  };
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
        const told = await api.post("/api/v1/extraction/tasks/{task_id}/reviews/accept-verified", {
          path: { task_id: taskId },
          body: { ordinals: ordinals.slice(at, at + AT_ONCE), rows: rows.slice(at, at + AT_ONCE), field_ids: fieldIds },
        });
        all.accepted += told.accepted;
        all.left += told.left;
      }
      return all;
    },
    onSettled: () => {
      forgetResults(client, taskId);
      void client.invalidateQueries({ queryKey: ["reviews", taskId] });
    },
  });
}
