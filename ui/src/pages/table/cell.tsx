import { memo } from "react";
import { printedOf } from "../../api/printed";
import { shown } from "../../api/template";
import { FlagMark, Mark, ReviewMark } from "../../components/mark";
import { moment, useLanguage } from "../../texts";
import { type Column, type Place, type TableRow, cellOf } from "./rows";

interface Props {
  row: TableRow;
  column: Column;
  left: number;
  width: number;
  isFocused: boolean;
  isOpen: boolean;
  isFitting: boolean;
  open: (place: Place) => void;
}

/** The id of the cell on which the arrow keys stand, by which the grid names it to those who do not see it. */
export const FOCUSED = "focused-cell";

// The grid has the focus and the keys: the arrows move, Enter opens.
/* oxlint-disable jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */
export const Cell = memo(function Cell({ row, column, left, width, isFocused, isOpen, isFitting, open }: Props) {
  const { texts, language } = useLanguage();
  const finding = cellOf(row, column);
  const place = { ordinal: row.result.ordinal, row: row.row, field: column.field.id };
  const name = `cell${isOpen ? " cell-open" : ""}${isFocused ? " cell-focus" : ""}${isFitting ? "" : " cell-faint"}`;
  const id = isFocused ? FOCUSED : undefined;
  if (!finding)
    return <div role="gridcell" id={id} className={name} style={{ left, width }} onClick={() => open(place)} />;
  const mark = finding.mark;
  const text = shown(finding.value, column.field, language, printedOf(finding));
  return (
    <div
      role="gridcell"
      id={id}
      className={name}
      style={{ left, width }}
      title={`${text || texts.table.marks[mark]}\n${texts.table.marks[mark]}${finding.review ? `\n${texts.review.actions[finding.review.action]} ${texts.review.by(finding.review.by, moment(finding.review.at, language))}` : ""}`}
      data-review={finding.review?.action}
      data-cell={`${place.ordinal}~${place.row}~${place.field}`}
      onClick={() => open(place)}
    >
      <Mark name={mark} size={14} />
      {finding.review && <ReviewMark action={finding.review.action} isOutdated={finding.review.is_outdated} />}
      {row.looked.isFlagged(row.row, column.field.id) && <FlagMark />}
      {text ? (
        <span className="cell-text">{text}</span>
      ) : (
        (mark !== "open" || finding.review || column.field.scope === "question") && (
          <span className="cell-text cell-none">
            {mark === "open" && !finding.review
              ? texts.table.notFound
              : (texts.table.short[finding.state] ?? finding.state)}
          </span>
        )
      )}
    </div>
  );
});
