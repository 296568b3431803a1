import { ActionIcon, Alert, Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { type Schemas, api } from "../../api/client";
import { keys, useTemplate } from "../../api/queries";
import { type Field, type Section, unitOf } from "../../api/template";
import { Confirm } from "../../components/confirm";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { Steps } from "../../components/task";
import { useLanguage } from "../../texts";
import { FieldForm } from "./field-form";

/** The fields of a project's own template. Every change is a version; tasks keep the one they started with. */
export function EditorPage() {
  const { texts, language } = useLanguage();
  const params = useParams();
  const projectId = Number(params.projectId);
  const templateId = params.templateId ?? "";
  const template = useTemplate(templateId);
  const [edited, setEdited] = useState<{ section: string; field: Field | null } | null>(null);
  const [removed, setRemoved] = useState<Field | null>(null);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: Schemas["ChangeTemplate"]) =>
      api.patch("/api/v1/extraction/templates/{template_id}", { path: { template_id: templateId }, body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.template(templateId) });
      void client.invalidateQueries({ queryKey: keys.templates(projectId) });
      setEdited(null);
      setRemoved(null);
    },
  });
  const back = `/projects/${projectId}/setup?template=${templateId}`;
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} />
      <header className="page-head">
        <div>
          <h1>{template.data?.label[language] ?? texts.editor.title}</h1>
          <p className="lead">
            {template.data && texts.setup.version(template.data.version)}
            {change.isSuccess && template.data && <> · {texts.editor.saved(template.data.version)}</>}
          </p>
        </div>
        <Button component={Link} to={back} variant="default" leftSection={<Icon name="left" size={14} />}>
          {texts.editor.back}
        </Button>
      </header>
      {template.isPending && <Loading lines={8} />}
      {template.isError && <Failed error={template.error} again={() => void template.refetch()} />}
      {template.data?.builtin && (
        <Alert color="orange" icon={<Icon name="warning" />} mb="md">
          {texts.editor.builtin}
        </Alert>
      )}
      {template.data?.sections.map((section) => (
        <SectionCard
          key={section.id}
          section={section}
          mayChange={!template.data.builtin}
          edit={(field) => setEdited({ section: section.id, field })}
          remove={setRemoved}
        />
      ))}
      {edited && template.data && (
        <FieldForm
          key={`${edited.section}/${edited.field?.id ?? ""}`}
          scopes={template.data.scopes}
          field={edited.field}
          error={change.error}
          isBusy={change.isPending}
          close={() => {
            change.reset();
            setEdited(null);
          }}
          save={(field) => change.mutate({ fields: [{ ...field }], section: edited.section, remove: [] })}
        />
      )}
      <Confirm
        isOpen={removed !== null}
        text={removed ? texts.editor.sure(removed.label[language]) : ""}
        action={texts.state.remove}
        isBusy={change.isPending}
        close={() => {
          change.reset();
          setRemoved(null);
        }}
        go={() => removed && change.mutate({ fields: [], section: "custom", remove: [removed.id] })}
      >
        <Refusal error={change.error} />
      </Confirm>
    </div>
  );
}

interface SectionProps {
  section: Section;
  mayChange: boolean;
  /** Opens the form for a field, or for a new one. */
  edit: (field: Field | null) => void;
  remove: (field: Field) => void;
}

/** The fields of a section, with what can be changed of them. */
function SectionCard({ section, mayChange, edit, remove }: SectionProps) {
  const { texts, language } = useLanguage();
  return (
    <section className="card card-flush editor-section">
      <header className="editor-head">
        <h2>{section.label[language]}</h2>
        {mayChange && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Icon name="plus" size={12} />}
            onClick={() => edit(null)}
          >
            {texts.editor.addField}
          </Button>
        )}
      </header>
      <table className="list">
        <tbody>
          {section.fields.map((field) => (
            <tr key={field.id}>
              <td className="editor-name">
                <b>{field.label[language]}</b>
                <div className="dim">{field.id}</div>
              </td>
              <td className="editor-tags">
                <span className="tag">{texts.editor.types[field.type]}</span>{" "}
                <span className="tag">{texts.scopes[field.scope]}</span>{" "}
                {unitOf(field) && <span className="tag">{unitOf(field)}</span>}{" "}
                {field.tier === "extended" && <span className="tag tag-quiet">{texts.setup.extended}</span>}
              </td>
              <td className="dim">{field.instruction}</td>
              <td className="cell-end">
                {mayChange && <FieldActions field={field} edit={() => edit(field)} remove={() => remove(field)} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FieldActions({ field, edit, remove }: { field: Field; edit: () => void; remove: () => void }) {
  const { texts, language } = useLanguage();
  const shared = { variant: "subtle", color: "gray" };
  const name = field.label[language];
  return (
    <>
      <ActionIcon {...shared} aria-label={`${texts.editor.changeField}: ${name}`} onClick={edit}>
        <Icon name="edit" />
      </ActionIcon>
      <ActionIcon {...shared} aria-label={`${texts.state.remove}: ${name}`} onClick={remove}>
        <Icon name="trash" />
      </ActionIcon>
    </>
  );
}
