import { Button, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { type Finding, type NewReview, type Task, sentence } from "../../api/client";
import { useMyRole } from "../../api/people";
import { useMayReview } from "../../api/reviews";
import { type Field, shown } from "../../api/template";
import { type Conflict, type Vote, useSettle } from "../../api/two-reviewers";
import { Icon } from "../../components/icon";
import { usePageKeys } from "../../components/keys";
import { ReviewMark } from "../../components/mark";
import { moment, useLanguage } from "../../texts";
import { Editor } from "../table/editor";

interface Props {
  task: Task;
  field: Field;
  finding: Finding;
  conflict: Conflict;
  at: string;
  next: () => void;
}

type Right = { action: NewReview["action"]; value?: NewReview["value"] };

/** What may be decided about a conflict, and the deciding itself. The reason comes first: it is what stays. */
function useSettling({ task, conflict, finding, next }: Props) {
  const { texts } = useLanguage();
  const { me, mayOverrule } = useMyRole(task.project_id);
  const mayReview = useMayReview(task.project_id);
  const [note, setNote] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const settle = useSettle(task.task_id);
  const mine = [conflict.first, conflict.second].find((one) => one.account_id === me?.account_id);
  // One of the two may only agree with the other.
  const isFree = mayReview && mayOverrule && !mine;
  const mayTake = (vote: Vote) => isFree || (mayReview && mine !== undefined && vote !== mine);
  const decide = (right: Right) => {
    if (!note.trim()) {
      setProblem(texts.people.reasonNeeded);
      box.current?.focus();
      return;
    }
    const wanted = { ordinal: conflict.ordinal, row: conflict.row, field: conflict.field, note, ...right };
    settle.mutate(wanted, { onSuccess: next, onError: (error) => setProblem(sentence(error, texts)) });
  };
  const take = (vote: Vote) => {
    if (!mayTake(vote)) return;
    decide(vote.action === "edited" ? { action: "edited", value: vote.value } : { action: vote.action });
  };
  const write = (text: string) => {
    setNote(text);
    setProblem(null);
  };
  const canTakeExtracted = isFree && finding.state !== "" && finding.state !== "failed" && finding.mark !== "open";
  const mayWrite = isFree || (mayReview && mine !== undefined);
  return { box, note, write, problem, isFree, mayWrite, mayTake, take, decide, canTakeExtracted, settle };
}

type Settling = ReturnType<typeof useSettling>;

/** Both voices of a conflict, and what is right. */
export function Settle(props: Props) {
  const { field, finding, conflict, at } = props;
  const { texts } = useLanguage();
  const state = useSettling(props);
  const [isEditing, setEditing] = useState(false);
  usePageKeys(
    isEditing
      ? []
      : [
          ["1", () => state.take(conflict.first)],
          ["2", () => state.take(conflict.second)],
          ["m", () => state.box.current?.focus()],
          ["e", () => state.isFree && setEditing(true)],
        ],
  );
  return (
    <section className="review settle" aria-label={texts.people.conflicts} data-testid="settle">
      <p className="dim">{at}</p>
      {[conflict.first, conflict.second].map((vote, number) => (
        <Voice key={vote.side} vote={vote} field={field}>
          {state.mayTake(vote) && (
            <Button size="xs" variant="light" loading={state.settle.isPending} onClick={() => state.take(vote)}>
              {texts.people.takes(vote.by)} <kbd>{number + 1}</kbd>
            </Button>
          )}
        </Voice>
      ))}
      {state.problem && (
        <p className="refusal" role="alert">
          <Icon name="warning" size={14} /> {state.problem}
        </p>
      )}
      {isEditing && (
        <Editor
          field={field}
          value={finding.value}
          isSaving={state.settle.isPending}
          save={(value) => state.decide({ action: "edited", value })}
          cancel={() => setEditing(false)}
        />
      )}
      {state.isFree && !isEditing && <Otherwise state={state} edit={() => setEditing(true)} />}
      {state.mayWrite ? <Reason state={state} /> : <p className="dim">{texts.people.mayNotSettle}</p>}
    </section>
  );
}

/** What an adjudicator may say instead of agreeing with one of the two. */
function Otherwise({ state, edit }: { state: Settling; edit: () => void }) {
  const { texts } = useLanguage();
  const shared = { size: "xs", variant: "default" };
  return (
    <div className="review-buttons">
      {state.canTakeExtracted && (
        <Button {...shared} onClick={() => state.decide({ action: "accepted" })}>
          {texts.people.takesExtracted}
        </Button>
      )}
      <Button {...shared} onClick={edit}>
        {texts.people.otherValue} <kbd>E</kbd>
      </Button>
      <Button {...shared} onClick={() => state.decide({ action: "not_reported" })}>
        {texts.review.notReported}
      </Button>
      <Button {...shared} onClick={() => state.decide({ action: "unclear" })}>
        {texts.review.unclear}
      </Button>
    </div>
  );
}

function Reason({ state }: { state: Settling }) {
  const t = useLanguage().texts.people;
  return (
    <TextInput
      ref={state.box}
      size="xs"
      maxLength={2000}
      aria-label={t.reason}
      placeholder={t.reason}
      value={state.note}
      rightSection={<kbd>M</kbd>}
      onChange={(event) => state.write(event.currentTarget.value)}
      onKeyDown={(event) => {
        // While an input method composes, its Enter belongs to it.
        if (!event.nativeEvent.isComposing && (event.key === "Enter" || event.key === "Escape"))
          event.currentTarget.blur();
      }}
    />
  );
}

/** What one of the two has decided, with the note. */
function Voice({ vote, field, children }: { vote: Vote; field: Field; children: React.ReactNode }) {
  const { texts, language } = useLanguage();
  const value = vote.state === "reported" ? shown(vote.answer, field, language) : "";
  return (
    <div className="voice" role="group" aria-label={vote.by}>
      <p className="plain">
        <ReviewMark action={vote.action} isOutdated={false} /> <b>{vote.by}</b>{" "}
        <span className="dim">{moment(vote.at, language)}</span>
      </p>
      <p className="voice-value">
        {value ? <bdi>{value}</bdi> : <span>{texts.table.short[vote.state] ?? vote.state}</span>}
      </p>
      <p className="plain" dir="auto">
        {vote.note || <span className="dim">{texts.people.noNote}</span>}
      </p>
      {children}
    </div>
  );
}
