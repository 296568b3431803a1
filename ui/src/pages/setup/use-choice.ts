import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import type { Document } from "../../api/client";
import { useTemplate, useTemplates } from "../../api/queries";
import { type Field, type Template, fieldsOf } from "../../api/template";
import { useKept } from "./kept";

// So long after the last change an estimate is made. Shorter asks the server per letter; longer feels slow.
const SETTLED_MS = 250;

/** The templates of a project, and the one of the address; without one, the first is put there. */
export function useChosenTemplate(projectId: number) {
  const [search, setSearch] = useSearchParams();
  const templates = useTemplates(projectId);
  const templateId = search.get("template") ?? undefined;
  const template = useTemplate(templateId);
  const choose = (id: string) =>
    setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: id }), { replace: true });
  const first = templates.data?.[0]?.template_id;
  useEffect(() => {
    if (templateId === undefined && first !== undefined)
      setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: first }), { replace: true });
  }, [templateId, first, setSearch]);
  return { templates, templateId, template, choose };
}

/** What has been chosen for a task. It is kept by the browser until the task is started. */
export function useChoice(projectId: number, templateId: string | undefined, template: Template | undefined) {
  const [chosen, setChosen] = useKept<Document[]>(`documents/${projectId}`, []);
  const [fieldIds, setFieldIds] = useKept<string[] | null>(`fields/${projectId}/${templateId ?? ""}`, null);
  const [context, setContext] = useKept(`context/${projectId}`, "");
  const [cap, setCap] = useKept<number | string>(`cap/${projectId}`, "");
  const [isUploading, setUploading] = useState(false);
  const fields = useMemo(() => fieldsChosen(template, fieldIds), [template, fieldIds]);
  const requestOf = (documents: Document[]) => ({
    project_id: projectId,
    template_id: templateId ?? "",
    document_ids: documents.map((one) => one.document_id),
    field_ids: fields.map((one) => one.id),
    context,
  });
  const taskOf = (documents: Document[]) => ({
    ...requestOf(documents),
    spend_cap: cap === "" ? null : Number(cap),
  });
  const [settled] = useDebouncedValue(JSON.stringify(requestOf(chosen)), SETTLED_MS);
  const settledRequest = useMemo(() => {
    const request = JSON.parse(settled) as ReturnType<typeof requestOf>;
    const isWhole = request.document_ids.length > 0 && request.field_ids.length > 0;
    return isWhole && request.project_id === projectId ? request : null;
  }, [settled, projectId]);
  const documents = { chosen, setChosen, isUploading, setUploading };
  return { ...documents, fields, fieldIds, setFieldIds, context, setContext, cap, setCap, taskOf, settledRequest };
}

/** The fields that are chosen; the core fields, unless somebody has chosen. */
function fieldsChosen(template: Template | undefined, fieldIds: string[] | null): Field[] {
  if (!template) return [];
  return fieldsOf(template).filter((one) => (fieldIds ? fieldIds.includes(one.id) : one.tier === "core"));
}
