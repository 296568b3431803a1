import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useNavigate } from "react-router";
import { Problem, api } from "../../api/client";
import { keys } from "../../api/queries";
import { keep, randomKey } from "./kept";

export interface TaskRequest {
  project_id: number;
  template_id: string;
  document_ids: number[];
  field_ids: string[];
  context: string;
  spend_cap: number | null;
  isPilot: boolean;
}

/** Starts a task. The same request, sent twice because an answer got lost, has the same key and starts one task. */
export function useStart(projectId: number, done: () => void, selected: number) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const last = useRef({ text: "", key: "" });
  return useMutation({
    mutationFn: ({ isPilot: _, ...request }: TaskRequest) => {
      const text = JSON.stringify(request);
      if (last.current.text !== text) last.current = { text, key: randomKey() };
      return api.post("/api/v1/extraction/tasks", { body: { ...request, idempotency_key: last.current.key } });
    },
    retry: (count, error) => !(error instanceof Problem) && count < 2,
    onSuccess: ({ task_id }, { isPilot, template_id }) => {
      last.current = { text: "", key: "" };
      // A trial keeps the selection: all of it can be started next, and what was answered is not paid for again.
      if (isPilot) keep(`pilot/${task_id}`, { selected, template: template_id });
      else done();
      void client.invalidateQueries({ queryKey: keys.tasks(projectId) });
      void navigate(`/tasks/${task_id}`);
    },
  });
}
