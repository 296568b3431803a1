import type { Finding, NewReview, Result } from "./client";

/** What a person decides about one cell. */
export interface Decision {
  ordinal: number;
  row: string;
  field: string;
  action: NewReview["action"];
  value?: NewReview["value"];
  note?: string;
}

/** A decision with what its maker saw. */
export interface Pending extends Decision {
  taskId: number;
  by: string;
  seen: number;
  seenValue: Finding["value"] | undefined;
  /** Whether an earlier decision of the same person about the same cell is still on its way. */
  isLater: boolean;
}

interface Cell {
  row: string;
  field: string;
}

/** Decisions on their way to the server, in the order in which they were made. */
let underway: readonly Pending[] = [];

export const begun = (decision: Pending): void => {
  underway = [...underway, decision];
};

export const ended = (decision: Pending): void => {
  underway = underway.filter((one) => one !== decision);
};

export const onTheirWay = (): readonly Pending[] => underway;

const isSame = (one: Cell, other: Cell) => one.row === other.row && one.field === other.field;

export const findingOf = (result: Result | undefined, cell: Cell): Finding | undefined =>
  result?.findings.find((one) => isSame(one, cell));

/** A decision about what is seen, ready to be sent. */
export function pending(taskId: number, by: string, decision: Decision, result: Result | undefined): Pending {
  const now = findingOf(result, decision);
  const isLater = underway.some(
    (one) => one.taskId === taskId && one.ordinal === decision.ordinal && isSame(one, decision),
  );
  return { ...decision, taskId, by, seen: now?.review?.revision ?? 0, seenValue: now?.value, isLater };
}

/** A document as it is shown: with a sign on each cell whose decision is on its way. */
export function shown(taskId: number, result: Result): Result {
  return underway.filter((one) => one.taskId === taskId && one.ordinal === result.ordinal).reduce(withSign, result);
}

/**
 * The cell says who decided what. What stands there then is worked out by the server alone, so the value stays until
 * the answer comes; a value that was typed may still be refused, so it leaves no sign.
 */
export function withSign(result: Result, decision: Pending): Result {
  if (decision.action === "edited") return result;
  const known = findingOf(result, decision);
  if (decision.action === "withdrawn") {
    return known ? { ...result, findings: put(result.findings, known, { ...known, review: null }) } : result;
  }
  const before = known ?? blank(decision);
  const review = {
    revision: before.review?.revision ?? 0,
    action: decision.action,
    value: null,
    note: decision.note ?? "",
    by: decision.by,
    at: new Date().toISOString(),
    is_outdated: false,
    has_cell: false,
    checked_by: null,
    passage: null,
  };
  const mark = isRefusal(decision.action) ? decision.action : before.mark;
  const after = { ...before, review, mark, attention: null, is_acceptable: false };
  return { ...result, findings: known ? put(result.findings, known, after) : [...result.findings, after] };
}

type Refusal = Extract<Decision["action"], Finding["mark"]>;
const isRefusal = (action: Decision["action"]): action is Refusal => action !== "accepted" && action !== "withdrawn";

const put = (findings: Finding[], old: Finding, next: Finding) => findings.map((one) => (one === old ? next : one));

/** A cell in which nothing was found. */
export function blank(cell: Cell): Finding {
  return {
    field: cell.field,
    row: cell.row,
    state: "",
    value: null,
    quote: "",
    verdict: "no_quote",
    spans: [],
    value_spans: [],
    subject_spans: [],
    reason: null,
    source: "reviewer",
    note: null,
    extracted: null,
    review: null,
    cell: null,
    mark: "no_quote",
    attention: null,
    is_acceptable: false,
  };
}
