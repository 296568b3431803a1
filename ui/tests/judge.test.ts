import { describe, expect, test } from "vitest";
import { attentionByScope, fits, lookAt, markOf, needsAttention, riskOf, sum } from "../src/api/judge";
import { finding, result, review } from "./findings";

describe("the sign of a cell", () => {
  test("is the verdict, as long as nobody has judged it", () => {
    expect(markOf(finding())).toBe("verified");
    expect(markOf(finding({ verdict: "unbound", reason: "other_arm" }))).toBe("unbound");
    expect(markOf(finding({ source: "computed", verdict: "no_quote", quote: "" }))).toBe("computed");
  });

  test.each(["rejected", "not_reported", "not_applicable", "unclear"] as const)(
    "has no tick once a person has said %s",
    (action) => {
      const extracted = { state: "reported", value: "A trial", source: "model" };
      const refused = { state: action, value: null, source: "reviewer", extracted, review: review({ action }) };
      expect(markOf(finding(refused))).toBe(action);
      expect(fits("verified", finding(refused), false)).toBe(false);
      expect(markOf(finding({ review: review({ action }) })), "while it is on its way").toBe(action);
    },
  );

  test("is the verdict again where the review judged another value", () => {
    expect(markOf(finding({ review: review({ action: "rejected", is_outdated: true }) }))).toBe("verified");
  });

  test("is no verdict on a value that a person gave", () => {
    const extracted = { state: "reported", value: "A trial", source: "model" };
    expect(markOf(finding({ source: "reviewer", extracted, review: review({ action: "edited" }) }))).toBe("given");
    expect(markOf(finding({ source: "reviewer", extracted: null }))).toBe("given");
  });

  test("tells what was never looked for from what is unclear", () => {
    const unclear = { state: "unclear", value: null, quote: "" };
    expect(markOf(finding({ ...unclear, source: "embedded" }))).toBe("open");
    expect(markOf(finding({ ...unclear, source: "model" }))).toBe("unclear");
    expect(markOf(finding({ ...unclear, quote: "two ways", verdict: "verified" }))).toBe("unclear");
  });
});

describe("a value that is not bound to its quote", () => {
  const unbound = finding({ verdict: "unbound", reason: "no_subject" });

  test("needs attention and has a filter of its own", () => {
    expect(needsAttention(unbound, false)).toBe(true);
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
    finding({ verdict: "number_mismatch" }),
    finding({ verdict: "unbound" }),
    finding({ state: "not_reported", value: null, quote: "" }),
    finding(),
    finding({ review: review() }),
  ].map((one) => riskOf(one, false, true));
  expect(risks).toEqual([0, 1, 3, 4, 9]);
  expect(riskOf(finding(), true, true)).toBe(2);
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
    result([finding({ verdict: "no_quote" }), finding({ field: "arm_n", row: "arm/1", verdict: "unbound" })]),
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
