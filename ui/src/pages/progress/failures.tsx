import { Button } from "@mantine/core";
import { useState } from "react";
import type { Result } from "../../api/client";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import type { Notice } from "../../texts/notice";

const SHOWN = 3;

/** What failed and why: one entry for each reason, since a hundred documents often fail for the same one. */
export function Failures({ results }: { results: Result[] }) {
  const texts = useTexts();
  const [isWhole, setWhole] = useState(false);
  const reasons = new Map<string, { why: Notice | null; names: string[] }>();
  for (const one of results)
    if (one.state === "error") {
      const text = one.problem?.message ?? "";
      reasons.set(text, { why: one.problem, names: [...(reasons.get(text)?.names ?? []), one.file_name] });
    }
  if (reasons.size === 0) return null;
  const all = [...reasons].sort((one, other) => other[1].names.length - one[1].names.length);
  return (
    <section className="card failures" aria-label={texts.task.failures}>
      <h2>
        <Icon name="warning" /> {texts.task.failures}
      </h2>
      <ul>
        {all.slice(0, isWhole ? all.length : SHOWN).map(([reason, { why, names }]) => (
          <li key={reason}>
            <p className="plain">{texts.notice(why) || texts.task.noReason}</p>
            <p className="dim" title={names.slice(0, 50).join("\n")}>
              {texts.task.failed(names.length)}: {names.slice(0, SHOWN).join(", ")}
              {names.length > SHOWN ? ", …" : ""}
            </p>
          </li>
        ))}
      </ul>
      {all.length > SHOWN && !isWhole && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
          {texts.state.more}
        </Button>
      )}
      <p className="dim">{texts.task.failedNext}</p>
    </section>
  );
}
