import { Alert, Button, NumberInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { type Document, Problem, api } from "../../api/client";
import { keys, useMe, useTemplate, useTemplates } from "../../api/queries";
import { type Field, fieldsOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { Failed, Refusal } from "../../components/states";
import { Steps } from "../../components/task";
import { useSpoken } from "../../words";
import { DocumentsCard } from "./documents";
import { randomKey, useKept } from "./kept";
import { TemplateCard } from "./template-card";

const LONGEST_CONTEXT = 4_000;

export function SetupPage() {
  const { words, language } = useSpoken();
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

  const choose = (id: string) => setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: id }), { replace: true });
  const first = templates.data?.[0]?.template_id;
  useEffect(() => {
    if (templateId === undefined && first !== undefined)
      setSearch((old) => new URLSearchParams({ ...Object.fromEntries(old), template: first }), { replace: true });
  }, [templateId, first, setSearch]);

  const asked = useMemo<Field[]>(() => {
    if (!template.data) return [];
    const all = fieldsOf(template.data);
    return fieldIds ? all.filter((one) => fieldIds.includes(one.id)) : all.filter((one) => one.tier === "core");
  }, [template.data, fieldIds]);
  const unreadable = chosen.filter((one) => one.state === "problem" || one.state === "failed").length;
  const unread = chosen.filter((one) => one.state === "unread").length;
  const pages = chosen.reduce((sum, one) => sum + one.page_count, 0);

  const role = me.data?.roles[String(projectId) as unknown as keyof typeof me.data.roles];
  const reason = !template.data
    ? words.setup.whyTemplate
    : role === "reader"
      ? words.setup.whyReader
      : asked.length === 0
        ? words.setup.whyFields
        : isUploading
          ? words.setup.whyUploading
          : chosen.length === 0
            ? words.setup.whyDocuments
            : cap !== "" && !(Number(cap) >= 0)
              ? words.setup.whyCap
              : null;

  const start = useStart(projectId, () => setChosen([]));
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} />
      <header className="page-head">
        <h1>{words.setup.title}</h1>
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
            <CardTitle number={3} title={words.setup.contextTitle} />
            <p className="dim">{words.setup.contextLead}</p>
            <div className="context-line">
              <Textarea
                label={words.setup.context}
                description={words.setup.contextHint(LONGEST_CONTEXT - context.length)}
                value={context}
                maxLength={LONGEST_CONTEXT}
                minRows={3}
                autosize
                maxRows={10}
                onChange={(event) => setContext(event.currentTarget.value)}
              />
              <NumberInput
                label={words.setup.cap}
                description={words.setup.capHint}
                value={cap}
                onChange={setCap}
                min={0}
                max={1_000_000}
                decimalScale={4}
                hideControls
              />
            </div>
          </section>
        </div>
        <aside className="bill card" aria-label={words.setup.bill}>
          <h2>{words.setup.bill}</h2>
          <dl>
            <dt>{words.setup.billTemplate}</dt>
            <dd>
              {template.data ? template.data.label[language] : "—"}
              {template.data && <span className="dim"> {words.setup.version(template.data.version)}</span>}
            </dd>
            <dt>{words.setup.billFields}</dt>
            <dd>{asked.length}</dd>
            <dt>{words.setup.billDocuments}</dt>
            <dd data-testid="bill-documents">{chosen.length}</dd>
            <dt>{words.setup.billPages}</dt>
            <dd>{pages}</dd>
            <dt>{words.setup.billCap}</dt>
            <dd>{cap === "" ? words.setup.noCap : cap}</dd>
          </dl>
          {unreadable > 0 && (
            <Alert color="orange" icon={<Icon name="warning" />} p="xs">
              {words.setup.warnUnreadable(unreadable)}
            </Alert>
          )}
          {unread > 0 && <p className="dim">{words.setup.warnUnread(unread)}</p>}
          <Button
            size="md"
            fullWidth
            disabled={reason !== null}
            loading={start.isPending}
            leftSection={<Icon name="play" />}
            onClick={() =>
              start.mutate({
                project_id: projectId,
                template_id: templateId ?? "",
                document_ids: chosen.map((one) => one.document_id),
                field_ids: asked.map((one) => one.id),
                context,
                spend_cap: cap === "" ? null : Number(cap),
              })
            }
          >
            {words.setup.start}
          </Button>
          <p className="bill-reason" role="status">
            {reason ?? words.setup.locked}
          </p>
          <Refusal error={start.error} />
        </aside>
      </div>
    </div>
  );
}

interface Asked {
  project_id: number;
  template_id: string;
  document_ids: number[];
  field_ids: string[];
  context: string;
  spend_cap: number | null;
}

/** Starts a task. The same wish, sent twice because an answer got lost, has the same key and starts one task. */
function useStart(projectId: number, done: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const last = useRef({ wish: "", key: "" });
  return useMutation({
    mutationFn: (asked: Asked) => {
      const wish = JSON.stringify(asked);
      if (last.current.wish !== wish) last.current = { wish, key: randomKey() };
      return api.post("/api/v1/extraction/tasks", { body: { ...asked, idempotency_key: last.current.key } });
    },
    retry: (count, error) => !(error instanceof Problem) && count < 2,
    onSuccess: ({ task_id }) => {
      last.current = { wish: "", key: "" };
      done();
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
