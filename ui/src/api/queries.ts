import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Schemas, api, whole } from "./client";
import type { Template } from "./template";

const QUICK_MS = 1_500;
export const CALM_MS = 5_000;

export const keys = {
  me: ["me"] as const,
  projects: ["projects"] as const,
  templates: (projectId: number) => ["templates", projectId] as const,
  template: (id: string) => ["template", id] as const,
  knowledgeBases: (projectId: number) => ["knowledge-bases", projectId] as const,
  documents: (knowledgeBaseId: number, search: string) => ["documents", knowledgeBaseId, search] as const,
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

export function useKnowledgeBases(projectId: number) {
  return useQuery({
    queryKey: keys.knowledgeBases(projectId),
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get("/api/v1/knowledge-bases", { query: { project_id: projectId, after }, signal }),
        (page) => page.knowledge_bases,
      ),
  });
}

/** All documents of a knowledge base that fit the search, page after page; looked at again while some are unread. */
export function useDocuments(knowledgeBaseId: number | undefined, search: string) {
  const query = useInfiniteQuery({
    queryKey: keys.documents(knowledgeBaseId ?? 0, search),
    enabled: knowledgeBaseId !== undefined,
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/knowledge-bases/{knowledge_base_id}/documents", {
        path: { knowledge_base_id: knowledgeBaseId },
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

/** Tasks of a project, newest first: those that fit the search, and those put away only where they are wanted. */
export function useTasks(projectId: number, search = "", isArchived = false) {
  return useInfiniteQuery({
    queryKey: [...keys.tasks(projectId), search, isArchived],
    initialPageParam: undefined as number | undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/extraction/tasks", {
        query: {
          project_id: projectId,
          search: search || undefined,
          is_archived: isArchived ? "true" : "false",
          before: pageParam,
          limit: 20,
        },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.tasks.some((task) => task.state === "open")) ? CALM_MS : false,
  });
}

/** What people call a task, and whether they have put it away. */
export function useChangeTask(projectId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number; name?: string | null; is_archived?: boolean }) =>
      api.patch("/api/v1/extraction/tasks/{task_id}", { path: { task_id: id }, body }),
    onSuccess: (task) => {
      client.setQueryData(keys.task(task.task_id), task);
      void client.invalidateQueries({ queryKey: keys.tasks(projectId) });
    },
  });
}

/** The task, polled until it is closed. `isLive`: the server reports changes by itself, so polling can be rare. */
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

/** What a task would take. Computed anew when the request changes; the last answer stays until then. */
export function useEstimate(request: Schemas["AskEstimate"] | null) {
  return useQuery({
    queryKey: ["estimate", request] as const,
    enabled: request !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      api.post("/api/v1/extraction/estimate", { body: request as Schemas["AskEstimate"], signal }),
    // What is not read yet will be in a moment.
    refetchInterval: ({ state }) => (state.data && state.data.unread > 0 ? 2 * QUICK_MS : false),
  });
}
