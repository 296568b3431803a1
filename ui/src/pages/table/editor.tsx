import { Button, TextInput, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { type KeyboardEvent, useState } from "react";
import type { Finding, NewReview } from "../../api/client";
import { type Field, unitOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { useLanguage } from "../../texts";

interface Props {
  field: Field;
  value: Finding["value"];
  isSaving: boolean;
  save: (value: NonNullable<NewReview["value"]>) => void;
  cancel: () => void;
}

const DIGITS = 9;

/** Another value for a cell, given by the type of its field. The server reads it, as it reads those of models. */
export function Editor(props: Props) {
  return props.field.enum?.length ? <Options {...props} /> : <Written {...props} />;
}

function Options({ field, value, isSaving, save, cancel }: Props) {
  const { texts, language } = useLanguage();
  const isMany = field.type === "multi_enum";
  const [chosen, setChosen] = useState<string[]>(Array.isArray(value) ? value : []);
  const options = field.enum ?? [];
  const choose = (id: string) => {
    if (isSaving) return;
    if (!isMany) save(id);
    else setChosen((old) => (old.includes(id) ? old.filter((one) => one !== id) : [...old, id]));
  };
  useHotkeys([
    ...options.slice(0, DIGITS).map<[string, () => void]>((option, at) => [String(at + 1), () => choose(option.id)]),
    // On a button, Enter presses that button.
    [
      "Enter",
      (event) => event.target instanceof HTMLButtonElement || (isMany && !isSaving && save(chosen)),
      { preventDefault: false },
    ],
  ]);
  return (
    <div className="review-editor" role="group" aria-label={isMany ? texts.review.chooseSome : texts.review.choose}>
      <div className="review-options">
        {options.map((option, at) => {
          const isOn = isMany ? chosen.includes(option.id) : value === option.id;
          return (
            <Button
              key={option.id}
              size="xs"
              justify="flex-start"
              variant={isOn ? "light" : "default"}
              aria-pressed={isOn}
              disabled={isSaving}
              onClick={() => choose(option.id)}
            >
              {at < DIGITS && <kbd>{at + 1}</kbd>} <span>{option.label[language]}</span>
            </Button>
          );
        })}
      </div>
      <div className="review-end">
        {isMany && (
          <Button size="xs" loading={isSaving} onClick={() => save(chosen)}>
            {texts.review.save} <kbd>↵</kbd>
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={cancel}>
          {texts.review.cancel} <kbd>Esc</kbd>
        </Button>
      </div>
    </div>
  );
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
  const unit = unitOf(field);
  const shared = {
    size: "sm",
    label: texts.review.newValue,
    description: [isList && texts.review.list, unit].filter(Boolean).join(" · ") || undefined,
    "data-autofocus": true,
    autoFocus: true,
    value: text,
    onKeyDown: keys,
    onFocus: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => event.currentTarget.select(),
  };
  return (
    <div className="review-editor">
      {isLong ? (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={10}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : (
        <TextInput {...shared} onChange={(event) => setText(event.currentTarget.value)} />
      )}
      <div className="review-end">
        <Button size="xs" loading={isSaving} leftSection={<Icon name="check" size={12} />} onClick={done}>
          {texts.review.save} <kbd>{isLong ? "Ctrl ↵" : "↵"}</kbd>
        </Button>
        <Button size="xs" variant="subtle" onClick={cancel}>
          {texts.review.cancel} <kbd>Esc</kbd>
        </Button>
      </div>
    </div>
  );
}
