import { afterEach, describe, expect, test } from "vitest";
import { type Decision, begun, ended, onTheirWay, pending, shown } from "../src/api/decisions";
import { finding, result, review } from "./findings";

const TASK = 5;
const cell = { ordinal: 0, row: "", field: "title" };
const decide = (part: Partial<Decision>, seen = result([finding()])) =>
  pending(TASK, "ann", { ...cell, action: "accepted", ...part }, seen);

afterEach(() => onTheirWay().forEach(ended));

describe("a decision on its way", () => {
  test("signs its cell, and leaves what stands there to the server", () => {
    const before = result([finding({ value: "A trial" })]);
    begun(decide({ action: "rejected", note: "no" }));
    const [after] = shown(TASK, before).findings;
    expect(after?.review).toMatchObject({ action: "rejected", by: "ann", note: "no" });
    expect(after?.value).toBe("A trial");
  });

  test("that refuses a value takes its tick, and asks for no other look", () => {
    begun(decide({ action: "rejected" }));
    const before = result([finding({ attention: "rule_broken" })]);
    expect(shown(TASK, before).findings[0]).toMatchObject({ mark: "rejected", attention: null });
  });

  test("that accepts a value leaves its mark", () => {
    begun(decide({}));
    expect(shown(TASK, result([finding({ mark: "unbound" })])).findings[0]?.mark).toBe("unbound");
  });

  test("signs a cell in which nothing was found", () => {
    begun(decide({ action: "unclear" }, result([])));
    expect(shown(TASK, result([])).findings.map((one) => one.review?.action)).toEqual(["unclear"]);
  });

  test("takes the sign away when it takes a review back", () => {
    begun(decide({ action: "withdrawn" }));
    expect(shown(TASK, result([finding({ review: review() })])).findings[0]?.review).toBeNull();
  });

  test("leaves no sign where a value was typed, which the server may refuse", () => {
    begun(decide({ action: "edited", value: "x" }));
    const before = result([finding()]);
    expect(shown(TASK, before)).toBe(before);
  });

  test("touches neither other cells, nor other documents, nor other tasks", () => {
    begun(decide({ action: "rejected" }));
    const other = result([finding({ field: "doi" })], { ordinal: 1 });
    expect(shown(TASK, other)).toBe(other);
    expect(shown(TASK + 1, result([finding()])).findings[0]?.review).toBeNull();
  });

  test("is forgotten when it has ended", () => {
    const decision = decide({ action: "rejected" });
    begun(decision);
    ended(decision);
    expect(shown(TASK, result([finding()])).findings[0]?.review).toBeNull();
  });

  test("knows what was seen, and whether another of the same cell is before it", () => {
    const first = decide({}, result([finding({ review: review({ revision: 3 }) })]));
    expect(first).toMatchObject({ seen: 3, seenValue: "A trial", isLater: false });
    begun(first);
    expect(decide({ action: "withdrawn" }).isLater).toBe(true);
    expect(decide({ field: "doi" }).isLater).toBe(false);
  });
});
