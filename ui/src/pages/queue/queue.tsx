import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import type { Result, Task } from "../../api/client";
import { blank } from "../../api/decisions";
import { useFollowReviews } from "../../api/follow";
import { lookAt } from "../../api/judge";
import { useMyRole, usePresence, useReviewMode } from "../../api/people";
import { useTask, useTaskTemplate } from "../../api/queries";
import { type Viewer, type Waiting, paceOf, queueOf } from "../../api/queue";
import { useResults } from "../../api/results";
import { type Template, fieldsOf } from "../../api/template";
import { useAssignments } from "../../api/two-reviewers";
import { usePageKeys } from "../../components/keys";
import { Empty, Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";
import { Evidence } from "../table/evidence";
import { PresentPeople } from "../table/present";
import { ReviewPanel } from "../table/review-panel";
import { type Place, isSamePlace, placeText } from "../table/rows";
import { ReviewPages } from "../two-reviewers/review-pages";
import { QueueList } from "./queue-list";

/** One queue over all tabs, the most urgent first, with what is left of it. */
export function QueuePage() {
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const error = task.error ?? template.error;
  if (task.data && template.data) return <TaskQueue task={task.data} template={template.data} />;
  return <div className="page">{error ? <Failed error={error} /> : <Loading lines={8} />}</div>;
}

/** Who looks, and at which documents. */
function useViewer(task: Task): Viewer | null {
  const { me } = useMyRole(task.project_id);
  const mode = useReviewMode(task.project_id).data;
  const assignments = useAssignments(task.task_id).data;
  return useMemo(() => {
    if (!me || !mode || !assignments) return null;
    const mine = assignments.filter((one) => one.account_id === me.account_id).map((one) => one.ordinal);
    return {
      name: me.name,
      isChecked: mode.mode === "checked",
      isEmpty: mode.mode === "independent" && mode.shows_extractor === false,
      mine: mine.length > 0 ? new Set(mine) : null,
    };
  }, [me, mode, assignments]);
}

function TaskQueue({ task, template }: { task: Task; template: Template }) {
  const texts = useTexts();
  const t = texts.queue;
  const query = useResults(task);
  useFollowReviews(task.task_id);
  const viewer = useViewer(task);
  const results = useMemo(() => query.data?.results ?? [], [query.data]);
  const waiting = useMemo(() => (viewer ? queueOf(results, template, viewer) : []), [results, template, viewer]);
  const pace = useMemo(() => (viewer ? paceOf(results, viewer.name) : null), [results, viewer]);
  const [chosen, setChosen] = useState<Place | null>(null);
  const place = chosen ?? waiting[0] ?? null;
  const present = usePresence(task.task_id, place ? placeText(place) : "");
  const isReady = viewer !== null && query.data?.isWhole === true;
  return (
    <div className="table-page conflicts-page">
      <div className="table-head">
        <ReviewPages task={task} title={t.title} />
        <div className="table-title">
          <h1>{t.title}</h1>
          <PresentPeople present={present} template={template} />
          <span className="dim" role="status" data-testid="left">
            {isReady && t.left(waiting.length, pace === null ? null : Math.ceil((pace * waiting.length) / 60))}
          </span>
          <span className="spacer" />
          <Button component={Link} to={`/tasks/${task.task_id}/table`} variant="default" size="xs">
            {texts.task.toTable}
          </Button>
        </div>
        <p className="dim">{t.lead}</p>
      </div>
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {!isReady && !query.isError && <Loading lines={8} />}
      {isReady && waiting.length === 0 && <Empty icon="check" title={t.done} how={t.doneHow} />}
      {isReady && place && waiting.length > 0 && (
        <div className="conflicts">
          <QueueList results={results} template={template} waiting={waiting} place={place} choose={setChosen} />
          <QueueCell
            task={task}
            template={template}
            results={results}
            waiting={waiting}
            place={place}
            choose={setChosen}
          />
        </div>
      )}
    </div>
  );
}

interface CellProps {
  task: Task;
  template: Template;
  results: Result[];
  waiting: Waiting[];
  place: Place;
  choose: (place: Place) => void;
}

/** The cell whose turn it is, with its page and its proof. After a decision the next one comes by itself. */
function QueueCell({ task, template, results, waiting, place, choose }: CellProps) {
  const result = results.find((one) => one.ordinal === place.ordinal);
  const field = fieldsOf(template).find((one) => one.id === place.field);
  const at = waiting.findIndex((one) => isSamePlace(one, place));
  const [jump, setJump] = useState(0);
  // What is open keeps its place in the order, also once it is decided and waits no more.
  const order = useMemo<Place[]>(() => (at < 0 ? [place, ...waiting] : waiting), [at, place, waiting]);
  const go = (by: number) => {
    const from = order.findIndex((one) => isSamePlace(one, place));
    const next = order[from + by];
    if (next) choose(next);
  };
  usePageKeys([
    ["j", () => go(1)],
    ["k", () => go(-1)],
    ["g", () => setJump((old) => old + 1)],
  ]);
  if (!result || !field) return <Loading lines={6} />;
  const finding = lookAt(result).finding(place.row, place.field) ?? blank(place);
  return (
    <Evidence task={task} template={template} result={result} field={field} finding={finding} jump={jump}>
      {finding.attention === "disagreed" ? (
        <ToConflicts task={task} />
      ) : (
        <ReviewPanel
          task={task}
          results={results}
          field={field}
          finding={finding}
          place={place}
          order={order}
          step={choose}
          close={() => undefined}
        />
      )}
    </Evidence>
  );
}

/** Both votes stand on a page of their own, where somebody says which is right. */
function ToConflicts({ task }: { task: Task }) {
  const t = useTexts().people;
  return (
    <section className="review" aria-label={t.conflicts}>
      <p className="plain">{t.disagreed}</p>
      <Button component={Link} to={`/tasks/${task.task_id}/conflicts`} size="xs">
        {t.conflicts}
      </Button>
    </section>
  );
}
