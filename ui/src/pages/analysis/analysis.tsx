import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { type Analysis, queryOf, useAnalysis } from "../../api/analysis";
import { type Task, address } from "../../api/client";
import { useTask } from "../../api/queries";
import { Icon } from "../../components/icon";
import { Empty, Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useLanguage, useTexts } from "../../texts";
import { Computed } from "./computed";
import { type Chosen, Decisions } from "./decisions";
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
  const { texts, language } = useLanguage();
  const [choices, setChoices] = useState<Chosen>({ isOnlyReviewed: false, shared: "split", correlation: "" });
  const query = useAnalysis(task.task_id, { ...choices, language });
  return (
    <div className="page page-wide">
      <Steps projectId={task.project_id} taskId={task.task_id} title={texts.analysis.title} />
      <header className="page-head">
        <h1>{texts.analysis.title}</h1>
        <Button
          component="a"
          size="xs"
          download
          href={address(
            "/api/v1/extraction/tasks/{id}/export",
            { id: task.task_id },
            { format: "analysis", ...queryOf({ ...choices, language }) },
          )}
          leftSection={<Icon name="download" />}
        >
          {texts.analysis.download}
        </Button>
      </header>
      <p className="dim">{texts.analysis.lead}</p>
      <Decisions chosen={choices} onChange={setChoices} />
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {query.isPending && <Loading lines={6} />}
      {query.data && query.data.unjoined > 0 && (
        <p role="status">
          {texts.analysis.unjoined(query.data.unjoined)}{" "}
          <Link to={`/projects/${task.project_id}/studies`}>{texts.analysis.toStudies}</Link>
        </p>
      )}
      {query.data && <Found found={query.data} taskId={task.task_id} />}
    </div>
  );
}

function Found({ found, taskId }: { found: Analysis; taskId: number }) {
  const texts = useTexts();
  const t = texts.analysis;
  return (
    <>
      {found.pools.length === 0 ? (
        <Empty icon="table" title={t.none} how={t.noneHow} />
      ) : (
        <Pools pools={found.pools} taskId={taskId} />
      )}
      {found.bias && (
        <section className="part">
          <h2>{t.bias}</h2>
          <Drawing svg={found.bias} name="bias" taskId={taskId} />
          <Drawing svg={found.bias_summary} name="bias-summary" taskId={taskId} />
        </section>
      )}
      {found.computed.length > 0 && <Computed computed={found.computed} taskId={taskId} />}
      {found.refused.length > 0 && <Refused refused={found.refused} taskId={taskId} />}
      <section className="part">
        <h2>{t.flow}</h2>
        <Drawing svg={found.flow} name="flow" taskId={taskId} />
      </section>
      <section className="part">
        <h2>{texts.exports.methods}</h2>
        <p className="methods">{found.methods}</p>
      </section>
    </>
  );
}
