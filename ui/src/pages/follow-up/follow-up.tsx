import type { ReactNode } from "react";
import { useParams } from "react-router";
import type { Task } from "../../api/client";
import { useMe, useModel, useTask, useTaskTemplate, useTemplate } from "../../api/queries";
import type { Template } from "../../api/template";
import { Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useLanguage, useTexts } from "../../texts";
import type { Texts } from "../../texts/en";
import { FollowUpBill } from "./bill";
import { DocumentsCard } from "./documents";
import { OpenCard } from "./open";
import { FieldsCard } from "./fields";
import { useFollowUp } from "./use-follow-up";

/** A task that has ended, asked once more in part: what failed, some fields, other instructions, further papers. */
export function FollowUpPage() {
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const earlier = useTaskTemplate(taskId);
  const whole = useTemplate(task.data?.template_id);
  const error = task.error ?? earlier.error;
  if (error)
    return (
      <Page>
        <Failed error={error} />
      </Page>
    );
  // A template that was deleted since still asks what the task has asked.
  if (!task.data || !earlier.data || whole.isPending)
    return (
      <Page>
        <Loading lines={6} height={64} />
      </Page>
    );
  return <FollowUp task={task.data} earlier={earlier.data} whole={whole.data ?? earlier.data} />;
}

const Page = ({ children }: { children: ReactNode }) => <div className="page page-wide">{children}</div>;

function FollowUp({ task, earlier, whole }: { task: Task; earlier: Template; whole: Template }) {
  const { texts, language } = useLanguage();
  const t = texts.followUp;
  const me = useMe();
  const role = me.data?.roles[String(task.project_id) as unknown as keyof typeof me.data.roles];
  const choice = useFollowUp(task, earlier);
  const { request } = choice;
  const asksCells = (request.only !== null || request.field_ids.length > 0) && choice.left.length < task.total;
  const isEmpty = !asksCells && choice.joining.length === 0;
  const reason = whyNot(texts, { role, isOpen: task.state === "open", isEmpty });
  return (
    <Page>
      <Steps projectId={task.project_id} taskId={task.task_id} title={t.title} />
      <header className="page-head">
        <div>
          <h1>{t.title}</h1>
          <p className="lead">{t.lead(task.task_id, earlier.label[language], task.total)}</p>
        </div>
      </header>
      <div className="setup">
        <div className="setup-main">
          <OpenCard only={choice.only} setOnly={choice.setOnly} />
          <FieldsCard earlier={earlier} whole={whole} chosen={choice.fields} setChosen={choice.setFields} />
          <DocumentsCard
            task={task}
            left={choice.left}
            setLeft={choice.setLeft}
            joining={choice.joining}
            setJoining={choice.setJoining}
          />
          <WhoAnswers before={task.extractor} />
        </div>
        <FollowUpBill task={task} choice={choice} reason={reason} isEmpty={isEmpty} />
      </div>
    </Page>
  );
}

/** Why a follow-up cannot be started: the first reason in the order of the page. */
function whyNot(texts: Texts, is: { role: string | undefined; isOpen: boolean; isEmpty: boolean }): string | null {
  if (is.role === "reader") return texts.setup.whyReader;
  if (is.isOpen) return texts.followUp.whyOpen;
  return is.isEmpty ? texts.followUp.whyNothing : null;
}

/** Another model may answer than before: that of the workbench as it is set up now. */
function WhoAnswers({ before }: { before: string }) {
  const texts = useTexts();
  const model = useModel();
  const nameOf = (name: string | null) => (name === null || name === "embedded" ? texts.drawer.embedded : name);
  const now = nameOf(model.data?.model ?? null);
  return (
    <section className="card" aria-label={texts.setup.modelTitle}>
      <h2>{texts.setup.modelTitle}</h2>
      <p className="plain">
        {nameOf(before) === now ? texts.followUp.sameModel(now) : texts.followUp.otherModel(nameOf(before), now)}
      </p>
    </section>
  );
}
