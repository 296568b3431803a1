import { Button } from "@mantine/core";
import { Link, useParams } from "react-router";
import { useProjects, useShelves, useTasks, useTemplates } from "../api/queries";
import { Icon } from "../components/icon";
import { Empty, Failed, Loading } from "../components/states";
import { Bar, TaskState } from "../components/task";
import { moment, useSpoken, useWords } from "../words";

export function ProjectPage() {
  const { words, language } = useSpoken();
  const projectId = Number(useParams().projectId);
  const projects = useProjects();
  const templates = useTemplates(projectId);
  const tasks = useTasks(projectId);
  const project = projects.data?.find((one) => one.project_id === projectId);
  const all = tasks.data?.pages.flatMap((page) => page.tasks) ?? [];
  const named = new Map(templates.data?.map((one) => [one.template_id, one.label[language]]));
  const start = (
    <Button component={Link} to={`/projects/${projectId}/setup`} leftSection={<Icon name="plus" />}>
      {words.projects.newTask}
    </Button>
  );
  return (
    <div className="page">
      <nav className="crumbs" aria-label={words.app.whereYouAre}>
        <Link to="/">{words.app.projects}</Link>
      </nav>
      <header className="page-head">
        <h1>{project?.name ?? "…"}</h1>
        {start}
      </header>
      <h2 className="section-title">{words.projects.tasks}</h2>
      {tasks.isPending && <Loading />}
      {tasks.isError && <Failed error={tasks.error} again={() => void tasks.refetch()} />}
      {tasks.isSuccess && all.length === 0 && (
        <div className="card">
          <Empty icon="table" title={words.projects.noTasks} how={words.projects.noTasksHow}>
            {start}
          </Empty>
        </div>
      )}
      {all.length > 0 && (
        <div className="card card-flush">
          <table className="list">
            <thead>
              <tr>
                <th>{words.projects.task}</th>
                <th>{words.projects.template}</th>
                <th>{words.projects.documents}</th>
                <th>{words.projects.stateColumn}</th>
                <th>{words.projects.extractor}</th>
                <th>{words.projects.started}</th>
                <th>
                  <span className="unseen">{words.projects.openTable}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((task) => (
                <tr key={task.task_id}>
                  <td>
                    <Link to={`/tasks/${task.task_id}`}>{words.task.title(task.task_id)}</Link>
                  </td>
                  <td>
                    {named.get(task.template_id) ?? task.template_id}{" "}
                    <span className="dim">{words.setup.version(task.template_version)}</span>
                  </td>
                  <td className="cell-bar">
                    <Bar counts={task.counts} total={task.total} isSmall />
                    <span className="dim">{task.total}</span>
                  </td>
                  <td>
                    <TaskState task={task} />
                  </td>
                  <td className="dim">{task.is_embedded ? words.drawer.embedded : task.extractor}</td>
                  <td className="dim">{moment(task.created_at, language)}</td>
                  <td className="cell-end">
                    <Link to={`/tasks/${task.task_id}/table`}>{words.projects.openTable}</Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {tasks.hasNextPage && (
        <Button variant="default" mt="md" loading={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
          {words.state.more}
        </Button>
      )}
      <Shelves projectId={projectId} />
    </div>
  );
}

/** The documents of a project, where there are some; each knowledge base leads to an extraction from it. */
function Shelves({ projectId }: { projectId: number }) {
  const words = useWords();
  const shelves = useShelves(projectId);
  if (shelves.isError) return <Failed error={shelves.error} again={() => void shelves.refetch()} />;
  if (!shelves.data?.length) return null;
  return (
    <>
      <h2 className="section-title section-next">{words.projects.shelves}</h2>
      <div className="cards">
        {shelves.data.map((shelf) => (
          <Link
            key={shelf.knowledge_base_id}
            to={`/projects/${projectId}/setup?knowledge_base=${shelf.knowledge_base_id}`}
            className="card card-link"
          >
            <h2>{shelf.name}</h2>
            <p className="dim">{words.projects.holds(shelf.documents)}</p>
          </Link>
        ))}
      </div>
    </>
  );
}
