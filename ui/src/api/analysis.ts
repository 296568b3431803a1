import { useQuery } from "@tanstack/react-query";
import { type Schemas, api } from "./client";
import type { Language } from "./template";

export type Analysis = Schemas["Analysis"];
export type Pool = Schemas["Pool"];
export type Shared = "split" | "combine";

/** What the analyst decides and no paper says; the correlation is empty where no change scores are wanted. */
export interface Choices {
  isOnlyReviewed: boolean;
  language: Language;
  shared?: Shared;
  correlation?: number | "";
}

/** The choices as the server takes them, for the analysis and for the files of it. */
export function queryOf({ isOnlyReviewed, language, shared = "split", correlation = "" }: Choices) {
  return {
    only_reviewed: isOnlyReviewed ? "true" : undefined,
    language,
    shared,
    correlation: correlation === "" ? undefined : correlation,
  };
}

/** Comparisons pooled over studies. Worked out anew on every visit, since it follows every decision. */
export function useAnalysis(taskId: number, choices: Choices) {
  const query = queryOf(choices);
  return useQuery({
    queryKey: ["analysis", taskId, query] as const,
    queryFn: ({ signal }) =>
      api.get("/api/v1/extraction/tasks/{task_id}/analysis", { path: { task_id: taskId }, query, signal }),
    placeholderData: (before) => before,
  });
}
