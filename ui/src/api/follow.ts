import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, address } from "./client";
import { type Present, commentsKey, presentKey } from "./people";
import { conflictsKey } from "./two-reviewers";
import { forgetResults, keepResult, showResult } from "./results";

// If more documents than this come at once, all results are read again: page by page is cheaper than one by one.
const MOST_SINGLE = 20;
// A server that refused the stream is asked again after this time. Shorter would press a server that is busy; longer
// leaves what colleagues decide unseen.
const AGAIN_MS = 5_000;

/** Shows what colleagues decide about a task as they decide it. Rests while the page is hidden. */
export function useFollowReviews(taskId: number): void {
  const client = useQueryClient();
  useEffect(() => {
    let source: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasMissed = false;
    const stop = () => {
      clearTimeout(timer);
      source?.close();
      source = null;
    };
    const start = () => {
      stop();
      source = new EventSource(address("/api/v1/extraction/tasks/{id}/reviews/events", { id: taskId }));
      source.addEventListener("open", () => {
        if (hasMissed) forgetResults(client, taskId);
        hasMissed = false;
      });
      source.addEventListener("present", (event: MessageEvent<string>) => {
        const { present } = JSON.parse(event.data) as { present: Present[] };
        client.setQueryData<Present[]>(presentKey(taskId), present);
      });
      source.addEventListener("commented", () => {
        void client.invalidateQueries({ queryKey: commentsKey(taskId) });
      });
      source.addEventListener("reviewed", (event: MessageEvent<string>) => {
        const { ordinals } = JSON.parse(event.data) as { ordinals: number[] };
        void readAgain(client, taskId, ordinals);
      });
      source.addEventListener("error", () => {
        hasMissed = true;
        // The browser tries again by itself unless the server has refused.
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(start, AGAIN_MS);
      });
    };
    const follow = () => {
      if (document.visibilityState === "visible") start();
      else {
        hasMissed = true;
        stop();
      }
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stop();
    };
  }, [client, taskId]);
}

async function readAgain(client: QueryClient, taskId: number, ordinals: number[]): Promise<void> {
  void client.invalidateQueries({ queryKey: conflictsKey(taskId) });
  void client.invalidateQueries({ queryKey: ["agreement", taskId] });
  void client.invalidateQueries({ queryKey: ["reviews", taskId] });
  if (ordinals.length > MOST_SINGLE) {
    forgetResults(client, taskId);
    return;
  }
  for (const ordinal of ordinals) {
    const path = { task_id: taskId, ordinal };
    const result = await api.get("/api/v1/extraction/tasks/{task_id}/results/{ordinal}", { path }).catch(() => null);
    if (result) {
      keepResult(taskId, result);
      showResult(client, taskId, ordinal);
    }
  }
}
