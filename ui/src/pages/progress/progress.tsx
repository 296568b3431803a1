import { Button, Progress as Meter, Modal, NumberInput } from "@mantine/core";
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
import { duration, moment, useSpoken, useWords } from "../../words";
import { kept } from "../setup/kept";
import { DocumentRows } from "./document-rows";
import { Failures } from "./failures";
import { useLive } from "./live";
import { Log } from "./log";
import { usePace } from "./pace";

const BY_A_PERSON = "Paused by a person.";

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
        <Standing task={told} />
        <Facts task={told} reported={found.reported} attention={found.attention} />
      </section>
      <Trial task={told} />
      <div className="progress">
        <DocumentRows task={told} results={results} lines={live.lines} />
        <div className="progress-side">
          <Failures results={results.data?.results ?? []} />
          <Log lines={live.lines} state={live.state} />
        </div>
      </div>
    </div>
  );
}

function Facts({ task, reported, attention }: { task: Task; reported: number; attention: number }) {
  const words = useWords();
  const pace = usePace(task);
  const digits = (amount: number) =>
    amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 4 : 2 });
  const money = (amount: number) => `${digits(amount)} ${task.spent.currency ?? ""}`.trim();
  const tokens = task.spent.prompt_tokens + task.spent.completion_tokens;
  return (
    <div className="facts">
      <Fact name={words.task.rate} value={pace.perMinute === null ? "—" : words.task.perMinute(pace.perMinute)} />
      {task.state === "closed" ? (
        <Fact name={words.task.took} value={duration(pace.elapsed, words)} />
      ) : (
        <Fact
          name={words.task.left}
          value={
            task.paused
              ? words.task.paused
              : pace.left === null
                ? words.task.unknown
                : pace.left < 5
                  ? words.task.soon
                  : duration(pace.left, words)
          }
        />
      )}
      <Fact
        name={words.task.spend}
        {...(task.spend_cap ? { share: (100 * (task.spent.cost ?? 0)) / task.spend_cap } : {})}
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
      <Fact
        name={words.task.attention}
        value={attention.toLocaleString()}
        {...(attention > 0 ? { to: `/tasks/${task.task_id}/table?filter=attention` } : {})}
      />
    </div>
  );
}

/** One line that is always there: why nothing happens, or that something does. So it never moves what stands below. */
function Standing({ task }: { task: Task }) {
  const { words, language } = useSpoken();
  const t = words.task;
  const until = task.wait?.until ? moment(task.wait.until, language) : "";
  const why =
    task.state !== "open"
      ? null
      : task.paused
        ? !task.pause_reason || task.pause_reason.id === BY_A_PERSON || task.pause_reason.message === BY_A_PERSON
          ? t.pausedByPerson
          : words.said(task.pause_reason)
        : task.wait === null
          ? null
          : `${t.waits[task.wait.why](until)} ${words.said(task.wait.sentence)}`;
  if (why !== null)
    return (
      <p className="standing standing-still" role="status">
        <Icon name={task.paused ? "pause" : "clock"} /> {why}
      </p>
    );
  return (
    <p className="standing dim" role="status">
      {task.state === "open" ? t.goesOn : t.over} {task.is_embedded && t.embedded}
    </p>
  );
}

/** After a trial of a few documents: the way to all of them. */
function Trial({ task }: { task: Task }) {
  const words = useWords();
  const trial = kept<{ selected: number; template: string }>(`pilot/${task.task_id}`);
  if (trial === null || task.state === "open") return null;
  return (
    <div className="notice notice-card">
      <span>{words.task.trial(task.total, trial.selected)}</span>
      <Button
        component={Link}
        size="xs"
        to={`/projects/${task.project_id}/setup?template=${encodeURIComponent(trial.template)}`}
      >
        {words.task.trialNext}
      </Button>
    </div>
  );
}

function Fact({
  name,
  value,
  more,
  share,
  to,
}: {
  name: string;
  value: string;
  more?: string;
  share?: number;
  to?: string;
}) {
  const words = useWords();
  return (
    <div className="fact">
      <span className="dim">{name}</span>
      <b>
        {to ? (
          <Link to={to} className="attention" aria-label={`${name}: ${value}`}>
            {value}
          </Link>
        ) : (
          value
        )}
      </b>
      {share !== undefined && (
        <Meter
          value={Math.min(100, share)}
          size="sm"
          my={4}
          color={share >= 90 ? "orange" : "blue"}
          aria-label={words.task.capUsed}
        />
      )}
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
        <Button
          variant="default"
          leftSection={<Icon name="pause" />}
          loading={busy("pause")}
          onClick={() => steer.mutate("pause")}
        >
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
        <Button
          variant="default"
          leftSection={<Icon name="retry" />}
          loading={busy("retry")}
          onClick={() => steer.mutate("retry")}
        >
          {words.task.retry(task.counts.error)}
        </Button>
      )}
      <Button
        component={Link}
        to={`/tasks/${task.task_id}/table`}
        leftSection={<Icon name="table" />}
        variant={isOpen ? "light" : "filled"}
      >
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
        <NumberInput
          label={words.setup.cap}
          value={cap}
          onChange={setCap}
          min={0}
          max={1_000_000}
          decimalScale={4}
          data-autofocus
        />
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
