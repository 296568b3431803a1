import { ActionIcon, CopyButton } from "@mantine/core";
import type { Finding, Flag, Result, Task } from "../../api/client";
import { lookAt } from "../../api/judge";
import { printedOf } from "../../api/printed";
import { type Field, type Template, shown, unitOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { FlagMark, Mark } from "../../components/mark";
import { useLanguage, useTexts } from "../../texts";
import { Beside } from "./beside";
import { Compared } from "./compared";
import { Comments } from "./comments";
import { History } from "./history";
import { rowNames } from "./rows";

interface Props {
  task: Task;
  template: Template;
  result: Result;
  field: Field;
  finding: Finding;
  lines: string;
}

export function Details({ task, template, result, field, finding, lines }: Props) {
  const { texts, language } = useLanguage();
  const section = template.sections.find((one) => one.fields.includes(field));
  const row = result.rows.find((one) => one.key === finding.row);
  const flags = lookAt(result).flags(finding.row, field.id);
  const messages = flags.map((flag) => ({ flag, text: texts.notice(flag.message, textOf(template, flag)) }));
  return (
    <div className="details">
      <p className="details-path dim">
        {section?.label[language]}
        {row && (
          <>
            {" · "}
            <bdi>{rowNames(row, result, texts).join(" · ")}</bdi>
          </>
        )}
      </p>
      <h2>{field.label[language]}</h2>
      <Verdict finding={finding} />
      {messages.map(({ flag, text }) => (
        <div key={flag.rule} className="verdict verdict-flag">
          <FlagMark size={14} /> {text}
        </div>
      ))}
      <Value field={field} finding={finding} />
      {finding.cell ? <FromCell finding={finding} cell={finding.cell} /> : <Quote finding={finding} lines={lines} />}
      <Beside task={task} result={result} field={field} finding={finding} />
      {finding.review?.passage && (
        <>
          <h3>{texts.point.from}</h3>
          <blockquote data-testid="passage">{finding.review.passage.text}</blockquote>
        </>
      )}
      <h3>{texts.drawer.checks}</h3>
      {messages.length === 0 && <p className="dim">{texts.drawer.noChecks}</p>}
      {messages.map(({ flag, text }) => (
        <p key={flag.rule} className="plain">
          {text}
        </p>
      ))}
      <h3>{texts.drawer.instruction}</h3>
      <p className="plain dim">{field.instruction || "—"}</p>
      <From finding={finding} />
      <Comments task={task} result={result} field={field} row={finding.row} />
      <History task={task} result={result} field={field} row={finding.row} />
    </div>
  );
}

const textOf = (template: Template, flag: Flag) => template.checks.find((one) => one.id === flag.rule)?.message;

/** What the code says: that the words stand in the paper is one thing, that the value is theirs another. */
function Verdict({ finding }: { finding: Finding }) {
  const texts = useTexts();
  if (finding.state === "") return null;
  const mark = finding.mark;
  const reason = mark === "unbound" && finding.reason ? texts.table.reasons[finding.reason] : undefined;
  return (
    <div className={`verdict verdict-${mark}`} data-testid="verdict">
      <Mark name={mark} size={14} />
      <div>
        {texts.table.marks[mark]}
        {reason && (
          <p className="plain" data-testid="reason">
            {reason}
          </p>
        )}
      </div>
    </div>
  );
}

function Value({ field, finding }: { field: Field; finding: Finding }) {
  const { texts, language } = useLanguage();
  const value = shown(finding.value, field, language, printedOf(finding));
  const was = finding.extracted;
  const verdict = texts.table.marks[finding.verdict as keyof typeof texts.table.marks];
  const isUnanswered = finding.mark === "open" && !finding.review;
  const nothing = field.scope === "question" ? texts.table.notFound : undefined;
  const none = isUnanswered ? nothing : texts.table.short[finding.state];
  return (
    <>
      <h3>{texts.drawer.value}</h3>
      <p className="details-value" data-testid="value">
        {value ? <bdi>{value}</bdi> : <span className="dim">{none ?? texts.drawer.noValue}</span>}
        {value && (field.type === "int" || field.type === "float") && unitOf(field) && (
          <span className="tag">{unitOf(field)}</span>
        )}
      </p>
      {was && (
        <p className="details-was" data-testid="extracted">
          {texts.review.extracted}:{" "}
          <s>{shown(was.value, field, language) || (texts.table.short[was.state] ?? was.state)}</s>
          {finding.source === "reviewer" && was.state === "reported" && <> ({verdict})</>}
        </p>
      )}
      {finding.note && (
        <>
          <h3>{texts.drawer.note}</h3>
          <p className="plain">{texts.notice(finding.note)}</p>
        </>
      )}
    </>
  );
}

function Quote({ finding, lines }: { finding: Finding; lines: string }) {
  const texts = useTexts();
  const [first, ...others] = finding.spans;
  return (
    <>
      <h3>
        {texts.drawer.quote}
        {first && <span className="dim"> {texts.drawer.pageOf(first.page + 1)}</span>}
        {others.length > 0 && <span className="dim"> · {texts.drawer.places(finding.spans.length)}</span>}
        {finding.quote && <CopyQuote quote={finding.quote} />}
      </h3>
      {finding.quote ? (
        <blockquote data-testid="quote">
          <Compared quote={finding.quote} source={lines} />
        </blockquote>
      ) : (
        <p className="dim">{texts.drawer.noQuote}</p>
      )}
      {first && (
        <>
          <h3 title={texts.drawer.sourceHow}>{texts.drawer.source}</h3>
          {/* Until the page is read, the quote keeps the room that its lines will take. */}
          <blockquote className={lines ? "source" : "source source-later"} aria-hidden={!lines}>
            <span>{lines || finding.quote}</span>
          </blockquote>
        </>
      )}
    </>
  );
}

/** The cell that the value was read from, with the labels of its row and its column. */
function FromCell({ finding, cell }: { finding: Finding; cell: NonNullable<Finding["cell"]> }) {
  const t = useTexts().tables;
  const isTaken = finding.review?.has_cell === true;
  return (
    <>
      <h3>
        {cell.label || t.unnamed} <span className="dim">{t.pageOf(cell.page + 1)}</span>
      </h3>
      <dl className="from-cell" data-testid="from-cell">
        <dt>{t.row}</dt>
        <dd>{cell.row_path.join(" › ") || "—"}</dd>
        <dt>{t.column}</dt>
        <dd>{cell.column_path.join(" › ") || "—"}</dd>
        {!isTaken && (
          <>
            <dt>{t.cell}</dt>
            <dd>
              <b>{finding.quote}</b>
            </dd>
          </>
        )}
      </dl>
      {isTaken && <p className="dim">{t.taken}</p>}
    </>
  );
}

function CopyQuote({ quote }: { quote: string }) {
  const texts = useTexts();
  return (
    <CopyButton value={quote}>
      {({ copied, copy }) => (
        <ActionIcon size="xs" variant="subtle" color="gray" aria-label={texts.drawer.copyQuote} onClick={copy}>
          <Icon name={copied ? "check" : "copy"} size={12} />
        </ActionIcon>
      )}
    </CopyButton>
  );
}

function From({ finding }: { finding: Finding }) {
  const texts = useTexts();
  const source = finding.source === "reviewer" ? (finding.extracted?.source ?? "") : finding.source;
  if (!source) return null;
  const names: Record<string, string> = { embedded: texts.drawer.embedded, computed: texts.drawer.computed };
  return (
    <>
      <h3>{texts.drawer.from}</h3>
      <p className="plain dim">{names[source] ?? source}</p>
    </>
  );
}
