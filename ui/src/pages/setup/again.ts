import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { type Document, type Task, api } from "../../api/client";
import { fieldsOf } from "../../api/template";
import type { Template } from "../../api/template";
import { keep } from "./kept";

/** The setup of a task once more, with its template, fields, documents and context. */
export const again = (task: Task) => `/projects/${task.project_id}/setup?again=${task.task_id}`;

// The most that one answer of the server holds.
const DOCUMENTS = 500;
const RESULTS = 50;

/** Puts the choices of the task in the address where the setup looks for its own. False while they are on their way. */
export function useAgain(projectId: number): { isReady: boolean; error: Error | null } {
  const [search, setSearch] = useSearchParams();
  const client = useQueryClient();
  const taskId = Number(search.get("again") ?? 0);
  const onlyLeft = search.has("left");
  const copied = useQuery({
    queryKey: ["again", taskId, onlyLeft],
    enabled: taskId > 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const path = { task_id: taskId };
      const task = await api.get("/api/v1/extraction/tasks/{task_id}", { path, signal });
      const template = (await api.get("/api/v1/extraction/tasks/{task_id}/template", {
        path,
        signal,
      })) as unknown as Template;
      const wanted = await documentsOf(taskId, onlyLeft, signal);
      const documents = await present(projectId, wanted, signal);
      keep(`documents/${projectId}`, documents);
      keep(
        `fields/${projectId}/${task.template_id}`,
        fieldsOf(template).map((one) => one.id),
      );
      keep(`context/${projectId}`, task.context);
      keep(`cap/${projectId}`, task.spend_cap ?? "");
      void client.invalidateQueries({ queryKey: ["template", task.template_id] });
      setSearch({ template: task.template_id }, { replace: true });
      return task.task_id;
    },
  });
  return { isReady: taskId === 0, error: copied.error };
}

/** The documents of a task, or those of them that it did not come to. */
async function documentsOf(taskId: number, onlyLeft: boolean, signal: AbortSignal): Promise<Set<number>> {
  const found = new Set<number>();
  for (let after: number | null = 0; after !== null;) {
    const page: { results: { document_id: number; state: string }[]; next: number | null } = await api.get(
      "/api/v1/extraction/tasks/{task_id}/results",
      { path: { task_id: taskId }, query: { after, limit: RESULTS }, signal },
    );
    for (const one of page.results) if (!onlyLeft || one.state !== "completed") found.add(one.document_id);
    after = page.next;
  }
  return found;
}

/** Those that were not deleted since. */
async function present(projectId: number, wanted: Set<number>, signal: AbortSignal): Promise<Document[]> {
  const found: Document[] = [];
  const bases = await api.get("/api/v1/knowledge-bases", { query: { project_id: projectId }, signal });
  for (const base of bases.knowledge_bases)
    for (let after: string | undefined | null = undefined; after !== null && found.length < wanted.size;) {
      const page: { documents: Document[]; next: string | null } = await api.get(
        "/api/v1/knowledge-bases/{knowledge_base_id}/documents",
        { path: { knowledge_base_id: base.knowledge_base_id }, query: { after, limit: DOCUMENTS }, signal },
      );
      found.push(...page.documents.filter((one) => wanted.has(one.document_id)));
      after = page.next;
    }
  return found;
}
