import { useQuery } from "@tanstack/react-query";
import { type Schemas, api } from "./client";

export type Analysis = Schemas["Analysis"];
export type Pool = Schemas["Pool"];

/** Comparisons pooled over studies. Worked out anew on every visit, since it follows every decision. */
export function useAnalysis(taskId: number, isOnlyReviewed: boolean) {
  return useQuery({
    queryKey: ["analysis", taskId, isOnlyReviewed] as const,
    queryFn: ({ signal }) =>
      api.get("/api/v1/extraction/tasks/{task_id}/analysis", {
        path: { task_id: taskId },
        query: { only_reviewed: isOnlyReviewed ? "true" : undefined },
        signal,
      }),
  });
}
