import { Link } from "react-router";
import type { Analysis } from "../../api/analysis";
import { useTexts } from "../../texts";
import { addressOf } from "./address";

type Row = Analysis["refused"][number];

/** The comparisons that no analysis takes, each with the way to the cell that mends it. */
export function Refused({ refused, taskId }: { refused: Row[]; taskId: number }) {
  const texts = useTexts();
  return (
    <section className="part">
      <h2>{texts.analysis.refused(refused.length)}</h2>
      <div className="card card-flush" role="region" aria-label={texts.analysis.why} tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>{texts.analysis.study}</th>
              <th>{texts.analysis.about}</th>
              <th>{texts.analysis.why}</th>
              <th>{texts.analysis.mend}</th>
            </tr>
          </thead>
          <tbody>
            {refused.map((one) => (
              <tr key={`${one.ordinal}~${one.row}~${one.field}~${one.about}`}>
                <td>{one.study}</td>
                <td>{one.about}</td>
                <td>{texts.notice(one.why)}</td>
                <td>
                  <Link to={addressOf(taskId, one)}>{one.field || one.row}</Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
