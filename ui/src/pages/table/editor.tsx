import { Button, TextInput, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Finding, NewReview } from "../../api/client";
import { type Field, unitOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { useHoldKeys } from "../../components/keys";
import { useLanguage, useTexts } from "../../texts";

interface Props {
  field: Field;
  value: Finding["value"];
  isSaving: boolean;
  save: (value: NonNullable<NewReview["value"]>) => void;
  cancel: () => void;
}

// Options that a digit chooses. There are nine digits without the nought.
const DIGITS = 9;

/** Another value for a cell, given by the type of its field. The server reads it, as it reads those of models. */
export function Editor(props: Props) {
  useHoldKeys(true);
  return props.field.enum?.length ? <Options {...props} /> : <Written {...props} />;
}

function Options({ field, value, isSaving, save, cancel }: Props) {
  const { texts, language } = useLanguage();
  const isMany = field.type === "multi_enum";
  const [chosen, setChosen] = useState<string[]>(Array.isArray(value) ? value : []);
  const options = field.enum ?? [];
  const isOn = (id: string) => (isMany ? chosen.includes(id) : value === id);
  const choose = (id: string) => {
    if (isSaving) return;
    if (!isMany) save(id);
    else setChosen((old) => (old.includes(id) ? old.filter((one) => one !== id) : [...old, id]));
  };
  useHotkeys([
    ["Escape", cancel],
    ...options.slice(0, DIGITS).map<[string, () => void]>(({ id }, at) => [String(at + 1), () => choose(id)]),
    // On a button, Enter presses that button.
    ["Enter", (event) => isMany && !isSaving && !isButton(event) && save(chosen), { preventDefault: false }],
  ]);
  const box = useFocusInside();
  const first = options.findIndex(({ id }) => isOn(id));
  return (
    <div
      ref={box}
      className="review-editor"
      role="group"
      aria-label={isMany ? texts.review.chooseSome : texts.review.choose}
    >
      <div className="review-options">
        {options.map(({ id, label }, at) => (
          <Button
            key={id}
            size="xs"
            justify="flex-start"
            variant={isOn(id) ? "light" : "default"}
            aria-pressed={isOn(id)}
            disabled={isSaving}
            data-autofocus={at === Math.max(0, first) || undefined}
            onClick={() => choose(id)}
          >
            {at < DIGITS && <kbd>{at + 1}</kbd>} <span>{label[language]}</span>
          </Button>
        ))}
      </div>
      <End isSaving={isSaving} enter="↵" save={isMany ? () => save(chosen) : undefined} cancel={cancel} />
    </div>
  );
}

const isButton = (event: Event) => event.target instanceof HTMLButtonElement;

/** The chosen option has the focus from the start, so that nothing that is typed goes to the page behind. */
function useFocusInside() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, []);
  return box;
}

function Written({ field, value, isSaving, save, cancel }: Props) {
  const { texts } = useLanguage();
  const isList = field.type === "multi_text";
  const isLong = isList || field.type === "longtext";
  const [text, setText] = useState(Array.isArray(value) ? value.join("\n") : value === null ? "" : String(value));
  const done = () => {
    if (!isSaving) save(isList ? text.split("\n").filter((line) => line.trim()) : text);
  };
  const keys = (event: KeyboardEvent) => {
    // While an input method composes, its Enter belongs to it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") cancel();
    else if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) done();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shared = {
    size: "sm",
    label: texts.review.newValue,
    description: [isList && texts.review.list, unitOf(field)].filter(Boolean).join(" · ") || undefined,
    "data-autofocus": true,
    autoFocus: true,
    value: text,
    onKeyDown: keys,
    onFocus: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => event.currentTarget.select(),
    onChange: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => setText(event.currentTarget.value),
  };
  return (
    <div className="review-editor">
      {isLong ? <Textarea {...shared} autosize minRows={3} maxRows={10} /> : <TextInput {...shared} />}
      <End isSaving={isSaving} enter={isLong ? "Ctrl ↵" : "↵"} save={done} cancel={cancel} />
    </div>
  );
}

interface EndProps {
  isSaving: boolean;
  enter: string;
  save: (() => void) | undefined;
  cancel: () => void;
}

function End({ isSaving, enter, save, cancel }: EndProps) {
  const texts = useTexts();
  return (
    <div className="review-end">
      {save && (
        <Button size="xs" loading={isSaving} leftSection={<Icon name="check" size={12} />} onClick={save}>
          {texts.review.save} <kbd>{enter}</kbd>
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={cancel}>
        {texts.review.cancel} <kbd>Esc</kbd>
      </Button>
    </div>
  );
}
