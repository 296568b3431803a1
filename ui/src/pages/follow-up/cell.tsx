import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { type Finding, type NewReview, type Schemas, type Task, sentence } from "../../api/client";
import { blank, pending } from "../../api/decisions";
import { isReviewed } from "../../api/judge";
import { useMe } from "../../api/queries";
import { resultRead } from "../../api/results";
import { useReview } from "../../api/reviews";
import { type Field, type Template, fieldsOf, shown } from "../../api/template";
import { Icon } from "../../components/icon";
import { Mark, ReviewMark } from "../../components/mark";
import { useLanguage } from "../../texts";
import { placeText, rowNames } from "../table/rows";
import { type Different, isTakeable } from "./take-all";

type Answer = Schemas["ComparedAnswer"];

interface Props {
  task: Task;
  template: Template;
  different: Different;
  mayReview: boolean;
}

/** One cell: what stood in it beside what stands in it now, and what a person says of that. */
export function DifferentCell({ task, template, different, mayReview }: Props) {
  const { texts, language } = useLanguage();
  const t = texts.differences;
  const { cell, result } = different;
  const field = fieldsOf(template).find((one) => one.id === cell.field);
  const row = result.rows.find((one) => one.key === cell.row);
  const place = placeText({ ordinal: result.ordinal, row: cell.row, field: cell.field });
  const names = row ? rowNames(row, result, texts).join(" · ") : "";
  return (
    <div className="difference" role="group" aria-label={[field?.label[language] ?? cell.field, names].join(" ")}>
      <p className="difference-name">
        <Link to={`/tasks/${task.task_id}/table?filter=all&cell=${encodeURIComponent(place)}`}>
          <b>{field?.label[language] ?? cell.field}</b>
        </Link>{" "}
        <bdi className="dim">{names}</bdi>
      </p>
      <Side name={t.before(task.follows ?? 0)} answer={cell.before} cell={cell} field={field} />
      <Side name={t.now} answer={cell.after} cell={cell} field={field} />
      <Decided task={task} different={different} field={field} mayReview={mayReview} />
    </div>
  );
}

interface SideProps {
  name: string;
  answer: Answer | null;
  cell: Schemas["ComparedCell"];
  field: Field | undefined;
}

/** Value, verdict and quote of one of the two. */
function Side({ name, answer, cell, field }: SideProps) {
  const { texts, language } = useLanguage();
  if (answer === null)
    return (
      <div className="difference-side">
        <span className="dim">{name}</span>
        <p className="dim plain">{texts.differences.nothing}</p>
      </div>
    );
  const as: Finding = { ...blank(cell), ...answer };
  const value = shown(answer.value, field, language);
  const mark = as.mark;
  return (
    <div className="difference-side">
      <span className="dim">{name}</span>
      <p className="plain difference-value">
        <Mark name={mark} size={13} />{" "}
        {value ? <bdi>{value}</bdi> : <span className="dim">{texts.table.short[answer.state] ?? answer.state}</span>}
      </p>
      <p className="dim plain">{texts.table.marks[mark]}</p>
      {answer.quote && <blockquote>{answer.quote}</blockquote>}
      <p className="dim plain difference-from">
        {answer.source === "embedded"
          ? texts.drawer.embedded
          : answer.source === "computed"
            ? texts.drawer.computed
            : answer.source}
      </p>
    </div>
  );
}

/** The decision that puts the old answer back; none where there was no answer. */
function keeping(before: Answer | null): { action: NewReview["action"]; value?: NewReview["value"] } | null {
  if (before === null) return null;
  if (before.state === "reported") return { action: "edited", value: before.value };
  const silent = before.state;
  return silent === "not_reported" || silent === "not_applicable" || silent === "unclear" ? { action: silent } : null;
}

function Decided({
  task,
  different,
  field,
  mayReview,
}: Pick<Props, "task" | "different" | "mayReview"> & { field: Field | undefined }) {
  const { texts, language } = useLanguage();
  const t = texts.differences;
  const me = useMe().data?.name ?? "";
  const review = useReview(task.task_id);
  const [problem, setProblem] = useState("");
  const { cell, result, finding } = different;
  const send = (action: NewReview["action"], value?: NewReview["value"], note = "") => {
    setProblem("");
    const wanted = { ordinal: result.ordinal, row: cell.row, field: cell.field, action, note };
    const decision = value === undefined ? wanted : { ...wanted, value };
    review
      .mutateAsync(pending(task.task_id, me, decision, resultRead(task.task_id, result.ordinal)))
      .catch((error) => setProblem(sentence(error, texts)));
  };
  const keep = keeping(cell.before);
  const standing = finding?.review ?? null;
  const isDecided = finding !== undefined && isReviewed(finding);
  const value = finding && shown(finding.value, field, language);
  return (
    <div className="difference-decided">
      {standing && (
        <p className="plain" data-testid="decided">
          <ReviewMark action={standing.action} isOutdated={standing.is_outdated} />{" "}
          {isDecided
            ? t.decided(
                texts.review.actions[standing.action] ?? standing.action,
                standing.by,
                value || (texts.table.short[finding.state] ?? ""),
              )
            : t.judgedBefore(standing.by, texts.review.actions[standing.action] ?? standing.action)}
        </p>
      )}
      {mayReview && !isDecided && (
        <div className="difference-actions">
          {isTakeable(different) && (
            <Button
              size="xs"
              variant="light"
              leftSection={<Icon name="check" size={13} />}
              onClick={() => send("accepted")}
            >
              {t.take}
            </Button>
          )}
          {keep && (
            <Button
              size="xs"
              variant="default"
              onClick={() => send(keep.action, keep.value, t.keptNote(task.follows ?? 0))}
            >
              {t.keep}
            </Button>
          )}
        </div>
      )}
      {mayReview && isDecided && standing?.by === me && (
        <Button size="xs" variant="subtle" onClick={() => send("withdrawn")}>
          {texts.review.undo}
        </Button>
      )}
      {problem && (
        <p className="refusal" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
