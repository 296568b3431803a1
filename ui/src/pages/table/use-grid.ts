import { useMediaQuery } from "@mantine/hooks";
import {
  type ColumnDef,
  type SortingState,
  getCoreRowModel,
  getSortedRowModel,
  useReactTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { Filter } from "../../api/judge";
import type { Language, Template } from "../../api/template";
import { useLanguage } from "../../texts";
import { type Focus, moved } from "./moves";
import { type Column, type Place, type TableRow, fitsAt, isAt, placeText, riskAt, sortValue } from "./rows";

// The first column's width in pixels, and where there is little room.
const WIDE = 280;
const NARROW = 190;
const NARROW_PHONE = 150;
const PHONE = "(max-width: 640px)";
// Heights of lines in pixels: a name and where it belongs, and two such places.
const ROW = 46;
const TALL_ROW = 62;
export const HEAD = 68;
// Lines and columns drawn outside of what is seen. More costs drawing; fewer shows gaps while one scrolls quickly.
const ROWS_BESIDE = 8;
const COLUMNS_BESIDE = 3;

export interface GridProps {
  rows: TableRow[];
  columns: Column[];
  first: string;
  template: Template;
  filter: Filter;
  place: Place | null;
}

function definitions(template: Template, columns: Column[], first: string, language: Language): ColumnDef<TableRow>[] {
  const leaf = (column: Column): ColumnDef<TableRow> => ({
    id: column.field.id,
    header: column.field.label[language],
    accessorFn: (row) => sortValue(row, column, language),
    size: column.width,
    sortUndefined: "last",
    meta: column,
  });
  const sections = template.sections.filter((one) => columns.some((column) => column.section === one.id));
  return [
    { id: "first", header: first, accessorFn: (row) => row.label.toLowerCase() },
    ...sections.map((section) => ({
      id: `section ${section.id}`,
      header: section.label[language],
      columns: columns.filter((column) => column.section === section.id).map(leaf),
    })),
  ];
}

/** The lines in their order, and only those lines and columns that are in sight. */
export function useGrid({ rows, columns, first, template, place }: GridProps) {
  const { language } = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const firstWidth = isPhone ? NARROW_PHONE : place ? NARROW : WIDE;
  const rowHeight = rows.some((row) => row.details.length > 1) ? TALL_ROW : ROW;
  const [sorting, setSorting] = useState<SortingState>([]);
  const defs = useMemo(() => definitions(template, columns, first, language), [template, columns, language, first]);
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
    estimateSize: () => rowHeight,
    overscan: ROWS_BESIDE,
    scrollPaddingStart: HEAD,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: leaves.length,
    getScrollElement: () => box.current,
    estimateSize: (at) => metas[at]?.width ?? 200,
    overscan: COLUMNS_BESIDE,
    scrollPaddingStart: firstWidth,
  });
  useEffect(() => across.measure(), [across, columns]);
  useEffect(() => down.measure(), [down, rowHeight]);
  return { box, table, sorted, leaves, metas, down, across, firstWidth, rowHeight };
}

export type GridState = ReturnType<typeof useGrid>;

/**
 * The cells one can step through: those that fit the filter, in the order in which they are shown. Where there is
 * something to decide, the most urgent come first.
 */
export function useOrder({ sorted, metas }: GridState, filter: Filter): Place[] {
  const isByRisk = filter === "attention" || filter === "unreviewed";
  const stopsIn = useMemo(() => remembered((row) => stopsOf(row, metas, filter, isByRisk)), [metas, filter, isByRisk]);
  return useMemo(() => {
    const found = sorted.flatMap((row) => stopsIn(row.original));
    if (isByRisk) found.sort((one, other) => one.risk - other.risk);
    return found.map((one) => one.place);
  }, [sorted, stopsIn, isByRisk]);
}

interface Stop {
  place: Place;
  risk: number;
}

const stopsOf = (row: TableRow, columns: Column[], filter: Filter, isByRisk: boolean): Stop[] =>
  columns
    .filter((column) => fitsAt(filter, row, column))
    .map((column) => ({
      place: { ordinal: row.result.ordinal, row: row.row, field: column.field.id },
      risk: isByRisk ? riskAt(row, column) : 0,
    }));

/** The same function, which works out each row once. */
function remembered<T>(work: (row: TableRow) => T): (row: TableRow) => T {
  const known = new WeakMap<TableRow, T>();
  return (row) => {
    const kept = known.get(row) ?? work(row);
    known.set(row, kept);
    return kept;
  };
}

/** The cell on which the arrow keys stand. It follows the cell that is open, which is brought into sight. */
export function useFocus(grid: GridState, place: Place | null) {
  const { box, sorted, metas, down, firstWidth } = grid;
  const [focus, setFocus] = useState<Focus>({ row: 0, column: 0 });
  const bringIntoSight = useEffectEvent(() => {
    if (!place) return undefined;
    const row = sorted.findIndex((one) => isAt(place, one.original.result.ordinal, one.original.row));
    const column = metas.findIndex((one) => one.field.id === place.field);
    if (row < 0 || column < 0) return undefined;
    setFocus({ row, column });
    // The drawer takes its room first; only then is it known what can be seen beside it.
    const later = requestAnimationFrame(() => {
      down.scrollToIndex(row);
      showColumn(box, metas, column, firstWidth);
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
  }, [box, place]);
  return { focus, setFocus };
}

function showColumn(box: RefObject<HTMLDivElement | null>, metas: Column[], column: number, firstWidth: number): void {
  const grid = box.current;
  if (!grid) return;
  const left = metas.slice(0, column).reduce((all, one) => all + one.width, 0);
  const right = left + (metas[column]?.width ?? 0);
  const seen = grid.clientWidth - firstWidth;
  if (left < grid.scrollLeft || right > grid.scrollLeft + seen) grid.scrollLeft = left;
}

/** The arrows move, Enter opens. */
export function useGridKeys(
  grid: GridState,
  { focus, setFocus }: { focus: Focus; setFocus: (next: Focus) => void },
  open: (place: Place) => void,
) {
  const { box, sorted, leaves, metas, down, across, rowHeight } = grid;
  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - HEAD) / rowHeight) - 1);
    const next = moved(event.key, focus, { rows: sorted.length, columns: leaves.length, page });
    const at = sorted[focus.row]?.original;
    const column = metas[focus.column];
    if (event.key === "Enter" && at && column && at.result.state === "completed") {
      open({ ordinal: at.result.ordinal, row: at.row, field: column.field.id });
    } else if (next) {
      setFocus(next);
      down.scrollToIndex(next.row);
      across.scrollToIndex(next.column);
    } else return;
    event.preventDefault();
  };
}
