import type { Document } from "../../api/client";
import type { Field, Template } from "../../api/template";
import type { Texts } from "../../texts/en";

interface Choice {
  hasFailed: boolean;
  template: Template | undefined;
  role: string | undefined;
  fields: Field[];
  isUploading: boolean;
  chosen: Document[];
  cap: number | string;
}

/** Why a task cannot be started yet: the first reason in the order of the page. */
export function whyNot(choice: Choice, texts: Texts): string | null {
  const { hasFailed, template, role, fields, isUploading, chosen, cap } = choice;
  const t = texts.setup;
  if (hasFailed) return t.whyBroken;
  if (!template) return t.whyTemplate;
  if (role === "reader") return t.whyReader;
  if (fields.length === 0) return t.whyFields;
  if (isUploading) return t.whyUploading;
  if (chosen.length === 0) return t.whyDocuments;
  if (chosen.every((one) => one.state === "problem" || one.state === "failed")) return t.whyUnreadable;
  if (cap !== "" && !(Number(cap) >= 0)) return t.whyCap;
  return null;
}
