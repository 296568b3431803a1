import { Link } from "react-router";
import type { Analysis } from "../../api/analysis";
import { useTexts } from "../../texts";
import { addressOf } from "./address";

type Row = Analysis["computed"][number];

/** Numbers that no paper prints: each with its formula, where that was published, and what went into it. */
export function Computed({ computed, taskId }: { computed: Row[]; taskId: number }) {
  const texts = useTexts();
  const t = texts.analysis;
  return (
    <section className="part">
      <h2>{t.computed(computed.length)}</h2>
      <div className="card card-flush" role="region" aria-label={t.computedLead} tabIndex={0}>
        <table className="list">
          <thead>
            <tr>
              <th>{t.study}</th>
              <th>{t.about}</th>
              <th>{t.number}</th>
              <th>{t.formula}</th>
              <th>{t.inputs}</th>
            </tr>
          </thead>
          <tbody>
            {computed.map((one) => (
              <tr key={`${one.ordinal}~${one.about}~${one.column}`}>
                <td>{one.study}</td>
                <td>{one.about}</td>
                <td>
                  <code>{one.column}</code> = {shortened(one.number)}
                </td>
                <td>
                  {one.formula} <span className="dim">{one.source}</span>
                </td>
                <td>
                  {one.inputs.map((input) => (
                    <div key={`${input.row}~${input.field}`} title={input.quote}>
                      {input.row ? (
                        <Link to={addressOf(taskId, { ...input, ordinal: one.ordinal })}>{input.field}</Link>
                      ) : (
                        input.field
                      )}{" "}
                      = {input.printed}
                      {input.quote && <q className="dim">{input.quote}</q>}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Digits that help a reader; the file has all of them. */
const shortened = (number: string) => (number.length > 9 ? String(Number(Number(number).toPrecision(6))) : number);
