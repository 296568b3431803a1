import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Result, type Schemas, api } from "./client";
import { keepResult, showResult } from "./results";

export type DocumentTable = Schemas["DocumentTable"];
export type TableCell = Schemas["TableCell"];
export type Arm = Schemas["Arm"];

const RESULT = "/api/v1/extraction/tasks/{task_id}/results/{ordinal}" as const;

/** The tables of a document as they were read. They never change. */
export function useTables(taskId: number, ordinal: number, isWanted: boolean) {
  return useQuery({
    queryKey: ["tables", taskId, ordinal],
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.get(`${RESULT}/tables`, { path: { task_id: taskId, ordinal }, signal }),
  });
}

function useKept(taskId: number, ordinal: number) {
  const client = useQueryClient();
  return (result: Result) => {
    keepResult(taskId, result);
    showResult(client, taskId, ordinal);
    void client.invalidateQueries({ queryKey: ["reviews", taskId, ordinal] });
  };
}

/** Takes a cell of the paper's table as the value of a field: a review with the cell as its evidence. */
export function useTakeCell(taskId: number, ordinal: number) {
  const kept = useKept(taskId, ordinal);
  return useMutation({
    scope: { id: `reviews ${taskId}` },
    retry: false,
    mutationFn: (body: Schemas["NewReview"]) =>
      api.post(`${RESULT}/reviews`, { path: { task_id: taskId, ordinal }, body }),
    onSuccess: kept,
  });
}

/** Puts a person's list of arms in the place of the one that was read. */
export function useMendArms(taskId: number, ordinal: number) {
  const kept = useKept(taskId, ordinal);
  return useMutation({
    scope: { id: `reviews ${taskId}` },
    retry: false,
    mutationFn: (body: Schemas["MendedArms"]) =>
      api.put(`${RESULT}/arms`, { path: { task_id: taskId, ordinal }, body }),
    onSuccess: kept,
  });
}
