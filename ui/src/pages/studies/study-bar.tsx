import { Button } from "@mantine/core";
import type { Study, useChangeStudies } from "../../api/studies";
import { useTexts } from "../../texts";

interface Props {
  picked: Study[];
  ids: number[];
  change: ReturnType<typeof useChangeStudies>;
  mayReview: boolean;
  done: () => void;
  exclude: (isOpen: boolean) => void;
}

/** What can be done with the reports that are ticked. */
export function StudyBar({ picked, ids, change, mayReview, done, exclude }: Props) {
  const t = useTexts().studies;
  const only = picked.length === 1 ? picked[0] : undefined;
  const isPart = only !== undefined && ids.length < only.reports.length;
  const merge = () =>
    change.mutate({ kind: "merge", study_ids: picked.map((one) => one.study_id) }, { onSuccess: done });
  const split = () =>
    only && change.mutate({ kind: "split", study_id: only.study_id, report_ids: ids }, { onSuccess: done });
  return (
    <div className="studies-bar" role="toolbar" aria-label={t.chosen(ids.length)}>
      <span className="dim">{ids.length > 0 ? t.chosen(ids.length) : t.choose}</span>
      <Button size="xs" disabled={!mayReview || picked.length < 2} onClick={merge}>
        {t.merge}
      </Button>
      <Button size="xs" variant="default" disabled={!mayReview || !isPart} onClick={split}>
        {t.split}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={!mayReview || ids.length < 2}
        onClick={() => change.mutate({ kind: "same", report_ids: ids }, { onSuccess: done })}
      >
        {t.isSameReport}
      </Button>
      <Button size="xs" variant="default" disabled={!mayReview || ids.length === 0} onClick={() => exclude(true)}>
        {t.exclude}
      </Button>
    </div>
  );
}
