import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { type Questions, newId, useChangeQuestions, useQuestions } from "../../api/questions";
import { useMayReview } from "../../api/reviews";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { ComparisonForm, OutcomeForm } from "./forms";

/** What a review compares, and which outcomes it wants: the next tasks ask every outcome of every comparison. */
export function QuestionsPage() {
  const projectId = Number(useParams().projectId);
  const questions = useQuestions(projectId);
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} />
      {questions.isPending && <Loading lines={6} />}
      {questions.isError && <Failed error={questions.error} again={() => void questions.refetch()} />}
      {questions.data && <Form key={questions.data.revision} projectId={projectId} stored={questions.data} />}
    </div>
  );
}

function Form({ projectId, stored }: { projectId: number; stored: Questions }) {
  const texts = useTexts();
  const t = texts.questions;
  const [draft, setDraft] = useState(stored);
  const save = useChangeQuestions(projectId);
  const mayReview = useMayReview(projectId);
  const put = (part: Partial<Questions>) => setDraft((old) => ({ ...old, ...part }));
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored);
  const isWhole =
    draft.comparisons.every((one) => one.intervention.name.trim() && one.comparator.name.trim()) &&
    draft.outcomes.every((one) => one.name.trim());
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <header className="page-head">
        <div>
          <h1>{t.title}</h1>
          <p className="lead">{t.lead}</p>
        </div>
        <Button
          component={Link}
          to={`/projects/${projectId}/setup`}
          variant="default"
          leftSection={<Icon name="left" size={14} />}
        >
          {texts.editor.back}
        </Button>
      </header>
      <section className="card" aria-label={t.comparisons}>
        <h2>{t.comparisons}</h2>
        {draft.comparisons.length === 0 && <p className="dim">{t.noComparisons}</p>}
        {draft.comparisons.map((one, at) => (
          <ComparisonForm
            key={one.id}
            comparison={one}
            put={(next) => put({ comparisons: draft.comparisons.map((old) => (old.id === one.id ? next : old)) })}
            remove={() => put({ comparisons: draft.comparisons.filter((old) => old.id !== one.id) })}
            number={at + 1}
          />
        ))}
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={12} />}
          disabled={!mayReview}
          onClick={() => put({ comparisons: [...draft.comparisons, emptyComparison(draft)] })}
        >
          {t.addComparison}
        </Button>
      </section>
      <section className="card" aria-label={t.outcomes}>
        <h2>{t.outcomes}</h2>
        {draft.outcomes.length === 0 && <p className="dim">{t.noOutcomes}</p>}
        {draft.outcomes.map((one, at) => (
          <OutcomeForm
            key={one.id}
            outcome={one}
            put={(next) => put({ outcomes: draft.outcomes.map((old) => (old.id === one.id ? next : old)) })}
            remove={() => put({ outcomes: draft.outcomes.filter((old) => old.id !== one.id) })}
            number={at + 1}
          />
        ))}
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={12} />}
          disabled={!mayReview}
          onClick={() => put({ outcomes: [...draft.outcomes, emptyOutcome(draft)] })}
        >
          {t.addOutcome}
        </Button>
      </section>
      <Refusal error={save.error} />
      {stored.revision > 0 && !isChanged && (
        <Alert color="green" icon={<Icon name="check" />}>
          {t.saved(stored.comparisons.length * stored.outcomes.length)}
        </Alert>
      )}
      <div className="form-end">
        <Button type="submit" loading={save.isPending} disabled={!isChanged || !isWhole || !mayReview}>
          {texts.state.save}
        </Button>
      </div>
    </form>
  );
}

const emptyComparison = (draft: Questions) => ({
  id: newId("c", draft.comparisons),
  intervention: { name: "", other_names: [] },
  comparator: { name: "", other_names: [] },
});

const emptyOutcome = (draft: Questions) => ({
  id: newId("o", draft.outcomes),
  name: "",
  other_names: [],
  kind: "binary" as const,
  direction: "neutral" as const,
  timepoint: "",
});
