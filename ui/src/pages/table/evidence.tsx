import { SegmentedControl } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Finding, Rectangle, Result, Task } from "../../api/client";
import type { Field, Template } from "../../api/template";
import type { TableCell } from "../../api/tables";
import { useTexts } from "../../texts";
import { useMayReview } from "../../api/reviews";
import { Arms } from "./arms";
import { Details } from "./details";
import { PageView } from "./page-view";
import { type PdfPage, linesIn } from "./pdf";
import { type Drawn, TakePointed } from "./point";
import { TablesView, rectanglesOf } from "./tables-view";
import { type Boxes, useBoxes } from "./use-boxes";

interface Props {
  task: Task;
  template: Template;
  result: Result;
  field: Field;
  finding: Finding;
  jump: number;
  children: ReactNode;
}

type Side = "details" | "tables";

/** What a reader looks at in a table: an area of a page. */
interface Area {
  page: number;
  boxes: NonNullable<TableCell["box"]>[];
}

export function Evidence({ task, template, result, field, finding, jump, children }: Props) {
  const texts = useTexts();
  const first = finding.review?.passage?.page ?? finding.cell?.page ?? finding.spans[0]?.page ?? 0;
  const key = `${result.ordinal} ${finding.row} ${finding.field}`;
  const [seen, setSeen] = useState({ key, page: first });
  const page = seen.key === key ? seen.page : first;
  const [drawn, setDrawn] = useState<PdfPage | null>(null);
  const [side, setSide] = useState<Side>("details");
  const [area, setArea] = useState<Area | null>(null);
  // An area belongs to the cell and the page for which it was drawn, and goes with them.
  const [pointing, setPointing] = useState<{ key: string; page: number; area: Drawn } | null>(null);
  const pointed = pointing?.key === key && pointing.page === page ? pointing.area : null;
  const mayPoint = useMayReview(task.project_id) && field.id !== "question_arms" && !field.computed;
  const found = useBoxes(task, result, finding, page);
  const boxes = useMarks(found, finding, side === "tables" ? area : null, drawn, page);
  // G brings back the page of the quote, wherever the reader has turned to.
  useEffect(() => {
    if (jump > 0) setSeen({ key, page: first });
  }, [jump, key, first]);
  const lines = useLines(drawn, boxes.quote, page);
  const show = (next: number, wanted: Area["boxes"]) => {
    setArea({ page: next, boxes: wanted });
    if (next !== page) setSeen({ key, page: next });
  };
  const isArms = field.id === "question_arms" || field.scope === "question";
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
        pointed={pointed}
        {...(mayPoint ? { onArea: (next: Drawn | null) => setPointing(next && { key, page, area: next }) } : {})}
      />
      <div className="details-side">
        <SegmentedControl
          size="xs"
          className="details-switch"
          value={side}
          onChange={setSide}
          data={[
            { value: "details", label: texts.tables.details },
            { value: "tables", label: texts.tables.title },
          ]}
        />
        {side === "tables" ? (
          <div className="details-scroll">
            <TablesView key={key} task={task} result={result} finding={finding} show={show} />
          </div>
        ) : (
          <div className="details-scroll">
            <Details task={task} template={template} result={result} field={field} finding={finding} lines={lines} />
            {isArms && <Arms task={task} result={result} finding={armsOf(result, finding)} />}
          </div>
        )}
        {pointed && mayPoint && drawn ? (
          <TakePointed
            task={task}
            result={result}
            finding={finding}
            area={inPoints(pointed, page, drawn)}
            close={() => setPointing(null)}
          />
        ) : (
          children
        )}
      </div>
    </div>
  );
}

/** An area in parts of a page as an area in its points. */
function inPoints(area: Drawn, page: number, drawn: PdfPage) {
  const { width, height } = drawn.getViewport({ scale: 1 });
  return {
    page,
    left: area.left * width,
    right: area.right * width,
    top: area.top * height,
    bottom: area.bottom * height,
  };
}

/** The cell that lists the arms, whichever number of the document is open. */
const armsOf = (result: Result, finding: Finding) =>
  result.findings.find((one) => one.field === "question_arms") ?? finding;

/** The marks of a finding on this page; those of its cell, once the page says how large it is. */
function useMarks(found: Boxes, finding: Finding, area: Area | null, drawn: PdfPage | null, page: number): Boxes {
  return useMemo(() => {
    if (!drawn || drawn.pageNumber !== page + 1) return found;
    const { width, height } = drawn.getViewport({ scale: 1 });
    const marked = (boxes: Area["boxes"]) => rectanglesOf(boxes, { width, height });
    const cell = finding.cell?.page === page ? finding.cell : null;
    return {
      ...found,
      cell: marked(cell?.box ? [cell.box] : []),
      row: marked(cell?.row_boxes ?? []),
      header: marked(cell?.column_boxes ?? []),
      area: marked(area?.page === page ? area.boxes : []),
    };
  }, [found, finding, area, drawn, page]);
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
