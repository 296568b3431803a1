import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import type { Task } from "../../api/client";
import { sum } from "../../api/judge";
import { useTask, useTaskTemplate } from "../../api/queries";
import { useResults } from "../../api/results";
import type { Language } from "../../api/template";
import { Icon } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { Bar, Steps, TaskState } from "../../components/task";
import { count, moment, useLanguage, useTexts } from "../../texts";
import type { Texts } from "../../texts/en";
import { kept } from "../setup/kept";
import { again } from "../setup/again";
import { Actions } from "./actions";
import { DocumentRows } from "./document-rows";
import { Facts } from "./facts";
import { Failures } from "./failures";
import { useLive } from "./live";
import { Log } from "./log";
import { Writing } from "./writing";

const BY_A_PERSON = "task.paused_by_a_person";

export function ProgressPage() {
  const { texts, language } = useLanguage();
  const taskId = Number(useParams().taskId);
  const [isLive, setLive] = useState(false);
  const task = useTask(taskId, isLive);
  const live = useLive(taskId, task.data, setLive);
  const template = useTaskTemplate(taskId);
  const results = useResults(task.data);
  if (task.isPending)
    return (
      <div className="page page-wide">
        <Loading lines={6} height={64} />
      </div>
    );
  if (task.isError)
    return (
      <div className="page page-wide">
        <Failed error={task.error} again={() => void task.refetch()} />
      </div>
    );
  const status = task.data;
  const found = sum(results.data?.results ?? []);
  return (
    <div className="page page-wide">
      <Steps projectId={status.project_id} taskId={taskId} />
      <header className="page-head">
        <div>
          <h1>
            {template.data?.label[language] ?? status.template_id} <TaskState task={status} />
          </h1>
          <p className="lead">
            {texts.setup.version(status.template_version)} ·{" "}
            {status.is_embedded ? texts.drawer.embedded : status.extractor}
          </p>
        </div>
        <Actions task={status} />
      </header>
      <section className="card progress-card">
        <div className="progress-line">
          <b className="progress-percent">{Math.floor(status.percent)} %</b>
          <span>{texts.task.of(status.counts.completed + status.counts.error, status.total)}</span>
          <span className="spacer" />
          {(["completed", "running", "pending", "error", "cancelled"] as const).map((name) => (
            <span key={name} className={`count count-${name}`} data-testid={`count-${name}`}>
              <i /> <b>{count(status.counts[name])}</b> {texts.task.counts[name]}
            </span>
          ))}
        </div>
        <Bar counts={status.counts} total={status.total} />
        <Standing task={status} />
        <Facts task={status} reported={found.reported} attention={found.attention} />
        <Writing task={status} updatedAt={task.dataUpdatedAt} />
      </section>
      <Earlier task={status} />
      <Trial task={status} />
      <LeftOver task={status} />
      <div className="progress">
        <DocumentRows task={status} results={results} lines={live.lines} />
        <div className="progress-side">
          <Failures results={results.data?.results ?? []} />
          <Log lines={live.lines} state={live.state} />
        </div>
      </div>
    </div>
  );
}

/** One line that is always there: why nothing happens, or that something does. So it never moves what stands below. */
function Standing({ task }: { task: Task }) {
  const { texts, language } = useLanguage();
  const why = whyStill(task, texts, language);
  if (why !== null)
    return (
      <p className="standing standing-still" role="status">
        <Icon name={task.paused ? "pause" : "clock"} /> {why}
      </p>
    );
  return (
    <p className="standing dim" role="status">
      {task.state === "open" ? texts.task.goesOn : texts.task.over} {task.is_embedded && texts.task.embedded}
    </p>
  );
}

/** Why an open task does not move: it is paused, or it waits for something. */
function whyStill(task: Task, texts: Texts, language: Language): string | null {
  if (task.state !== "open") return null;
  if (task.paused) {
    const reason = task.pause_reason;
    return reason === null || reason.id === BY_A_PERSON ? texts.task.pausedByPerson : texts.notice(reason);
  }
  if (task.wait === null) return null;
  const until = task.wait.until ? moment(task.wait.until, language) : "";
  return `${texts.task.waits[task.wait.why](until)} ${texts.notice(task.wait.sentence)}`;
}

/** A follow-up names the task that it follows, and leads to what it says otherwise. */
function Earlier({ task }: { task: Task }) {
  const texts = useTexts();
  if (task.follows === null) return null;
  return (
    <div className="notice notice-card">
      <span>{texts.task.followsTask(task.follows)}</span>
      <Button component={Link} size="xs" variant="default" to={`/tasks/${task.task_id}/differences`}>
        {texts.task.toDifferences}
      </Button>
    </div>
  );
}

/** After a task was cancelled: the way to what it did not come to. Answers that were given are not paid for twice. */
function LeftOver({ task }: { task: Task }) {
  const texts = useTexts();
  if (task.state === "open" || task.counts.cancelled === 0) return null;
  return (
    <div className="notice notice-card">
      <span>{texts.task.leftOver(task.counts.cancelled)}</span>
      <Button component={Link} size="xs" to={`${again(task)}&left=1`}>
        {texts.task.leftOverNext}
      </Button>
    </div>
  );
}

/** After a trial of a few documents: the way to all of them. */
function Trial({ task }: { task: Task }) {
  const texts = useTexts();
  const trial = kept<{ selected: number; template: string }>(`pilot/${task.task_id}`);
  if (trial === null || task.state === "open") return null;
  return (
    <div className="notice notice-card">
      <span>{texts.task.trial(task.total, trial.selected)}</span>
      <Button
        component={Link}
        size="xs"
        to={`/projects/${task.project_id}/setup?template=${encodeURIComponent(trial.template)}`}
      >
        {texts.task.trialNext}
      </Button>
    </div>
  );
}
