import { Link } from "react-router";
import { useMentions } from "../../api/people";
import { moment, useLanguage } from "../../texts";
import { placeText } from "../table/rows";

/** Open remarks that mention whoever looks, each with the way to its cell. Nothing, where there is none. */
export function Mentions() {
  const { texts, language } = useLanguage();
  const mentions = useMentions();
  if (!mentions.data?.length) return null;
  return (
    <section className="card people-card" aria-label={texts.people.mentions}>
      <h2>{texts.people.mentions}</h2>
      <ul className="people-list">
        {mentions.data.map((one) => (
          <li key={one.comment_id}>
            <span>
              <b>{one.author}</b>{" "}
              <Link to={`/tasks/${one.task_id}/table?cell=${encodeURIComponent(placeText(one))}`}>
                {one.text.slice(0, 160)}
              </Link>{" "}
              <span className="dim">
                {one.file_name}, {moment(one.made_at, language)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
