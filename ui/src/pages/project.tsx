import { Button, Checkbox, TextInput } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { Link, useParams } from "react-router";
import { useProjects, useKnowledgeBases, useTasks } from "../api/queries";
import { Icon } from "../components/icon";
import { Empty, Failed, Loading } from "../components/states";
import { useTexts } from "../texts";
import { TaskList } from "./task-list";

export function ProjectPage() {
  const texts = useTexts();
  const projectId = Number(useParams().projectId);
  const projects = useProjects();
  const [search, setSearch] = useState("");
  const [isArchived, setArchived] = useState(false);
  const tasks = useTasks(projectId, useDeferredValue(search.trim()), isArchived);
  const project = projects.data?.find((one) => one.project_id === projectId);
  const all = tasks.data?.pages.flatMap((page) => page.tasks) ?? [];
  const start = (
    <Button component={Link} to={`/projects/${projectId}/setup`} leftSection={<Icon name="plus" />}>
      {texts.projects.newTask}
    </Button>
  );
  return (
    <div className="page">
      <nav className="crumbs" aria-label={texts.app.whereYouAre}>
        <Link to="/">{texts.app.projects}</Link>
      </nav>
      <header className="page-head">
        <h1>{project?.name ?? "…"}</h1>
        <span className="spacer" />
        <ProjectButtons projectId={projectId} />
        {start}
      </header>
      <div className="task-search">
        <h2 className="section-title">{texts.projects.tasks}</h2>
        <span className="spacer" />
        <Checkbox
          size="xs"
          label={texts.projects.archived}
          checked={isArchived}
          onChange={(event) => setArchived(event.currentTarget.checked)}
        />
        <TextInput
          size="xs"
          leftSection={<Icon name="search" size={12} />}
          aria-label={texts.projects.search}
          placeholder={texts.projects.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {tasks.isPending && <Loading />}
      {tasks.isError && <Failed error={tasks.error} again={() => void tasks.refetch()} />}
      {tasks.isSuccess && all.length === 0 && (search || isArchived) && (
        <p className="dim">{texts.projects.noneFound}</p>
      )}
      {tasks.isSuccess && all.length === 0 && !search && !isArchived && (
        <div className="card">
          <Empty icon="table" title={texts.projects.noTasks} how={texts.projects.noTasksHow}>
            {start}
          </Empty>
        </div>
      )}
      {all.length > 0 && <TaskList projectId={projectId} tasks={all} />}
      {tasks.hasNextPage && (
        <Button variant="default" mt="md" loading={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
          {texts.state.more}
        </Button>
      )}
      <KnowledgeBases projectId={projectId} />
    </div>
  );
}

/** The other pages of a project. */
function ProjectButtons({ projectId }: { projectId: number }) {
  const texts = useTexts();
  return (
    <>
      <Button component={Link} to={`/projects/${projectId}/studies`} variant="default">
        {texts.studies.open}
      </Button>
      <Button
        component={Link}
        to={`/projects/${projectId}/people`}
        variant="default"
        leftSection={<Icon name="person" size={14} />}
      >
        {texts.people.open}
      </Button>
      <Button component={Link} to={`/projects/${projectId}/questions`} variant="default">
        {texts.questions.open}
      </Button>
    </>
  );
}

/** The documents of a project, where there are some; each knowledge base leads to an extraction from it. */
function KnowledgeBases({ projectId }: { projectId: number }) {
  const texts = useTexts();
  const knowledgeBases = useKnowledgeBases(projectId);
  if (knowledgeBases.isError)
    return <Failed error={knowledgeBases.error} again={() => void knowledgeBases.refetch()} />;
  if (!knowledgeBases.data?.length) return null;
  return (
    <>
      <h2 className="section-title section-next">{texts.projects.knowledgeBases}</h2>
      <div className="cards">
        {knowledgeBases.data.map((knowledgeBase) => (
          <Link
            key={knowledgeBase.knowledge_base_id}
            to={`/projects/${projectId}/setup?knowledge_base=${knowledgeBase.knowledge_base_id}`}
            className="card card-link"
          >
            <h2>{knowledgeBase.name}</h2>
            <p className="dim">{texts.projects.holds(knowledgeBase.documents)}</p>
          </Link>
        ))}
      </div>
    </>
  );
}
