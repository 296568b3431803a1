import { Button, Checkbox } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { type Schemas, type Task, api, whole } from "../../api/client";
import { findingOf } from "../../api/decisions";
import { isReviewed } from "../../api/judge";
import { useTask, useTaskTemplate } from "../../api/queries";
import { useResults } from "../../api/results";
import { useMayReview } from "../../api/reviews";
import type { Template } from "../../api/template";
import { Empty, Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { DifferentCell } from "./cell";
import { type Different, TakeAll } from "./take-all";

// So many documents are drawn at first; a page of some thousand cells would be slow.
const AT_ONCE = 30;

/** What a follow-up says otherwise than the task before it, cell by cell: the new is taken, or the old kept. */
export function DifferencesPage() {
  const texts = useTexts();
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const found = useDifferences(task.data);
  const error = task.error ?? template.error ?? found.error;
  return (
    <div className="page page-wide">
      {task.data && <Steps projectId={task.data.project_id} taskId={taskId} title={texts.differences.title} />}
      {error && <Failed error={error} again={() => void found.refetch()} />}
      {!error && !(task.data && template.data && found.data) && <Loading lines={6} height={64} />}
      {task.data && template.data && found.data && (
        <Differences task={task.data} template={template.data} documents={found.data} />
      )}
    </div>
  );
}

function useDifferences(task: Task | undefined) {
  const taskId = task?.task_id ?? 0;
  return useQuery({
    // While the task runs, each document that ends may bring some.
    queryKey: ["differences", taskId, task?.counts.completed, task?.state],
    enabled: task !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      whole(
        (after) =>
          api.get("/api/v1/extraction/tasks/{task_id}/differences", {
            path: { task_id: taskId },
            query: { after, limit: 50 },
            signal,
          }),
        (page) => page.differences,
      ),
  });
}

interface Props {
  task: Task;
  template: Template;
  documents: Schemas["ComparedDocument"][];
}

function Differences({ task, template, documents }: Props) {
  const texts = useTexts();
  const t = texts.differences;
  const results = useResults(task);
  const mayReview = useMayReview(task.project_id);
  const [onlyOpen, setOnlyOpen] = useState(false);
  const [most, setMost] = useState(AT_ONCE);
  const all = useMemo<Different[]>(() => {
    const byOrdinal = new Map(results.data?.results.map((one) => [one.ordinal, one]));
    return documents.flatMap((document) => {
      const result = byOrdinal.get(document.ordinal);
      if (!result || document.is_new) return [];
      return document.cells.map((cell) => ({ cell, result, finding: findingOf(result, cell) }));
    });
  }, [documents, results.data]);
  const decided = all.filter((one) => one.finding && isReviewed(one.finding)).length;
  const shown = onlyOpen ? all.filter((one) => !one.finding || !isReviewed(one.finding)) : all;
  const ordinals = [...new Set(shown.map((one) => one.result.ordinal))];
  const joined = documents.filter((one) => one.is_new);
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{t.title}</h1>
          <p className="lead">{t.lead(task.follows ?? 0, all.length, decided)}</p>
        </div>
        <div className="actions">
          {mayReview && <TakeAll task={task} all={all} />}
          <Button component={Link} to={`/tasks/${task.task_id}/table`} variant="default">
            {texts.task.toTable}
          </Button>
        </div>
      </header>
      {results.isError && <Failed error={results.error} again={() => void results.refetch()} />}
      {results.isPending && <Loading lines={4} height={64} />}
      {joined.length > 0 && <p className="notice">{t.joined(joined.length)}</p>}
      {results.data && all.length === 0 && <Empty icon="check" title={t.none} how={t.noneHow} />}
      {all.length > 0 && (
        <Checkbox
          size="xs"
          my="sm"
          label={t.onlyOpen}
          checked={onlyOpen}
          onChange={(event) => setOnlyOpen(event.currentTarget.checked)}
        />
      )}
      {ordinals.slice(0, most).map((ordinal) => {
        const cells = shown.filter((one) => one.result.ordinal === ordinal);
        const name = cells[0]?.result.file_name ?? "";
        return (
          <section key={ordinal} className="card differences" aria-label={name}>
            <h2>{name}</h2>
            {cells.map((one) => (
              <DifferentCell
                key={`${one.cell.row}~${one.cell.field}`}
                task={task}
                template={template}
                different={one}
                mayReview={mayReview}
              />
            ))}
          </section>
        );
      })}
      {ordinals.length > most && (
        <Button variant="default" onClick={() => setMost(most + AT_ONCE)}>
          {t.more(ordinals.length - most)}
        </Button>
      )}
    </>
  );
}
