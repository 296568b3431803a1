import { Alert, Button, Modal, NumberInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useParams } from "react-router";
import { type Task, api } from "../../api/client";
import { sum } from "../../api/judge";
import { forgetResults, keys, useResults, useTask, useTaskTemplate } from "../../api/queries";
import { Confirm } from "../../components/confirm";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { Bar, Steps, TaskState } from "../../components/task";
import { duration, useSpoken, useWords } from "../../words";
import { DocumentRows } from "./document-rows";
import { useLive } from "./live";
import { Log } from "./log";
import { usePace } from "./pace";

export function ProgressPage() {
  const { words, language } = useSpoken();
  const taskId = Number(useParams().taskId);
  const [isLive, setLive] = useState(false);
  const task = useTask(taskId, isLive);
  const live = useLive(taskId, task.data, setLive);
  const template = useTaskTemplate(taskId);
  const results = useResults(task.data);
  if (task.isPending)
    return (
      <div className="page page-wide">
        <Loading lines={6} height={64} />
      </div>
    );
  if (task.isError)
    return (
      <div className="page page-wide">
        <Failed error={task.error} again={() => void task.refetch()} />
      </div>
    );
  const told = task.data;
  const found = sum(results.data?.results ?? []);
  return (
    <div className="page page-wide">
      <Steps projectId={told.project_id} taskId={taskId} />
      <header className="page-head">
        <div>
          <h1>
            {template.data?.label[language] ?? told.template_id} <TaskState task={told} />
          </h1>
          <p className="lead">
            {words.setup.version(told.template_version)} · {told.is_embedded ? words.drawer.embedded : told.extractor}
          </p>
        </div>
        <Actions task={told} />
      </header>
      {told.paused && told.pause_reason && (
        <Alert color="orange" icon={<Icon name="pause" />} mb="md">
          {told.pause_reason}
        </Alert>
      )}
      <section className="card progress-card">
        <div className="progress-line">
          <b className="progress-percent">{Math.floor(told.percent)} %</b>
          <span>{words.task.of(told.counts.completed + told.counts.error + told.counts.cancelled, told.total)}</span>
          <span className="spacer" />
          {(["completed", "running", "pending", "error", "cancelled"] as const).map((name) => (
            <span key={name} className={`count count-${name}`} data-testid={`count-${name}`}>
              <i /> <b>{told.counts[name]}</b> {words.task.counts[name]}
            </span>
          ))}
        </div>
        <Bar counts={told.counts} total={told.total} />
        <Facts task={told} reported={found.reported} attention={found.attention} />
      </section>
      {told.is_embedded && <p className="notice">{words.task.embedded}</p>}
      <div className="progress">
        <DocumentRows task={told} results={results} />
        <Log lines={live.lines} state={live.state} />
      </div>
    </div>
  );
}

function Facts({ task, reported, attention }: { task: Task; reported: number; attention: number }) {
  const words = useWords();
  const pace = usePace(task);
  const money = (amount: number) => `${amount.toFixed(amount < 1 ? 4 : 2)} ${task.spent.currency ?? ""}`.trim();
  const tokens = task.spent.prompt_tokens + task.spent.completion_tokens;
  return (
    <div className="facts">
      <Fact name={words.task.rate} value={pace.perMinute === null ? "—" : words.task.perMinute(pace.perMinute)} />
      {task.state === "closed" ? (
        <Fact name={words.task.took} value={duration(pace.elapsed, words)} />
      ) : (
        <Fact
          name={words.task.left}
          value={task.paused ? words.task.paused : pace.left === null ? words.task.unknown : pace.left < 5 ? words.task.soon : duration(pace.left, words)}
        />
      )}
      <Fact
        name={words.task.spend}
        value={task.spent.cost !== null ? money(task.spent.cost) : task.is_embedded ? words.task.free : "—"}
        more={
          task.is_embedded
            ? ""
            : [
                task.spend_cap === null ? words.task.noCap : words.task.ofCap(money(task.spend_cap)),
                words.task.calls(task.spent.calls),
                words.task.tokens(tokens.toLocaleString()),
                task.spent.unpriced > 0 ? words.task.unpriced(task.spent.unpriced) : "",
              ]
                .filter(Boolean)
                .join(" · ")
        }
      />
      <Fact name={words.task.found} value={reported.toLocaleString()} />
      <Fact name={words.task.attention} value={attention.toLocaleString()} isLoud={attention > 0} />
    </div>
  );
}

function Fact({ name, value, more, isLoud = false }: { name: string; value: string; more?: string; isLoud?: boolean }) {
  return (
    <div className={isLoud ? "fact fact-loud" : "fact"}>
      <span className="dim">{name}</span>
      <b>{value}</b>
      {more && <span className="dim">{more}</span>}
    </div>
  );
}

function Actions({ task }: { task: Task }) {
  const words = useWords();
  const client = useQueryClient();
  const [isCancelling, setCancelling] = useState(false);
  const [isCapping, setCapping] = useState(false);
  const steer = useMutation({
    mutationFn: (verb: "pause" | "resume" | "cancel" | "retry") =>
      api.post(`/api/v1/extraction/tasks/{task_id}/${verb}`, { path: { task_id: task.task_id } }),
    onSuccess: async (_, verb) => {
      setCancelling(false);
      if (verb === "retry") forgetResults(client, task.task_id);
      await client.invalidateQueries({ queryKey: keys.task(task.task_id) });
    },
  });
  const isOpen = task.state === "open";
  const busy = (verb: string) => steer.isPending && steer.variables === verb;
  return (
    <div className="actions">
      <Refusal error={steer.error} />
      {isOpen && !task.paused && (
        <Button variant="default" leftSection={<Icon name="pause" />} loading={busy("pause")} onClick={() => steer.mutate("pause")}>
          {words.task.pause}
        </Button>
      )}
      {isOpen && task.paused && (
        <Button leftSection={<Icon name="play" />} loading={busy("resume")} onClick={() => steer.mutate("resume")}>
          {words.task.resume}
        </Button>
      )}
      {isOpen && (
        <Button variant="default" leftSection={<Icon name="stop" />} onClick={() => setCancelling(true)}>
          {words.task.cancel}
        </Button>
      )}
      {!task.is_embedded && (
        <Button variant="default" onClick={() => setCapping(true)}>
          {words.task.raiseCap}
        </Button>
      )}
      {task.counts.error > 0 && (
        <Button variant="default" leftSection={<Icon name="retry" />} loading={busy("retry")} onClick={() => steer.mutate("retry")}>
          {words.task.retry(task.counts.error)}
        </Button>
      )}
      <Button component={Link} to={`/tasks/${task.task_id}/table`} leftSection={<Icon name="table" />} variant={isOpen ? "light" : "filled"}>
        {words.task.toTable}
      </Button>
      <Confirm
        isOpen={isCancelling}
        text={words.task.cancelSure}
        action={words.task.cancelDo}
        keep={words.task.keep}
        isBusy={busy("cancel")}
        close={() => setCancelling(false)}
        go={() => steer.mutate("cancel")}
      >
        <Refusal error={steer.error} />
      </Confirm>
      {isCapping && <CapForm task={task} close={() => setCapping(false)} />}
    </div>
  );
}

function CapForm({ task, close }: { task: Task; close: () => void }) {
  const words = useWords();
  const client = useQueryClient();
  const [cap, setCap] = useState<number | string>(task.spend_cap ?? "");
  const save = useMutation({
    mutationFn: () =>
      api.put("/api/v1/extraction/tasks/{task_id}/spend-cap", {
        path: { task_id: task.task_id },
        body: { spend_cap: cap === "" ? null : Number(cap) },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.task(task.task_id) });
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={close} title={words.task.capTitle} lockScroll={false}>
      <form className="form" onSubmit={submit}>
        <p className="dim">{words.task.capLead}</p>
        <NumberInput label={words.setup.cap} value={cap} onChange={setCap} min={0} max={1_000_000} decimalScale={4} data-autofocus />
        <Refusal error={save.error} />
        <div className="form-end">
          <Button variant="default" onClick={close}>
            {words.state.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {words.state.save}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
