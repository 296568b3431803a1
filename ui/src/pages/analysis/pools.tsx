import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Pool } from "../../api/analysis";
import { useTexts } from "../../texts";
import { Drawing } from "./drawing";

/** The pools of each outcome and time, one measure of them at a time. */
export function Pools({ pools, taskId }: { pools: Pool[]; taskId: number }) {
  const questions = new Map<number, Pool[]>();
  for (const pool of pools) questions.set(pool.question, [...(questions.get(pool.question) ?? []), pool]);
  return (
    <>
      {[...questions].map(([key, measures]) => (
        <Question key={key} measures={measures} taskId={taskId} />
      ))}
    </>
  );
}

function Question({ measures, taskId }: { measures: Pool[]; taskId: number }) {
  const texts = useTexts();
  const [wanted, setWanted] = useState<string>("");
  const pool = measures.find((one) => one.measure === wanted) ?? measures[0];
  if (!pool) return null;
  return (
    <section className="pool">
      <div className="pool-head">
        <h2>
          {pool.outcome}
          {pool.timepoint && <span className="dim"> {pool.timepoint}</span>}
          {pool.is_change && <span className="dim"> {texts.analysis.change}</span>}
        </h2>
        <SegmentedControl
          size="xs"
          aria-label={texts.analysis.measure}
          value={pool.measure}
          onChange={setWanted}
          data={measures.map((one) => ({ value: one.measure, label: one.measure }))}
        />
        <span className="dim">{texts.analysis.studies(pool.studies)}</span>
        {pool.repeated > 0 && <span className="dim">{texts.analysis.repeated(pool.repeated)}</span>}
        {pool.unreviewed > 0 && <span className="pool-open">{texts.analysis.unreviewed(pool.unreviewed)}</span>}
      </div>
      <Drawing svg={pool.plot} name={`forest-${pool.question}-${pool.measure}`} taskId={taskId} />
    </section>
  );
}
