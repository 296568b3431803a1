import { type QueryClient, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Result, type Schemas, type Task, api, whole } from "./client";
import type { Template } from "./template";

const QUICK_MS = 1_500;
const CALM_MS = 5_000;

export const keys = {
  me: ["me"] as const,
  projects: ["projects"] as const,
  templates: (projectId: number) => ["templates", projectId] as const,
  template: (id: string) => ["template", id] as const,
  shelves: (projectId: number) => ["knowledge-bases", projectId] as const,
  documents: (shelfId: number, search: string) => ["documents", shelfId, search] as const,
  tasks: (projectId: number) => ["tasks", projectId] as const,
  task: (id: number) => ["task", id] as const,
  results: (id: number) => ["results", id] as const,
};

export function useMe() {
  return useQuery({ queryKey: keys.me, queryFn: ({ signal }) => api.get("/api/v1/me", { signal }), staleTime: 60_000 });
}

export function useProjects() {
  return useQuery({
    queryKey: keys.projects,
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/projects", { query: { after }, signal }),
        (page) => page.projects,
      ),
  });
}

export function useTemplates(projectId: number) {
  return useQuery({
    queryKey: keys.templates(projectId),
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/extraction/templates", { query: { project_id: projectId, after }, signal }),
        (page) => page.templates,
      ),
  });
}

export function useTemplate(id: string | undefined) {
  return useQuery({
    queryKey: keys.template(id ?? ""),
    enabled: id !== undefined,
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/extraction/templates/{template_id}", {
        path: { template_id: id },
        signal,
      })) as unknown as Template,
  });
}

export function useTaskTemplate(taskId: number) {
  return useQuery({
    queryKey: ["task-template", taskId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/extraction/tasks/{task_id}/template", {
        path: { task_id: taskId },
        signal,
      })) as unknown as Template,
  });
}

export function useShelves(projectId: number) {
  return useQuery({
    queryKey: keys.shelves(projectId),
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/knowledge-bases", { query: { project_id: projectId, after }, signal }),
        (page) => page.knowledge_bases,
      ),
  });
}

/** All documents of a knowledge base that fit the search, page after page; looked at again while some are unread. */
export function useDocuments(shelfId: number | undefined, search: string) {
  const query = useInfiniteQuery({
    queryKey: keys.documents(shelfId ?? 0, search),
    enabled: shelfId !== undefined,
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/knowledge-bases/{knowledge_base_id}/documents", {
        path: { knowledge_base_id: shelfId },
        query: { search: search || undefined, after: pageParam, limit: 200 },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.documents.some((one) => one.state === "unread")) ? QUICK_MS : false,
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return query;
}

export function useTasks(projectId: number) {
  return useInfiniteQuery({
    queryKey: keys.tasks(projectId),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/extraction/tasks", { query: { project_id: projectId, before: pageParam, limit: 20 }, signal }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.tasks.some((task) => task.state === "open")) ? CALM_MS : false,
  });
}

/** The task, asked again until it is closed. `isLive`: the server tells of changes by itself, so asking can be rare. */
export function useTask(id: number, isLive = false) {
  return useQuery({
    queryKey: keys.task(id),
    queryFn: ({ signal }) => api.get("/api/v1/extraction/tasks/{task_id}", { path: { task_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === "open" ? (isLive ? 4 * CALM_MS : QUICK_MS) : false),
  });
}

export function useModel() {
  return useQuery({
    queryKey: ["model"] as const,
    queryFn: ({ signal }) => api.get("/api/v1/extraction/model", { signal }),
    staleTime: 60_000,
  });
}

/** What a task would take. Asked anew when the wish changes; the last answer stays until then. */
export function useEstimate(wish: Schemas["AskEstimate"] | null) {
  return useQuery({
    queryKey: ["estimate", wish] as const,
    enabled: wish !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    queryFn: ({ signal }) => api.post("/api/v1/extraction/estimate", { body: wish as Schemas["AskEstimate"], signal }),
    // What is not read yet will be in a moment.
    refetchInterval: ({ state }) => (state.data && state.data.unread > 0 ? 2 * QUICK_MS : false),
  });
}

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

/** What the server has just told of single documents: pages that were asked for before that know less. */
const told = new Map<string, { result: Result; at: number }>();

/** What is on its way to the server is laid over what came from it; whoever sends it says how. */
export const overlay = { lay: (_taskId: number, result: Result): Result => result };

/** A document as the server has it. */
export function resultRead(taskId: number, ordinal: number): Result | undefined {
  for (const page of pagesRead.get(taskId) ?? [])
    for (const one of page.results) if (one.ordinal === ordinal) return one;
  return undefined;
}

/** Keep what the server has just told of a document. */
export function keepResult(taskId: number, result: Result): void {
  told.set(`${taskId} ${result.ordinal}`, { result, at: Date.now() });
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

export function forgetResults(client: QueryClient, taskId: number): void {
  pagesRead.delete(taskId);
  void client.invalidateQueries({ queryKey: keys.results(taskId) });
}

function withTold(taskId: number, page: Page): Page {
  const newest = (one: Result) => {
    const single = told.get(`${taskId} ${one.ordinal}`);
    return single && single.at >= page.readAt ? single.result : one;
  };
  return page.results.some((one) => newest(one) !== one) ? { ...page, results: page.results.map(newest) } : page;
}

async function readResults(client: QueryClient, taskId: number, signal: AbortSignal): Promise<Results> {
  const known = pagesRead.get(taskId) ?? [];
  const shown = (read: Page[]) => read.flatMap((one) => one.results.map((result) => overlay.lay(taskId, result)));
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
        query: { after, limit: 50 },
        signal,
      });
      page = { after, results: answer.results, next: answer.next, readAt: began };
    }
    pages.push(page);
    // Also what was told of earlier pages while this one was on its way.
    pages.forEach((one, at) => {
      pages[at] = withTold(taskId, one);
    });
    after = page.next;
    if (known.length === 0 && after !== null) {
      // The first pages can be looked at while the rest is still on its way.
      pagesRead.set(taskId, [...pages]);
      client.setQueryData<Results>(keys.results(taskId), { results: shown(pages), isWhole: false });
    }
  }
  pagesRead.set(taskId, pages);
  return { results: shown(pages), isWhole: true };
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
