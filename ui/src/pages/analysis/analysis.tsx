import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { type Analysis, useAnalysis } from "../../api/analysis";
import type { Task } from "../../api/client";
import { useTask } from "../../api/queries";
import { Empty, Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { Drawing } from "./drawing";
import { Pools } from "./pools";
import { Refused } from "./refused";

export function AnalysisPage() {
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
  const texts = useTexts();
  const [isOnlyReviewed, setOnlyReviewed] = useState(false);
  const query = useAnalysis(task.task_id, isOnlyReviewed);
  return (
    <div className="page page-wide">
      <Steps projectId={task.project_id} taskId={task.task_id} title={texts.analysis.title} />
      <header className="page-head">
        <h1>{texts.analysis.title}</h1>
        <Checkbox
          size="xs"
          label={texts.exports.onlyReviewed}
          checked={isOnlyReviewed}
          onChange={(event) => setOnlyReviewed(event.currentTarget.checked)}
        />
      </header>
      <p className="dim">{texts.analysis.lead}</p>
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {query.isPending && <Loading lines={6} />}
      {query.data && <Found found={query.data} taskId={task.task_id} />}
    </div>
  );
}

function Found({ found, taskId }: { found: Analysis; taskId: number }) {
  const texts = useTexts();
  return (
    <>
      {found.pools.length === 0 ? (
        <Empty icon="table" title={texts.analysis.none} how={texts.analysis.noneHow} />
      ) : (
        <Pools pools={found.pools} taskId={taskId} />
      )}
      {found.bias && (
        <section>
          <h2>{texts.analysis.bias}</h2>
          <Drawing svg={found.bias} name="bias" taskId={taskId} />
        </section>
      )}
      {found.refused.length > 0 && <Refused refused={found.refused} taskId={taskId} />}
    </>
  );
}
