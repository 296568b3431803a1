import { Button } from "@mantine/core";
import { type Study, type Suggestion, type useChangeStudies, useSuggestions } from "../../api/studies";
import { count, useTexts } from "../../texts";

interface Props {
  projectId: number;
  studies: Study[];
  change: ReturnType<typeof useChangeStudies>;
  mayReview: boolean;
}

/** Reports that seem to belong together, with the reasons. Nothing happens until a person says so. */
export function Suggestions({ projectId, studies, change, mayReview }: Props) {
  const t = useTexts().studies;
  const reports = new Map(studies.flatMap((one) => one.reports.map((report) => [report.report_id, report])));
  const unread = [...reports.values()].filter((report) => !report.is_read).length;
  const found = useSuggestions(projectId, unread).data;
  if (!found || found.total === 0) return null;
  return (
    <section className="card" aria-label={t.suggestions}>
      <div className="studies-head">
        <h2>
          {t.suggestions} <span className="dim">{count(found.total)}</span>
        </h2>
        {found.sure > 0 && (
          <Button
            size="xs"
            variant="default"
            disabled={!mayReview || change.isPending}
            onClick={() => change.mutate({ kind: "sure" })}
          >
            {t.acceptSure(found.sure)}
          </Button>
        )}
      </div>
      {found.suggestions.map((one) => (
        <article key={one.report_ids.join()} className="suggestion">
          <p className="suggestion-kind">{t.kinds[one.kind]}</p>
          <ul>
            {one.report_ids.map((id) => {
              const report = reports.get(id);
              return (
                <li key={id}>
                  {report ? report.title || report.file_name || report.doi : t.report(id)}
                  {report && <span className="dim"> {about(report.authors[0], report.year, report.file_name)}</span>}
                </li>
              );
            })}
          </ul>
          <Reasons suggestion={one} />
          <div className="suggestion-actions">
            <Button
              size="xs"
              disabled={!mayReview || change.isPending}
              onClick={() =>
                change.mutate(
                  one.kind === "same_report"
                    ? { kind: "same", report_ids: one.report_ids }
                    : { kind: "merge", study_ids: one.study_ids },
                )
              }
            >
              {one.kind === "same_report" ? t.isSameReport : t.isSameStudy}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={!mayReview || change.isPending}
              onClick={() => change.mutate({ kind: "apart", report_ids: one.report_ids })}
            >
              {t.keepApart}
            </Button>
          </div>
        </article>
      ))}
      {found.total > found.suggestions.length && (
        <p className="dim">{t.suggestionsLeft(found.total - found.suggestions.length)}</p>
      )}
    </section>
  );
}

const about = (...parts: (string | number | null | undefined)[]) => parts.filter(Boolean).join(" · ");

function Reasons({ suggestion }: { suggestion: Suggestion }) {
  const texts = useTexts();
  const reasons = [...new Set(suggestion.pairs.flatMap((pair) => pair.reasons.map((reason) => texts.notice(reason))))];
  return <p className="suggestion-why">{reasons.slice(0, 6).join(" ")}</p>;
}
