import { ActionIcon, Select, TagsInput, TextInput } from "@mantine/core";
import type { Comparison, Outcome } from "../../api/questions";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";

// What the server takes: a longer text is no name.
const LONGEST = 200;
const MOST_NAMES = 20;

interface Part<T> {
  number: number;
  put: (next: T) => void;
  remove: () => void;
}

/** What is compared with what, each under the name of the review and those that papers use. */
export function ComparisonForm({ comparison, number, put, remove }: Part<Comparison> & { comparison: Comparison }) {
  const t = useTexts().questions;
  return (
    <fieldset className="question" aria-label={`${t.comparison} ${number}`}>
      <Named
        label={t.intervention}
        value={comparison.intervention}
        put={(intervention) => put({ ...comparison, intervention })}
      />
      <Named
        label={t.comparator}
        value={comparison.comparator}
        put={(comparator) => put({ ...comparison, comparator })}
      />
      <Remove label={`${t.remove} ${number}`} remove={remove} />
    </fieldset>
  );
}

export function OutcomeForm({ outcome, number, put, remove }: Part<Outcome> & { outcome: Outcome }) {
  const t = useTexts().questions;
  const choices = <T extends string>(names: Record<T, string>) =>
    (Object.keys(names) as T[]).map((value) => ({ value, label: names[value] }));
  return (
    <fieldset className="question" aria-label={`${t.outcome} ${number}`}>
      <Named
        label={t.outcome}
        value={outcome}
        put={({ name, other_names }) => put({ ...outcome, name, other_names })}
      />
      <Select
        label={t.kind}
        data={choices(t.kinds)}
        value={outcome.kind}
        allowDeselect={false}
        onChange={(kind) => kind && put({ ...outcome, kind })}
      />
      <Select
        label={t.direction}
        data={choices(t.directions)}
        value={outcome.direction}
        allowDeselect={false}
        onChange={(direction) => direction && put({ ...outcome, direction })}
      />
      <TextInput
        label={t.timepoint}
        placeholder={t.timepointExample}
        value={outcome.timepoint}
        maxLength={LONGEST}
        onChange={(event) => put({ ...outcome, timepoint: event.currentTarget.value })}
      />
      <Remove label={`${t.remove} ${number}`} remove={remove} />
    </fieldset>
  );
}

interface Name {
  name: string;
  other_names: string[];
}

function Named({ label, value, put }: { label: string; value: Name; put: (next: Name) => void }) {
  const t = useTexts().questions;
  return (
    <div className="question-name">
      <TextInput
        label={label}
        value={value.name}
        maxLength={LONGEST}
        required
        onChange={(event) => put({ name: event.currentTarget.value, other_names: value.other_names })}
      />
      <TagsInput
        label={t.otherNames}
        aria-label={`${label}: ${t.otherNames}`}
        placeholder={value.other_names.length ? "" : t.otherNamesHow}
        value={value.other_names}
        maxTags={MOST_NAMES}
        onChange={(names) => put({ name: value.name, other_names: names.map((one) => one.slice(0, LONGEST)) })}
      />
    </div>
  );
}

function Remove({ label, remove }: { label: string; remove: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={remove}>
      <Icon name="trash" />
    </ActionIcon>
  );
}
