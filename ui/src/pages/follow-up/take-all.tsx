import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { type Finding, type Result, type Schemas, type Task, sentence } from "../../api/client";
import { pending } from "../../api/decisions";
import { useMe } from "../../api/queries";
import { resultRead } from "../../api/results";
import { useReview } from "../../api/reviews";
import { Dialog } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";

/** A cell that says something else, with the document it is of and what stands in it now. */
export interface Different {
  cell: Schemas["ComparedCell"];
  result: Result;
  finding: Finding | undefined;
}

/** Whether there is a new answer that a person may accept: not a failed one, and not one that follows from others. */
export const isTakeable = ({ cell }: Different) =>
  cell.after !== null && cell.after.state !== "failed" && cell.after.source !== "computed";

/** Takes every new answer of a cell that nobody has reviewed, before or after. */
export function TakeAll({ task, all }: { task: Task; all: Different[] }) {
  const texts = useTexts();
  const t = texts.differences;
  const me = useMe().data?.name ?? "";
  const review = useReview(task.task_id);
  const [isOpen, setOpen] = useState(false);
  const [isTaking, setTaking] = useState(false);
  const [problem, setProblem] = useState("");
  const open = all.filter((one) => isTakeable(one) && !one.finding?.review);
  const take = async () => {
    setTaking(true);
    setProblem("");
    for (const { cell, result } of open) {
      const decision = { ordinal: result.ordinal, row: cell.row, field: cell.field, action: "accepted" as const };
      try {
        await review.mutateAsync(pending(task.task_id, me, decision, resultRead(task.task_id, result.ordinal)));
      } catch (error) {
        // The others may still be taken; of several refusals the last is shown.
        setProblem(sentence(error, texts));
      }
    }
    setTaking(false);
    setOpen(false);
  };
  if (open.length === 0 && !isOpen) return problem ? <p className="refusal">{problem}</p> : null;
  return (
    <>
      <Button leftSection={<Icon name="check" size={14} />} onClick={() => setOpen(true)}>
        {t.takeAll(open.length)}
      </Button>
      <Dialog opened={isOpen} onClose={() => !isTaking && setOpen(false)} title={t.takeAllTitle}>
        <div className="form">
          <p className="plain">{t.takeAllLead(open.length)}</p>
          <Alert color="orange" icon={<Icon name="warning" />} p="xs">
            {texts.review.bulkWarning}
          </Alert>
          {problem && <p className="refusal">{problem}</p>}
          <div className="form-end">
            <Button variant="default" disabled={isTaking} onClick={() => setOpen(false)}>
              {texts.state.cancel}
            </Button>
            <Button loading={isTaking} onClick={() => void take()} data-autofocus>
              {t.takeAll(open.length)}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
