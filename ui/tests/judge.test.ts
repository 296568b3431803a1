import { describe, expect, test } from "vitest";
import { attentionByScope, fits, lookAt, riskOf, sum } from "../src/api/judge";
import { finding, result, review } from "./findings";

describe("a value that is not bound to its quote", () => {
  const unbound = finding({ verdict: "unbound", reason: "no_subject", mark: "unbound", attention: "unproven" });

  test("needs attention and has a filter of its own", () => {
    expect(fits("attention", unbound, false)).toBe(true);
    expect(fits("unbound", unbound, false)).toBe(true);
    expect(fits("verified", unbound, false)).toBe(false);
    expect(fits("unbound", finding(), false)).toBe(false);
  });

  test("is counted apart from what is verified", () => {
    expect(sum([result([unbound, finding({ field: "doi" })])])).toMatchObject({ reported: 2, verified: 1, unbound: 1 });
  });
});

test("what contradicts the paper is the most urgent, what was reviewed the least", () => {
  const risks = [
    finding({ attention: "contradicted" }),
    finding({ attention: "unproven" }),
    finding({ attention: "rule_broken" }),
    finding({ mark: "not_reported" }),
    finding(),
    finding({ review: review() }),
  ].map((one) => riskOf(one, true));
  expect(risks).toEqual([0, 1, 2, 3, 4, 9]);
  expect(riskOf(finding({ mark: "not_reported" }), false)).toBe(4);
});

test("only what the server calls acceptable is accepted together", () => {
  const [yes, no] = [finding({ is_acceptable: true }), finding({ field: "doi" })];
  expect(lookAt(result([yes, no])).acceptable).toEqual([yes]);
});

test("a rule about rows of another kind flags the field in every row", () => {
  const arm = finding({ row: "arm/1", field: "arm_n" });
  const flags = [{ rule: "adds_up", row: "", fields: ["arm_n"], message: { id: "", params: {}, message: "" } }];
  const looked = lookAt(result([arm], { flags }));
  expect(looked.isFlagged("arm/1", "arm_n")).toBe(true);
  expect(looked.flags("arm/1", "arm_n")).toEqual(flags);
});

test("attention is counted by the scope of the field", () => {
  const results = [
    result([finding({ attention: "unproven" }), finding({ field: "arm_n", row: "arm/1", attention: "rule_broken" })]),
  ];
  const scopes = new Map([
    ["title", "study"],
    ["arm_n", "arm"],
  ]);
  expect(attentionByScope(results, scopes)).toEqual(
    new Map([
      ["study", 1],
      ["arm", 1],
    ]),
  );
});
