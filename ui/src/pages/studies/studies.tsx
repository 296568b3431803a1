import { Button, TextInput } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { useParams } from "react-router";
import { useMayReview } from "../../api/reviews";
import { useChangeStudies, useStudies } from "../../api/studies";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading, Refusal } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { FlowCard } from "./flow";
import { ImportReferences } from "./import";
import { StudyList } from "./study-list";
import { Suggestions } from "./suggestions";

/** The studies of a review with their reports: what seems to belong together, and what people have decided. */
export function StudiesPage() {
  const t = useTexts().studies;
  const projectId = Number(useParams().projectId);
  const [search, setSearch] = useState("");
  const [isImporting, setImporting] = useState(false);
  const studies = useStudies(projectId, useDeferredValue(search.trim()));
  const change = useChangeStudies(projectId);
  const mayReview = useMayReview(projectId);
  const all = studies.data?.pages.flatMap((page) => page.studies) ?? [];
  return (
    <div className="page page-wide">
      <Steps projectId={projectId} title={t.title} />
      <header className="page-head">
        <div>
          <h1>{t.title}</h1>
          <p className="lead">{t.lead}</p>
        </div>
        <Button leftSection={<Icon name="upload" />} disabled={!mayReview} onClick={() => setImporting(true)}>
          {t.import}
        </Button>
      </header>
      <Refusal error={change.error} />
      <Suggestions projectId={projectId} studies={all} change={change} mayReview={mayReview} />
      <section className="card" aria-label={t.title}>
        <TextInput
          className="studies-search"
          leftSection={<Icon name="search" />}
          aria-label={t.search}
          placeholder={t.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {studies.isPending && <Loading lines={6} />}
        {studies.isError && <Failed error={studies.error} again={() => void studies.refetch()} />}
        {studies.isSuccess && all.length === 0 && (
          <Empty icon="files" title={search ? t.noneFound : t.none} how={search ? undefined : t.noneHow} />
        )}
        {all.length > 0 && <StudyList projectId={projectId} studies={all} change={change} mayReview={mayReview} />}
        {studies.hasNextPage && (
          <Button variant="default" loading={studies.isFetchingNextPage} onClick={() => void studies.fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </section>
      <FlowCard projectId={projectId} />
      <ImportReferences projectId={projectId} isOpen={isImporting} close={() => setImporting(false)} />
    </div>
  );
}
