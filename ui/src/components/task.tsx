import { Badge } from "@mantine/core";
import { Link, NavLink } from "react-router";
import type { Schemas, Task } from "../api/client";
import { useProjects } from "../api/queries";
import { count, useTexts } from "../texts";
import { Icon } from "./icon";

type Counts = Schemas["Counts"];
const PARTS = ["completed", "error", "cancelled", "running"] as const;

/** How far a batch is: one stripe for each way in which items stand. What is left over waits. */
export function Bar({ counts, total, isSmall = false }: { counts: Counts; total: number; isSmall?: boolean }) {
  const texts = useTexts();
  const summary = PARTS.filter((part) => counts[part] > 0)
    .map((part) => `${count(counts[part])} ${texts.task.counts[part]}`)
    .join(", ");
  return (
    <div
      className={isSmall ? "bar bar-small" : "bar"}
      role="progressbar"
      aria-label={texts.engine.progress}
      aria-valuenow={total - counts.pending - counts.running}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuetext={summary}
    >
      {PARTS.map((part) => (
        <div key={part} className={`bar-${part}`} style={{ width: `${total ? (100 * counts[part]) / total : 0}%` }} />
      ))}
    </div>
  );
}

export function TaskState({ task }: { task: Task }) {
  const texts = useTexts();
  const { counts } = task;
  if (task.state === "open")
    return task.paused ? (
      <Badge color="orange" variant="light" leftSection={<Icon name="pause" size={11} />}>
        {texts.task.paused}
      </Badge>
    ) : (
      <Badge color="blue" variant="light" leftSection={<Icon name="play" size={11} />}>
        {texts.task.open}
      </Badge>
    );
  if (counts.cancelled > 0)
    return (
      <Badge color="gray" variant="light" leftSection={<Icon name="stop" size={11} />}>
        {texts.task.cancelled}
      </Badge>
    );
  return counts.error > 0 ? (
    <Badge color="red" variant="light" leftSection={<Icon name="warning" size={11} />}>
      {texts.task.closedWithErrors}
    </Badge>
  ) : (
    <Badge color="green" variant="light" leftSection={<Icon name="check" size={11} />}>
      {texts.task.closed}
    </Badge>
  );
}

/** Where one is: project, task, and the three steps. */
export function Steps({ projectId, taskId, title }: { projectId: number; taskId?: number; title?: string }) {
  const texts = useTexts();
  const projects = useProjects();
  const project = projects.data?.find((one) => one.project_id === projectId);
  return (
    <div className="steps-line">
      <nav className="crumbs" aria-label={texts.app.whereYouAre}>
        <Link to="/">{texts.app.projects}</Link>
        <Icon name="right" size={12} />
        <Link to={`/projects/${projectId}`}>{project?.name ?? "…"}</Link>
        {taskId !== undefined && (
          <>
            <Icon name="right" size={12} />
            <span>{texts.task.title(taskId)}</span>
          </>
        )}
        {title && (
          <>
            <Icon name="right" size={12} />
            <span className="dim">{title}</span>
          </>
        )}
      </nav>
      <nav className="steps" aria-label={texts.steps.label}>
        <NavLink
          to={`/projects/${projectId}/setup${taskId === undefined ? "" : `?again=${taskId}`}`}
          className="step"
          end
        >
          <b>1</b> {texts.steps.setup}
        </NavLink>
        {taskId === undefined ? (
          <>
            <span className="step step-later">
              <b>2</b> {texts.steps.progress}
            </span>
            <span className="step step-later">
              <b>3</b> {texts.steps.table}
            </span>
            <span className="step step-later">
              <b>4</b> {texts.steps.analysis}
            </span>
          </>
        ) : (
          <>
            <NavLink to={`/tasks/${taskId}`} className="step" end>
              <b>2</b> {texts.steps.progress}
            </NavLink>
            <NavLink to={`/tasks/${taskId}/table`} className="step" end>
              <b>3</b> {texts.steps.table}
            </NavLink>
            <NavLink to={`/tasks/${taskId}/analysis`} className="step" end>
              <b>4</b> {texts.steps.analysis}
            </NavLink>
          </>
        )}
      </nav>
    </div>
  );
}
