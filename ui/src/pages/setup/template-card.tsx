import { Accordion, Badge, Button, Checkbox, SegmentedControl, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { Dialog } from "../../components/dialog";
import { type TemplateSummary, api } from "../../api/client";
import { keys } from "../../api/queries";
import { type Template, fieldsOf, unitOf } from "../../api/template";
import { FieldSection } from "../../components/field-section";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { useLanguage, useTexts } from "../../texts";
import { CardTitle } from "./card-title";

interface Props {
  projectId: number;
  templates: TemplateSummary[] | undefined;
  templateId: string | undefined;
  choose: (id: string) => void;
  template: Template | undefined;
  error: unknown;
  fieldIds: string[] | null;
  setFieldIds: (ids: string[] | null) => void;
}

export function TemplateCard(props: Props) {
  const { texts, language } = useLanguage();
  const { template, templates, templateId, projectId } = props;
  const [isOpen, setOpen] = useState(false);
  const [isCloning, setCloning] = useState(false);
  return (
    <section className="card">
      <CardTitle number={1} title={texts.setup.templateTitle} />
      <p className="dim">{texts.setup.templateLead}</p>
      {!templates && <Loading lines={1} height={104} />}
      <div className="choices" role="radiogroup" aria-label={texts.setup.templateTitle}>
        {templates?.map((one) => (
          <button
            key={one.template_id}
            type="button"
            role="radio"
            aria-checked={one.template_id === templateId}
            className="choice"
            onClick={() => props.choose(one.template_id)}
          >
            <span className="choice-title">
              {one.label[language]}
              <Badge size="xs" variant="light" color={one.is_builtin ? "gray" : "blue"}>
                {one.is_builtin ? texts.setup.builtin : texts.setup.own}
              </Badge>
            </span>
            <span className="dim">
              {texts.setup.coreFields(one.core_fields, one.fields - one.core_fields)} ·{" "}
              {texts.setup.version(one.version)}
            </span>
          </button>
        ))}
      </div>
      {props.error ? <Failed error={props.error} /> : null}
      {template && (
        <>
          <p className="description">{template.description[language]}</p>
          <div className="template-actions">
            <Choice {...props} template={template} />
            <span className="spacer" />
            <Button
              variant="subtle"
              size="xs"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
              rightSection={<Icon name={isOpen ? "minus" : "down"} size={12} />}
            >
              {isOpen ? texts.setup.hideFields : texts.setup.showFields}
            </Button>
            {template.builtin ? null : (
              <Button
                component={Link}
                to={`/projects/${projectId}/templates/${template.id}`}
                variant="default"
                size="xs"
                leftSection={<Icon name="edit" size={14} />}
              >
                {texts.setup.edit}
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="copy" size={14} />}
              onClick={() => setCloning(true)}
            >
              {texts.setup.clone}
            </Button>
          </div>
          {isOpen && <Fields {...props} template={template} />}
          <Clone
            key={template.id}
            projectId={projectId}
            template={template}
            isOpen={isCloning}
            close={() => setCloning(false)}
          />
        </>
      )}
    </section>
  );
}

function Choice({ template, fieldIds, setFieldIds }: Props & { template: Template }) {
  const texts = useTexts();
  const all = fieldsOf(template);
  const core = all.filter((one) => one.tier === "core").length;
  const value = fieldIds === null ? "core" : fieldIds.length === all.length ? "all" : "own";
  const data = [
    { value: "core", label: texts.setup.onlyCore(core) },
    { value: "all", label: texts.setup.allFields(all.length) },
  ];
  if (value === "own") data.push({ value: "own", label: texts.setup.ownChoice(fieldIds?.length ?? 0) });
  return (
    <SegmentedControl
      size="xs"
      value={value}
      data={data}
      onChange={(next) => {
        if (next !== "own") setFieldIds(next === "core" ? null : all.map((one) => one.id));
      }}
    />
  );
}

function Fields({ template, fieldIds, setFieldIds }: Props & { template: Template }) {
  const { texts, language } = useLanguage();
  const core = fieldsOf(template).filter((one) => one.tier === "core");
  const chosen = new Set(fieldIds ?? core.map((one) => one.id));
  const put = (ids: string[], isOn: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    const isCore = next.size === core.length && core.every((one) => next.has(one.id));
    setFieldIds(isCore ? null : [...next]);
  };
  return (
    <Accordion
      multiple
      variant="separated"
      chevronPosition="left"
      className="fields"
      defaultValue={[template.sections[0]?.id ?? ""]}
    >
      {template.sections.map((section) => {
        const ids = section.fields.map((one) => one.id);
        const on = ids.filter((id) => chosen.has(id)).length;
        return (
          <FieldSection
            key={section.id}
            id={section.id}
            name={section.label[language]}
            chosen={on}
            total={ids.length}
            chooseAll={(isOn) => put(ids, isOn)}
          >
            {section.fields.map((field) => (
              <li key={field.id}>
                <Checkbox
                  size="xs"
                  checked={chosen.has(field.id)}
                  onChange={(event) => put([field.id], event.currentTarget.checked)}
                  label={
                    <span className="field-line">
                      <b>{field.label[language]}</b>
                      <span className="tag">{texts.editor.types[field.type]}</span>
                      {field.scope !== "study" && <span className="tag">{texts.scopes[field.scope]}</span>}
                      {unitOf(field) && <span className="tag">{unitOf(field)}</span>}
                      {field.tier === "extended" && <span className="tag tag-quiet">{texts.setup.extended}</span>}
                      {(field.ai === false || field.human_or_protocol) && (
                        <span className="tag tag-quiet">{texts.setup.human}</span>
                      )}
                      {field.computed && <span className="tag tag-quiet">{texts.setup.computed}</span>}
                    </span>
                  }
                  description={field.instruction}
                />
              </li>
            ))}
          </FieldSection>
        );
      })}
    </Accordion>
  );
}

function Clone(props: { projectId: number; template: Template; isOpen: boolean; close: () => void }) {
  const texts = useTexts();
  const { label } = props.template;
  const [en, setEn] = useState(`${label.en} (copy)`);
  const [zh, setZh] = useState(`${label.zh}（副本）`);
  const client = useQueryClient();
  const navigate = useNavigate();
  const clone = useMutation({
    mutationFn: () =>
      api.post("/api/v1/projects/{project_id}/templates", {
        path: { project_id: props.projectId },
        body: { template_id: props.template.id, label: { en, zh } },
      }),
    onSuccess: (made) => {
      void client.invalidateQueries({ queryKey: keys.templates(props.projectId) });
      void navigate(`/projects/${props.projectId}/templates/${made.template_id}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    clone.mutate();
  };
  return (
    <Dialog opened={props.isOpen} onClose={props.close} title={texts.setup.cloneTitle}>
      <form className="form" onSubmit={submit}>
        <p className="dim">{texts.setup.cloneLead}</p>
        <TextInput
          label={texts.setup.cloneNameEn}
          value={en}
          maxLength={200}
          onChange={(e) => setEn(e.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label={texts.setup.cloneNameZh}
          value={zh}
          maxLength={200}
          onChange={(e) => setZh(e.currentTarget.value)}
        />
        <Refusal error={clone.error} />
        <div className="form-end">
          <Button variant="default" onClick={props.close}>
            {texts.state.cancel}
          </Button>
          <Button type="submit" loading={clone.isPending} disabled={!en.trim() || !zh.trim()}>
            {texts.setup.clone}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
