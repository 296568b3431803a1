import { Select } from "@mantine/core";
import { useEffect, useEffectEvent, useState } from "react";
import { type Finding, type Rectangle, type Result, type Task, sentence } from "../../api/client";
import { useMayReview } from "../../api/reviews";
import { type DocumentTable, type TableCell, useTables, useTakeCell } from "../../api/tables";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";

type Box = NonNullable<TableCell["box"]>;

interface Props {
  task: Task;
  result: Result;
  finding: Finding;
  /** Shows an area of a page: a whole table, or a cell of it. */
  show: (page: number, boxes: Box[]) => void;
}

/** The tables of a document as they were read, beside its page. A click takes a cell as the value of the open field. */
export function TablesView({ task, result, finding, show }: Props) {
  const texts = useTexts();
  const tables = useTables(task.task_id, result.ordinal, true);
  const [chosen, setChosen] = useState(finding.cell?.table ?? 0);
  const all = tables.data?.tables ?? [];
  const table = all[Math.min(chosen, all.length - 1)];
  // The area of the table is marked on the page from the start.
  const showTable = useEffectEvent((one: DocumentTable) => show(one.page, areaOf(one, one.page)));
  useEffect(() => {
    if (table) showTable(table);
  }, [table]);
  if (tables.isPending) return <Loading lines={6} />;
  if (tables.isError) return <Failed error={tables.error} again={() => void tables.refetch()} />;
  if (!table) return <p className="pad dim">{texts.tables.none}</p>;
  const at = all.indexOf(table);
  return (
    <div className="tables-view">
      <Select
        label={texts.tables.choose}
        value={String(at)}
        allowDeselect={false}
        data={all.map((one, number) => ({ value: String(number), label: nameOf(one, number, texts.tables.unnamed) }))}
        onChange={(value) => setChosen(Number(value))}
      />
      {table.is_picture ? (
        <p className="pad dim">{texts.tables.picture}</p>
      ) : (
        <ReadTable key={at} task={task} result={result} finding={finding} table={table} at={at} show={show} />
      )}
    </div>
  );
}

const nameOf = (table: DocumentTable, at: number, unnamed: string) =>
  [table.label || `${unnamed} ${at + 1}`, table.caption.replace(table.label, "").slice(0, 80)]
    .filter(Boolean)
    .join(" ");

/** The box around all cells of a table that stand on a page. */
export function areaOf(table: DocumentTable, page: number): Box[] {
  const boxes = table.cells.filter((one) => one.page === page && one.box).map((one) => one.box as Box);
  if (boxes.length === 0) return [];
  const edge = (at: 0 | 1 | 2 | 3, of: (...all: number[]) => number) => of(...boxes.map((one) => one[at]));
  return [[edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)]];
}

function ReadTable({ task, result, finding, table, at, show }: Props & { table: DocumentTable; at: number }) {
  const texts = useTexts();
  const take = useTakeCell(task.task_id, result.ordinal);
  const mayTake = useMayReview(task.project_id) && finding.field !== "question_arms";
  const takeCell = (cell: TableCell) =>
    take.mutate({
      field: finding.field,
      row: finding.row,
      action: "edited",
      cell: { table: at, row: cell.row, column: cell.column },
      note: "",
      seen: finding.review?.revision ?? 0,
    });
  const here = finding.cell;
  const isHere = (cell: TableCell) => here?.table === at && here.row === cell.row && here.column === cell.column;
  const rows = [...new Set(table.cells.map((one) => one.row))].sort((one, other) => one - other);
  return (
    <>
      <p className="dim">{mayTake ? texts.tables.how : texts.tables.look}</p>
      {take.error && (
        <p className="refusal" role="alert">
          {sentence(take.error, texts)}
        </p>
      )}
      <div className="read-table-box">
        <table className="read-table" data-testid="read-table">
          <caption>{table.caption}</caption>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                {placed(table.cells.filter((one) => one.row === row)).map((cell, column) =>
                  cell ? (
                    <Read
                      key={cell.column}
                      cell={cell}
                      isHere={isHere(cell)}
                      take={mayTake ? () => takeCell(cell) : undefined}
                      look={() => show(cell.page, cell.box ? [cell.box] : [])}
                      leave={() => show(cell.page, areaOf(table, cell.page))}
                    />
                  ) : (
                    <td key={`empty ${column}`} />
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.footnotes.map((note) => (
        <p key={note} className="plain dim">
          {note}
        </p>
      ))}
    </>
  );
}

/** The cells of a row with their gaps: a cell that stands for several columns leaves none behind it. */
function placed(cells: TableCell[]): (TableCell | null)[] {
  const found: (TableCell | null)[] = [];
  let next = 0;
  for (const cell of [...cells].sort((one, other) => one.column - other.column)) {
    while (next < cell.column) {
      found.push(null);
      next += 1;
    }
    found.push(cell);
    next = cell.column + cell.column_span;
  }
  return found;
}

interface ReadProps {
  cell: TableCell;
  isHere: boolean;
  take: (() => void) | undefined;
  look: () => void;
  leave: () => void;
}

function Read({ cell, isHere, take, look, leave }: ReadProps) {
  const Tag = cell.is_header ? "th" : "td";
  return (
    <Tag
      colSpan={cell.column_span}
      className={isHere ? "read-here" : undefined}
      onMouseEnter={look}
      onMouseLeave={leave}
    >
      {take && cell.text.trim() ? (
        <button type="button" className="read-cell" onClick={take} onFocus={look}>
          {cell.text}
        </button>
      ) : (
        cell.text
      )}
    </Tag>
  );
}

/** Boxes in points as rectangles of a page of that size. */
export function rectanglesOf(boxes: Box[], size: { width: number; height: number }): Rectangle[] {
  return boxes.map(([left, top, right, bottom]) => ({
    left,
    top,
    right,
    bottom,
    page_width: size.width,
    page_height: size.height,
  }));
}
