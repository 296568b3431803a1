import { type Field, type FieldType, type Option, type Scope, unitOf } from "../../api/template";

/** A field as it stands in the form. */
export interface Draft {
  id: string;
  en: string;
  zh: string;
  type: FieldType;
  scope: Scope;
  tier: Field["tier"];
  instruction: string;
  unit: string;
  /** A line per option: its id and its names. */
  options: string;
}

/** What the form begins with: the field, or an empty one. */
export const draftOf = (field: Field | null, scopes: Scope[]): Draft => ({
  id: field?.id ?? "",
  en: field?.label.en ?? "",
  zh: field?.label.zh ?? "",
  type: field?.type ?? "text",
  scope: field?.scope ?? scopes[0] ?? "study",
  tier: field?.tier ?? "core",
  instruction: field?.instruction ?? "",
  unit: field ? unitOf(field) : "",
  options: field?.enum?.map((one) => `${one.id} | ${one.label.en} | ${one.label.zh}`).join("\n") ?? "",
});

export const hasOptions = (draft: Draft): boolean => draft.type === "enum" || draft.type === "multi_enum";

/** The first line of the options that is none, where the type has options. */
export function badOption(draft: Draft): string | null {
  const read = readOptions(draft.options);
  return hasOptions(draft) && typeof read === "string" ? read : null;
}

/** The field that a form makes of the one it began with. */
export function fieldOf(draft: Draft, field: Field | null): Field {
  const { id, en, zh, type, scope, tier, instruction, unit } = draft;
  const { unit: oldUnit, enum: _, ...rest } = field ?? {};
  const made: Field = { ...rest, id: id || slug(en), label: { en, zh: zh || en }, type, scope, tier, instruction };
  const options = readOptions(draft.options);
  if (hasOptions(draft) && typeof options !== "string") made.enum = options;
  // A list of units, or one that another field says, is kept unless somebody wrote another.
  if (field && unit === unitOf(field)) {
    if (oldUnit !== undefined) made.unit = oldUnit;
  } else if (unit.trim()) made.unit = unit.trim();
  return made;
}

/** A name as an id: small letters, digits and underscores, a letter first. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63);
}

/** The options, or the first line that is none. */
export function readOptions(text: string): Option[] | string {
  const found: Option[] = [];
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [id, en, zh] = line.split("|").map((part) => part.trim());
    if (!id || !en) return line;
    found.push({ id, label: { en, zh: zh || en } });
  }
  return found;
}
