import { expect, test } from "vitest";
import type { Document } from "../src/api/client";
import type { Field, Template } from "../src/api/template";
import { badOption, draftOf, fieldOf, slug } from "../src/pages/setup/field-draft";
import { whyNot } from "../src/pages/setup/why-not";
import { en } from "../src/texts/en";

const dose: Field = {
  id: "dose",
  label: { en: "Dose", zh: "剂量" },
  type: "quantity",
  scope: "arm",
  tier: "core",
  instruction: "The daily dose.",
  unit: ["mg", "g"],
};

test("a field that nobody changes is what it was, its list of units too", () => {
  expect(fieldOf(draftOf(dose, ["study", "arm"]), dose)).toEqual(dose);
});

test("a unit that somebody writes replaces the list, and an emptied one is none", () => {
  const draft = draftOf(dose, ["arm"]);
  expect(fieldOf({ ...draft, unit: " µg " }, dose).unit).toBe("µg");
  expect(fieldOf({ ...draft, unit: "" }, dose).unit).toBeUndefined();
});

test("a new field has an id from its English name, and that name where there is no Chinese one", () => {
  const made = fieldOf({ ...draftOf(null, ["study"]), en: "6-month Follow-up (n)" }, null);
  expect(made.id).toBe("month_follow_up_n_");
  expect(made.label).toEqual({ en: "6-month Follow-up (n)", zh: "6-month Follow-up (n)" });
  expect(slug("剂量")).toBe("");
});

test("options are a line each, and a line that is none is named where the type has options", () => {
  const draft = { ...draftOf(null, ["study"]), en: "Design", type: "enum" as const, options: "a | One | 一\nb" };
  expect(badOption(draft)).toBe("b");
  expect(badOption({ ...draft, type: "text" })).toBeNull();
  const made = fieldOf({ ...draft, options: "a | One | 一\n\nb | Two" }, null);
  expect(made.enum).toEqual([
    { id: "a", label: { en: "One", zh: "一" } },
    { id: "b", label: { en: "Two", zh: "Two" } },
  ]);
});

const readable = { state: "readable" } as Document;
const broken = { state: "problem" } as Document;
const ready = {
  hasFailed: false,
  template: {} as Template,
  role: "owner",
  fields: [dose],
  isUploading: false,
  chosen: [readable, broken],
  cap: "" as number | string,
};

test.each([
  ["nothing is missing", {}, null],
  ["a list could not be read", { hasFailed: true }, en.setup.whyBroken],
  ["no template is there yet", { template: undefined }, en.setup.whyTemplate],
  ["a reader may not", { role: "reader" }, en.setup.whyReader],
  ["no field is chosen", { fields: [] }, en.setup.whyFields],
  ["files are on their way", { isUploading: true }, en.setup.whyUploading],
  ["no document is chosen", { chosen: [] }, en.setup.whyDocuments],
  ["no document can be read", { chosen: [broken] }, en.setup.whyUnreadable],
  ["the cap is no number", { cap: "-" }, en.setup.whyCap],
])("why a task cannot start is said: %s", (_, change, expected) => {
  expect(whyNot({ ...ready, ...change }, en)).toBe(expected);
});
