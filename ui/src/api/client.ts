import type { Notice } from "../texts/notice";
import type { Texts } from "../texts/en";
import type { components, paths } from "./wire";

export type Schemas = components["schemas"];
export type Me = Schemas["Me"];
export type Project = Schemas["Project"];
export type TemplateSummary = Schemas["TemplateSummary"];
export type KnowledgeBase = Schemas["KnowledgeBase"];
export type Document = Schemas["Document"];
export type Task = Schemas["Task"];
export type Result = Schemas["Result"];
export type Finding = Schemas["Finding"];
export type Flag = Schemas["Flag"];
export type NewReview = Schemas["NewReview"];
export type Review = Schemas["Review"];
export type Row = Schemas["Row"];
export type Span = Schemas["Span"];
export type Rectangle = Schemas["Rectangle"];
export type Batch = Schemas["Batch"];
export type Queue = Schemas["Queue"];
export type Worker = Schemas["Worker"];
export type Schedule = Schemas["Schedule"];

/** An answer that is no success, with the sentence that the server gave. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly notice: Notice | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

type Verb = "get" | "post" | "put" | "patch" | "delete";
type PathsWith<V extends Verb> = { [P in keyof paths]: paths[P][V] extends object ? P : never }[keyof paths];
type Success<R> = 200 extends keyof R ? R[200] : 201 extends keyof R ? R[201] : 202 extends keyof R ? R[202] : never;
type Answer<P extends keyof paths, V extends Verb> = paths[P][V] extends { responses: infer R }
  ? Success<R> extends { content: { "application/json": infer J } }
    ? J
    : undefined
  : undefined;
type Body<P extends keyof paths, V extends Verb> = paths[P][V] extends {
  requestBody: { content: { "application/json": infer B } };
}
  ? B
  : undefined;

type Values = Record<string, string | number | undefined>;
interface Options<B> {
  path?: Values;
  query?: Values;
  body?: B;
  signal?: AbortSignal;
  /** Sent to the end although the page is left meanwhile. For small bodies only: browsers allow 64 KB. */
  keepalive?: boolean;
}

export function address(path: string, values: Values = {}, query: Values = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const tail = search.toString();
  return tail ? `${filled}?${tail}` : filled;
}

async function call(verb: Verb, path: string, options: Options<unknown>): Promise<unknown> {
  const init: RequestInit = {
    method: verb.toUpperCase(),
    credentials: "same-origin",
    keepalive: options.keepalive ?? false,
  };
  if (options.signal) init.signal = options.signal;
  if (options.body instanceof FormData) init.body = options.body;
  else if (options.body !== undefined) {
    init.body = JSON.stringify(options.body);
    init.headers = { "content-type": "application/json" };
  }
  const answer = await fetch(address(path, options.path, options.query), init).catch(unreached);
  if (!answer.ok) throw await problemOf(answer);
  return answer.status === 204 ? undefined : answer.json().catch(unreached);
}

/** The server did not answer, or not to the end. Browsers say so in words of their own, which help nobody. */
class Unreachable extends Error {}

function unreached(error: unknown): never {
  throw error instanceof TypeError ? new Unreachable(error.message) : error;
}

async function problemOf(answer: Response): Promise<Problem> {
  try {
    const problem = (await answer.json()) as { detail?: unknown; notice?: Notice };
    if (typeof problem.detail === "string") return new Problem(answer.status, problem.detail, problem.notice ?? null);
  } catch {
    // Something between us and the server answered, and not in JSON.
  }
  return new Problem(answer.status, `${answer.status} ${answer.statusText}`);
}

function verb<V extends Verb>(name: V) {
  return <P extends PathsWith<V>>(path: P, options: Options<Body<P, V>> = {}): Promise<Answer<P, V>> =>
    call(name, path, options) as Promise<Answer<P, V>>;
}

export const api = {
  get: verb("get"),
  post: verb("post"),
  put: verb("put"),
  patch: verb("patch"),
  delete: verb("delete"),
};

/** All of a list, page after page. */
export async function whole<P extends { next: string | number | null }, T>(
  read: (after: string | number | undefined) => Promise<P>,
  of: (page: P) => T[],
): Promise<T[]> {
  const all: T[] = [];
  let after: string | number | undefined;
  do {
    const page = await read(after);
    all.push(...of(page));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}

/** What is shown of an error of any kind. */
export function sentence(error: unknown, texts: Texts): string {
  if (error instanceof Unreachable) return texts.state.unreachable;
  if (error instanceof Problem && error.notice) return texts.notice(error.notice);
  return texts.notice(error instanceof Error ? error.message : String(error));
}
