import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Schemas, api } from "./client";

export type Questions = Schemas["ProjectQuestions"];
export type Comparison = Schemas["Comparison"];
export type Outcome = Schemas["Outcome"];

const PATH = "/api/v1/projects/{project_id}/questions" as const;
const keyOf = (projectId: number) => ["questions", projectId] as const;

/** What a project compares, and which outcomes it wants. */
export function useQuestions(projectId: number) {
  return useQuery({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }) => api.get(PATH, { path: { project_id: projectId }, signal }),
  });
}

/** Puts questions in the place of those that were seen. Somebody else's change is never lost: the server refuses. */
export function useChangeQuestions(projectId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ comparisons, outcomes, revision }: Questions) =>
      api.put(PATH, { path: { project_id: projectId }, body: { comparisons, outcomes, seen: revision } }),
    onSuccess: (saved) => client.setQueryData(keyOf(projectId), saved),
  });
}

/** An id that none of these has. Ids stay for ever: a name may change, and its answers stay. */
export function newId(letter: string, known: { id: string }[]): string {
  const taken = new Set(known.map((one) => one.id));
  let number = known.length + 1;
  while (taken.has(`${letter}${number}`)) number += 1;
  return `${letter}${number}`;
}
