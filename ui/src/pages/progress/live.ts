import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Task, address } from "../../api/client";
import type { Notice } from "../../texts/notice";
import { keys } from "../../api/queries";

export interface Line {
  id: string;
  at: string;
  ordinal: number;
  file_name: string;
  what: string;
  detail: Notice | null;
}

export type LiveState = "live" | "polling" | "ended";
const MOST_LINES = 5_000;

/** The task's log as it is written. Should the line break for good, the counts are still polled by useTask. */
export function useLive(taskId: number, task: Task | undefined, setLive: (isLive: boolean) => void) {
  const client = useQueryClient();
  const [lines, setLines] = useState<Line[]>([]);
  const [state, setState] = useState<LiveState>("polling");
  const [round, setRound] = useState(0);
  const isKnown = task !== undefined;
  const closedAt = task?.closed_at ?? null;
  const endedAt = useRef<string | null>(null);
  useEffect(() => setLines([]), [taskId]);
  useEffect(() => {
    // A task that was retried is open again after its log had ended, or has been and is closed already.
    if (isKnown && state === "ended" && closedAt !== endedAt.current) setRound((old) => old + 1);
  }, [isKnown, closedAt, state]);
  useEffect(() => {
    if (!isKnown) return;
    setState("polling");
    const source = new EventSource(address("/api/v1/extraction/tasks/{id}/events", { id: taskId }));
    let arrived: Line[] = [];
    let isPlanned = false;
    const show = () => {
      isPlanned = false;
      const fresh = arrived;
      arrived = [];
      setLines((old) => {
        const known = new Set(old.map((line) => line.id));
        const added = fresh.filter((line) => !known.has(line.id) && known.add(line.id));
        return added.length === 0 ? old : [...old, ...added].slice(-MOST_LINES);
      });
    };
    source.addEventListener("open", () => {
      setState("live");
      setLive(true);
    });
    source.addEventListener("line", (event: MessageEvent<string>) => {
      const line = JSON.parse(event.data) as Omit<Line, "id">;
      // The event's id is a place in the log; read from the start again, a line may have another.
      arrived.push({ ...line, id: `${line.at} ${line.ordinal} ${line.what}` });
      // Hundreds of lines may come at once: they are drawn together.
      if (!isPlanned) requestAnimationFrame(show);
      isPlanned = true;
    });
    source.addEventListener("status", (event: MessageEvent<string>) => {
      const status = JSON.parse(event.data) as Task;
      endedAt.current = status.closed_at;
      client.setQueryData(keys.task(taskId), status);
    });
    source.addEventListener("end", () => {
      source.close();
      setState("ended");
      setLive(false);
    });
    source.addEventListener("error", () => {
      // The browser tries again by itself unless the server has refused.
      setState("polling");
      setLive(false);
    });
    return () => source.close();
  }, [taskId, isKnown, round, client, setLive]);
  return { lines, state };
}
