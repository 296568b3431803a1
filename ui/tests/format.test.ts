import { expect, test } from "vitest";
import { en } from "../src/texts/en";
import { compact, count, duration } from "../src/texts/format";
import { zh } from "../src/texts/zh";

test("a thousand things have a separator in both languages", () => {
  expect(count(999)).toBe("999");
  expect(count(1000)).toBe("1,000");
  for (const texts of [en, zh]) {
    expect(texts.setup.selected(1000, 12_345)).toContain("12,345");
    expect(texts.table.rows(1000, 2000)).toMatch(/1,000.*2,000/);
    expect(texts.setup.onlyCore(1000)).toContain("1,000");
    expect(texts.task.retry(1000)).toContain("1,000");
  }
});

test("a duration is in the largest unit that says enough", () => {
  expect([0, 89, 90, 5399, 5400].map((seconds) => duration(seconds, en))).toEqual([
    "1 s",
    "89 s",
    "2 min",
    "1 h 30 min",
    "1 h 30 min",
  ]);
});

test("a large number is shortened", () => {
  expect(compact(12_345, "en")).toBe("12K");
});
