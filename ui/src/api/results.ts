import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Result, type Task, api } from "./client";
import { shown } from "./decisions";
import { CALM_MS, keys } from "./queries";

export interface Results {
  results: Result[];
  isWhole: boolean;
}

interface Page {
  after: number;
  results: Result[];
  next: number | null;
  readAt: number;
}

/** Pages that were read, by task. Where all documents are completed only colleagues change something: that can wait. */
const pagesRead = new Map<number, Page[]>();
const FRESH_MS = 30_000;
// The first rows come alone, so that there is something to look at while the rest is on its way.
const FIRST_PAGE = 10;
const PAGE = 50;

/** Answers about single documents. Pages that were requested before them know less. */
const singles = new Map<string, { result: Result; at: number }>();

/** A document as the server has it. */
export function resultRead(taskId: number, ordinal: number): Result | undefined {
  for (const page of pagesRead.get(taskId) ?? [])
    for (const one of page.results) if (one.ordinal === ordinal) return one;
  return undefined;
}

/** Keep the answer of the server about one document. */
export function keepResult(taskId: number, result: Result): void {
  singles.set(`${taskId} ${result.ordinal}`, { result, at: Date.now() });
  const pages = pagesRead.get(taskId) ?? [];
  pagesRead.set(
    taskId,
    pages.map((page) =>
      page.results.some((one) => one.ordinal === result.ordinal)
        ? { ...page, results: page.results.map((one) => (one.ordinal === result.ordinal ? result : one)) }
        : page,
    ),
  );
}

/** Draw a document as it is now, with the decisions that are on their way. */
export function showResult(client: QueryClient, taskId: number, ordinal: number): void {
  const truth = resultRead(taskId, ordinal);
  if (!truth) return;
  const result = shown(taskId, truth);
  client.setQueryData<Results>(
    keys.results(taskId),
    (old) => old && { ...old, results: old.results.map((one) => (one.ordinal === ordinal ? result : one)) },
  );
}

export function forgetResults(client: QueryClient, taskId: number): void {
  pagesRead.delete(taskId);
  void client.invalidateQueries({ queryKey: keys.results(taskId) });
}

function withSingles(taskId: number, page: Page): Page {
  const newest = (one: Result) => {
    const single = singles.get(`${taskId} ${one.ordinal}`);
    return single && single.at >= page.readAt ? single.result : one;
  };
  return page.results.some((one) => newest(one) !== one) ? { ...page, results: page.results.map(newest) } : page;
}

const drawn = (taskId: number, pages: Page[]) => pages.flatMap((page) => page.results.map((one) => shown(taskId, one)));

async function readResults(client: QueryClient, taskId: number, signal: AbortSignal): Promise<Results> {
  const known = pagesRead.get(taskId) ?? [];
  const pages: Page[] = [];
  for (let after: number | null = 0; after !== null;) {
    const old: Page | undefined = known[pages.length];
    let page: Page;
    if (
      old?.after === after &&
      Date.now() - old.readAt < FRESH_MS &&
      old.results.every((one) => one.state === "completed")
    ) {
      page = old;
    } else {
      const began = Date.now();
      const answer = await api.get("/api/v1/extraction/tasks/{task_id}/results", {
        path: { task_id: taskId },
        query: { after, limit: after === 0 ? FIRST_PAGE : PAGE },
        signal,
      });
      page = { after, results: answer.results, next: answer.next, readAt: began };
    }
    pages.push(page);
    // Also single answers about earlier pages while this one was on its way.
    pages.forEach((one, at) => {
      pages[at] = withSingles(taskId, one);
    });
    after = page.next;
    if (known.length === 0 && after !== null) {
      // The first pages can be looked at while the rest is still on its way.
      pagesRead.set(taskId, [...pages]);
      client.setQueryData<Results>(keys.results(taskId), { results: drawn(taskId, pages), isWhole: false });
    }
  }
  pagesRead.set(taskId, pages);
  return { results: drawn(taskId, pages), isWhole: true };
}

/** All documents of a task with their findings. Read again while the task runs, and once more when it has closed. */
export function useResults(task: Task | undefined) {
  const client = useQueryClient();
  const id = task?.task_id ?? 0;
  const isOpen = task?.state === "open";
  const counts = task?.counts;
  const ended = counts ? `${counts.completed}/${counts.error}/${counts.cancelled}/${counts.running}` : "";
  const query = useQuery({
    queryKey: keys.results(id),
    enabled: task !== undefined,
    queryFn: ({ signal }) => readResults(client, id, signal),
    refetchInterval: isOpen ? CALM_MS : false,
    structuralSharing: true,
  });
  useEffect(() => {
    if (ended) void client.invalidateQueries({ queryKey: keys.results(id) }, { cancelRefetch: false });
  }, [client, id, ended]);
  return query;
}
