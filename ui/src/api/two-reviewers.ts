import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Result, type Schemas, api, whole } from "./client";
import { keepResult, showResult } from "./results";

export type Conflict = Schemas["Conflict"];
export type Vote = Schemas["Vote"];
export type Assignment = Schemas["Assignment"];
export type Agreement = Schemas["Agreement"];

const TASK = "/api/v1/extraction/tasks/{task_id}" as const;

export const conflictsKey = (taskId: number) => ["conflicts", taskId] as const;
const assignmentsKey = (taskId: number) => ["assignments", taskId] as const;

/** Cells about which two reviewers differ and that nobody has settled, the earliest first. */
export function useConflicts(taskId: number, isWanted = true) {
  return useQuery({
    queryKey: conflictsKey(taskId),
    enabled: isWanted,
    queryFn: ({ signal }) =>
      whole(
        (after) => api.get(`${TASK}/conflicts`, { path: { task_id: taskId }, query: { after, limit: 500 }, signal }),
        (page) => page.conflicts,
      ),
  });
}

export function useSettle(taskId: number) {
  const client = useQueryClient();
  return useMutation({
    retry: false,
    mutationFn: ({ ordinal, ...body }: Schemas["Settlement"] & { ordinal: number }): Promise<Result> =>
      api.post(`${TASK}/results/{ordinal}/settlements`, { path: { task_id: taskId, ordinal }, body }),
    onSuccess: (result) => {
      keepResult(taskId, result);
      showResult(client, taskId, result.ordinal);
    },
    onSettled: () => client.invalidateQueries({ queryKey: conflictsKey(taskId) }),
  });
}

export function useAgreement(taskId: number) {
  return useQuery({
    queryKey: ["agreement", taskId],
    queryFn: ({ signal }) => api.get(`${TASK}/agreement`, { path: { task_id: taskId }, signal }),
  });
}

export function useAssignments(taskId: number) {
  return useQuery({
    queryKey: assignmentsKey(taskId),
    queryFn: async ({ signal }) =>
      (await api.get(`${TASK}/assignments`, { path: { task_id: taskId }, signal })).assignments,
  });
}

export function useAssign(taskId: number) {
  const client = useQueryClient();
  const path = { task_id: taskId };
  const onSettled = () => client.invalidateQueries({ queryKey: assignmentsKey(taskId) });
  return {
    assign: useMutation({
      mutationFn: (body: Schemas["NewAssignments"]) => api.put(`${TASK}/assignments`, { path, body }),
      onSettled,
    }),
    share: useMutation({
      mutationFn: (people: Schemas["GivenShare"][]) =>
        api.post(`${TASK}/assignments/share`, { path, body: { people } }),
      onSettled,
    }),
  };
}
