import { Button, SegmentedControl, Select, TextInput, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Dialog } from "../../components/dialog";
import { FIELD_TYPES, type Field, type FieldType, type Option, type Scope, unitOf } from "../../api/template";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";

interface Props {
  scopes: Scope[];
  field: Field | null;
  error: unknown;
  isBusy: boolean;
  close: () => void;
  save: (field: Field) => void;
}

export function FieldForm({ scopes, field, error, isBusy, close, save }: Props) {
  const texts = useTexts();
  const [id, setId] = useState(field?.id ?? "");
  const [en, setEn] = useState(field?.label.en ?? "");
  const [zh, setZh] = useState(field?.label.zh ?? "");
  const [type, setType] = useState<FieldType>(field?.type ?? "text");
  const [scope, setScope] = useState<Scope>(field?.scope ?? scopes[0] ?? "study");
  const [tier, setTier] = useState<Field["tier"]>(field?.tier ?? "core");
  const [instruction, setInstruction] = useState(field?.instruction ?? "");
  const [unit, setUnit] = useState(field ? unitOf(field) : "");
  const [options, setOptions] = useState(
    field?.enum?.map((o) => `${o.id} | ${o.label.en} | ${o.label.zh}`).join("\n") ?? "",
  );
  const hasOptions = type === "enum" || type === "multi_enum";
  const read = readOptions(options);
  const bad = hasOptions && typeof read === "string" ? read : null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { unit: oldUnit, enum: _, ...rest } = field ?? {};
    const made: Field = { ...rest, id: id || slug(en), label: { en, zh: zh || en }, type, scope, tier, instruction };
    if (hasOptions && typeof read !== "string") made.enum = read;
    // A list of units, or one that another field says, is kept unless somebody wrote another.
    if (field && unit === unitOf(field)) {
      if (oldUnit !== undefined) made.unit = oldUnit;
    } else if (unit.trim()) made.unit = unit.trim();
    save(made);
  };
  return (
    <Dialog opened onClose={close} size="lg" title={field ? texts.editor.changeField : texts.editor.addField}>
      <form className="form" onSubmit={submit}>
        <div className="form-pair">
          <TextInput
            label={texts.editor.labelEn}
            value={en}
            onChange={(e) => setEn(e.currentTarget.value)}
            maxLength={200}
            required
            data-autofocus
          />
          <TextInput
            label={texts.editor.labelZh}
            value={zh}
            onChange={(e) => setZh(e.currentTarget.value)}
            maxLength={200}
          />
        </div>
        <TextInput
          label={texts.editor.id}
          description={texts.editor.idHint}
          value={field ? id : id || slug(en)}
          onChange={(e) => setId(slug(e.currentTarget.value))}
          disabled={field !== null}
        />
        <div className="form-pair">
          <Select
            label={texts.editor.type}
            value={type}
            data={FIELD_TYPES.map((one) => ({ value: one, label: texts.editor.types[one] }))}
            onChange={(value) => value && setType(value)}
            allowDeselect={false}
          />
          <Select
            label={texts.editor.scope}
            value={scope}
            data={scopes.map((one) => ({ value: one, label: texts.scopes[one] }))}
            onChange={(value) => value && setScope(value)}
            allowDeselect={false}
          />
        </div>
        <div className="form-pair">
          <TextInput
            label={texts.editor.unit}
            value={unit}
            onChange={(e) => setUnit(e.currentTarget.value)}
            maxLength={100}
          />
          <div>
            <span className="label">{texts.editor.tier}</span>
            <SegmentedControl
              fullWidth
              value={tier}
              onChange={setTier}
              data={[
                { value: "core", label: texts.setup.core },
                { value: "extended", label: texts.setup.extended },
              ]}
            />
          </div>
        </div>
        <Textarea
          label={texts.editor.instruction}
          description={texts.editor.instructionHint}
          value={instruction}
          onChange={(e) => setInstruction(e.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={8}
        />
        {hasOptions && (
          <Textarea
            label={texts.editor.options}
            description={texts.editor.optionsHint}
            value={options}
            onChange={(e) => setOptions(e.currentTarget.value)}
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
          <Button type="submit" loading={isBusy} disabled={!en.trim() || bad !== null}>
            {texts.state.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63);
}

/** The options, or the first line that is none. */
function readOptions(text: string): Option[] | string {
  const found: Option[] = [];
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const [id, en, zh] = line.split("|").map((part) => part.trim());
    if (!id || !en) return line;
    found.push({ id, label: { en, zh: zh || en } });
  }
  return found;
}
