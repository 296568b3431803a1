import type { Finding, Result } from "./client";
import { blank } from "./decisions";
import { isReviewed, lookAt } from "./judge";
import { type Field, type Template, fieldsOf } from "./template";

/** Why a cell is in the queue, the most urgent first. */
export const RISKS = ["mismatch", "unproven", "rule", "disagreement", "numbers", "rest"] as const;
export type Risk = (typeof RISKS)[number];

/** A cell that waits for a decision of whoever looks. */
export interface Waiting {
  ordinal: number;
  row: string;
  field: string;
  risk: Risk;
}

export interface Viewer {
  name: string;
  /** A second person confirms what the first has decided. */
  isChecked: boolean;
  /** Cells start empty, so every cell of every row waits. */
  isEmpty: boolean;
  /** The documents of whoever looks; null where nobody has any of their own. */
  mine: ReadonlySet<number> | null;
}

const NUMBERS: ReadonlySet<Field["type"]> = new Set(["int", "float", "percent", "quantity"]);
const OUTCOMES: ReadonlySet<Field["scope"]> = new Set(["arm_result", "contrast", "question"]);

/** How risky it is to leave a cell as it is. The server says what needs attention; numbers of outcomes come before the rest. */
export function riskOfCell(finding: Finding, field: Field): Risk {
  switch (finding.attention) {
    case "contradicted":
      return "mismatch";
    case "unproven":
      return "unproven";
    case "rule_broken":
      return "rule";
    case "disagreed":
      return "disagreement";
    case null:
      return OUTCOMES.has(field.scope) && NUMBERS.has(field.type) ? "numbers" : "rest";
  }
}

/** All cells that wait for a decision, over all tabs, the most urgent first; within a risk in the order of the table. */
export function queueOf(results: Result[], template: Template, viewer: Viewer): Waiting[] {
  const fields = fieldsOf(template).filter((one) => !one.computed);
  const found = results
    .filter((one) => one.state === "completed" && (viewer.mine === null || viewer.mine.has(one.ordinal)))
    .flatMap((result) => fields.flatMap((field) => waitingIn(result, field, viewer)));
  return found.sort((one, other) => RISKS.indexOf(one.risk) - RISKS.indexOf(other.risk));
}

function waitingIn(result: Result, field: Field, viewer: Viewer): Waiting[] {
  const looked = lookAt(result);
  const rows =
    field.scope === "study" ? [""] : result.rows.filter((one) => one.scope === field.scope).map((one) => one.key);
  return rows.flatMap((row) => {
    const finding = looked.finding(row, field.id) ?? (viewer.isEmpty ? blank({ row, field: field.id }) : undefined);
    if (!finding || !waits(finding, viewer)) return [];
    return [{ ordinal: result.ordinal, row, field: field.id, risk: riskOfCell(finding, field) }];
  });
}

/** Whether a cell waits for this person. What our own rules did not look for waits for nobody: it is no answer. */
function waits(finding: Finding, viewer: Viewer): boolean {
  if (finding.attention === "disagreed") return true;
  if (!isReviewed(finding)) return viewer.isEmpty || finding.mark !== "open";
  const review = finding.review;
  return viewer.isChecked && review !== null && review.checked_by === null && review.by !== viewer.name;
}

// Gaps between decisions that are longer are pauses, and no part of the pace.
const LONGEST_GAP_MS = 180_000;
// Fewer gaps say nothing about a pace.
const FEWEST_GAPS = 10;

/** Seconds between two decisions of a person, at the middle; null as long as too few were made. */
export function paceOf(results: Result[], name: string): number | null {
  const times = results
    .flatMap((result) => result.findings)
    .flatMap((one) => (one.review?.by === name ? [Date.parse(one.review.at)] : []))
    .sort((one, other) => one - other);
  const gaps = times
    .slice(1)
    .map((time, at) => time - (times[at] ?? time))
    .filter((gap) => gap > 0 && gap <= LONGEST_GAP_MS)
    .sort((one, other) => one - other);
  const middle = gaps[Math.floor(gaps.length / 2)];
  return gaps.length < FEWEST_GAPS || middle === undefined ? null : middle / 1000;
}
