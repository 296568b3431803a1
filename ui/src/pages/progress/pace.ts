import { useEffect, useRef, useState } from "react";
import { count } from "../../texts";
import type { Task } from "../../api/client";

const WINDOW_MS = 60_000;

/** How quick a task is: what ended within the last minute that this page has seen, or since the start. */
export function usePace(task: Task): { perMinute: string | null; left: number | null; elapsed: number } {
  const seen = useRef<{ at: number; done: number }[]>([]);
  const [now, setNow] = useState(Date.now);
  const isRunning = task.state === "open" && !task.paused;
  const done = task.counts.completed + task.counts.error;
  useEffect(() => {
    const clock = isRunning ? setInterval(() => setNow(Date.now()), 1_000) : undefined;
    return () => clearInterval(clock);
  }, [isRunning]);
  useEffect(() => {
    const at = Date.now();
    const kept = seen.current;
    if (!isRunning || (kept.at(-1)?.done ?? 0) > done) kept.length = 0;
    kept.push({ at, done });
    while (kept.length > 2 && (kept[1]?.at ?? at) < at - WINDOW_MS) kept.shift();
  }, [done, isRunning]);

  const began = Date.parse(task.created_at);
  const end = task.closed_at === null ? now : Date.parse(task.closed_at);
  const elapsed = Math.max(0, end - began) / 1_000;
  const oldest = seen.current[0];
  const isRecent = oldest !== undefined && done - oldest.done >= 3 && now - oldest.at > 3_000;
  const perSecond =
    isRunning && isRecent ? (1_000 * (done - oldest.done)) / (now - oldest.at) : elapsed > 0 ? done / elapsed : 0;
  const perMinute = 60 * perSecond;
  return {
    perMinute: done === 0 ? null : perMinute >= 10 ? count(Math.round(perMinute)) : perMinute.toFixed(1),
    left: done < 2 || perSecond === 0 ? null : (task.total - done) / perSecond,
    elapsed,
  };
}
