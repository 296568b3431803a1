import { describe, expect, test } from "vitest";
import type { Row } from "../src/api/client";
import { fitsAt, placeOf, placeText, rowNames, rowsOf } from "../src/pages/table/rows";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { finding, result } from "./findings";

const row = (scope: string, key: string, label: string, parts = {}): Row => ({ scope, key, label, parts });
const ARMS = [row("arm", "arm/1", "Exercise"), row("arm", "arm/2", "Usual care"), row("outcome", "outcome/1", "Pain")];
const parts = { outcome: "outcome/1", timepoint: "12 weeks", arm: "arm/1" };
const RESULTS = [
  row("arm_result", "arm_result/1", "Pain, 12 weeks, Exercise", parts),
  row("arm_result", "arm_result/2", "Pain, 12 weeks, Usual care", { ...parts, arm: "arm/2" }),
  row("contrast", "contrast/1", "Pain, as reported, Exercise / Usual care", {
    ...parts,
    timepoint: "as reported",
    against: "arm/2",
  }),
  row("domain", "domain/1", "the result of the primary outcome"),
];
const PAPER = result([finding()], { rows: [...ARMS, ...RESULTS] });

describe("the head of a row", () => {
  test("begins with what tells it from its neighbour: the arm", () => {
    expect(rowsOf([PAPER], "arm_result", en).map((one) => [one.label, ...one.details])).toEqual([
      ["Exercise", "Pain, 12 weeks", "paper.pdf"],
      ["Usual care", "Pain, 12 weeks", "paper.pdf"],
    ]);
  });

  test("of a comparison names both arms, and in Chinese has no English of ours", () => {
    const contrast = RESULTS[2] as Row;
    expect(rowNames(contrast, PAPER, en)).toEqual(["Exercise / Usual care", "Pain, as reported"]);
    expect(rowNames(contrast, PAPER, zh)).toEqual(["Exercise / Usual care", "Pain, 按文中所述"]);
    expect(rowNames(RESULTS[3] as Row, PAPER, zh)).toEqual(["主要结局的结果"]);
  });

  test("of a study is its file, with what the study is called", () => {
    expect(rowsOf([PAPER], "study", en).map((one) => [one.label, ...one.details])).toEqual([["paper.pdf", "A trial"]]);
  });
});

test("rows of a document that has not changed are the same rows", () => {
  expect(rowsOf([PAPER], "arm", en)[0]).toBe(rowsOf([PAPER], "arm", en)[0]);
  expect(rowsOf([{ ...PAPER }], "arm", en)[0]).not.toBe(rowsOf([PAPER], "arm", en)[0]);
});

test("a place in the address is read back as it was written, and nothing else is", () => {
  const place = { ordinal: 3, row: "arm/1", field: "arm_n" };
  expect(placeOf(placeText(place))).toEqual(place);
  for (const text of [null, "", "3~arm/1", "x~~title", "3~~Title"]) expect(placeOf(text)).toBeNull();
});

test("a cell fits a filter by what stands in it; one where nothing was found fits none", () => {
  const [line] = rowsOf([PAPER], "study", en);
  const column = (id: string) => ({ field: { id } as never, section: "", width: 1 });
  expect(line && fitsAt("verified", line, column("title"))).toBe(true);
  expect(line && fitsAt("all", line, column("doi"))).toBe(false);
});
