import { Button, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useLayoutEffect, useRef, useState } from "react";
import { type Finding, type NewReview, type Result, type Task, sentence } from "../../api/client";
import { isReviewed, lookAt, markOf } from "../../api/judge";
import { useMe } from "../../api/queries";
import { pending } from "../../api/decisions";
import { resultRead } from "../../api/results";
import { useMayReview, useReview } from "../../api/reviews";
import type { Field } from "../../api/template";
import { Icon } from "../../components/icon";
import { ReviewMark } from "../../components/mark";
import { moment, useLanguage } from "../../texts";
import { Editor } from "./editor";
import { type Place, isSamePlace, placeText } from "./rows";

interface Props {
  task: Task;
  results: Result[];
  field: Field;
  finding: Finding;
  place: Place;
  order: Place[];
  step: (place: Place) => void;
  close: () => void;
}

type Action = NewReview["action"];
interface Draft {
  at: string;
  isEditing: boolean;
  note: string;
  problem: string | null;
}

/** Where a person decides. After a decision the next cell that needs one comes by itself. */
export function ReviewPanel({ task, results, field, finding, place, order, step, close }: Props) {
  const { texts, language } = useLanguage();
  const mayReview = useMayReview(task.project_id);
  const me = useMe().data?.name ?? "";
  const review = useReview(task.task_id);
  const noteBox = useRef<HTMLInputElement>(null);
  const made = useRef<Place[]>([]);
  const at = placeText(place);
  const [kept, setDraft] = useState<Draft>({ at, isEditing: false, note: "", problem: null });
  const fresh: Draft = { at, isEditing: false, note: "", problem: null };
  const draft = kept.at === at ? kept : fresh;
  const [isSaving, setSaving] = useState(false);
  const [isDone, setDone] = useState(false);
  const isBlank = finding.state === "";
  const needsOne = (one: Place) => {
    const result = results.find((other) => other.ordinal === one.ordinal);
    const found = result && lookAt(result).finding(one.row, one.field);
    return found !== undefined && !isReviewed(found) && !isSamePlace(one, place);
  };

  // A key that comes before the next cell is seen was not meant for it, nor for the one just decided.
  const left = useRef<string | null>(null);
  useLayoutEffect(() => {
    left.current = null;
  }, [at]);
  const failed = useRef(false);
  const go = (next: Place) => {
    left.current = at;
    step(next);
  };

  const moveOn = () => {
    const from = order.findIndex((one) => isSamePlace(one, place));
    const next = [...order.slice(from + 1), ...order.slice(0, Math.max(0, from))].find(needsOne);
    setDone(next === undefined);
    if (next) go(next);
  };
  const decide = (action: Action, value?: NewReview["value"]) => {
    if (left.current === at) return;
    failed.current = false;
    const wanted = { ...place, action, note: draft.note, ...(value === undefined ? {} : { value }) };
    const decision = pending(task.task_id, me, wanted, resultRead(task.task_id, place.ordinal));
    const sent = review.mutateAsync(decision);
    if (action === "edited") {
      // The server reads the value; until it has, one stays where one is.
      setSaving(true);
      sent
        .then(
          () => {
            made.current.push(place);
            setDraft(fresh);
            moveOn();
          },
          (error) => setDraft({ ...draft, isEditing: true, problem: sentence(error, texts) }),
        )
        .finally(() => setSaving(false));
      return;
    }
    if (action !== "withdrawn") {
      made.current.push(place);
      moveOn();
    }
    setDraft(fresh);
    sent.catch((error) => {
      made.current = made.current.filter((one) => one !== place);
      // Of several that failed in a row, the first is where to go on.
      if (failed.current) return;
      failed.current = true;
      step(place);
      setDraft({ ...draft, isEditing: false, problem: sentence(error, texts) });
    });
  };
  const isMine = finding.review?.by === me;
  const undo = () => {
    if (isMine) {
      made.current = made.current.filter((one) => !isSamePlace(one, place));
      decide("withdrawn");
      return;
    }
    const last = left.current === at ? undefined : made.current.pop();
    if (!last) return;
    go(last);
    setDone(false);
    review
      .mutateAsync(pending(task.task_id, me, { ...last, action: "withdrawn" }, resultRead(task.task_id, last.ordinal)))
      .catch((error) => setDraft({ ...fresh, at: placeText(last), problem: sentence(error, texts) }));
  };
  const edit = () => setDraft({ ...draft, isEditing: true, problem: null });
  const cancel = () => setDraft({ ...draft, isEditing: false, problem: null });

  const canAccept = !isBlank && finding.state !== "failed" && markOf(finding) !== "open";
  const actions: [string, string, Action | "edit" | "undo", boolean][] = [
    ["A", texts.review.accept, "accepted", canAccept],
    ["E", texts.review.edit, "edit", true],
    ["R", texts.review.reject, "rejected", !isBlank && finding.state !== "rejected"],
    ["N", texts.review.notReported, "not_reported", true],
    ["P", texts.review.notApplicable, "not_applicable", true],
    ["U", texts.review.unclear, "unclear", true],
    ["Z", texts.review.undo, "undo", isMine || made.current.length > 0],
  ];
  const act = (what: Action | "edit" | "undo") => (what === "edit" ? edit() : what === "undo" ? undo() : decide(what));
  const isFree = () => !document.querySelector("[role=dialog]");
  useHotkeys([
    ["Escape", () => isFree() && (draft.isEditing ? cancel() : close())],
    ...(mayReview && !draft.isEditing
      ? [
          ...actions.map<[string, () => void]>(([key, , what, isPossible]) => [
            key.toLowerCase(),
            () => isFree() && isPossible && act(what),
          ]),
          ["m", () => isFree() && noteBox.current?.focus()] as [string, () => void],
        ]
      : []),
  ]);

  const standing = finding.review;
  return (
    <section className="review" aria-label={texts.review.title} data-testid="review" data-at={at}>
      <div className="review-state" role="status">
        {standing ? (
          <>
            <ReviewMark action={standing.action} isOutdated={standing.is_outdated} size={16} />
            <span>
              <b>{texts.review.actions[standing.action]}</b>{" "}
              <span className="dim">{texts.review.by(standing.by, moment(standing.at, language))}</span>
              {standing.note && <bdi className="review-note"> {standing.note}</bdi>}
            </span>
          </>
        ) : (
          <span className="dim">{isBlank ? texts.review.blank : texts.review.unreviewed}</span>
        )}
        {isDone && <span className="review-done">{texts.review.done}</span>}
      </div>
      {standing?.is_outdated && <p className="refusal review-outdated">{texts.review.outdated}</p>}
      {draft.problem && (
        <p className="refusal review-problem" role="alert">
          <Icon name="warning" size={14} /> <span>{draft.problem}</span>
        </p>
      )}
      {mayReview &&
        (draft.isEditing ? (
          <Editor
            key={at}
            field={field}
            value={finding.value}
            isSaving={isSaving}
            save={(value) => decide("edited", value)}
            cancel={cancel}
          />
        ) : (
          <>
            <div className="review-buttons">
              {actions.map(([key, label, what, isPossible]) => (
                <Button
                  key={key}
                  size="xs"
                  variant={what === "accepted" ? "filled" : what === "undo" ? "subtle" : "default"}
                  disabled={!isPossible}
                  onClick={() => act(what)}
                >
                  {label} <kbd>{key}</kbd>
                </Button>
              ))}
            </div>
            <TextInput
              ref={noteBox}
              size="xs"
              maxLength={2000}
              aria-label={texts.review.note}
              placeholder={texts.review.note}
              value={draft.note}
              rightSection={<kbd>M</kbd>}
              onChange={(event) => setDraft({ ...draft, note: event.currentTarget.value })}
              onKeyDown={(event) => {
                if ((event.key === "Enter" && !event.nativeEvent.isComposing) || event.key === "Escape")
                  event.currentTarget.blur();
              }}
            />
          </>
        ))}
    </section>
  );
}
