import { useEffect, useMemo, useState } from "react";
import { useParams } from "react-router";
import type { Task } from "../../api/client";
import { blank } from "../../api/decisions";
import { useFollowReviews } from "../../api/follow";
import { lookAt } from "../../api/judge";
import { useTask, useTaskTemplate } from "../../api/queries";
import { useResults } from "../../api/results";
import { type Field, type Template, fieldsOf } from "../../api/template";
import { type Conflict, useConflicts } from "../../api/two-reviewers";
import { usePageKeys } from "../../components/keys";
import { Empty, Failed, Loading } from "../../components/states";
import { useLanguage, useTexts } from "../../texts";
import { Evidence } from "../table/evidence";
import { rowNames } from "../table/rows";
import { ReviewPages } from "./review-pages";
import { Settle } from "./settle";

/** Only what two reviewers differ about: both values, both notes, the page and the quote, and what is right. */
export function ConflictsPage() {
  const texts = useTexts();
  const t = texts.people;
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const conflicts = useConflicts(taskId);
  useFollowReviews(taskId);
  const error = task.error ?? template.error ?? conflicts.error;
  return (
    <div className="table-page conflicts-page">
      <div className="table-head">
        {task.data && <ReviewPages task={task.data} title={t.conflicts} />}
        <h1>{t.conflictsOpen(conflicts.data?.length ?? 0)}</h1>
        <p className="dim">{t.conflictsLead}</p>
      </div>
      {error && <Failed error={error} again={() => void conflicts.refetch()} />}
      {!error && !(task.data && template.data && conflicts.data) && <Loading lines={8} />}
      {conflicts.data?.length === 0 && <Empty icon="check" title={t.noConflicts} how={t.noConflictsHow} />}
      {task.data && template.data && !!conflicts.data?.length && (
        <Conflicts task={task.data} template={template.data} conflicts={conflicts.data} />
      )}
    </div>
  );
}

interface Props {
  task: Task;
  template: Template;
  conflicts: Conflict[];
}

function Conflicts({ task, template, conflicts }: Props) {
  const { texts, language } = useLanguage();
  const t = texts.people;
  const results = useResults(task);
  const fields = useMemo(() => new Map(fieldsOf(template).map((one) => [one.id, one])), [template]);
  const [chosen, setChosen] = useState(conflicts[0]?.conflict_id);
  const found = conflicts.findIndex((one) => one.conflict_id === chosen);
  const at = Math.max(0, found);
  const conflict = conflicts[at];
  // What was settled has gone from the list: the one after it has come to its place.
  useEffect(() => {
    if (found < 0 && conflict) setChosen(conflict.conflict_id);
  }, [found, conflict]);
  const go = (by: number) => {
    const next = conflicts[at + by];
    if (next) setChosen(next.conflict_id);
  };
  usePageKeys([
    ["j", () => go(1)],
    ["k", () => go(-1)],
  ]);
  const next = () => {
    const after = conflicts[at + 1] ?? conflicts[at - 1];
    if (after) setChosen(after.conflict_id);
  };
  if (!conflict) return null;
  return (
    <div className="conflicts">
      <nav className="conflict-list" aria-label={t.conflicts}>
        {conflicts.map((one) => {
          const result = results.data?.results.find((other) => other.ordinal === one.ordinal);
          const row = result?.rows.find((other) => other.key === one.row);
          return (
            <button
              key={one.conflict_id}
              type="button"
              aria-current={one.conflict_id === conflict.conflict_id}
              onClick={() => setChosen(one.conflict_id)}
            >
              <b>{fields.get(one.field)?.label[language] ?? one.field}</b>
              {row && result && <bdi className="dim">{rowNames(row, result, texts).join(" · ")}</bdi>}
              <span className="dim">{one.file_name}</span>
            </button>
          );
        })}
      </nav>
      <OneConflict
        key={conflict.conflict_id}
        task={task}
        template={template}
        field={fields.get(conflict.field)}
        conflict={conflict}
        at={t.conflictAt(at + 1, conflicts.length)}
        next={next}
      />
    </div>
  );
}

interface OneProps {
  task: Task;
  template: Template;
  field: Field | undefined;
  conflict: Conflict;
  at: string;
  next: () => void;
}

function OneConflict({ task, template, field, conflict, at, next }: OneProps) {
  const results = useResults(task);
  const result = results.data?.results.find((one) => one.ordinal === conflict.ordinal);
  if (!result || !field) return <Loading lines={6} />;
  const finding = lookAt(result).finding(conflict.row, conflict.field) ?? blank(conflict);
  // Votes are shown beside each other; a review of one's own in the cell would show one of them twice.
  const extracted = { ...finding, review: null };
  return (
    <Evidence task={task} template={template} result={result} field={field} finding={extracted} jump={0}>
      <Settle task={task} field={field} finding={extracted} conflict={conflict} at={at} next={next} />
    </Evidence>
  );
}
