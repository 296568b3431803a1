import { Button, SegmentedControl, Select, TextInput, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { FIELD_TYPES, type Field, type Scope } from "../../api/template";
import { Dialog } from "../../components/dialog";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";
import { type Draft, badOption, draftOf, fieldOf, hasOptions, slug } from "./field-draft";

interface Props {
  scopes: Scope[];
  field: Field | null;
  error: unknown;
  isBusy: boolean;
  close: () => void;
  save: (field: Field) => void;
}

/** A field of a template, new or changed. */
export function FieldForm({ scopes, field, error, isBusy, close, save }: Props) {
  const texts = useTexts();
  const [draft, setDraft] = useState(() => draftOf(field, scopes));
  const put = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const bad = badOption(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(fieldOf(draft, field));
  };
  return (
    <Dialog opened onClose={close} size="lg" title={field ? texts.editor.changeField : texts.editor.addField}>
      <form className="form" onSubmit={submit}>
        <Names draft={draft} put={put} isKnown={field !== null} />
        <Kind draft={draft} put={put} scopes={scopes} />
        <Textarea
          label={texts.editor.instruction}
          description={texts.editor.instructionHint}
          value={draft.instruction}
          onChange={(e) => put({ instruction: e.currentTarget.value })}
          autosize
          minRows={2}
          maxRows={8}
        />
        {hasOptions(draft) && (
          <Textarea
            label={texts.editor.options}
            description={texts.editor.optionsHint}
            value={draft.options}
            onChange={(e) => put({ options: e.currentTarget.value })}
            autosize
            minRows={3}
            maxRows={12}
            error={bad === null ? undefined : texts.editor.badOption(bad)}
          />
        )}
        <Refusal error={error} />
        <div className="form-end">
          <Button variant="default" onClick={close}>
            {texts.state.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!draft.en.trim() || bad !== null}>
            {texts.state.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface PartProps {
  draft: Draft;
  put: (part: Partial<Draft>) => void;
}

/** Its names, and its id, which a field keeps for ever. */
function Names({ draft, put, isKnown }: PartProps & { isKnown: boolean }) {
  const t = useTexts().editor;
  return (
    <>
      <div className="form-pair">
        <TextInput
          label={t.labelEn}
          value={draft.en}
          onChange={(e) => put({ en: e.currentTarget.value })}
          maxLength={200}
          required
          data-autofocus
        />
        <TextInput
          label={t.labelZh}
          value={draft.zh}
          onChange={(e) => put({ zh: e.currentTarget.value })}
          maxLength={200}
        />
      </div>
      <TextInput
        label={t.id}
        description={t.idHint}
        value={isKnown ? draft.id : draft.id || slug(draft.en)}
        onChange={(e) => put({ id: slug(e.currentTarget.value) })}
        disabled={isKnown}
      />
    </>
  );
}

/** What kind of value it has, what it is asked of, its unit, and whether it is always asked. */
function Kind({ draft, put, scopes }: PartProps & { scopes: Scope[] }) {
  const texts = useTexts();
  return (
    <>
      <div className="form-pair">
        <Select
          label={texts.editor.type}
          value={draft.type}
          data={FIELD_TYPES.map((one) => ({ value: one, label: texts.editor.types[one] }))}
          onChange={(type) => type && put({ type })}
          allowDeselect={false}
        />
        <Select
          label={texts.editor.scope}
          value={draft.scope}
          data={scopes.map((one) => ({ value: one, label: texts.scopes[one] }))}
          onChange={(scope) => scope && put({ scope })}
          allowDeselect={false}
        />
      </div>
      <div className="form-pair">
        <TextInput
          label={texts.editor.unit}
          value={draft.unit}
          onChange={(e) => put({ unit: e.currentTarget.value })}
          maxLength={100}
        />
        <div>
          <span className="label">{texts.editor.tier}</span>
          <SegmentedControl
            fullWidth
            value={draft.tier}
            onChange={(tier) => put({ tier })}
            data={[
              { value: "core", label: texts.setup.core },
              { value: "extended", label: texts.setup.extended },
            ]}
          />
        </div>
      </div>
    </>
  );
}
