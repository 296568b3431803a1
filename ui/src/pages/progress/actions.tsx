import { Button, NumberInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { type Task, api } from "../../api/client";
import { keys } from "../../api/queries";
import { forgetResults } from "../../api/results";
import { Confirm } from "../../components/confirm";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";

/** What can be done to a task as it is: pause, resume, cancel, another cap, retry, and its table. */
export function Actions({ task }: { task: Task }) {
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
      {!isOpen && (
        <Button component={Link} to={`/tasks/${task.task_id}/follow-up`} variant="default">
          {texts.task.askAgain}
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
