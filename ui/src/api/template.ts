/** A template as the API gives it: plain data whose shape is in docs/templates.md. */

export type Language = "en" | "zh";
export type Label = Record<Language, string>;

export const SCOPES = ["study", "question", "arm", "outcome", "arm_result", "contrast", "domain"] as const;
export type Scope = (typeof SCOPES)[number];

export const FIELD_TYPES = [
  "text",
  "longtext",
  "int",
  "float",
  "percent",
  "date",
  "quantity",
  "id",
  "enum",
  "multi_enum",
  "multi_text",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface Option {
  id: string;
  label: Label;
}

export interface Field {
  id: string;
  label: Label;
  type: FieldType;
  scope: Scope;
  tier: "core" | "extended";
  instruction: string;
  unit?: string | string[] | { field: string };
  ai?: boolean;
  computed?: boolean;
  human_or_protocol?: boolean;
  enum?: Option[];
}

export interface Section {
  id: string;
  label: Label;
  fields: Field[];
}

export interface Template {
  id: string;
  version: number;
  builtin?: boolean;
  based_on?: string;
  label: Label;
  description: Label;
  note?: string;
  scopes: Scope[];
  sections: Section[];
  checks: { id: string; scope: Scope; level: "warn" | "error"; message: Label }[];
}

export function fieldsOf(template: Template): Field[] {
  return template.sections.flatMap((section) => section.fields);
}

export function unitOf(field: Field): string {
  if (typeof field.unit === "string") return field.unit;
  return Array.isArray(field.unit) ? field.unit.join(" / ") : "";
}

/** A value as people read it. `printed` is how the paper writes the number. */
export function shown(
  value: string | number | string[] | null,
  field: Field | undefined,
  language: Language,
  printed?: string,
): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map((one) => shown(one, field, language)).join(", ");
  const option = field?.enum?.find((one) => one.id === value);
  if (option) return option.label[language];
  const text = printed ?? String(value);
  return field?.type === "percent" && typeof value === "number" ? `${text} %` : text;
}
