import { Alert, Button } from "@mantine/core";
import { useMemo, useState } from "react";
import { Dialog } from "../../components/dialog";
import { type Result, type Task, sentence } from "../../api/client";
import { sum } from "../../api/judge";
import { useAcceptVerified, useMayReview } from "../../api/reviews";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import type { Column, TableRow } from "./rows";

/** How much of the task people have looked at. */
export function ReviewProgress({ results }: { results: Result[] }) {
  const texts = useTexts();
  const { reviewed, answers } = useMemo(() => sum(results), [results]);
  if (answers === 0) return null;
  const text = texts.review.progress(reviewed, answers);
  return (
    <div className="review-progress" data-testid="reviewed">
      <span>{text}</span>
      <div
        role="progressbar"
        aria-label={texts.review.title}
        aria-valuenow={reviewed}
        aria-valuemin={0}
        aria-valuemax={answers}
        aria-valuetext={text}
      >
        <div style={{ width: `${(100 * reviewed) / answers}%` }} />
      </div>
    </div>
  );
}

/** Accept what is verified in the rows and fields that are shown. */
export function AcceptVerified({ task, rows, columns }: { task: Task; rows: TableRow[]; columns: Column[] }) {
  const texts = useTexts();
  const mayReview = useMayReview(task.project_id);
  const accept = useAcceptVerified(task.task_id);
  const [isOpen, setOpen] = useState(false);
  const { count, shown, fieldIds } = useMemo(() => {
    const fields = new Set(columns.map((one) => one.field.id));
    const shown = new Map<number, string[]>();
    let count = 0;
    for (const { result, looked, row } of rows) {
      const mine = looked.acceptable.filter((one) => one.row === row && fields.has(one.field)).length;
      if (mine > 0) shown.set(result.ordinal, [...(shown.get(result.ordinal) ?? []), row]);
      count += mine;
    }
    return { count, shown, fieldIds: [...fields] };
  }, [rows, columns]);
  const close = () => {
    setOpen(false);
    accept.reset();
  };
  if (!mayReview || (count === 0 && !isOpen)) return null;
  return (
    <>
      <Button size="xs" variant="default" leftSection={<Icon name="check" size={13} />} onClick={() => setOpen(true)}>
        {texts.review.bulk(count)}
      </Button>
      <Dialog opened={isOpen} onClose={close} title={texts.review.bulkTitle}>
        <div className="form">
          {accept.data ? (
            <p className="plain" role="status">
              {texts.review.bulkDone(accept.data.accepted, accept.data.left)}
            </p>
          ) : (
            <>
              <p className="plain">{texts.review.bulkLead(count, shown.size)}</p>
              <Alert color="orange" icon={<Icon name="warning" />} p="xs">
                {texts.review.bulkWarning}
              </Alert>
            </>
          )}
          {accept.isError && (
            <Alert color="red" icon={<Icon name="warning" />} p="xs" role="alert">
              {sentence(accept.error, texts)}
            </Alert>
          )}
          <div className="form-end">
            <Button variant="default" onClick={close}>
              {accept.data ? texts.state.close : texts.state.cancel}
            </Button>
            {!accept.data && (
              <Button
                loading={accept.isPending}
                onClick={() => accept.mutate({ ordinals: [...shown.keys()], rows: [...shown.values()], fieldIds })}
                data-autofocus
              >
                {texts.review.bulk(count)}
              </Button>
            )}
          </div>
        </div>
      </Dialog>
    </>
  );
}
