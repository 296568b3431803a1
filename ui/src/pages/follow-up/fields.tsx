import { Accordion, Checkbox, Textarea } from "@mantine/core";
import { type Field, type Template, fieldsOf } from "../../api/template";
import { FieldSection } from "../../components/field-section";
import { useLanguage } from "../../texts";
import type { ChosenFields } from "./use-follow-up";

// The server refuses a longer one.
const LONGEST_INSTRUCTION = 2_000;

interface Props {
  earlier: Template;
  whole: Template;
  chosen: ChosenFields;
  setChosen: (chosen: ChosenFields) => void;
}

const isAskable = (field: Field) => field.ai !== false && !field.human_or_protocol && !field.computed;

/** The fields to ask again, by section, each with its instruction; fields that were not asked yet can be added. */
export function FieldsCard({ earlier, whole, chosen, setChosen }: Props) {
  const { texts, language } = useLanguage();
  const t = texts.followUp;
  const before = new Map(fieldsOf(earlier).map((one) => [one.id, one]));
  const put = (fields: Field[], isOn: boolean) => {
    const next = new Map(chosen);
    for (const one of fields) {
      if (isOn) next.set(one.id, next.get(one.id) ?? one.instruction);
      else next.delete(one.id);
    }
    setChosen(next);
  };
  return (
    <section className="card" aria-label={t.fieldsTitle}>
      <h2>{t.fieldsTitle}</h2>
      <p className="dim">{t.fieldsLead}</p>
      <Accordion multiple variant="separated" chevronPosition="left" className="fields" mt="sm">
        {whole.sections.map((section) => {
          // As the task asks it: the template may have been changed since.
          const fields = section.fields.map((one) => before.get(one.id) ?? one).filter(isAskable);
          const on = fields.filter((one) => chosen.has(one.id)).length;
          if (fields.length === 0) return null;
          return (
            <FieldSection
              key={section.id}
              id={section.id}
              name={section.label[language]}
              chosen={on}
              total={fields.length}
              chooseAll={(isOn) => put(fields, isOn)}
            >
              {fields.map((field) => (
                <li key={field.id}>
                  <Checkbox
                    size="xs"
                    checked={chosen.has(field.id)}
                    onChange={(event) => put([field], event.currentTarget.checked)}
                    label={
                      <span className="field-line">
                        <b>{field.label[language]}</b>
                        <span className="tag">{texts.editor.types[field.type]}</span>
                        {field.scope !== "study" && <span className="tag">{texts.scopes[field.scope]}</span>}
                        {!before.has(field.id) && <span className="tag tag-quiet">{t.notAsked}</span>}
                      </span>
                    }
                    description={chosen.has(field.id) ? undefined : field.instruction}
                  />
                  {chosen.has(field.id) && (
                    <Textarea
                      size="xs"
                      mt={4}
                      ml={26}
                      autosize
                      minRows={2}
                      maxLength={LONGEST_INSTRUCTION}
                      aria-label={t.instructionOf(field.label[language])}
                      disabled={!before.has(field.id)}
                      value={chosen.get(field.id) ?? ""}
                      onChange={(event) => setChosen(new Map(chosen).set(field.id, event.currentTarget.value))}
                    />
                  )}
                </li>
              ))}
            </FieldSection>
          );
        })}
      </Accordion>
    </section>
  );
}
