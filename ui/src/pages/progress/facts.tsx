import { Progress as Meter } from "@mantine/core";
import { Link } from "react-router";
import type { Task } from "../../api/client";
import { count, duration, useTexts } from "../../texts";
import type { Texts } from "../../texts/en";
import { usePace } from "./pace";
import { clock } from "./writing";

/** Rate, time, spend and what was found so far. */
export function Facts({ task, reported, attention }: { task: Task; reported: number; attention: number }) {
  const texts = useTexts();
  const pace = usePace(task);
  const digits = (amount: number) =>
    amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 4 : 2 });
  const money = (amount: number) => `${digits(amount)} ${task.spent.currency ?? ""}`.trim();
  const tokens = task.spent.prompt_tokens + task.spent.completion_tokens;
  return (
    <div className="facts">
      <Fact name={texts.task.rate} value={pace.perMinute === null ? "—" : texts.task.perMinute(pace.perMinute)} />
      {task.state === "closed" ? (
        <Fact name={texts.task.took} value={duration(pace.elapsed, texts)} />
      ) : (
        <Fact
          name={texts.task.left}
          value={task.paused ? texts.task.paused : timeLeft(pace.left, texts)}
          more={task.paused ? "" : texts.task.runningFor(clock(pace.elapsed))}
        />
      )}
      <Fact
        name={texts.task.spend}
        {...(task.spend_cap ? { share: (100 * (task.spent.cost ?? 0)) / task.spend_cap } : {})}
        value={task.spent.cost !== null ? money(task.spent.cost) : task.is_embedded ? texts.task.free : "—"}
        more={
          task.is_embedded
            ? ""
            : [
                task.spend_cap === null ? texts.task.noCap : texts.task.ofCap(money(task.spend_cap)),
                texts.task.calls(task.spent.calls),
                texts.task.tokens(count(tokens)),
                task.spent.unpriced > 0 ? texts.task.unpriced(task.spent.unpriced) : "",
              ]
                .filter(Boolean)
                .join(" · ")
        }
      />
      <Fact name={texts.task.found} value={count(reported)} />
      <Fact
        name={texts.task.attention}
        value={count(attention)}
        {...(attention > 0 ? { to: `/tasks/${task.task_id}/table?filter=attention` } : {})}
      />
    </div>
  );
}

// Below this an estimate is wrong by more than it says.
const SOON_S = 5;

function timeLeft(seconds: number | null, texts: Texts): string {
  if (seconds === null) return texts.task.unknown;
  return seconds < SOON_S ? texts.task.soon : duration(seconds, texts);
}

interface FactProps {
  name: string;
  value: string;
  more?: string;
  /** Percent of a limit that is used. */
  share?: number;
  to?: string;
}

function Fact({ name, value, more, share, to }: FactProps) {
  const texts = useTexts();
  return (
    <div className="fact">
      <span className="dim">{name}</span>
      <b>
        {to ? (
          <Link to={to} className="attention" aria-label={`${name}: ${value}`}>
            {value}
          </Link>
        ) : (
          value
        )}
      </b>
      {share !== undefined && (
        <Meter
          value={Math.min(100, share)}
          size="sm"
          my={4}
          color={share >= 90 ? "orange" : "blue"}
          aria-label={texts.task.capUsed}
        />
      )}
      {more && <span className="dim">{more}</span>}
    </div>
  );
}
