import type { Filter } from "../../api/judge";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import { Cell } from "./cell";
import type { Focus } from "./moves";
import { type Place, type TableRow, fitsAt, isAt } from "./rows";
import { type GridState, HEAD } from "./use-grid";

interface Props {
  grid: GridState;
  row: TableRow;
  at: number;
  top: number;
  width: number;
  focus: Focus;
  filter: Filter;
  place: Place | null;
  open: (place: Place) => void;
}

export function GridRow(props: Props) {
  const { grid, row, at, top, width } = props;
  return (
    <div
      role="row"
      aria-rowindex={at + 3}
      className={at % 2 ? "grid-row grid-odd" : "grid-row"}
      style={{ transform: `translateY(${HEAD + top}px)`, height: grid.rowHeight, width }}
    >
      <div
        role="rowheader"
        className="grid-first"
        style={{ width: grid.firstWidth }}
        title={[row.label, ...row.details].join("\n")}
      >
        <b>{row.label}</b>
        {row.details.map((one) => (
          <span key={one} className="dim">
            {one}
          </span>
        ))}
      </div>
      {row.result.state === "completed" ? <Cells {...props} /> : <Unfinished row={row} first={grid.firstWidth} />}
    </div>
  );
}

function Cells({ grid, row, at, focus, filter, place, open }: Props) {
  return grid.across.getVirtualItems().map((item) => {
    const column = grid.metas[item.index];
    if (!column) return null;
    return (
      <Cell
        key={column.field.id}
        row={row}
        column={column}
        left={grid.firstWidth + item.start}
        width={item.size}
        isFocused={focus.row === at && focus.column === item.index}
        isOpen={isAt(place, row.result.ordinal, row.row) && place?.field === column.field.id}
        isFitting={filter === "all" || fitsAt(filter, row, column)}
        open={open}
      />
    );
  });
}

function Unfinished({ row, first }: { row: TableRow; first: number }) {
  const texts = useTexts();
  const { state, problem } = row.result;
  const text =
    { error: texts.notice(problem), running: texts.table.running, cancelled: texts.table.cancelled }[state] ??
    texts.table.waiting;
  return (
    <div
      role="gridcell"
      className={state === "error" ? "grid-unfinished refusal" : "grid-unfinished dim"}
      style={{ left: first }}
      title={text}
    >
      <Icon name={state === "error" ? "warning" : "clock"} size={14} /> {text}
    </div>
  );
}
