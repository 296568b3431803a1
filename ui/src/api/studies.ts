import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Schemas, Problem, address, api } from "./client";
import type { Notice } from "../texts/notice";

export type Study = Schemas["Study"];
export type Report = Schemas["Report"];
export type Suggestion = Schemas["Suggestion"];
export type Flow = Schemas["Flow"];
export type Imported = Schemas["ImportedReferences"];
export type SourceKind = Schemas["Source"]["kind"];

const CALM_MS = 3_000;
const keyOf = (projectId: number) => ["studies", projectId] as const;

/** Studies with their reports, page after page; looked at again while files are still to be read. */
export function useStudies(projectId: number, search: string) {
  return useInfiniteQuery({
    queryKey: [...keyOf(projectId), "list", search],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ signal, pageParam }) =>
      api.get("/api/v1/projects/{project_id}/studies", {
        path: { project_id: projectId },
        query: { search: search || undefined, after: pageParam, limit: 100 },
        signal,
      }),
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.studies.some((one) => one.reports.some((report) => !report.is_read)))
        ? CALM_MS
        : false,
  });
}

/** `unread`: how many files are still to be read. Each that was may bring a suggestion. */
export function useSuggestions(projectId: number, unread: number) {
  return useQuery({
    queryKey: [...keyOf(projectId), "suggestions", unread],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.get("/api/v1/projects/{project_id}/studies/suggestions", {
        path: { project_id: projectId },
        query: { limit: 20 },
        signal,
      }),
  });
}

export function useFlow(projectId: number, language: string) {
  return useQuery({
    queryKey: [...keyOf(projectId), "flow", language],
    queryFn: ({ signal }) =>
      api.get("/api/v1/projects/{project_id}/flow", { path: { project_id: projectId }, query: { language }, signal }),
  });
}

export function useStudyHistory(projectId: number, studyId: number, isOpen: boolean) {
  return useQuery({
    queryKey: [...keyOf(projectId), "history", studyId],
    enabled: isOpen,
    queryFn: ({ signal }) =>
      api.get("/api/v1/projects/{project_id}/studies/history", {
        path: { project_id: projectId },
        query: { study_id: studyId },
        signal,
      }),
  });
}

/** What registries say beside a document's cells. It changes with its study and with decisions, so not for long. */
export function useRegistry(taskId: number, result: { ordinal: number; study_id: number }) {
  return useQuery({
    queryKey: ["registry", taskId, result.ordinal, result.study_id],
    enabled: result.study_id > 0,
    staleTime: 10_000,
    queryFn: ({ signal }) =>
      api.get("/api/v1/extraction/tasks/{task_id}/results/{ordinal}/registry", {
        path: { task_id: taskId, ordinal: result.ordinal },
        signal,
      }),
  });
}

export type Change =
  | { kind: "merge"; study_ids: number[] }
  | { kind: "split"; study_id: number; report_ids: number[] }
  | { kind: "name"; study_id: number; name: string | null }
  | { kind: "same"; report_ids: number[] }
  | { kind: "apart"; report_ids: number[] }
  | { kind: "other"; report_id: number }
  | { kind: "sure" }
  | { kind: "type"; report_id: number; type: Report["type"] }
  | { kind: "exclude"; report_ids: number[]; stage: Report["excluded_at"]; reason: string };

function send(projectId: number, change: Change): Promise<unknown> {
  const path = { project_id: projectId };
  switch (change.kind) {
    case "merge":
      return api.post("/api/v1/projects/{project_id}/studies/merge", { path, body: { study_ids: change.study_ids } });
    case "split":
      return api.post("/api/v1/projects/{project_id}/studies/{study_id}/split", {
        path: { ...path, study_id: change.study_id },
        body: { report_ids: change.report_ids },
      });
    case "name":
      return api.put("/api/v1/projects/{project_id}/studies/{study_id}/name", {
        path: { ...path, study_id: change.study_id },
        body: { name: change.name },
      });
    case "same":
      return api.post("/api/v1/projects/{project_id}/reports/same", { path, body: { report_ids: change.report_ids } });
    case "apart":
      return api.post("/api/v1/projects/{project_id}/reports/apart", { path, body: { report_ids: change.report_ids } });
    case "other":
      return api.post("/api/v1/projects/{project_id}/reports/{report_id}/other", {
        path: { ...path, report_id: change.report_id },
      });
    case "sure":
      return api.post("/api/v1/projects/{project_id}/reports/same-surely", { path });
    case "type":
      return api.put("/api/v1/projects/{project_id}/reports/{report_id}/type", {
        path: { ...path, report_id: change.report_id },
        body: { type: change.type },
      });
    case "exclude":
      return api.post("/api/v1/projects/{project_id}/reports/exclude", {
        path,
        body: { report_ids: change.report_ids, stage: change.stage, reason: change.reason },
      });
  }
}

/** What a person decides about studies. Everything about them is looked at again, also when it was refused. */
export function useChangeStudies(projectId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => send(projectId, change),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(projectId) }),
  });
}

/** Sends a file of references. Forms with files go past the client of JSON. */
export function useImportReferences(projectId: number) {
  const client = useQueryClient();
  const [imported, setImported] = useState<Imported | null>(null);
  const mutation = useMutation({
    mutationFn: async ({ file, name, kind }: { file: File; name: string; kind: SourceKind }) => {
      const form = new FormData();
      form.append("file", file);
      form.append("name", name);
      form.append("kind", kind);
      const path = address("/api/v1/projects/{project_id}/references", { project_id: projectId });
      const answer = await fetch(path, { method: "POST", body: form, credentials: "same-origin" });
      const body = (await answer.json()) as Imported & { detail?: string; notice?: Notice };
      if (!answer.ok) throw new Problem(answer.status, body.detail ?? answer.statusText, body.notice ?? null);
      return body;
    },
    onSuccess: (found) => {
      setImported(found);
      void client.invalidateQueries({ queryKey: keyOf(projectId) });
    },
  });
  return { ...mutation, imported };
}
