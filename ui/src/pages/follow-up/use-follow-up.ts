import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { Problem, type Schemas, type Task, api } from "../../api/client";
import { keys } from "../../api/queries";
import { type Template, fieldsOf } from "../../api/template";
import { randomKey } from "../setup/kept";

export type Only = "" | "failed" | "missing";
/** The fields that are asked again, with the instruction that each has now. */
export type ChosenFields = ReadonlyMap<string, string>;

// So long after the last change an estimate is made. Shorter asks the server per letter; longer feels slow.
const SETTLED_MS = 250;

/** What has been chosen, and the request that it makes. */
export function useFollowUp(task: Task, earlier: Template) {
  const [only, setOnly] = useState<Only>("");
  const [fields, setFields] = useState<ChosenFields>(new Map());
  const [left, setLeft] = useState<number[]>([]);
  const [joining, setJoining] = useState<number[]>([]);
  const [cap, setCap] = useState<number | string>("");
  const known = useMemo(() => new Map(fieldsOf(earlier).map((one) => [one.id, one.instruction])), [earlier]);
  const request = {
    only: only || null,
    field_ids: [...fields.keys()],
    // An instruction of a field that was not asked before is its template's, unless it was changed here.
    instructions: [...fields].flatMap(([field, instruction]) =>
      known.has(field) && instruction !== known.get(field) ? [{ field, instruction }] : [],
    ),
  };
  const documents = { left, setLeft, joining, setJoining };
  return { task, only, setOnly, fields, setFields, ...documents, cap, setCap, request };
}

export type FollowUpChoice = ReturnType<typeof useFollowUp>;

/** Papers are named where not all of the task, or more than those, are meant; null until those of the task are known. */
function bodyOf(choice: FollowUpChoice, documents: Named[] | undefined): Schemas["NewFollowUp"] | null {
  const { left, joining, request } = choice;
  if (left.length === 0 && joining.length === 0) return request;
  const meant = documents?.map((one) => one.document_id).filter((id) => !left.includes(id));
  return meant ? { ...request, document_ids: [...meant, ...joining] } : null;
}

export interface Named {
  document_id: number;
  file_name: string;
}

// The most that one answer of the server holds.
const RESULTS = 50;

/** The documents of a task, in their order. */
export function useTaskDocuments(taskId: number) {
  return useQuery({
    queryKey: ["documents of a task", taskId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const found: Named[] = [];
      for (let after: number | null = 0; after !== null;) {
        const page: { results: Named[]; next: number | null } = await api.get(
          "/api/v1/extraction/tasks/{task_id}/results",
          { path: { task_id: taskId }, query: { after, limit: RESULTS }, signal },
        );
        found.push(...page.results.map(({ document_id, file_name }) => ({ document_id, file_name })));
        after = page.next;
      }
      return found;
    },
  });
}

/** What it would take, and how to start it. The same request, sent twice, has the same key and starts one task. */
export function useForeseen(choice: FollowUpChoice, isEmpty: boolean) {
  const { task } = choice;
  const documents = useTaskDocuments(task.task_id);
  const body = bodyOf(choice, documents.data);
  const [settled] = useDebouncedValue(JSON.stringify(isEmpty ? null : body), SETTLED_MS);
  const estimate = useQuery({
    queryKey: ["follow-up estimate", task.task_id, settled],
    enabled: settled !== "null" && task.state === "closed",
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      api.post("/api/v1/extraction/tasks/{task_id}/follow-up/estimate", {
        path: { task_id: task.task_id },
        body: JSON.parse(settled) as Schemas["NewFollowUp"],
        signal,
      }),
  });
  return { body, estimate };
}

export function useStartFollowUp(task: Task) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: (body: Schemas["NewFollowUp"]) => {
      const text = JSON.stringify(body);
      if (last.current.text !== text) last.current = { text, key: randomKey() };
      return api.post("/api/v1/extraction/tasks/{task_id}/follow-up", {
        path: { task_id: task.task_id },
        body: { ...body, idempotency_key: last.current.key },
      });
    },
    retry: (count, error) => !(error instanceof Problem) && count < 2,
    onSuccess: ({ task_id }) => {
      void client.invalidateQueries({ queryKey: keys.tasks(task.project_id) });
      void navigate(`/tasks/${task_id}`);
    },
  });
}
