import { beforeEach, expect, test, vi } from "vitest";
import { hold, isFree } from "../src/components/keyboard";
import { moved } from "../src/pages/table/moves";

beforeEach(() => {
  vi.useFakeTimers();
});

test("the keys of the page rest until the last dialog above it has closed", () => {
  const first = hold();
  const second = hold();
  first();
  vi.runAllTimers();
  expect(isFree()).toBe(false);
  second();
  vi.runAllTimers();
  expect(isFree()).toBe(true);
});

test("the key that closes a dialog does nothing to the page, and a dialog gives the keyboard back once", () => {
  const release = hold();
  const other = hold();
  release();
  release();
  expect(isFree()).toBe(false);
  vi.runAllTimers();
  expect(isFree()).toBe(false);
  other();
  expect(isFree()).toBe(false);
  vi.runAllTimers();
  expect(isFree()).toBe(true);
});

const SIZE = { rows: 100, columns: 8, page: 10 };

test.each([
  ["ArrowDown", { row: 6, column: 3 }],
  ["ArrowUp", { row: 4, column: 3 }],
  ["ArrowRight", { row: 5, column: 4 }],
  ["ArrowLeft", { row: 5, column: 2 }],
  ["PageDown", { row: 15, column: 3 }],
  ["PageUp", { row: 0, column: 3 }],
  ["Home", { row: 5, column: 0 }],
  ["End", { row: 5, column: 7 }],
  ["a", null],
])("%s leads where it says, and never out of the grid", (key, expected) => {
  expect(moved(key, { row: 5, column: 3 }, SIZE)).toEqual(expected);
});

test("no key leads beyond the last line and column", () => {
  const last = { row: 99, column: 7 };
  for (const key of ["ArrowDown", "ArrowRight", "PageDown", "End"]) expect(moved(key, last, SIZE)).toEqual(last);
});
