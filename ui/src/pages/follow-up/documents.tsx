import { Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Document, type Task, api } from "../../api/client";
import { Icon } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";
import { type Named, useTaskDocuments } from "./use-follow-up";

interface Props {
  task: Task;
  /** Papers of the task that are left as they are. */
  left: number[];
  setLeft: (ids: number[]) => void;
  joining: number[];
  setJoining: (ids: number[]) => void;
}

// The most that one answer of the server holds.
const DOCUMENTS = 500;
// So many are listed; of more, a search finds the others.
const MOST_SHOWN = 100;

/** Which papers of the task are meant again, and which of the project join it: those are meant everything. */
export function DocumentsCard({ task, left, setLeft, joining, setJoining }: Props) {
  const t = useTexts().followUp;
  const mine = useTaskDocuments(task.task_id);
  const every = useQuery({
    queryKey: ["documents of a project", task.project_id],
    queryFn: ({ signal }) => documentsOf(task.project_id, signal),
  });
  const failed = mine.isError ? mine : every.isError ? every : null;
  const have = new Set(mine.data?.map((one) => one.document_id));
  const others = every.data?.filter((one) => !have.has(one.document_id)) ?? [];
  const meant = mine.data?.map((one) => one.document_id).filter((id) => !left.includes(id)) ?? [];
  return (
    <section className="card" aria-label={t.documentsTitle}>
      <h2>{t.documentsTitle}</h2>
      {failed && <Failed error={failed.error} again={() => void failed.refetch()} />}
      {!failed && !(mine.data && every.data) && <Loading lines={3} height={24} />}
      {mine.data && every.data && (
        <>
          <p className="dim">{t.documentsLead}</p>
          <Choice
            name={t.ofTheTask}
            documents={mine.data}
            chosen={meant}
            choose={(ids) => setLeft([...have].filter((id) => !ids.includes(id)))}
          />
          <p className="dim joining">{t.joiningLead}</p>
          {others.length === 0 ? (
            <p className="dim">{t.noOthers}</p>
          ) : (
            <Choice name={t.joiningTitle} documents={others} chosen={joining} choose={setJoining} />
          )}
        </>
      )}
    </section>
  );
}

interface ChoiceProps {
  name: string;
  documents: Named[];
  chosen: number[];
  choose: (ids: number[]) => void;
}

function Choice({ name, documents, chosen, choose }: ChoiceProps) {
  const texts = useTexts();
  const [search, setSearch] = useState("");
  const found = documents.filter((one) => one.file_name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <fieldset className="plain-fieldset">
      <legend>
        {name} <span className="dim">{texts.setup.selected(chosen.length, documents.length)}</span>
      </legend>
      {documents.length > 8 && (
        <TextInput
          size="xs"
          my="xs"
          aria-label={texts.setup.search}
          placeholder={texts.setup.search}
          leftSection={<Icon name="search" size={13} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Checkbox
        size="xs"
        label={texts.setup.selectAll}
        checked={chosen.length === documents.length}
        indeterminate={chosen.length > 0 && chosen.length < documents.length}
        onChange={(event) => choose(event.currentTarget.checked ? documents.map((one) => one.document_id) : [])}
      />
      <ul className="field-list">
        {found.slice(0, MOST_SHOWN).map((one) => (
          <li key={one.document_id}>
            <Checkbox
              size="xs"
              label={one.file_name}
              checked={chosen.includes(one.document_id)}
              onChange={(event) =>
                choose(
                  event.currentTarget.checked
                    ? [...chosen, one.document_id]
                    : chosen.filter((other) => other !== one.document_id),
                )
              }
            />
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && <p className="dim">{texts.followUp.moreToFind(found.length - MOST_SHOWN)}</p>}
      {found.length === 0 && <p className="dim">{texts.setup.noMatch}</p>}
    </fieldset>
  );
}

async function documentsOf(projectId: number, signal: AbortSignal): Promise<Document[]> {
  const found: Document[] = [];
  const bases = await api.get("/api/v1/knowledge-bases", { query: { project_id: projectId }, signal });
  for (const base of bases.knowledge_bases)
    for (let after: string | undefined | null = undefined; after !== null;) {
      const page: { documents: Document[]; next: string | null } = await api.get(
        "/api/v1/knowledge-bases/{knowledge_base_id}/documents",
        { path: { knowledge_base_id: base.knowledge_base_id }, query: { after, limit: DOCUMENTS }, signal },
      );
      found.push(...page.documents);
      after = page.next;
    }
  return found;
}
