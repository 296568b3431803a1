import { Button, Progress as Meter, NumberInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useParams } from "react-router";
import { Dialog } from "../../components/dialog";
import { type Task, api } from "../../api/client";
import { sum } from "../../api/judge";
import { keys, useTask, useTaskTemplate } from "../../api/queries";
import { forgetResults, useResults } from "../../api/results";
import { Confirm } from "../../components/confirm";
import { Icon } from "../../components/icon";
import { Failed, Loading, Refusal } from "../../components/states";
import { Bar, Steps, TaskState } from "../../components/task";
import { count, duration, moment, useLanguage, useTexts } from "../../texts";
import { kept } from "../setup/kept";
import { DocumentRows } from "./document-rows";
import { Failures } from "./failures";
import { useLive } from "./live";
import { Log } from "./log";
import { usePace } from "./pace";

const BY_A_PERSON = "task.paused_by_a_person";

export function ProgressPage() {
  const { texts, language } = useLanguage();
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
  const status = task.data;
  const found = sum(results.data?.results ?? []);
  return (
    <div className="page page-wide">
      <Steps projectId={status.project_id} taskId={taskId} />
      <header className="page-head">
        <div>
          <h1>
            {template.data?.label[language] ?? status.template_id} <TaskState task={status} />
          </h1>
          <p className="lead">
            {texts.setup.version(status.template_version)} ·{" "}
            {status.is_embedded ? texts.drawer.embedded : status.extractor}
          </p>
        </div>
        <Actions task={status} />
      </header>
      <section className="card progress-card">
        <div className="progress-line">
          <b className="progress-percent">{Math.floor(status.percent)} %</b>
          <span>
            {texts.task.of(status.counts.completed + status.counts.error + status.counts.cancelled, status.total)}
          </span>
          <span className="spacer" />
          {(["completed", "running", "pending", "error", "cancelled"] as const).map((name) => (
            <span key={name} className={`count count-${name}`} data-testid={`count-${name}`}>
              <i /> <b>{count(status.counts[name])}</b> {texts.task.counts[name]}
            </span>
          ))}
        </div>
        <Bar counts={status.counts} total={status.total} />
        <Standing task={status} />
        <Facts task={status} reported={found.reported} attention={found.attention} />
      </section>
      <Trial task={status} />
      <div className="progress">
        <DocumentRows task={status} results={results} lines={live.lines} />
        <div className="progress-side">
          <Failures results={results.data?.results ?? []} />
          <Log lines={live.lines} state={live.state} />
        </div>
      </div>
    </div>
  );
}

function Facts({ task, reported, attention }: { task: Task; reported: number; attention: number }) {
  const texts = useTexts();
  const pace = usePace(task);
  const digits = (amount: number) =>
    amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 4 : 2 });
  const money = (amount: number) => `${digits(amount)} ${task.spent.currency ?? ""}`.trim();
  const tokens = task.spent.prompt_tokens + task.spent.completion_tokens;
  return (
    <div className="facts">
      <Fact name={texts.task.rate} value={pace.perMinute === null ? "—" : texts.task.perMinute(pace.perMinute)} />
      {task.state === "closed" ? (
        <Fact name={texts.task.took} value={duration(pace.elapsed, texts)} />
      ) : (
        <Fact
          name={texts.task.left}
          value={
            task.paused
              ? texts.task.paused
              : pace.left === null
                ? texts.task.unknown
                : pace.left < 5
                  ? texts.task.soon
                  : duration(pace.left, texts)
          }
        />
      )}
      <Fact
        name={texts.task.spend}
        {...(task.spend_cap ? { share: (100 * (task.spent.cost ?? 0)) / task.spend_cap } : {})}
        value={task.spent.cost !== null ? money(task.spent.cost) : task.is_embedded ? texts.task.free : "—"}
        more={
          task.is_embedded
            ? ""
            : [
                task.spend_cap === null ? texts.task.noCap : texts.task.ofCap(money(task.spend_cap)),
                texts.task.calls(task.spent.calls),
                texts.task.tokens(count(tokens)),
                task.spent.unpriced > 0 ? texts.task.unpriced(task.spent.unpriced) : "",
              ]
                .filter(Boolean)
                .join(" · ")
        }
      />
      <Fact name={texts.task.found} value={count(reported)} />
      <Fact
        name={texts.task.attention}
        value={count(attention)}
        {...(attention > 0 ? { to: `/tasks/${task.task_id}/table?filter=attention` } : {})}
      />
    </div>
  );
}

/** One line that is always there: why nothing happens, or that something does. So it never moves what stands below. */
function Standing({ task }: { task: Task }) {
  const { texts, language } = useLanguage();
  const t = texts.task;
  const until = task.wait?.until ? moment(task.wait.until, language) : "";
  const why =
    task.state !== "open"
      ? null
      : task.paused
        ? task.pause_reason === null || task.pause_reason.id === BY_A_PERSON
          ? t.pausedByPerson
          : texts.notice(task.pause_reason)
        : task.wait === null
          ? null
          : `${t.waits[task.wait.why](until)} ${texts.notice(task.wait.sentence)}`;
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
  const texts = useTexts();
  const trial = kept<{ selected: number; template: string }>(`pilot/${task.task_id}`);
  if (trial === null || task.state === "open") return null;
  return (
    <div className="notice notice-card">
      <span>{texts.task.trial(task.total, trial.selected)}</span>
      <Button
        component={Link}
        size="xs"
        to={`/projects/${task.project_id}/setup?template=${encodeURIComponent(trial.template)}`}
      >
        {texts.task.trialNext}
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
  const texts = useTexts();
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
          aria-label={texts.task.capUsed}
        />
      )}
      {more && <span className="dim">{more}</span>}
    </div>
  );
}

function Actions({ task }: { task: Task }) {
  const texts = useTexts();
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
          {texts.task.pause}
        </Button>
      )}
      {isOpen && task.paused && (
        <Button leftSection={<Icon name="play" />} loading={busy("resume")} onClick={() => steer.mutate("resume")}>
          {texts.task.resume}
        </Button>
      )}
      {isOpen && (
        <Button variant="default" leftSection={<Icon name="stop" />} onClick={() => setCancelling(true)}>
          {texts.task.cancel}
        </Button>
      )}
      {!task.is_embedded && (
        <Button variant="default" onClick={() => setCapping(true)}>
          {texts.task.raiseCap}
        </Button>
      )}
      {task.counts.error > 0 && (
        <Button
          variant="default"
          leftSection={<Icon name="retry" />}
          loading={busy("retry")}
          onClick={() => steer.mutate("retry")}
        >
          {texts.task.retry(task.counts.error)}
        </Button>
      )}
      <Button
        component={Link}
        to={`/tasks/${task.task_id}/table`}
        leftSection={<Icon name="table" />}
        variant={isOpen ? "light" : "filled"}
      >
        {texts.task.toTable}
      </Button>
      <Confirm
        isOpen={isCancelling}
        text={texts.task.cancelSure}
        action={texts.task.cancelDo}
        keep={texts.task.keep}
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
  const texts = useTexts();
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
    <Dialog opened onClose={close} title={texts.task.capTitle}>
      <form className="form" onSubmit={submit}>
        <p className="dim">{texts.task.capLead}</p>
        <NumberInput
          label={texts.setup.cap}
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
            {texts.state.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {texts.state.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
