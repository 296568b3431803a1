import { Button, NumberInput } from "@mantine/core";
import type { Task } from "../../api/client";
import { useModel } from "../../api/queries";
import { Icon } from "../../components/icon";
import { Refusal } from "../../components/states";
import { count, useTexts } from "../../texts";
import { Amounts, Line } from "../setup/bill";
import { type FollowUpChoice, useForeseen, useStartFollowUp } from "./use-follow-up";

interface Props {
  task: Task;
  choice: FollowUpChoice;
  reason: string | null;
  isEmpty: boolean;
}

/** What the follow-up asks and what that will take, beside the button that starts it. */
export function FollowUpBill({ task, choice, reason, isEmpty }: Props) {
  const texts = useTexts();
  const t = texts.followUp;
  const { cap } = choice;
  const price = useModel().data?.price ?? null;
  const { body, estimate } = useForeseen(choice, isEmpty);
  const found = (!isEmpty && estimate.data) || null;
  const start = useStartFollowUp(task);
  const isNothing = found !== null && found.cells === 0 && choice.joining.length === 0;
  const why = reason ?? (isNothing ? t.whyNoCells : null);
  return (
    <aside className="bill card" aria-label={texts.setup.bill}>
      <h2>{texts.setup.bill}</h2>
      <dl>
        <Line name={t.cells} testId="bill-cells">
          {found ? count(found.cells) : "—"}
        </Line>
        <Line name={t.joins} testId="bill-joins">
          {count(choice.joining.length)}
        </Line>
      </dl>
      <Amounts found={found} cap={cap} isBusy={estimate.isFetching} />
      {price && (
        <NumberInput
          size="xs"
          label={texts.setup.capIn(price.currency)}
          value={cap}
          onChange={choice.setCap}
          min={0}
          max={1_000_000}
          decimalScale={4}
          hideControls
        />
      )}
      {estimate.isError && !isEmpty && <Refusal error={estimate.error} />}
      <Button
        size="md"
        fullWidth
        disabled={why !== null || body === null || (cap !== "" && !(Number(cap) >= 0))}
        loading={start.isPending}
        leftSection={<Icon name="play" />}
        onClick={() => body && start.mutate({ ...body, spend_cap: cap === "" ? null : Number(cap) })}
      >
        {t.start}
      </Button>
      <p className="bill-reason" role="status">
        {why ?? t.kept}
      </p>
      <Refusal error={start.error} />
    </aside>
  );
}
