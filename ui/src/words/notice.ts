import type { Schemas } from "../api/client";

/** A sentence of the server for people: its English text, and what another language makes its own text of. */
export type Notice = Schemas["Notice"];

export function english(message: Notice | string | null): string {
  return typeof message === "string" ? message : (message?.message ?? "");
}

const PLACE = /\{(\w+)\}/g;

/** The text of another language with its places filled. A place may be a notice itself. */
export function filled(text: string, params: Notice["params"], inner: (notice: Notice) => string): string {
  return text.replace(PLACE, (place, name: string) => {
    const value = params[name];
    if (value === undefined) return place;
    return typeof value === "object" ? inner(value) : String(value);
  });
}
