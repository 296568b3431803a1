import { useLayoutEffect, useRef, useState } from "react";
import { type Finding, type NewReview, type Result, type Task, sentence } from "../../api/client";
import { pending } from "../../api/decisions";
import { isReviewed, lookAt } from "../../api/judge";
import { useMe } from "../../api/queries";
import { resultRead } from "../../api/results";
import { useReview } from "../../api/reviews";
import type { Field } from "../../api/template";
import { useLanguage } from "../../texts";
import { type Place, isSamePlace, placeText } from "./rows";

export interface PanelProps {
  task: Task;
  results: Result[];
  field: Field;
  finding: Finding;
  place: Place;
  order: Place[];
  step: (place: Place) => void;
  close: () => void;
}

export type Action = NewReview["action"];

interface Draft {
  at: string;
  isEditing: boolean;
  note: string;
  problem: string | null;
  /** A decision that waits for its reason, since it replaces that of a colleague. */
  waiting: { action: Action; value?: NewReview["value"] } | null;
}

const empty = (at: string): Draft => ({ at, isEditing: false, note: "", problem: null, waiting: null });

/** What a person has begun to decide about the open cell. It is forgotten when another cell is opened. */
function useDraft(at: string) {
  const [kept, setKept] = useState<Draft>(empty(at));
  const draft = kept.at === at ? kept : empty(at);
  const change = (part: Partial<Draft>) => setKept({ ...draft, ...part });
  const clear = () => setKept(empty(at));
  return { draft, change, clear };
}

/** Where to go on. A key that comes before the next cell is seen was meant neither for it nor for the one just decided. */
function useMoves({ results, place, order, step }: PanelProps) {
  const at = placeText(place);
  const left = useRef<string | null>(null);
  const [isDone, setDone] = useState(false);
  useLayoutEffect(() => {
    left.current = null;
  }, [at]);
  const needsOne = (one: Place) => {
    const result = results.find((other) => other.ordinal === one.ordinal);
    const found = result && lookAt(result).finding(one.row, one.field);
    return found !== undefined && !isReviewed(found) && !isSamePlace(one, place);
  };
  const go = (next: Place) => {
    left.current = at;
    setDone(false);
    step(next);
  };
  const moveOn = () => {
    const from = order.findIndex((one) => isSamePlace(one, place));
    const next = [...order.slice(from + 1), ...order.slice(0, Math.max(0, from))].find(needsOne);
    if (next) go(next);
    setDone(next === undefined);
  };
  return { go, moveOn, isDone, hasLeft: () => left.current === at };
}

/** Sends decisions, moves on to the next cell that needs one, and comes back where a decision was refused. */
export function useDecide(props: PanelProps) {
  const { task, field, finding, place, step } = props;
  const { texts, language } = useLanguage();
  const me = useMe().data?.name ?? "";
  const review = useReview(task.task_id);
  const made = useRef<Place[]>([]);
  const failed = useRef(false);
  const { draft, change, clear } = useDraft(placeText(place));
  const moves = useMoves(props);
  const [isSaving, setSaving] = useState(false);
  const [skipped, setSkipped] = useState<string | null>(null);

  const send = (action: Action, value?: NewReview["value"]) => {
    const wanted = { ...place, action, note: draft.note, ...(value === undefined ? {} : { value }) };
    failed.current = false;
    setSkipped(null);
    return review.mutateAsync(pending(task.task_id, me, wanted, resultRead(task.task_id, place.ordinal)));
  };
  const save = (value: NewReview["value"]) => {
    // The server reads the value; until it has, one stays where one is.
    setSaving(true);
    send("edited", value)
      .then(
        () => {
          made.current.push(place);
          clear();
          moves.moveOn();
        },
        (error) => change({ isEditing: true, problem: sentence(error, texts), waiting: null }),
      )
      .finally(() => setSaving(false));
  };
  const decide = (action: Action, value?: NewReview["value"]) => {
    if (moves.hasLeft()) return;
    if (needsReason(finding, me, action) && !draft.note.trim()) {
      change({
        problem: texts.review.reasonNeeded(finding.review?.by ?? ""),
        waiting: { action, value: value ?? null },
      });
      return;
    }
    if (action === "edited") return save(value ?? null);
    const sent = send(action);
    if (action !== "withdrawn") {
      made.current.push(place);
      moves.moveOn();
    }
    clear();
    sent.catch((error) => {
      made.current = made.current.filter((one) => one !== place);
      // If several failed in a row, one goes on at the first.
      if (failed.current) return;
      failed.current = true;
      step(place);
      change({ isEditing: false, problem: sentence(error, texts), waiting: null });
    });
  };
  const undoLast = () => {
    const last = moves.hasLeft() ? undefined : made.current.pop();
    if (!last) return;
    moves.go(last);
    const back = pending(task.task_id, me, { ...last, action: "withdrawn" }, resultRead(task.task_id, last.ordinal));
    review.mutateAsync(back).catch((error) => change({ ...empty(placeText(last)), problem: sentence(error, texts) }));
  };
  const isMine = finding.review?.by === me;
  const undo = () => {
    if (!isMine) return undoLast();
    made.current = made.current.filter((one) => !isSamePlace(one, place));
    decide("withdrawn");
  };
  const skip = () => {
    if (moves.hasLeft()) return;
    setSkipped(texts.review.skipped(field.label[language]));
    moves.moveOn();
  };
  const refuse = (why: string) => {
    if (!moves.hasLeft()) setSkipped(why);
  };
  const canUndo = isMine || made.current.length > 0;
  return { draft, change, decide, undo, skip, refuse, canUndo, isSaving, skipped, isDone: moves.isDone };
}

/** Nothing of a colleague is replaced without a reason. To agree with it replaces nothing. */
export function needsReason(finding: Finding, me: string, action: Action): boolean {
  return isReviewed(finding) && finding.review?.by !== me && action !== "accepted" && action !== finding.review?.action;
}
