import type { Finding, Result } from "./client";

/** How a cell is marked. Each has a shape and a colour of its own, see components/mark.tsx. */
export type Mark =
  | "verified"
  | "verified_fuzzy"
  | "quote_not_found"
  | "number_mismatch"
  | "polarity_mismatch"
  | "unsupported_value"
  | "no_quote"
  | "not_reported"
  | "not_applicable"
  | "unclear"
  | "failed";

export const MARKS: Mark[] = [
  "verified",
  "verified_fuzzy",
  "number_mismatch",
  "polarity_mismatch",
  "unsupported_value",
  "quote_not_found",
  "no_quote",
  "failed",
  "not_reported",
  "not_applicable",
  "unclear",
];

export type Filter = "attention" | "all" | "verified" | "not_reported" | "open";
export const FILTERS: Filter[] = ["attention", "all", "verified", "not_reported", "open"];

const WRONG: ReadonlySet<string> = new Set<Mark>([
  "number_mismatch",
  "polarity_mismatch",
  "unsupported_value",
  "quote_not_found",
  "no_quote",
  "failed",
]);

export function markOf(finding: Finding): Mark {
  switch (finding.state) {
    case "failed":
    case "not_applicable":
      return finding.state;
    case "not_reported":
      return finding.quote && WRONG.has(finding.verdict) ? (finding.verdict as Mark) : "not_reported";
    case "unclear":
      return finding.quote && WRONG.has(finding.verdict) ? (finding.verdict as Mark) : "unclear";
    default:
      return finding.verdict as Mark;
  }
}

/** Whether a person should look: the quote does not hold, a rule is broken, or nothing usable came. */
export function needsAttention(finding: Finding, isFlagged: boolean): boolean {
  return isFlagged || WRONG.has(markOf(finding));
}

export function fits(filter: Filter, finding: Finding, isFlagged: boolean): boolean {
  const mark = markOf(finding);
  switch (filter) {
    case "all":
      return true;
    case "attention":
      return needsAttention(finding, isFlagged);
    case "verified":
      return !isFlagged && (mark === "verified" || mark === "verified_fuzzy");
    case "not_reported":
      return mark === "not_reported" || mark === "not_applicable";
    case "open":
      return mark === "unclear";
  }
}

export interface Looked {
  finding: (row: string, field: string) => Finding | undefined;
  isFlagged: (row: string, field: string) => boolean;
  reported: number;
  verified: number;
  attention: number;
}

const seen = new WeakMap<Result, Looked>();

/** A document's findings by their place. Worked out once for each answer of the server. */
export function lookAt(result: Result): Looked {
  const known = seen.get(result);
  if (known) return known;
  const findings = new Map(result.findings.map((one) => [`${one.row}\n${one.field}`, one]));
  const flagged = new Set(result.flags.flatMap((flag) => flag.fields.map((field) => `${flag.row}\n${field}`)));
  const made: Looked = {
    finding: (row, field) => findings.get(`${row}\n${field}`),
    isFlagged: (row, field) => flagged.has(`${row}\n${field}`),
    reported: 0,
    verified: 0,
    attention: 0,
  };
  for (const one of result.findings) {
    if (one.state === "reported") made.reported += 1;
    if (one.state === "reported" && (one.verdict === "verified" || one.verdict === "verified_fuzzy")) made.verified += 1;
    if (needsAttention(one, flagged.has(`${one.row}\n${one.field}`))) made.attention += 1;
  }
  seen.set(result, made);
  return made;
}

/** How many cells need a look, by the scope of their fields. */
export function attentionByScope(results: Result[], scopeOf: ReadonlyMap<string, string>): Map<string, number> {
  const found = new Map<string, number>();
  for (const result of results) {
    const looked = lookAt(result);
    if (looked.attention === 0) continue;
    for (const one of result.findings) {
      const scope = scopeOf.get(one.field);
      if (scope !== undefined && needsAttention(one, looked.isFlagged(one.row, one.field))) found.set(scope, (found.get(scope) ?? 0) + 1);
    }
  }
  return found;
}

export function sum(results: Result[]): { reported: number; verified: number; attention: number } {
  const all = { reported: 0, verified: 0, attention: 0 };
  for (const one of results.map(lookAt)) {
    all.reported += one.reported;
    all.verified += one.verified;
    all.attention += one.attention;
  }
  return all;
}
