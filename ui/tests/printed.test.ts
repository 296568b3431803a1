import { expect, test } from "vitest";
import { printedOf } from "../src/api/printed";
import { shown } from "../src/api/template";
import { finding } from "./findings";

const number = (value: number, quote: string, part = {}) => finding({ value, quote, ...part });

test("a number keeps the zeros that the paper prints", () => {
  const mean = number(19, "mean age 19.0 (SD 3.1) years");
  expect(printedOf(mean)).toBe("19.0");
  expect(shown(mean.value, undefined, "en", printedOf(mean))).toBe("19.0");
});

test("its own place decides where the quote writes the number in two ways", () => {
  const quote = "19 centres; mean 19.00";
  expect(printedOf(number(19, quote))).toBeUndefined();
  const places = { spans: [{ page: 0, start: 100, end: 122 }], value_spans: [{ page: 0, start: 117, end: 122 }] };
  expect(printedOf(number(19, quote, places))).toBe("19.00");
});

test("signs and raised points are read, other numbers are not taken", () => {
  expect(printedOf(number(-0.5, "a change of −0·50"))).toBe("-0.50");
  expect(printedOf(number(19, "219.0 and 19.05"))).toBeUndefined();
});

test("texts, values without a quote and values that people gave have no printed form", () => {
  expect(printedOf(finding())).toBeUndefined();
  expect(printedOf(number(19, ""))).toBeUndefined();
  expect(printedOf(number(19, "19.0", { source: "reviewer" }))).toBeUndefined();
});
