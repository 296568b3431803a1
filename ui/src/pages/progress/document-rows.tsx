import { Checkbox, Loader } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { Link } from "react-router";
import type { Result, Task } from "../../api/client";
import { lookAt } from "../../api/judge";
import type { Results } from "../../api/queries";
import { Icon, type IconName } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { useWords } from "../../words";

const ROW = 48;
const ICONS: Record<string, IconName> = { completed: "check", error: "warning", cancelled: "stop", pending: "clock" };

export function DocumentRows({ task, results }: { task: Task; results: UseQueryResult<Results> }) {
  const words = useWords();
  const [onlyFailed, setOnlyFailed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const all = results.data?.results ?? [];
  const shown = onlyFailed ? all.filter((one) => one.state === "error") : all;
  const rows = useVirtualizer({ count: shown.length, getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 8 });
  return (
    <section className="card card-flush task-documents" aria-label={words.task.documents}>
      <header className="log-head">
        <h2>{words.task.documents}</h2>
        {results.data && !results.data.isWhole && <span className="dim">{words.table.loadingRest}</span>}
        <span className="spacer" />
        <Checkbox size="xs" label={words.task.onlyFailed} checked={onlyFailed} onChange={(event) => setOnlyFailed(event.currentTarget.checked)} />
      </header>
      {results.isPending && <Loading lines={6} height={ROW - 12} />}
      {results.isError && <Failed error={results.error} again={() => void results.refetch()} />}
      {results.isSuccess && onlyFailed && shown.length === 0 && <p className="dim pad">{words.task.nothingFailed}</p>}
      <div ref={box} className="task-documents-rows" role="list">
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((item) => (
            <DocumentRow key={item.key} taskId={task.task_id} result={shown[item.index] as Result} top={item.start} />
          ))}
        </div>
      </div>
    </section>
  );
}

function DocumentRow({ taskId, result, top }: { taskId: number; result: Result; top: number }) {
  const words = useWords();
  const looked = lookAt(result);
  return (
    <div role="listitem" className={`task-document task-document-${result.state}`} style={{ transform: `translateY(${top}px)`, height: ROW }}>
      <span className="task-document-state">
        {result.state === "running" ? <Loader size={14} /> : <Icon name={ICONS[result.state] ?? "clock"} />}
      </span>
      <div className="task-document-name">
        <span className="document-name" title={result.file_name}>
          {result.file_name}
        </span>
        <span className={result.problem ? "refusal" : "dim"} title={result.problem}>
          {result.problem || (words.task.counts[result.state] ?? result.state)}
        </span>
      </div>
      {result.state === "completed" && (
        <>
          <span className="task-document-count">
            <b>{looked.reported}</b> <span className="dim">{words.task.values}</span>
          </span>
          <span className={looked.attention > 0 ? "task-document-count attention" : "task-document-count dim"}>
            <Icon name="flag" size={12} /> {looked.attention}
          </span>
          <Link to={`/tasks/${taskId}/table?filter=all&document=${result.ordinal}`} className="task-document-open">
            {words.task.openDocument}
          </Link>
        </>
      )}
    </div>
  );
}
