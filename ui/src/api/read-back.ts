import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Schemas, api } from "./client";

export type ReadBack = Schemas["ReadBack"];
export type Proposal = ReadBack["proposals"][number];
export type Unplaced = ReadBack["unplaced"][number];

/** What an edited export proposes. Nothing is written. */
export function useReadBack(taskId: number) {
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.append("file", file);
      return api.post("/api/v1/extraction/tasks/{task_id}/read-back", {
        path: { task_id: taskId },
        body: form as never,
      });
    },
  });
}

/** Writes what a person accepted: all of it, or nothing. */
export function useAcceptProposals(taskId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ fileName, proposals }: { fileName: string; proposals: Proposal[] }) =>
      api.post("/api/v1/extraction/tasks/{task_id}/read-back/accept", {
        path: { task_id: taskId },
        body: { file_name: fileName, proposals: proposals.map((one) => one.proposed) },
      }),
    onSuccess: () => client.invalidateQueries(),
  });
}
