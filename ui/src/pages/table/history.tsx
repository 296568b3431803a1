import type { Result, Task } from "../../api/client";
import { useHistory } from "../../api/reviews";
import { type Field, shown } from "../../api/template";
import { ReviewMark } from "../../components/mark";
import { moment, useLanguage } from "../../texts";

/** Every decision about a cell there ever was, the last one first. Empty as long as there is none. */
export function History({ task, result, field, row }: { task: Task; result: Result; field: Field; row: string }) {
  const { texts, language } = useLanguage();
  const history = useHistory(task.task_id, result.ordinal, row, field.id);
  if (!history.data?.length) return null;
  return (
    <>
      <h3>{texts.review.history}</h3>
      <ol className="history" data-testid="history">
        {[...history.data].reverse().map((one) => (
          <li key={one.revision}>
            {one.action === "withdrawn" ? (
              <span className="history-back">↺</span>
            ) : (
              <ReviewMark action={one.action} isOutdated={false} />
            )}
            <div>
              <b>{texts.review.actions[one.action]}</b>
              {one.value !== null && (
                // What runs from right to left must not turn the name and the time around.
                <>
                  {" "}
                  · <bdi>{shown(one.value, field, language)}</bdi>
                </>
              )}
              <span className="dim"> {texts.review.by(one.by, moment(one.at, language))}</span>
              {one.note && (
                <p className="plain" dir="auto">
                  {one.note}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
