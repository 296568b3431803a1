import { useMediaQuery } from "@mantine/hooks";
import {
  type ColumnDef,
  type SortingState,
  getCoreRowModel,
  getSortedRowModel,
  useReactTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { Filter } from "../../api/judge";
import type { Template } from "../../api/template";
import { Icon } from "../../components/icon";
import { useLanguage, useTexts } from "../../texts";
import { Cell, FOCUSED } from "./cell";
import { type Column, type Place, type TableRow, fitsAt, isAt, placeText, riskAt, sortValue } from "./rows";

const WIDE = 280;
const NARROW = 150;
const PHONE = "(max-width: 640px)";
const ROW = 46;
const HEAD = 68;

interface Props {
  rows: TableRow[];
  columns: Column[];
  first: string;
  template: Template;
  filter: Filter;
  place: Place | null;
  open: (place: Place) => void;
  drawer: (order: Place[]) => ReactNode;
}

/** The matrix. Only the rows and columns in sight are in the page, so a thousand studies cost no more than twenty. */
export function Grid({ rows, columns, first, template, filter, place, open, drawer }: Props) {
  const { language } = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const FIRST = place || isPhone ? NARROW : WIDE;
  const [sorting, setSorting] = useState<SortingState>([]);
  const [focus, setFocus] = useState({ row: 0, column: 0 });

  const defs = useMemo<ColumnDef<TableRow>[]>(() => {
    const sections = template.sections.filter((one) => columns.some((column) => column.section === one.id));
    return [
      { id: "first", header: first, accessorFn: (row) => row.label.toLowerCase() },
      ...sections.map((section) => ({
        id: `section ${section.id}`,
        header: section.label[language],
        columns: columns
          .filter((column) => column.section === section.id)
          .map<ColumnDef<TableRow>>((column) => ({
            id: column.field.id,
            header: column.field.label[language],
            accessorFn: (row) => sortValue(row, column, language),
            size: column.width,
            sortUndefined: "last",
            meta: column,
          })),
      })),
    ];
  }, [template, columns, language, first]);
  const table = useReactTable({
    data: rows,
    columns: defs,
    state: { sorting },
    onSortingChange: setSorting,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    getRowId: (row) => row.id,
  });
  const sorted = table.getRowModel().rows;
  const visible = table.getVisibleLeafColumns();
  const leaves = useMemo(() => visible.slice(1), [visible]);
  const metas = useMemo(() => leaves.map((leaf) => leaf.columnDef.meta as Column), [leaves]);

  const down = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollPaddingStart: HEAD,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: leaves.length,
    getScrollElement: () => box.current,
    estimateSize: (at) => metas[at]?.width ?? 200,
    overscan: 3,
    scrollPaddingStart: FIRST,
  });
  useEffect(() => across.measure(), [across, columns]);
  const width = FIRST + across.getTotalSize();

  // The cells one can step through: those that fit the filter, in the order in which they are shown. Where there is
  // something to decide, the most urgent come first.
  const isByRisk = filter === "attention" || filter === "unreviewed";
  const stopsIn = useMemo(() => {
    const known = new WeakMap<TableRow, { place: Place; risk: number }[]>();
    return (row: TableRow) => {
      const kept = known.get(row);
      if (kept) return kept;
      const some = metas
        .filter((column) => fitsAt(filter, row, column))
        .map((column) => ({
          place: { ordinal: row.result.ordinal, row: row.row, field: column.field.id },
          risk: isByRisk ? riskAt(row, column) : 0,
        }));
      known.set(row, some);
      return some;
    };
  }, [metas, filter, isByRisk]);
  const order = useMemo(() => {
    const found = sorted.flatMap((row) => stopsIn(row.original));
    if (isByRisk) found.sort((one, other) => one.risk - other.risk);
    return found.map((one) => one.place);
  }, [sorted, stopsIn, isByRisk]);

  const bringIntoSight = useEffectEvent(() => {
    if (!place) return undefined;
    const row = sorted.findIndex((one) => isAt(place, one.original.result.ordinal, one.original.row));
    const column = metas.findIndex((one) => one.field.id === place.field);
    if (row < 0 || column < 0) return undefined;
    setFocus({ row, column });
    // The drawer takes its room first; only then is it known what can be seen beside it.
    const later = requestAnimationFrame(() => {
      down.scrollToIndex(row);
      const grid = box.current;
      const left = metas.slice(0, column).reduce((all, one) => all + one.width, 0);
      const seen = grid ? grid.clientWidth - FIRST : 0;
      if (grid && (left < grid.scrollLeft || left + (metas[column]?.width ?? 0) > grid.scrollLeft + seen))
        grid.scrollLeft = left;
    });
    return () => cancelAnimationFrame(later);
  });
  const at = place && placeText(place);
  useEffect(() => (at === null ? undefined : bringIntoSight()), [at]);

  // Closed again, the grid has the keys back.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !place) box.current?.focus({ preventScroll: true });
    wasOpen.current = place !== null;
  }, [place]);

  const move = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - HEAD) / ROW) - 1);
    const far = leaves.length;
    const by = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-page, 0],
      PageDown: [page, 0],
      Home: [0, -far],
      End: [0, far],
    }[event.key];
    const at = sorted[focus.row]?.original;
    const column = metas[focus.column];
    if (event.key === "Enter" && at && column && at.result.state === "completed") {
      open({ ordinal: at.result.ordinal, row: at.row, field: column.field.id });
    } else if (by) {
      const row = Math.min(sorted.length - 1, Math.max(0, focus.row + (by[0] ?? 0)));
      const next = Math.min(leaves.length - 1, Math.max(0, focus.column + (by[1] ?? 0)));
      setFocus({ row, column: next });
      down.scrollToIndex(row);
      across.scrollToIndex(next);
    } else return;
    event.preventDefault();
  };

  const sections = table.getHeaderGroups()[0]?.headers.slice(1) ?? [];
  const starts = new Map<string, number>();
  let start = FIRST;
  for (const leaf of leaves) {
    starts.set(leaf.id, start);
    start += (leaf.columnDef.meta as Column).width;
  }
  return (
    <div className="table-body">
      <div
        ref={box}
        className="grid"
        role="grid"
        aria-rowcount={sorted.length + 2}
        aria-colcount={leaves.length + 1}
        aria-activedescendant={FOCUSED}
        tabIndex={0}
        onKeyDown={move}
      >
        <div className="grid-inner" style={{ width, height: HEAD + down.getTotalSize() }}>
          <div className="grid-head" role="row" style={{ width, height: HEAD }}>
            <div role="columnheader" className="contents">
              <button
                type="button"
                className="grid-first grid-corner"
                style={{ width: FIRST }}
                onClick={() => table.getColumn("first")?.toggleSorting()}
              >
                {first} <Sorted by={table.getColumn("first")?.getIsSorted() ?? false} />
              </button>
            </div>
            {sections.map((section) => {
              const ids = section.column.columns.map((one) => one.id);
              const left = starts.get(ids[0] ?? "") ?? FIRST;
              const wide = section.column.columns.reduce((all, one) => all + (one.columnDef.meta as Column).width, 0);
              return (
                <div key={section.id} className="grid-section" style={{ left, width: wide }} role="columnheader">
                  <span style={{ left: FIRST + 8 }}>{String(section.column.columnDef.header)}</span>
                </div>
              );
            })}
            {across.getVirtualItems().map((item) => {
              const leaf = leaves[item.index];
              if (!leaf) return null;
              return (
                <div
                  key={leaf.id}
                  role="columnheader"
                  aria-sort={
                    leaf.getIsSorted() === "asc" ? "ascending" : leaf.getIsSorted() === "desc" ? "descending" : "none"
                  }
                  className="contents"
                >
                  <button
                    type="button"
                    className="grid-column"
                    style={{ left: FIRST + item.start, width: item.size }}
                    title={metas[item.index]?.field.instruction}
                    onClick={() => leaf.toggleSorting()}
                  >
                    <span>{String(leaf.columnDef.header)}</span> <Sorted by={leaf.getIsSorted()} />
                  </button>
                </div>
              );
            })}
          </div>
          {down.getVirtualItems().map((item) => {
            const row = sorted[item.index]?.original;
            if (!row) return null;
            return (
              <div
                key={row.id}
                role="row"
                aria-rowindex={item.index + 3}
                className={item.index % 2 ? "grid-row grid-odd" : "grid-row"}
                style={{ transform: `translateY(${HEAD + item.start}px)`, height: ROW, width }}
              >
                <div
                  role="rowheader"
                  className="grid-first"
                  style={{ width: FIRST }}
                  title={`${row.label}\n${row.hint}`}
                >
                  <b>{row.label}</b>
                  <span className="dim">{row.hint}</span>
                </div>
                {row.result.state === "completed" ? (
                  across.getVirtualItems().map((across) => {
                    const column = metas[across.index];
                    if (!column) return null;
                    return (
                      <Cell
                        key={column.field.id}
                        row={row}
                        column={column}
                        left={FIRST + across.start}
                        width={across.size}
                        isFocused={focus.row === item.index && focus.column === across.index}
                        isOpen={
                          place !== null &&
                          place.ordinal === row.result.ordinal &&
                          place.row === row.row &&
                          place.field === column.field.id
                        }
                        isFitting={filter === "all" || fitsAt(filter, row, column)}
                        open={open}
                      />
                    );
                  })
                ) : (
                  <Unfinished row={row} first={FIRST} />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {drawer(order)}
    </div>
  );
}

function Unfinished({ row, first }: { row: TableRow; first: number }) {
  const texts = useTexts();
  const { state, problem } = row.result;
  const text =
    state === "error"
      ? texts.notice(problem)
      : state === "running"
        ? texts.table.running
        : state === "cancelled"
          ? texts.table.cancelled
          : texts.table.waiting;
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

function Sorted({ by }: { by: false | "asc" | "desc" }) {
  if (!by) return null;
  return <i className="sorted">{by === "asc" ? "↑" : "↓"}</i>;
}
