import type { Finding, Result, Row } from "../../api/client";
import { type Filter, type Looked, fits, lookAt, riskOf } from "../../api/judge";
import { type Field, type Language, type Scope, type Template, shown } from "../../api/template";
import type { Texts } from "../../texts/en";

/** One line of the table: a study, or one arm, outcome, result or comparison of it. */
export interface TableRow {
  id: string;
  result: Result;
  looked: Looked;
  row: string;
  /** What tells this line from its neighbours: never shortened. */
  label: string;
  /** Where it belongs: outcome and time, then the document. */
  details: string[];
}

export interface Column {
  field: Field;
  section: string;
  width: number;
}

/** A cell's place, as it stands in the address. */
export interface Place {
  ordinal: number;
  row: string;
  field: string;
}

export function placeOf(text: string | null): Place | null {
  const found = /^(\d{1,9})~([^~]*)~([a-z0-9_]+)$/.exec(text ?? "");
  return found ? { ordinal: Number(found[1]), row: found[2] ?? "", field: found[3] ?? "" } : null;
}

export const placeText = (place: Place) => `${place.ordinal}~${place.row}~${place.field}`;

const WIDTHS: Partial<Record<Field["type"], number>> = {
  int: 120,
  float: 120,
  percent: 120,
  date: 130,
  quantity: 140,
  enum: 170,
  longtext: 280,
};

export function columnsOf(template: Template, scope: Scope): Column[] {
  return template.sections.flatMap((section) =>
    section.fields
      .filter((field) => field.scope === scope)
      .map((field) => ({ field, section: section.id, width: WIDTHS[field.type] ?? 210 })),
  );
}

const made = new WeakMap<Texts, Map<Scope, WeakMap<Result, TableRow[]>>>();

/** The lines of a scope. A document that has not changed has the same lines as before, so they are not drawn anew. */
export function rowsOf(results: Result[], scope: Scope, texts: Texts): TableRow[] {
  const scopes = made.get(texts) ?? new Map<Scope, WeakMap<Result, TableRow[]>>();
  made.set(texts, scopes);
  const known = scopes.get(scope) ?? new WeakMap<Result, TableRow[]>();
  scopes.set(scope, known);
  return results.flatMap((result) => {
    const rows = known.get(result) ?? linesOf(result, scope, texts);
    known.set(result, rows);
    return rows;
  });
}

function linesOf(result: Result, scope: Scope, texts: Texts): TableRow[] {
  const looked = lookAt(result);
  if (scope === "study") {
    const details = [nameOf(looked)].filter(Boolean);
    return [{ id: `${result.ordinal}`, result, looked, row: "", label: result.file_name, details }];
  }
  return result.rows
    .filter((one) => one.scope === scope)
    .map((one) => {
      const [label, ...details] = rowNames(one, result, texts);
      return {
        id: `${result.ordinal} ${one.key}`,
        result,
        looked,
        row: one.key,
        label: label ?? one.key,
        details: [...details, result.file_name],
      };
    });
}

/** The arms of a result or a comparison come first: its neighbours have the same outcome and the same time. */
export function rowNames(row: Row, result: Result, texts: Texts): string[] {
  const label = (key: string | undefined) => result.rows.find((one) => one.key === key)?.label;
  const { arm, against, outcome, timepoint } = row.parts;
  if (row.scope === "question")
    return [
      [outcome, timepoint].filter(Boolean).join(", "),
      `${row.parts["intervention"] ?? ""} / ${row.parts["comparator"] ?? ""}`,
    ];
  const arms = [label(arm), label(against)].filter((one) => one !== undefined).join(" / ");
  const about = [label(outcome), timepoint && coded(timepoint, texts)].filter(Boolean).join(", ");
  return arms && about ? [arms, about] : [coded(row.label, texts)];
}

/** Labels that the server gives where a paper has none. The wire has them as they are written here. */
function coded(label: string, texts: Texts): string {
  if (label === "as reported") return texts.table.asReported;
  return label === "the result of the primary outcome" ? texts.table.primaryResult : label;
}

/** What a study is known by, where it was found. */
function nameOf(looked: Looked): string {
  for (const field of ["study_id", "title"]) {
    const value = looked.finding("", field)?.value;
    if (typeof value === "string" && value) return value;
  }
  return "";
}

export function cellOf(row: TableRow, column: Column): Finding | undefined {
  return row.looked.finding(row.row, column.field.id);
}

export function fitsAt(filter: Filter, row: TableRow, column: Column): boolean {
  if (filter === "attention" && row.looked.attention === 0) return false;
  const finding = cellOf(row, column);
  return finding !== undefined && fits(filter, finding, row.looked.isFlagged(row.row, column.field.id));
}

/** How urgent a look at a cell is, the most urgent first. */
export function riskAt(row: TableRow, column: Column): number {
  const finding = cellOf(row, column);
  return finding ? riskOf(finding, column.field.tier === "core") : 9;
}

export const isAt = (place: Place | null, ordinal: number, row: string) =>
  place !== null && place.ordinal === ordinal && place.row === row;
export const isSamePlace = (one: Place, other: Place) =>
  isAt(one, other.ordinal, other.row) && one.field === other.field;

export function matches(row: TableRow, columns: Column[], wanted: string, language: Language): boolean {
  const names = [row.label, ...row.details, row.result.file_name];
  if (names.some((name) => name.toLowerCase().includes(wanted))) return true;
  return columns.some((column) => {
    const finding = cellOf(row, column);
    return finding !== undefined && shown(finding.value, column.field, language).toLowerCase().includes(wanted);
  });
}

/** What a column is sorted by: numbers as numbers, what is missing after all that is there. */
export function sortValue(row: TableRow, column: Column, language: Language): string | number | undefined {
  const value = cellOf(row, column)?.value;
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" ? value : shown(value, column.field, language).toLowerCase();
}
