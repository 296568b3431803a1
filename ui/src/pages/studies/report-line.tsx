import { Badge, Button, Checkbox, NativeSelect } from "@mantine/core";
import type { Report, useChangeStudies } from "../../api/studies";
import { count, useTexts } from "../../texts";

interface Props {
  report: Report;
  isChosen: boolean;
  choose: (isOn: boolean) => void;
  change: ReturnType<typeof useChangeStudies>;
  mayReview: boolean;
}

/** A report: what it says of itself, and how it stands in the review. */
export function ReportLine({ report, isChosen, choose, change, mayReview }: Props) {
  const t = useTexts().studies;
  const title = report.title || report.file_name || report.doi || report.pmid || t.report(report.report_id);
  const facts = [
    report.authors.length > 0 && `${report.authors[0]}${report.authors.length > 1 ? t.andOthers : ""}`,
    report.year,
    report.journal,
    report.registrations.join(", "),
    report.sample_size && t.randomised(count(report.sample_size)),
    report.doi,
    report.pmid && `PMID ${report.pmid}`,
    report.title && report.file_name,
  ].filter(Boolean);
  return (
    <div className={report.same_as ? "report report-same" : "report"}>
      <Checkbox
        size="xs"
        aria-label={title}
        checked={isChosen}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <div className="report-text">
        <p className="plain">{title}</p>
        <p className="dim">{facts.join(" · ")}</p>
      </div>
      <div className="report-marks">
        {!report.is_read && <Badge variant="light">{t.reading}</Badge>}
        {report.sha256 === null && !report.has_registry_record && !report.same_as && (
          <Badge color="orange" variant="light">
            {t.noPaper}
          </Badge>
        )}
        {report.same_as !== null && (
          <Button
            size="compact-xs"
            variant="default"
            disabled={!mayReview}
            title={t.otherReport}
            onClick={() => change.mutate({ kind: "other", report_id: report.report_id })}
          >
            {t.sameAs}
          </Button>
        )}
        {report.excluded_at && (
          <Button
            size="compact-xs"
            color="red"
            variant="light"
            disabled={!mayReview}
            title={t.include}
            onClick={() => change.mutate({ kind: "exclude", report_ids: [report.report_id], stage: null, reason: "" })}
          >
            {t.excludedAt[report.excluded_at]}
            {report.exclusion_reason && `: ${report.exclusion_reason}`}
          </Button>
        )}
        <NativeSelect
          size="xs"
          aria-label={t.typeOf(title)}
          value={report.type}
          disabled={!mayReview}
          data={Object.entries(t.reportTypes).map(([value, label]) => ({ value, label }))}
          onChange={(event) =>
            change.mutate({
              kind: "type",
              report_id: report.report_id,
              type: event.currentTarget.value as Report["type"],
            })
          }
        />
      </div>
    </div>
  );
}
