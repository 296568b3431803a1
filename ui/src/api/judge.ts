import type { Finding, Result } from "./client";

/** How a cell is marked, as the server says. Each has a shape and a colour of its own, see components/mark.tsx. */
export type Mark = Finding["mark"];

export const MARKS: Mark[] = [
  "verified",
  "verified_fuzzy",
  "unbound",
  "number_mismatch",
  "polarity_mismatch",
  "unsupported_value",
  "quote_not_found",
  "no_quote",
  "failed",
  "not_reported",
  "not_applicable",
  "unclear",
  "open",
  "computed",
  "given",
  "rejected",
];

export type Filter = "attention" | "unreviewed" | "reviewed" | "all" | "verified" | "unbound" | "not_reported" | "open";
export const FILTERS: Filter[] = [
  "all",
  "attention",
  "unreviewed",
  "reviewed",
  "verified",
  "unbound",
  "not_reported",
  "open",
];

/** What was extracted, also where a person has said something else. Nothing, where only a person said something. */
export function extractedOf(finding: Finding): { state: string; value: Finding["value"] } | null {
  return finding.source === "reviewer" ? finding.extracted : finding;
}

export function isReviewed(finding: Finding): boolean {
  return finding.review !== null && !finding.review.is_outdated;
}

const RISKS: Readonly<Record<NonNullable<Finding["attention"]>, number>> = {
  contradicted: 0,
  unproven: 1,
  rule_broken: 2,
  disagreed: 3,
};

/** How urgent a look is, the most urgent first: what needs one, then what may have been missed, and last what was reviewed. */
export function riskOf({ mark, attention, ...finding }: Finding, isCore: boolean): number {
  if (attention) return RISKS[attention];
  if (finding.review) return 9;
  return isCore && (mark === "not_reported" || mark === "open") ? 3 : 4;
}

export function fits(filter: Filter, finding: Finding, isFlagged: boolean): boolean {
  const { mark } = finding;
  switch (filter) {
    case "all":
      return true;
    case "attention":
      return finding.attention !== null;
    case "unreviewed":
      return !isReviewed(finding);
    case "reviewed":
      return isReviewed(finding);
    case "verified":
      return !isFlagged && (mark === "verified" || mark === "verified_fuzzy");
    case "unbound":
      return mark === "unbound";
    case "not_reported":
      return mark === "not_reported" || mark === "not_applicable";
    case "open":
      return mark === "open";
  }
}

export interface Looked {
  finding: (row: string, field: string) => Finding | undefined;
  isFlagged: (row: string, field: string) => boolean;
  /** The broken rules that speak of a cell, and what is to be said of the whole document. */
  flags: (row: string, field: string) => Result["flags"];
  /** The findings that need a look, and those that may be accepted together. */
  urgent: Finding[];
  acceptable: Finding[];
  /** As extracted; what was computed from other answers is no value of the document. */
  reported: number;
  verified: number;
  unbound: number;
  attention: number;
  /** As people have looked. `unreviewed` counts values, `answers` and `reviewed` all that was answered. */
  answers: number;
  reviewed: number;
  accepted: number;
  edited: number;
  unreviewed: number;
}

export type Counted = Omit<Looked, "finding" | "isFlagged" | "flags" | "urgent" | "acceptable">;
const NONE: Counted = {
  reported: 0,
  verified: 0,
  unbound: 0,
  attention: 0,
  answers: 0,
  reviewed: 0,
  accepted: 0,
  edited: 0,
  unreviewed: 0,
};

const seen = new WeakMap<Result, Looked>();

/** A document's findings by their place. Worked out once for each answer of the server. */
export function lookAt(result: Result): Looked {
  const known = seen.get(result);
  if (known) return known;
  const findings = new Map(result.findings.map((one) => [`${one.row}\n${one.field}`, one]));
  const flagged = new Set(result.flags.flatMap((flag) => flag.fields.map((field) => `${flag.row}\n${field}`)));
  // What a rule says of rows of another kind (the arms that do not add up) it says of the field in every row.
  const elsewhere = new Set(
    [...flagged].filter((one) => !findings.has(one)).map((one) => one.slice(one.indexOf("\n") + 1)),
  );
  const made: Looked = {
    finding: (row, field) => findings.get(`${row}\n${field}`),
    isFlagged: (row, field) => flagged.has(`${row}\n${field}`) || elsewhere.has(field),
    flags: (row, field) =>
      result.flags.filter(
        (flag) =>
          flag.fields.length === 0 ||
          (flag.fields.includes(field) && (flag.row === row || !findings.has(`${flag.row}\n${field}`))),
      ),
    urgent: [],
    acceptable: [],
    ...NONE,
  };
  for (const one of result.findings) {
    const was = extractedOf(one);
    made.answers += 1;
    if (isReviewed(one)) {
      made.reviewed += 1;
      if (one.review?.action === "accepted") made.accepted += 1;
      if (one.review?.action === "edited") made.edited += 1;
    } else if (one.state === "reported") made.unreviewed += 1;
    if (was?.state === "reported" && one.mark !== "computed") made.reported += 1;
    if (was?.state === "reported" && (one.verdict === "verified" || one.verdict === "verified_fuzzy"))
      made.verified += 1;
    if (was?.state === "reported" && one.verdict === "unbound") made.unbound += 1;
    if (one.attention) made.urgent.push(one);
    if (one.is_acceptable) made.acceptable.push(one);
  }
  made.attention = made.urgent.length;
  seen.set(result, made);
  return made;
}

/** How many cells need a look, by the scope of their fields. */
export function attentionByScope(results: Result[], scopeOf: ReadonlyMap<string, string>): Map<string, number> {
  const found = new Map<string, number>();
  for (const result of results) {
    for (const one of lookAt(result).urgent) {
      const scope = scopeOf.get(one.field);
      if (scope !== undefined) found.set(scope, (found.get(scope) ?? 0) + 1);
    }
  }
  return found;
}

export function sum(results: Result[]): Counted {
  const all = { ...NONE };
  for (const one of results.map(lookAt))
    for (const name of Object.keys(NONE) as (keyof Counted)[]) all[name] += one[name];
  return all;
}
