import type { Template } from "../../api/template";
import { fieldsOf } from "../../api/template";
import type { Present } from "../../api/people";
import { useLanguage } from "../../texts";
import { placeOf } from "./rows";

/** Who else has this page open, and the field they look at. */
export function PresentPeople({ present, template }: { present: Present[]; template: Template }) {
  const { texts, language } = useLanguage();
  const t = texts.people;
  if (present.length === 0) return null;
  const where = (one: Present) => {
    const place = placeOf(one.place);
    const field = place && fieldsOf(template).find((other) => other.id === place.field);
    return field ? t.presentAt(one.name, field.label[language]) : t.presentSomewhere(one.name);
  };
  return (
    <ul className="present" aria-label={t.present}>
      {present.map((one) => (
        <li key={one.account_id} title={where(one)}>
          <span aria-hidden="true">{one.name.slice(0, 1).toUpperCase()}</span>
          <span className="unseen">{where(one)}</span>
        </li>
      ))}
    </ul>
  );
}
