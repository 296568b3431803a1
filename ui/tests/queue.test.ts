import { expect, test } from "vitest";
import type { Finding, Result } from "../src/api/client";
import { blank } from "../src/api/decisions";
import { type Viewer, paceOf, queueOf } from "../src/api/queue";
import type { Template } from "../src/api/template";

const label = { en: "", zh: "" };
const field = (id: string, scope: "study" | "arm_result", type: "text" | "int") => ({
  id,
  label,
  type,
  scope,
  tier: "core" as const,
  instruction: "",
});
const template: Template = {
  id: "t",
  version: 1,
  label,
  description: label,
  scopes: ["study", "arm_result"],
  sections: [
    { id: "one", label, fields: [field("title", "study", "text"), field("n", "study", "int")] },
    { id: "two", label, fields: [field("events", "arm_result", "int"), field("note", "arm_result", "text")] },
  ],
  checks: [],
};

const cell = (row: string, id: string, more: Partial<Finding> = {}): Finding => ({
  ...blank({ row, field: id }),
  state: "reported",
  mark: "verified",
  ...more,
});

const judged = (by: string, at: string, checked_by: string | null = null): Finding["review"] => ({
  revision: 1,
  action: "accepted",
  value: null,
  note: "",
  by,
  at,
  is_outdated: false,
  has_cell: false,
  checked_by,
  passage: null,
});

const document = (ordinal: number, findings: Finding[]): Result =>
  ({
    ordinal,
    state: "completed",
    rows: [{ scope: "arm_result", key: "r1", label: "", parts: {} }],
    findings,
    flags: [],
  }) as unknown as Result;

const ann: Viewer = { name: "Ann", isChecked: false, isEmpty: false, mine: null };
const fieldsIn = (results: Result[], viewer: Viewer) => queueOf(results, template, viewer).map((one) => one.field);

test("the riskiest comes first, over all tabs", () => {
  const results = [
    document(0, [
      cell("", "title"),
      cell("r1", "events"),
      cell("r1", "note", { attention: "rule_broken" }),
      cell("", "n", { attention: "contradicted" }),
    ]),
    document(1, [cell("", "title", { attention: "disagreed" }), cell("", "n", { attention: "unproven" })]),
  ];
  expect(queueOf(results, template, ann).map((one) => `${one.ordinal} ${one.field} ${one.risk}`)).toEqual([
    "0 n mismatch",
    "1 n unproven",
    "0 note rule",
    "1 title disagreement",
    "0 events numbers",
    "0 title rest",
  ]);
});

test("what is decided waits for nobody, and for a check it waits for another person", () => {
  const at = "2026-01-01T00:00:00Z";
  const results = [
    document(0, [
      cell("", "title", { review: judged("Ann", at) }),
      cell("", "n", { review: judged("Ben", at) }),
      cell("r1", "events", { review: judged("Ben", at, "Ben") }),
    ]),
  ];
  expect(fieldsIn(results, ann)).toEqual([]);
  expect(fieldsIn(results, { ...ann, isChecked: true })).toEqual(["n"]);
});

test("where cells start empty every cell of every row waits, and else only where there is an answer", () => {
  const results = [document(0, [cell("", "title", { mark: "open", state: "unclear" })])];
  expect(fieldsIn(results, ann)).toEqual([]);
  expect(fieldsIn(results, { ...ann, isEmpty: true }).sort()).toEqual(["events", "n", "note", "title"]);
});

test("only documents of one's own are in one's queue, where one has some", () => {
  const results = [document(0, [cell("", "title")]), document(1, [cell("", "n")])];
  expect(fieldsIn(results, { ...ann, mine: new Set([1]) })).toEqual(["n"]);
});

test("a pace is the middle gap between one's own decisions, without pauses, and none of too few", () => {
  const at = (seconds: number) => new Date(1_700_000_000_000 + 1000 * seconds).toISOString();
  const times = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 4000, 4020, 4060];
  const results = [
    document(
      0,
      times.map((one, n) => cell("", `f${n}`, { review: judged("Ann", at(one)) })),
    ),
  ];
  expect(paceOf(results, "Ann")).toBe(10);
  expect(paceOf(results, "Ben")).toBeNull();
});
