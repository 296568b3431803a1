import type { Finding, Result, Task } from "../../api/client";
import { printedOf } from "../../api/printed";
import { useResults } from "../../api/results";
import { type Field, shown } from "../../api/template";
import { useRegistry } from "../../api/studies";
import { useLanguage } from "../../texts";

interface Props {
  task: Task;
  result: Result;
  field: Field;
  finding: Finding;
}

/** What else is known of this cell: what a registry says, and what another report of the same study says otherwise. */
export function Beside({ task, result, field, finding }: Props) {
  const { texts, language } = useLanguage();
  const t = texts.studies;
  const results = useResults(task).data?.results ?? [];
  const registry = useRegistry(task.task_id, result).data?.records ?? [];
  const value = (one: Finding) => shown(one.value, field, language, printedOf(one));
  const lines = registry.flatMap((record) =>
    record.lines
      .filter((line) => line.field === field.id && line.row === finding.row)
      .map((line) => ({ ...line, registration: record.registration })),
  );
  const switched = field.id === "outcome_name" ? registry.flatMap((record) => record.switched) : [];
  // Rows of two reports have no common names, so only answers about the whole study are held against each other.
  const others =
    field.scope === "study" && result.study_id > 0 && finding.state === "reported"
      ? results.filter((one) => one.study_id === result.study_id && one.ordinal !== result.ordinal)
      : [];
  const contradicting = others.flatMap((one) =>
    one.findings
      .filter((each) => each.field === field.id && each.state === "reported" && value(each) !== value(finding))
      .map((each) => ({ ordinal: one.ordinal, name: one.file_name, value: value(each) })),
  );
  if (lines.length + switched.length + contradicting.length === 0) return null;
  return (
    <>
      <h3>{t.beside}</h3>
      {lines.map((line) => (
        <p key={line.registration} className={line.verdict === "differs" ? "plain beside-differs" : "plain"}>
          {line.registration}: <bdi>{line.registry}</bdi> <span className="dim">{t.verdicts[line.verdict]}</span>
        </p>
      ))}
      {contradicting.map((one) => (
        <p key={one.ordinal} className="plain beside-differs">
          {t.otherSays(one.name)} <bdi>{one.value}</bdi>
        </p>
      ))}
      {switched.map((one) => (
        <p key={`${one.switch} ${one.registered} ${one.paper}`} className="plain beside-differs">
          {t.switches[one.switch]}: <bdi>{[one.registered, one.time_frame, one.paper].filter(Boolean).join(" · ")}</bdi>
        </p>
      ))}
    </>
  );
}
