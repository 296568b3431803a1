import { Button } from "@mantine/core";
import { Link, useParams } from "react-router";
import { useProjects, useKnowledgeBases, useTasks, useTemplates } from "../api/queries";
import { Icon } from "../components/icon";
import { Empty, Failed, Loading } from "../components/states";
import { Bar, TaskState } from "../components/task";
import { count, moment, useLanguage, useTexts } from "../texts";

export function ProjectPage() {
  const { texts, language } = useLanguage();
  const projectId = Number(useParams().projectId);
  const projects = useProjects();
  const templates = useTemplates(projectId);
  const tasks = useTasks(projectId);
  const project = projects.data?.find((one) => one.project_id === projectId);
  const all = tasks.data?.pages.flatMap((page) => page.tasks) ?? [];
  const named = new Map(templates.data?.map((one) => [one.template_id, one.label[language]]));
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
      <h2 className="section-title">{texts.projects.tasks}</h2>
      {tasks.isPending && <Loading />}
      {tasks.isError && <Failed error={tasks.error} again={() => void tasks.refetch()} />}
      {tasks.isSuccess && all.length === 0 && (
        <div className="card">
          <Empty icon="table" title={texts.projects.noTasks} how={texts.projects.noTasksHow}>
            {start}
          </Empty>
        </div>
      )}
      {all.length > 0 && (
        <div className="card card-flush">
          <table className="list">
            <thead>
              <tr>
                <th>{texts.projects.task}</th>
                <th>{texts.projects.template}</th>
                <th>{texts.projects.documents}</th>
                <th>{texts.projects.stateColumn}</th>
                <th>{texts.projects.extractor}</th>
                <th>{texts.projects.started}</th>
                <th>
                  <span className="unseen">{texts.projects.openTable}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((task) => (
                <tr key={task.task_id}>
                  <td>
                    <Link to={`/tasks/${task.task_id}`}>{texts.task.title(task.task_id)}</Link>
                  </td>
                  <td>
                    {named.get(task.template_id) ?? task.template_id}{" "}
                    <span className="dim">{texts.setup.version(task.template_version)}</span>
                  </td>
                  <td className="cell-bar">
                    <Bar counts={task.counts} total={task.total} isSmall />
                    <span className="dim">{count(task.total)}</span>
                  </td>
                  <td>
                    <TaskState task={task} />
                  </td>
                  <td className="dim">{task.is_embedded ? texts.drawer.embedded : task.extractor}</td>
                  <td className="dim">{moment(task.created_at, language)}</td>
                  <td className="cell-end">
                    <Link to={`/tasks/${task.task_id}/table`}>{texts.projects.openTable}</Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
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
