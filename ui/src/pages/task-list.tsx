import { ActionIcon, Button, Menu, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import type { Task } from "../api/client";
import { useChangeTask, useTemplates } from "../api/queries";
import { useMayReview } from "../api/reviews";
import { Dialog } from "../components/dialog";
import { Icon } from "../components/icon";
import { Refusal } from "../components/states";
import { Bar, TaskState } from "../components/task";
import { count, moment, useLanguage, useTexts } from "../texts";

/** The tasks of a project, each under the name that people gave it. */
export function TaskList({ projectId, tasks }: { projectId: number; tasks: Task[] }) {
  const { texts, language } = useLanguage();
  const t = texts.projects;
  const templates = useTemplates(projectId);
  const change = useChangeTask(projectId);
  const mayReview = useMayReview(projectId);
  const [naming, setNaming] = useState<Task | null>(null);
  const named = new Map(templates.data?.map((one) => [one.template_id, one.label[language]]));
  return (
    <div className="card card-flush">
      <Refusal error={change.error} />
      <table className="list">
        <thead>
          <tr>
            <th>{t.task}</th>
            <th>{t.template}</th>
            <th>{t.documents}</th>
            <th>{t.stateColumn}</th>
            <th>{t.extractor}</th>
            <th>{t.started}</th>
            <th>
              <span className="unseen">{t.openTable}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.task_id}>
              <td>
                <Link to={task.state === "closed" ? `/tasks/${task.task_id}/queue` : `/tasks/${task.task_id}`}>
                  {task.name ?? texts.task.title(task.task_id)}
                </Link>
                {task.name && <span className="dim"> {texts.task.title(task.task_id)}</span>}
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
                <Link to={`/tasks/${task.task_id}/table`}>{t.openTable}</Link>
                {mayReview && (
                  <Menu position="bottom-end">
                    <Menu.Target>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={t.change(task.name ?? texts.task.title(task.task_id))}
                      >
                        <Icon name="edit" size={13} />
                      </ActionIcon>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item onClick={() => setNaming(task)}>{t.rename}</Menu.Item>
                      <Menu.Item
                        onClick={() => change.mutate({ id: task.task_id, is_archived: task.archived_at === null })}
                      >
                        {task.archived_at === null ? t.archive : t.takeOut}
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {naming && <NameTask key={naming.task_id} task={naming} change={change} close={() => setNaming(null)} />}
    </div>
  );
}

interface NameProps {
  task: Task;
  change: ReturnType<typeof useChangeTask>;
  close: () => void;
}

function NameTask({ task, change, close }: NameProps) {
  const texts = useTexts();
  const [name, setName] = useState(task.name ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ id: task.task_id, name: name.trim() || null }, { onSuccess: close });
  };
  return (
    <Dialog opened onClose={close} title={texts.projects.rename}>
      <form className="form" onSubmit={submit}>
        <TextInput
          label={texts.projects.taskName}
          value={name}
          maxLength={200}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div className="form-end">
          <Button type="submit" loading={change.isPending}>
            {texts.state.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
