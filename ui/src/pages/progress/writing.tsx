import { useEffect, useState } from "react";
import type { Task } from "../../api/client";
import { useTexts } from "../../texts";

// The server says how far an answer is about once a second. After so long without a word, that is what is shown.
const SILENT_MS = 10_000;

interface Props {
  task: Task;
  /** When the page last had word of the task. */
  updatedAt: number;
}

/**
 * That answers are being written, or the paper still read. A slow model takes minutes for either, so the time goes on
 * second by second between two words of the server, and says so if there is none.
 */
export function Writing({ task, updatedAt }: Props) {
  const texts = useTexts();
  const now = useNow(task.state === "open");
  const { writing } = task;
  if (task.state !== "open" || writing === null) return null;
  const since = Math.max(0, now - updatedAt);
  return (
    <p className="dim" aria-live="off" data-testid="writing">
      {texts.task.writing(writing.answers, writing.tokens, clock(writing.seconds + since / 1_000))}
      {since > SILENT_MS && ` ${texts.task.noWord(clock(since / 1_000))}`}
    </p>
  );
}

/** The time, second by second. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = isRunning ? setInterval(() => setNow(Date.now()), 1_000) : undefined;
    return () => clearInterval(ticking);
  }, [isRunning]);
  return now;
}

/** Minutes and seconds: 2:05. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
