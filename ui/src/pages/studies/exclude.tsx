import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Report, useChangeStudies } from "../../api/studies";
import { Dialog } from "../../components/dialog";
import { useTexts } from "../../texts";

interface Props {
  reportIds: number[];
  isOpen: boolean;
  change: ReturnType<typeof useChangeStudies>;
  close: () => void;
}

/** Excluding reports: at which stage, and why. The flow of the review counts both. */
export function ExcludeReports({ reportIds, isOpen, change, close }: Props) {
  const t = useTexts().studies;
  const [stage, setStage] = useState<NonNullable<Report["excluded_at"]>>("screening");
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ kind: "exclude", report_ids: reportIds, stage, reason }, { onSuccess: close });
  };
  return (
    <Dialog opened={isOpen} onClose={close} title={t.excludeTitle(reportIds.length)}>
      <form className="form" onSubmit={submit}>
        <SegmentedControl
          aria-label={t.stage}
          value={stage}
          onChange={(value) => setStage(value)}
          data={(["screening", "assessment"] as const).map((value) => ({ value, label: t.stages[value] }))}
        />
        <TextInput
          label={t.reason}
          placeholder={t.reasonExample}
          value={reason}
          maxLength={500}
          data-autofocus
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="form-end">
          <Button type="submit" color="red" loading={change.isPending}>
            {t.exclude}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
