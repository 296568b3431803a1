import { ActionIcon, Button, Select, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Finding, type Result, type Task, sentence } from "../../api/client";
import { useMayReview } from "../../api/reviews";
import { type Arm, useMendArms } from "../../api/tables";
import { Icon } from "../../components/icon";
import { useHoldKeys } from "../../components/keys";
import { useTexts } from "../../texts";

/** The arms that the numbers of a document hang on: confirmed or mended, the numbers follow. */
export function Arms({ task, result, finding }: { task: Task; result: Result; finding: Finding }) {
  const t = useTexts().arms;
  const mayReview = useMayReview(task.project_id);
  const [isOpen, setOpen] = useState(false);
  if (result.arms.length === 0 && !mayReview) return null;
  return (
    <section className="arms" aria-label={t.title} data-testid="arms">
      <h3>{t.title}</h3>
      {isOpen ? (
        <ArmsForm task={task} result={result} finding={finding} close={() => setOpen(false)} />
      ) : (
        <>
          {result.arms.length === 0 && <p className="dim">{t.none}</p>}
          <ul className="arms-list">
            {result.arms.map((arm) => (
              <li key={arm.name}>
                <b>{arm.name}</b> {arm.n && <span className="tag">N = {arm.n}</span>}{" "}
                <span className="tag tag-quiet">{t.roles[arm.role ?? "open"]}</span>
                {!!arm.other_names?.length && <span className="dim"> {arm.other_names.join(" · ")}</span>}
              </li>
            ))}
          </ul>
          {mayReview && (
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="edit" size={12} />}
              onClick={() => setOpen(true)}
            >
              {t.mend}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

type Draft = Required<Arm> & { key: number };

const draftsOf = (arms: Arm[]): Draft[] =>
  arms.map((arm, key) => ({
    key,
    name: arm.name,
    other_names: arm.other_names ?? [],
    role: arm.role ?? "open",
    n: arm.n ?? "",
  }));

interface FormProps {
  task: Task;
  result: Result;
  finding: Finding;
  close: () => void;
}

function ArmsForm({ task, result, finding, close }: FormProps) {
  const texts = useTexts();
  const t = texts.arms;
  useHoldKeys(true);
  const [arms, setArms] = useState(() => draftsOf(result.arms));
  const mend = useMendArms(task.task_id, result.ordinal);
  const put = (key: number, part: Partial<Draft>) =>
    setArms((old) => old.map((arm) => (arm.key === key ? { ...arm, ...part } : arm)));
  const next = Math.max(-1, ...arms.map((arm) => arm.key)) + 1;
  const save = () =>
    mend.mutate(
      { arms: arms.map(({ key: _, ...arm }) => arm), note: "", seen: finding.review?.revision ?? 0 },
      { onSuccess: close },
    );
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <p className="dim">{t.how}</p>
      {arms.map((arm, at) => (
        <ArmFields
          key={arm.key}
          arm={arm}
          number={at + 1}
          put={(part) => put(arm.key, part)}
          remove={() => setArms((old) => old.filter((one) => one.key !== arm.key))}
        />
      ))}
      {mend.error && (
        <p className="refusal" role="alert">
          {sentence(mend.error, texts)}
        </p>
      )}
      <div className="form-end">
        <Button
          size="xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={12} />}
          onClick={() => setArms((old) => [...old, { key: next, name: "", other_names: [], role: "open", n: "" }])}
        >
          {t.add}
        </Button>
        <span className="spacer" />
        <Button size="xs" variant="default" onClick={close}>
          {texts.state.cancel}
        </Button>
        <Button
          size="xs"
          type="submit"
          loading={mend.isPending}
          disabled={!arms.length || arms.some((arm) => !arm.name.trim())}
        >
          {t.save}
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  arm: Draft;
  number: number;
  put: (part: Partial<Draft>) => void;
  remove: () => void;
}

/** Name, other names, role and N of an arm. A name moved to another arm merges them; one moved out splits them. */
function ArmFields({ arm, number, put, remove }: FieldsProps) {
  const t = useTexts().arms;
  const roles = (Object.keys(t.roles) as (keyof typeof t.roles)[]).map((value) => ({ value, label: t.roles[value] }));
  return (
    <fieldset className="arm" aria-label={t.arm(number)}>
      <div className="form-pair">
        <TextInput
          size="xs"
          label={t.name}
          value={arm.name}
          maxLength={200}
          onChange={(event) => put({ name: event.currentTarget.value })}
        />
        <Select
          size="xs"
          label={t.role}
          data={roles}
          value={arm.role}
          allowDeselect={false}
          onChange={(role) => role && put({ role })}
        />
      </div>
      <div className="form-pair">
        <TagsInput
          size="xs"
          label={t.otherNames}
          aria-label={`${t.arm(number)}: ${t.otherNames}`}
          value={arm.other_names}
          maxTags={19}
          onChange={(other_names) => put({ other_names })}
        />
        <TextInput
          size="xs"
          label={t.n}
          value={arm.n}
          maxLength={20}
          onChange={(event) => put({ n: event.currentTarget.value.trim() })}
        />
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label={`${t.remove} ${number}`} onClick={remove}>
        <Icon name="trash" />
      </ActionIcon>
    </fieldset>
  );
}
