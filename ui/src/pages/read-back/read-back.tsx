import { Alert, Button, FileButton } from "@mantine/core";
import { Link, useParams } from "react-router";
import type { Task } from "../../api/client";
import { useTask } from "../../api/queries";
import { type ReadBack, useReadBack } from "../../api/read-back";
import { Icon } from "../../components/icon";
import { Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { Proposals } from "./proposals";
import { Unplaced } from "./unplaced";

export function ReadBackPage() {
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  if (task.data) return <Page task={task.data} />;
  return (
    <div className="page page-wide">
      {task.isError ? <Failed error={task.error} again={() => void task.refetch()} /> : <Loading lines={6} />}
    </div>
  );
}

function Page({ task }: { task: Task }) {
  const t = useTexts().readBack;
  const read = useReadBack(task.task_id);
  return (
    <div className="page page-wide">
      <Steps projectId={task.project_id} taskId={task.task_id} title={t.title} />
      <header className="page-head">
        <h1>{t.title}</h1>
        <FileButton accept=".xlsx,.csv,.zip" onChange={(file) => file && read.mutate(file)}>
          {(props) => (
            <Button size="xs" loading={read.isPending} leftSection={<Icon name="upload" />} {...props}>
              {t.choose}
            </Button>
          )}
        </FileButton>
      </header>
      <p className="dim">{t.lead}</p>
      {read.isError && <Failed error={read.error} again={read.reset} />}
      {read.data && <Found key={read.submittedAt} found={read.data} taskId={task.task_id} />}
    </div>
  );
}

function Found({ found, taskId }: { found: ReadBack; taskId: number }) {
  const t = useTexts().readBack;
  return (
    <>
      <p>
        <b>{found.file_name}</b>: {t.unchanged(found.unchanged)}
      </p>
      {found.proposals.length > 0 ? (
        <Proposals found={found} taskId={taskId} />
      ) : (
        <Alert color="gray">
          {t.nothing} <Link to={`/tasks/${taskId}/table`}>{t.toTable}</Link>
        </Alert>
      )}
      {found.unplaced.length > 0 && <Unplaced unplaced={found.unplaced} />}
    </>
  );
}
