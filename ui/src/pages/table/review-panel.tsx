import { Button, TextInput } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import type { Finding } from "../../api/client";
import { useMayReview } from "../../api/reviews";
import { Icon } from "../../components/icon";
import { type KeyBinding, usePageKeys } from "../../components/keys";
import { ReviewMark } from "../../components/mark";
import { moment, useLanguage, useTexts } from "../../texts";
import type { Texts } from "../../texts/en";
import { Editor } from "./editor";
import { placeText } from "./rows";
import { type Action, type PanelProps, useDecide } from "./use-decide";

/** Where a person decides. After a decision the next cell that needs one comes by itself. */
export function ReviewPanel(props: PanelProps) {
  const { task, field, finding, place, close } = props;
  const texts = useTexts();
  const mayReview = useMayReview(task.project_id);
  const noteBox = useRef<HTMLInputElement>(null);
  const state = useDecide(props);
  const { draft, change, decide } = state;
  const choices = choicesOf(finding, texts, state);
  const keys = choices.map<KeyBinding>(({ key, act, isPossible, whyNot }) => [
    key.toLowerCase(),
    () => (isPossible ? act() : state.refuse(whyNot)),
  ]);
  usePageKeys([
    ["Escape", close],
    ...(mayReview && !draft.isEditing ? [...keys, ["m", () => noteBox.current?.focus()] as KeyBinding] : []),
  ]);
  useEffect(() => {
    if (draft.waiting) noteBox.current?.focus();
  }, [draft.waiting]);
  const goOn = () => draft.waiting && decide(draft.waiting.action, draft.waiting.value);
  const at = placeText(place);
  return (
    <section className="review" aria-label={texts.review.title} data-testid="review" data-at={at}>
      <Standing finding={finding} isDone={state.isDone} skipped={state.skipped} />
      {finding.review?.is_outdated && <p className="refusal review-outdated">{texts.review.outdated}</p>}
      {draft.problem && (
        <p className="refusal review-problem" role="alert">
          <Icon name="warning" size={14} /> <span>{draft.problem}</span>
        </p>
      )}
      {mayReview && draft.isEditing && (
        <Editor
          key={at}
          field={field}
          value={finding.value}
          isSaving={state.isSaving}
          save={(value) => decide("edited", value)}
          cancel={() => change({ isEditing: false, problem: null, waiting: null })}
        />
      )}
      {mayReview && !draft.isEditing && <Choices choices={choices} />}
      {mayReview && <Note box={noteBox} note={draft.note} put={(note) => change({ note })} enter={goOn} />}
    </section>
  );
}

/** What stands here by whom, and what came of the last key. */
function Standing({ finding, isDone, skipped }: { finding: Finding; isDone: boolean; skipped: string | null }) {
  const { texts, language } = useLanguage();
  const { review } = finding;
  return (
    <div className="review-state" role="status">
      {review ? (
        <>
          <ReviewMark action={review.action} isOutdated={review.is_outdated} size={16} />
          <span>
            <b>{texts.review.actions[review.action]}</b>{" "}
            <span className="dim">{texts.review.by(review.by, moment(review.at, language))}</span>
            {review.note && <bdi className="review-note"> {review.note}</bdi>}
          </span>
        </>
      ) : (
        <span className="dim">{finding.state === "" ? texts.review.blank : texts.review.unreviewed}</span>
      )}
      {skipped && <span className="review-skipped">{skipped}</span>}
      {isDone && <span className="review-done">{texts.review.done}</span>}
    </div>
  );
}

interface Choice {
  key: string;
  label: string;
  variant: "filled" | "subtle" | "default";
  act: () => void;
  isPossible: boolean;
  /** What its key says where it is not possible. */
  whyNot: string;
}

/** What can be decided, with its key. Where there is no answer to accept, A says so and goes on. */
function choicesOf(finding: Finding, texts: Texts, state: ReturnType<typeof useDecide>): Choice[] {
  const { decide, undo, skip, change, canUndo } = state;
  const isBlank = finding.state === "";
  const canAccept = !isBlank && finding.state !== "failed" && finding.mark !== "open";
  const plain = (key: string, label: string, action: Action, isPossible = true): Choice => ({
    key,
    label,
    variant: "default",
    act: () => decide(action),
    isPossible,
    whyNot: action === "withdrawn" ? texts.review.nothingToUndo : texts.review.nothingToReject,
  });
  const edit = () => change({ isEditing: true, problem: null });
  return [
    {
      ...plain("A", texts.review.accept, "accepted"),
      variant: "filled",
      act: canAccept ? () => decide("accepted") : skip,
    },
    { ...plain("E", texts.review.edit, "edited"), act: edit },
    plain("R", texts.review.reject, "rejected", !isBlank && finding.state !== "rejected"),
    plain("N", texts.review.notReported, "not_reported"),
    plain("P", texts.review.notApplicable, "not_applicable"),
    plain("U", texts.review.unclear, "unclear"),
    { ...plain("Z", texts.review.undo, "withdrawn", canUndo), variant: "subtle", act: undo },
  ];
}

function Choices({ choices }: { choices: Choice[] }) {
  return (
    <div className="review-buttons">
      {choices.map(({ key, label, variant, act, isPossible }) => (
        <Button key={key} size="xs" variant={variant} disabled={!isPossible} onClick={act}>
          {label} <kbd>{key}</kbd>
        </Button>
      ))}
    </div>
  );
}

interface NoteProps {
  box: RefObject<HTMLInputElement | null>;
  note: string;
  put: (note: string) => void;
  enter: () => void;
}

function Note({ box, note, put, enter }: NoteProps) {
  const texts = useTexts();
  return (
    <TextInput
      ref={box}
      size="xs"
      maxLength={2000}
      aria-label={texts.review.note}
      placeholder={texts.review.note}
      value={note}
      rightSection={<kbd>M</kbd>}
      onChange={(event) => put(event.currentTarget.value)}
      onKeyDown={(event) => {
        // While an input method composes, its Enter belongs to it.
        if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.currentTarget.blur();
        if (event.key === "Enter") enter();
      }}
    />
  );
}
