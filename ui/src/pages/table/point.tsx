import { Button, TextInput } from "@mantine/core";
import { type PointerEvent, type RefObject, useState } from "react";
import { type Finding, type Result, type Task, sentence } from "../../api/client";
import { useTakeCell } from "../../api/tables";
import { useTexts } from "../../texts";

/** An area of a page, in parts of its width and height. */
export interface Drawn {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

// A drag of fewer pixels is a click that has slipped.
const SHORTEST_PX = 4;

interface Start {
  x: number;
  y: number;
}

/** The area that is being drawn on a sheet with the pointer held down; a click takes away the one before. */
export function useDrawnArea(sheet: RefObject<HTMLDivElement | null>, done: (area: Drawn | null) => void) {
  const [start, setStart] = useState<Start | null>(null);
  const [area, setArea] = useState<Drawn | null>(null);
  const at = (event: PointerEvent): Start => {
    const box = sheet.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    const within = (value: number) => Math.min(1, Math.max(0, value));
    return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) };
  };
  const between = (one: Start, other: Start): Drawn => ({
    left: Math.min(one.x, other.x),
    top: Math.min(one.y, other.y),
    right: Math.max(one.x, other.x),
    bottom: Math.max(one.y, other.y),
  });
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setStart(at(event));
    setArea(null);
    done(null);
  };
  const move = (event: PointerEvent) => start && setArea(between(start, at(event)));
  const stop = () => {
    setStart(null);
    setArea(null);
  };
  const up = (event: PointerEvent) => {
    if (!start) return;
    const drawn = between(start, at(event));
    const width = (drawn.right - drawn.left) * (sheet.current?.clientWidth ?? 0);
    const isDrag = width > SHORTEST_PX;
    stop();
    done(isDrag ? drawn : null);
  };
  return { area, handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: stop } };
}

interface Props {
  task: Task;
  result: Result;
  finding: Finding;
  area: { page: number } & Drawn;
  close: () => void;
}

/** What was pointed at, and the button that makes it the value and its evidence. */
export function TakePointed({ task, result, finding, area, close }: Props) {
  const texts = useTexts();
  const t = texts.point;
  const [note, setNote] = useState("");
  const take = useTakeCell(task.task_id, result.ordinal);
  const send = () =>
    take.mutate(
      {
        field: finding.field,
        row: finding.row,
        action: "edited",
        area,
        note,
        seen: finding.review?.revision ?? 0,
      },
      { onSuccess: close },
    );
  return (
    <section className="review take-words" aria-label={t.title}>
      <p className="plain">{t.lead}</p>
      {take.error && (
        <p className="refusal" role="alert">
          {sentence(take.error, texts)}
        </p>
      )}
      <TextInput
        size="xs"
        maxLength={2000}
        aria-label={t.note}
        placeholder={t.note}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <div className="review-end">
        <Button size="xs" loading={take.isPending} onClick={send}>
          {t.take}
        </Button>
        <Button size="xs" variant="subtle" onClick={close}>
          {texts.state.cancel}
        </Button>
      </div>
    </section>
  );
}
