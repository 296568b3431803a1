import { ActionIcon, Checkbox } from "@mantine/core";
import { useState } from "react";
import type { Report, Study, useChangeStudies } from "../../api/studies";
import { Icon } from "../../components/icon";
import { count, useTexts } from "../../texts";
import { ExcludeReports } from "./exclude";
import { NameStudy } from "./name-study";
import { ReportLine } from "./report-line";
import { StudyBar } from "./study-bar";

interface Props {
  projectId: number;
  studies: Study[];
  change: ReturnType<typeof useChangeStudies>;
  mayReview: boolean;
}

/** Studies with the reports below them. What is ticked is put together, split off or excluded. */
export function StudyList({ studies, change, mayReview }: Props) {
  const t = useTexts().studies;
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [naming, setNaming] = useState<Study | null>(null);
  const [isExcluding, setExcluding] = useState(false);
  const toggle = (ids: number[], isOn: boolean) =>
    setChosen((old) => {
      const next = new Set(old);
      for (const id of ids)
        if (isOn) next.add(id);
        else next.delete(id);
      return next;
    });
  const picked = studies.filter((one) => one.reports.some((report) => chosen.has(report.report_id)));
  const ids = picked.flatMap((one) => one.reports.map((report) => report.report_id)).filter((id) => chosen.has(id));
  const done = () => setChosen(new Set());
  return (
    <>
      <StudyBar picked={picked} ids={ids} change={change} mayReview={mayReview} done={done} exclude={setExcluding} />
      <ul className="study-list">
        {studies.map((study) => (
          <li key={study.study_id} className="study">
            <div className="study-head">
              <Checkbox
                size="xs"
                aria-label={study.name}
                checked={study.reports.every((report) => chosen.has(report.report_id))}
                indeterminate={isSome(study.reports, chosen)}
                onChange={(event) =>
                  toggle(
                    study.reports.map((one) => one.report_id),
                    event.currentTarget.checked,
                  )
                }
              />
              <b>{study.name}</b>
              {study.reports.length > 1 && <span className="dim">{t.reports(study.reports.length)}</span>}
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={!mayReview}
                aria-label={t.rename(study.name)}
                onClick={() => setNaming(study)}
              >
                <Icon name="edit" size={13} />
              </ActionIcon>
            </div>
            {study.reports.map((report) => (
              <ReportLine
                key={report.report_id}
                report={report}
                isChosen={chosen.has(report.report_id)}
                choose={(isOn) => toggle([report.report_id], isOn)}
                change={change}
                mayReview={mayReview}
              />
            ))}
          </li>
        ))}
      </ul>
      <p className="dim">{t.shown(count(studies.length))}</p>
      {naming && <NameStudy key={naming.study_id} study={naming} change={change} close={() => setNaming(null)} />}
      <ExcludeReports
        reportIds={ids}
        isOpen={isExcluding}
        change={change}
        close={() => {
          setExcluding(false);
          done();
        }}
      />
    </>
  );
}

function isSome(reports: Report[], chosen: ReadonlySet<number>): boolean {
  const on = reports.filter((report) => chosen.has(report.report_id)).length;
  return on > 0 && on < reports.length;
}
