import type { Schemas } from "../api/client";
import type { Label } from "../api/template";

/** A sentence of the server for people: its English text, and what another language makes its own text of. */
export type Notice = Schemas["Notice"];

export function english(message: Notice | string | null): string {
  return typeof message === "string" ? message : (message?.message ?? "");
}

/** The Chinese texts by their ids. They are many, and are loaded by readers of Chinese only. */
let catalogue: Readonly<Record<string, string>> = {};

export async function loadChinese(): Promise<void> {
  catalogue = (await import("./notices")).notices;
}

/** A notice in Chinese; in English, where the catalogue has no text for it. `own` is the text of a template's check. */
export function chinese(message: Notice | string | null, own?: Label): string {
  if (message === null || typeof message === "string") return message ?? "";
  const text = catalogue[message.id] ?? own?.zh;
  return text === undefined ? message.message : filled(text, message.params, chinese);
}

const PLACE = /\{(\w+)\}/g;

/** A text with its places filled. A parameter may be a notice itself. */
export function filled(text: string, params: Notice["params"], inner: (notice: Notice) => string): string {
  return text.replace(PLACE, (place, name: string) => {
    const value = params[name];
    if (value === undefined) return place;
    return typeof value === "object" ? inner(value) : String(value);
  });
}
