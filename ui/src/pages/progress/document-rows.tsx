import { Checkbox, Loader } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { Link } from "react-router";
import type { Result, Task } from "../../api/client";
import { lookAt } from "../../api/judge";
import type { Results } from "../../api/results";
import { Icon, type IconName } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";
import type { Notice } from "../../texts/notice";
import type { Line } from "./live";

const ROW = 48;
const STAGES = ["read", "ask", "check"] as const;
const ENDS = new Set(["completed", "error", "cancelled"]);
const ICONS: Record<string, IconName> = { completed: "check", error: "warning", cancelled: "stop", pending: "clock" };

interface Props {
  task: Task;
  results: UseQueryResult<Results>;
  lines: Line[];
}

export function DocumentRows({ task, results, lines }: Props) {
  const texts = useTexts();
  const calls = useMemo(() => callsOf(lines), [lines]);
  const [onlyFailed, setOnlyFailed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const all = results.data?.results ?? [];
  const shown = onlyFailed ? all.filter((one) => one.state === "error") : all;
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  return (
    <section className="card card-flush task-documents" aria-label={texts.task.documents}>
      <header className="log-head">
        <h2>{texts.task.documents}</h2>
        {results.data && !results.data.isWhole && <span className="dim">{texts.table.loadingRest}</span>}
        <span className="spacer" />
        <Checkbox
          size="xs"
          label={texts.task.onlyFailed}
          checked={onlyFailed}
          onChange={(event) => setOnlyFailed(event.currentTarget.checked)}
        />
      </header>
      {results.isPending && <Loading lines={6} height={ROW - 12} />}
      {results.isError && <Failed error={results.error} again={() => void results.refetch()} />}
      {results.isSuccess && onlyFailed && shown.length === 0 && <p className="dim pad">{texts.task.nothingFailed}</p>}
      <div ref={box} className="task-documents-rows" role="list">
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((item) => (
            <DocumentRow
              key={item.key}
              task={task}
              result={shown[item.index] as Result}
              calls={calls.get((shown[item.index] as Result).ordinal)}
              top={item.start}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

interface Calls {
  answers: number;
  trouble: Notice | null;
}

/** What the log says of each document: how many answers there are, and what went wrong with the last call, if it did. */
function callsOf(lines: Line[]): Map<number, Calls> {
  const calls = new Map<number, Calls>();
  for (const line of lines) {
    if (ENDS.has(line.what)) continue;
    const before = calls.get(line.ordinal) ?? { answers: 0, trouble: null };
    calls.set(
      line.ordinal,
      line.what === "ok" ? { answers: before.answers + 1, trouble: null } : { ...before, trouble: line.detail },
    );
  }
  return calls;
}

/** How far a document is: 0 waits, 1 is being read, 2 is with the model, 3 is checked and done. */
function stageOf(result: Result, calls: Calls | undefined, isEmbedded: boolean): number {
  if (result.state === "completed") return STAGES.length;
  const hasCalls = (calls?.answers ?? 0) > 0 || (calls?.trouble ?? null) !== null;
  if (result.state === "running") return hasCalls || isEmbedded ? 2 : 1;
  return hasCalls ? 2 : result.state === "error" ? 1 : 0;
}

function DocumentRow({
  task,
  result,
  calls,
  top,
}: {
  task: Task;
  result: Result;
  calls: Calls | undefined;
  top: number;
}) {
  const texts = useTexts();
  const looked = lookAt(result);
  const stage = stageOf(result, calls, task.is_embedded);
  const why = texts.notice(result.problem);
  const answers = calls && calls.answers > 0 ? texts.task.answers(calls.answers) : "";
  const now =
    result.state === "running"
      ? [texts.task.stages[STAGES[stage - 1] ?? "read"], answers, texts.notice(calls?.trouble ?? null)]
          .filter(Boolean)
          .join(" · ")
      : result.state === "pending"
        ? [texts.task.counts.pending, answers, task.paused ? "" : why].filter(Boolean).join(" · ")
        : (texts.task.counts[result.state] ?? result.state);
  return (
    <div
      role="listitem"
      className={`task-document task-document-${result.state}`}
      style={{ transform: `translateY(${top}px)`, height: ROW }}
    >
      <span className="task-document-state">
        {result.state === "running" ? <Loader size={14} /> : <Icon name={ICONS[result.state] ?? "clock"} />}
      </span>
      <div className="task-document-name">
        <span className="document-name" title={result.file_name}>
          {result.file_name}
        </span>
        <span className={result.state === "error" ? "refusal" : "dim"} title={result.state === "error" ? why : now}>
          {result.state === "error" ? why : now}
        </span>
      </div>
      {result.state === "completed" && (
        <>
          <span className="task-document-count">
            <b>{looked.reported}</b> <span className="dim">{texts.task.values}</span>
          </span>
          <span
            className={looked.attention > 0 ? "task-document-count attention" : "task-document-count dim"}
            title={texts.task.attention}
          >
            <Icon name="flag" size={12} /> {looked.attention}
          </span>
        </>
      )}
      <span
        className="stages"
        role="img"
        aria-label={texts.task.stageOf(stage, STAGES.length)}
        title={STAGES.map((one) => texts.task.stages[one]).join(" → ")}
      >
        {STAGES.map((one, at) => (
          <i key={one} className={at < stage ? "stage stage-done" : "stage"} />
        ))}
      </span>
      {result.state === "completed" && (
        <Link to={`/tasks/${task.task_id}/table?filter=all&document=${result.ordinal}`} className="task-document-open">
          {texts.task.openDocument}
        </Link>
      )}
    </div>
  );
}
