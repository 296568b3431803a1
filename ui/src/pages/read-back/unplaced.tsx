import type { Unplaced as Row } from "../../api/read-back";
import { useTexts } from "../../texts";

/** What nothing is done about: each row, or sheet, with the reason. */
export function Unplaced({ unplaced }: { unplaced: Row[] }) {
  const texts = useTexts();
  const t = texts.readBack;
  return (
    <section className="part">
      <h2>{t.unplaced(unplaced.length)}</h2>
      <div className="card card-flush" role="region" aria-label={t.why} tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>{t.place}</th>
              <th>{t.column}</th>
              <th>{t.says}</th>
              <th>{t.why}</th>
            </tr>
          </thead>
          <tbody>
            {unplaced.map((one) => (
              <tr key={`${one.sheet}~${one.line}~${one.column}~${one.text}~${one.why.message}`}>
                <td>
                  {one.sheet} {one.line > 0 && one.line}
                </td>
                <td>{one.column && <code>{one.column}</code>}</td>
                <td>{one.text}</td>
                <td>{texts.notice(one.why)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
