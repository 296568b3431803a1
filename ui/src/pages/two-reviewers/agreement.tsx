import { useParams } from "react-router";
import type { Schemas } from "../../api/client";
import { useTask, useTaskTemplate } from "../../api/queries";
import { fieldsOf } from "../../api/template";
import { type Agreement, useAgreement } from "../../api/two-reviewers";
import { Empty, Failed, Loading } from "../../components/states";
import { count, useLanguage, useTexts } from "../../texts";
import { ReviewPages } from "./review-pages";

/** How far two reviewers agree, by section and by field, with intervals. */
export function AgreementPage() {
  const { texts, language } = useLanguage();
  const t = texts.people;
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const found = useAgreement(taskId);
  const error = task.error ?? template.error ?? found.error;
  const isReady = task.data && template.data && found.data;
  const nameOf = (id: string) =>
    template.data &&
    (fieldsOf(template.data).find((one) => one.id === id) ?? template.data.sections.find((one) => one.id === id))
      ?.label[language];
  return (
    <div className="page">
      {task.data && <ReviewPages task={task.data} title={t.agreement} />}
      <header className="page-head">
        <div>
          <h1>{t.agreement}</h1>
          <p className="lead">{t.agreementLead}</p>
        </div>
      </header>
      {error && <Failed error={error} again={() => void found.refetch()} />}
      {!error && !isReady && <Loading lines={6} />}
      {isReady && found.data.whole.cells === 0 && (
        <Empty icon="table" title={t.agreementNone} how={t.agreementNoneHow} />
      )}
      {isReady && found.data.whole.cells > 0 && (
        <>
          <AgreementList
            caption={t.section}
            rows={[
              ...found.data.sections.map((one) => ({ ...one, name: nameOf(one.name) ?? one.name })),
              { ...found.data.whole, name: t.whole },
            ]}
          />
          <AgreementList
            caption={t.field}
            rows={found.data.fields.map((one) => ({ ...one, name: nameOf(one.name) ?? one.name }))}
          />
        </>
      )}
    </div>
  );
}

function AgreementList({ caption, rows }: { caption: string; rows: Agreement[] }) {
  const t = useTexts().people;
  return (
    <div className="card card-flush agreement">
      <table className="list" aria-label={caption}>
        <thead>
          <tr>
            <th>{caption}</th>
            <th className="number">{t.both}</th>
            <th className="number">{t.agreed}</th>
            <th>{t.percent}</th>
            <th>{t.kappa}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.name}>
              <td>{one.name}</td>
              <td className="number">{count(one.cells)}</td>
              <td className="number">{count(one.agreed)}</td>
              <td>{one.share && <Estimate found={one.share} scale={100} digits={1} unit=" %" />}</td>
              <td>{one.kappa ? <Estimate found={one.kappa} scale={1} digits={3} unit="" /> : <NoKappa />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoKappa() {
  const t = useTexts().people;
  return (
    <span className="dim" title={t.noKappa}>
      —<span className="unseen"> {t.noKappa}</span>
    </span>
  );
}

interface EstimateProps {
  found: Schemas["Interval"];
  scale: number;
  digits: number;
  unit: string;
}

function Estimate({ found, scale, digits, unit }: EstimateProps) {
  const t = useTexts().people;
  const text = (value: number) => (scale * value).toFixed(digits);
  return (
    <>
      <b>
        {text(found.value)}
        {unit}
      </b>
      {found.low !== null && found.high !== null && (
        <span className="dim"> ({t.interval(text(found.low), text(found.high))})</span>
      )}
    </>
  );
}
