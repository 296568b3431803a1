import { useCallback, useDeferredValue, useMemo } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { Result } from "../../api/client";
import { FILTERS, type Filter, attentionByScope } from "../../api/judge";
import { SCOPES, type Scope, type Template, fieldsOf } from "../../api/template";
import { useLanguage } from "../../texts";
import {
  type Column,
  type Place,
  type TableRow,
  columnsOf,
  fitsAt,
  isAt,
  matches,
  placeOf,
  placeText,
  rowsOf,
} from "./rows";

/** What the address says of the table, and what can be changed of it. */
export function useAddress() {
  const [address, setAddress] = useSearchParams();
  const put = useCallback(
    (change: Record<string, string | null>, isStep = false, state: unknown = null) =>
      setAddress(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [name, value] of Object.entries(change)) {
            if (value === null) next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: !isStep, state },
      ),
    [setAddress],
  );
  const place = useMemo(() => placeOf(address.get("cell")), [address]);
  const filter: Filter = FILTERS.find((one) => one === address.get("filter")) ?? "all";
  return {
    put,
    place,
    filter,
    scope: address.get("scope") ?? "",
    section: address.get("section") ?? "",
    document: address.get("document"),
    search: address.get("search") ?? "",
  };
}

export type Address = ReturnType<typeof useAddress>;

/** Opens, moves and closes the drawer. */
export function useDrawer({ put }: Address) {
  const navigate = useNavigate();
  const isOpenedHere = (useLocation().state as { isOpenedHere?: boolean } | null)?.isOpenedHere === true;
  const open = useCallback((next: Place) => put({ cell: placeText(next) }, true, { isOpenedHere: true }), [put]);
  const step = useCallback(
    (next: Place) => put({ cell: placeText(next) }, false, { isOpenedHere }),
    [put, isOpenedHere],
  );
  const close = useCallback(() => {
    // Opening the drawer was a step of its own, unless the reader came by an address that had it open.
    if (isOpenedHere) void navigate(-1);
    else put({ cell: null });
  }, [navigate, put, isOpenedHere]);
  return { open, step, close };
}

export interface View {
  scopes: Scope[];
  scope: Scope;
  rows: TableRow[];
  columns: Column[];
  /** How many lines the scope has without filters. */
  all: number;
  attention: Map<string, number>;
  /** How many lines each scope has. */
  sizes: Map<Scope, number>;
  /** How many cells have a value that is not bound to its quote. */
  unbound: number;
  wanted: string;
}

/** The rows and columns that fit the address. */
export function useView(template: Template | undefined, results: Result[], address: Address): View {
  const { texts, language } = useLanguage();
  const { filter, section, place, document } = address;
  const wanted = useDeferredValue(address.search.trim().toLowerCase());
  const scopes = useMemo(() => (template ? scopesOf(template) : []), [template]);
  const scope = scopes.find((one) => one === address.scope) ?? scopes[0] ?? "study";
  const allColumns = useMemo(() => (template ? columnsOf(template, scope) : []), [template, scope]);
  const allRows = useMemo(() => rowsOf(results, scope, texts), [results, scope, texts]);
  const used = useMemo(() => inSection(allColumns, section), [allColumns, section]);
  const some = useMemo(
    () =>
      allRows.filter(
        (row) =>
          (document === null || String(row.result.ordinal) === document) &&
          (!wanted || matches(row, used, wanted, language)),
      ),
    [allRows, used, document, wanted, language],
  );
  const shown = useMemo(() => filtered(some, used, filter, place), [some, used, filter, place]);
  const attention = useMemo(() => {
    const fields = template ? fieldsOf(template) : [];
    return attentionByScope(results, new Map(fields.map((one) => [one.id, one.scope])));
  }, [results, template]);
  const sizes = useMemo(
    () => new Map(scopes.map((one) => [one, rowsOf(results, one, texts).length])),
    [results, scopes, texts],
  );
  const unbound = useMemo(
    () => allRows.reduce((all, row) => all + allColumns.filter((one) => fitsAt("unbound", row, one)).length, 0),
    [allRows, allColumns],
  );
  return { scopes, scope, ...shown, all: allRows.length, attention, sizes, unbound, wanted };
}

const scopesOf = (template: Template) =>
  SCOPES.filter((scope) => template.sections.some((one) => one.fields.some((field) => field.scope === scope)));

function inSection(columns: Column[], section: string): Column[] {
  const some = columns.filter((one) => one.section === section);
  return some.length > 0 ? some : columns;
}

function filtered(rows: TableRow[], columns: Column[], filter: Filter, place: Place | null) {
  if (filter === "all") return { rows, columns };
  // What is open stays, also when a decision has made it fit no longer.
  return {
    rows: rows.filter(
      (row) => isAt(place, row.result.ordinal, row.row) || columns.some((column) => fitsAt(filter, row, column)),
    ),
    columns: columns.filter(
      (column) => column.field.id === place?.field || rows.some((row) => fitsAt(filter, row, column)),
    ),
  };
}
