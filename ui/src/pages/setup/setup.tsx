import { Button, Textarea } from "@mantine/core";
import { Link, useParams } from "react-router";
import type { Document } from "../../api/client";
import { useMe } from "../../api/queries";
import { useQuestions } from "../../api/questions";
import { Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { useAgain } from "./again";
import { Bill, PILOT } from "./bill";
import { CardTitle } from "./card-title";
import { DocumentsCard } from "./documents";
import { ModelCard } from "./model-card";
import { TemplateCard } from "./template-card";
import { useChoice, useChosenTemplate } from "./use-choice";
import { useStart } from "./use-start";
import { whyNot } from "./why-not";

// The server refuses a longer one: it goes into every question.
const LONGEST_CONTEXT = 4_000;

/** The setup of a new task, empty or with the choices of the task in the address. */
export function SetupPage() {
  const projectId = Number(useParams().projectId);
  const { isReady, error } = useAgain(projectId);
  if (isReady) return <Setup projectId={projectId} />;
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} />
      {error ? <Failed error={error} /> : <Loading lines={6} height={64} />}
    </div>
  );
}

/** Template, documents, context and model of a task, and beside them what it will take. */
function Setup({ projectId }: { projectId: number }) {
  const texts = useTexts();
  const me = useMe();
  const { templates, templateId, template, choose } = useChosenTemplate(projectId);
  const choice = useChoice(projectId, templateId, template.data);
  const { chosen, setChosen, fields, cap, taskOf } = choice;
  const role = me.data?.roles[String(projectId) as unknown as keyof typeof me.data.roles];
  const hasFailed = templates.isError || template.isError;
  const { isUploading } = choice;
  const reason = whyNot({ hasFailed, template: template.data, role, fields, isUploading, chosen, cap }, texts);
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
            fieldIds={choice.fieldIds}
            setFieldIds={choice.setFieldIds}
          />
          <DocumentsCard
            projectId={projectId}
            chosen={chosen}
            setChosen={setChosen}
            setUploading={choice.setUploading}
          />
          <QuestionsCard projectId={projectId} />
          <ContextCard context={choice.context} setContext={choice.setContext} />
          <ModelCard projectId={projectId} mayTest={role !== "reader"} cap={cap} setCap={choice.setCap} />
        </div>
        <Bill
          template={template.data}
          fields={fields}
          chosen={chosen}
          cap={cap}
          request={choice.settledRequest}
          reason={reason}
          isStarting={start.isPending}
          error={start.error}
          start={() => start.mutate({ ...taskOf(chosen), isPilot: false })}
          tryFirst={() => start.mutate({ ...taskOf(pilotOf(chosen)), isPilot: true })}
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

/** How many questions about numbers the task will take along, and the way to them. */
function QuestionsCard({ projectId }: { projectId: number }) {
  const t = useTexts().questions;
  const questions = useQuestions(projectId);
  const count = (questions.data?.comparisons.length ?? 0) * (questions.data?.outcomes.length ?? 0);
  return (
    <section className="card questions-card">
      <p className="plain">{count > 0 ? t.asked(count) : t.notAsked}</p>
      <Button component={Link} to={`/projects/${projectId}/questions`} size="xs" variant="default">
        {t.open}
      </Button>
    </section>
  );
}

/** What the model should know of the review before it reads. */
function ContextCard({ context, setContext }: { context: string; setContext: (context: string) => void }) {
  const texts = useTexts();
  return (
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
  );
}
