import { useEffect, useRef } from "react";
import type { Result } from "../../api/client";
import { RISKS, type Waiting } from "../../api/queue";
import { type Template, fieldsOf } from "../../api/template";
import { count, useLanguage } from "../../texts";
import { type Place, isSamePlace, placeText, rowNames } from "../table/rows";

// So many cells of a risk are drawn. More would be slow to draw, and nobody reads a list of thousands.
const MOST_DRAWN = 60;

interface Props {
  results: Result[];
  template: Template;
  waiting: Waiting[];
  place: Place;
  choose: (place: Place) => void;
}

/** What waits, by why it does. */
export function QueueList({ results, template, waiting, place, choose }: Props) {
  const { texts, language } = useLanguage();
  const fields = new Map(fieldsOf(template).map((one) => [one.id, one]));
  const here = useRef<HTMLButtonElement>(null);
  const at = placeText(place);
  useEffect(() => {
    // Browsers return a promise from this, which is no way to end an effect.
    here.current?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <nav className="conflict-list" aria-label={texts.queue.title}>
      {RISKS.map((risk) => {
        const all = waiting.filter((one) => one.risk === risk);
        // Around the cell that is open, so that it is always among those that are drawn.
        const from = Math.max(0, all.findIndex((one) => isSamePlace(one, place)) - MOST_DRAWN / 2);
        return (
          all.length > 0 && (
            <section key={risk} aria-label={texts.queue.risks[risk]}>
              <h3 className="queue-risk">
                {texts.queue.risks[risk]} <span className="dim">{count(all.length)}</span>
              </h3>
              {all.slice(from, from + MOST_DRAWN).map((one) => {
                const result = results.find((other) => other.ordinal === one.ordinal);
                const row = result?.rows.find((other) => other.key === one.row);
                const isHere = isSamePlace(one, place);
                return (
                  <button
                    key={placeText(one)}
                    ref={isHere ? here : undefined}
                    type="button"
                    aria-current={isHere}
                    onClick={() => choose(one)}
                  >
                    <b>{fields.get(one.field)?.label[language] ?? one.field}</b>
                    {row && result && <bdi className="dim">{rowNames(row, result, texts).join(" · ")}</bdi>}
                    <span className="dim">{result?.file_name}</span>
                  </button>
                );
              })}
              {all.length > MOST_DRAWN && <p className="dim pad">{texts.queue.more(all.length - MOST_DRAWN)}</p>}
            </section>
          )
        );
      })}
    </nav>
  );
}
