import { type ReactNode, useEffect, useState } from "react";
import type { Finding, Rectangle, Result, Task } from "../../api/client";
import type { Field, Template } from "../../api/template";
import { Details } from "./details";
import { PageView } from "./page-view";
import { type PdfPage, linesIn } from "./pdf";
import { useBoxes } from "./use-boxes";

interface Props {
  task: Task;
  template: Template;
  result: Result;
  field: Field;
  finding: Finding;
  jump: number;
  children: ReactNode;
}

export function Evidence({ task, template, result, field, finding, jump, children }: Props) {
  const first = finding.spans[0]?.page ?? 0;
  const key = `${result.ordinal} ${finding.row} ${finding.field}`;
  const [seen, setSeen] = useState({ key, page: first });
  const page = seen.key === key ? seen.page : first;
  const [drawn, setDrawn] = useState<PdfPage | null>(null);
  const boxes = useBoxes(task, result, finding, page);
  // G brings back the page of the quote, wherever the reader has turned to.
  useEffect(() => {
    if (jump > 0) setSeen({ key, page: first });
  }, [jump, key, first]);
  const lines = useLines(drawn, boxes.quote, page);
  return (
    <div className="drawer-body">
      <PageView
        key={result.document_id}
        result={result}
        page={page}
        setPage={(next) => setSeen({ key, page: next })}
        boxes={boxes}
        jump={jump}
        onPage={setDrawn}
      />
      <div className="details-side">
        <Details task={task} template={template} result={result} field={field} finding={finding} lines={lines} />
        {children}
      </div>
    </div>
  );
}

/** The lines of the page in which the quote stands, as PDF.js reads them. */
function useLines(drawn: PdfPage | null, boxes: Rectangle[], page: number): string {
  const [lines, setLines] = useState("");
  useEffect(() => {
    setLines("");
    if (!drawn || boxes.length === 0 || drawn.pageNumber !== page + 1) return;
    let isOver = false;
    linesIn(drawn, boxes).then(
      (text) => {
        if (!isOver) setLines(text);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [drawn, boxes, page]);
  return lines;
}
