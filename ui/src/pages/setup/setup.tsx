import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { type Document, Problem, api } from "../../api/client";
import { keys, useMe, useTemplate, useTemplates } from "../../api/queries";
import { type Field, fieldsOf } from "../../api/template";
import { Failed } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { Bill, PILOT } from "./bill";
import { DocumentsCard } from "./documents";
import { keep, randomKey, useKept } from "./kept";
import { ModelCard } from "./model-card";
import { TemplateCard } from "./template-card";

const LONGEST_CONTEXT = 4_000;

export function SetupPage() {
  const texts = useTexts();
  const projectId = Number(useParams().projectId);
  const [search, setSearch] = useSearchParams();
  const me = useMe();
  const templates = useTemplates(projectId);
  const templateId = search.get("template") ?? undefined;
  const template = useTemplate(templateId);
  const [chosen, setChosen] = useKept<Document[]>(`documents/${projectId}`, []);
  const [fieldIds, setFieldIds] = useKept<string[] | null>(`fields/${projectId}/${templateId ?? ""}`, null);
  const [context, setContext] = useKept(`context/${projectId}`, "");
  const [cap, setCap] = useKept<number | string>(`cap/${projectId}`, "");
  const [isUploading, setUploading] = useState(false);

  const choose = (id: string) =>
    setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: id }), { replace: true });
  const first = templates.data?.[0]?.template_id;
  useEffect(() => {
    if (templateId === undefined && first !== undefined)
      setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: first }), { replace: true });
  }, [templateId, first, setSearch]);

  const fields = useMemo<Field[]>(() => {
    if (!template.data) return [];
    const all = fieldsOf(template.data);
    return fieldIds ? all.filter((one) => fieldIds.includes(one.id)) : all.filter((one) => one.tier === "core");
  }, [template.data, fieldIds]);
  const task = (documents: Document[]) => ({
    project_id: projectId,
    template_id: templateId ?? "",
    document_ids: documents.map((one) => one.document_id),
    field_ids: fields.map((one) => one.id),
    context,
    spend_cap: cap === "" ? null : Number(cap),
  });
  const { spend_cap: _, ...request } = task(chosen);
  const [settled] = useDebouncedValue(JSON.stringify(request), 250);
  const settledRequest = useMemo<typeof request | null>(() => {
    const kept = JSON.parse(settled) as typeof request;
    return kept.document_ids.length > 0 && kept.field_ids.length > 0 && kept.project_id === projectId ? kept : null;
  }, [settled, projectId]);

  const role = me.data?.roles[String(projectId) as unknown as keyof typeof me.data.roles];
  const reason =
    templates.isError || template.isError
      ? texts.setup.whyBroken
      : !template.data
        ? texts.setup.whyTemplate
        : role === "reader"
          ? texts.setup.whyReader
          : fields.length === 0
            ? texts.setup.whyFields
            : isUploading
              ? texts.setup.whyUploading
              : chosen.length === 0
                ? texts.setup.whyDocuments
                : chosen.every((one) => one.state === "problem" || one.state === "failed")
                  ? texts.setup.whyUnreadable
                  : cap !== "" && !(Number(cap) >= 0)
                    ? texts.setup.whyCap
                    : null;

  const start = useStart(projectId, () => setChosen([]), chosen.length);
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} />
      <header className="page-head">
        <h1>{texts.setup.title}</h1>
      </header>
      <div className="setup">
        <div className="setup-main">
          {templates.isError && <Failed error={templates.error} again={() => void templates.refetch()} />}
          <TemplateCard
            projectId={projectId}
            templates={templates.data}
            templateId={templateId}
            choose={choose}
            template={template.data}
            error={template.error}
            fieldIds={fieldIds}
            setFieldIds={setFieldIds}
          />
          <DocumentsCard projectId={projectId} chosen={chosen} setChosen={setChosen} setUploading={setUploading} />
          <section className="card">
            <CardTitle number={3} title={texts.setup.contextTitle} />
            <p className="dim">{texts.setup.contextLead}</p>
            <Textarea
              mt="sm"
              label={texts.setup.context}
              description={texts.setup.contextHint(LONGEST_CONTEXT - context.length)}
              placeholder={texts.setup.contextExample}
              value={context}
              maxLength={LONGEST_CONTEXT}
              minRows={3}
              autosize
              maxRows={10}
              onChange={(event) => setContext(event.currentTarget.value)}
            />
          </section>
          <ModelCard projectId={projectId} mayTest={role !== "reader"} cap={cap} setCap={setCap} />
        </div>
        <Bill
          template={template.data}
          fields={fields}
          chosen={chosen}
          cap={cap}
          request={settledRequest}
          reason={reason}
          isStarting={start.isPending}
          error={start.error}
          start={() => start.mutate({ ...task(chosen), isPilot: false })}
          tryFirst={() => start.mutate({ ...task(pilotOf(chosen)), isPilot: true })}
        />
      </div>
    </div>
  );
}

/** The first few that can be read: a trial of what cannot be read would show nothing. */
function pilotOf(chosen: Document[]): Document[] {
  const readable = chosen.filter((one) => one.state === "readable");
  return (readable.length > 0 ? readable : chosen).slice(0, PILOT);
}

interface TaskRequest {
  project_id: number;
  template_id: string;
  document_ids: number[];
  field_ids: string[];
  context: string;
  spend_cap: number | null;
  isPilot: boolean;
}

/** Starts a task. The same request, sent twice because an answer got lost, has the same key and starts one task. */
function useStart(projectId: number, done: () => void, selected: number) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: ({ isPilot: _, ...request }: TaskRequest) => {
      const text = JSON.stringify(request);
      if (last.current.text !== text) last.current = { text, key: randomKey() };
      return api.post("/api/v1/extraction/tasks", { body: { ...request, idempotency_key: last.current.key } });
    },
    retry: (count, error) => !(error instanceof Problem) && count < 2,
    onSuccess: ({ task_id }, { isPilot, template_id }) => {
      last.current = { text: "", key: "" };
      // A trial keeps the selection: all of it can be started next, and what was answered is not paid for again.
      if (isPilot) keep(`pilot/${task_id}`, { selected, template: template_id });
      else done();
      void client.invalidateQueries({ queryKey: keys.tasks(projectId) });
      void navigate(`/tasks/${task_id}`);
    },
  });
}

export function CardTitle({ number, title }: { number: number; title: string }) {
  return (
    <h2 className="card-title">
      <b>{number}</b> {title}
    </h2>
  );
}
