import { ActionIcon, Button, CopyButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { type Finding, type Flag, type Rectangle, type Result, type Task, api } from "../../api/client";
import { lookAt, markOf } from "../../api/judge";
import { blank } from "../../api/decisions";
import { type Field, type Template, fieldsOf, shown, unitOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { FlagMark, Mark } from "../../components/mark";
import { useLanguage, useTexts } from "../../texts";
import { Compared } from "./compared";
import { History } from "./history";
import { PageView } from "./page-view";
import { type PdfPage, linesIn } from "./pdf";
import { ReviewPanel } from "./review-panel";
import { type Place, isSamePlace } from "./rows";

interface Props {
  task: Task;
  template: Template;
  results: Result[];
  place: Place;
  order: Place[];
  step: (place: Place) => void;
  close: () => void;
  help: () => void;
}

/** One cell with its proof: the page on one side, what was found and what the question was on the other. */
export function Drawer({ task, template, results, place, order, step, close, help }: Props) {
  const texts = useTexts();
  const result = results.find((one) => one.ordinal === place.ordinal);
  const field = useMemo(() => fieldsOf(template).find((one) => one.id === place.field), [template, place.field]);
  const finding = useMemo(() => {
    if (!result || !field || result.state !== "completed") return undefined;
    const isRow =
      place.row === ""
        ? field.scope === "study"
        : result.rows.some((row) => row.key === place.row && row.scope === field.scope);
    return lookAt(result).finding(place.row, place.field) ?? (isRow ? blank(place) : undefined);
  }, [result, field, place]);
  const at = order.findIndex((one) => isSamePlace(one, place));
  const [jump, setJump] = useState(0);

  const go = (by: number) => {
    const next = order[at < 0 ? 0 : at + by];
    if (next) step(next);
  };
  const goDocument = (by: number) => {
    const from = at < 0 ? 0 : at;
    for (let one = from + by; one >= 0 && one < order.length; one += by) {
      const next = order[one];
      if (next && next.ordinal !== place.ordinal) return step(next);
    }
  };
  // A dialog above the drawer has the keys for itself.
  const here = (act: () => void) => () => {
    if (!document.querySelector("[role=dialog]")) act();
  };
  useHotkeys([
    ["j", here(() => go(1))],
    ["k", here(() => go(-1))],
    ["shift+j", here(() => goDocument(1))],
    ["shift+k", here(() => goDocument(-1))],
    ["g", here(() => setJump((old) => old + 1))],
    // With something to review, the panel knows what is closed first.
    ["Escape", here(() => finding || close())],
  ]);
  return (
    <aside className="drawer" aria-label={texts.drawer.label}>
      <header className="drawer-head">
        <Button
          size="xs"
          variant="default"
          onClick={() => go(-1)}
          disabled={at <= 0}
          leftSection={<Icon name="left" size={12} />}
        >
          {texts.drawer.previous} <kbd>K</kbd>
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => go(1)}
          disabled={at >= order.length - 1}
          rightSection={<Icon name="right" size={12} />}
        >
          {texts.drawer.next} <kbd>J</kbd>
        </Button>
        <span className="dim">{at >= 0 ? texts.drawer.position(at + 1, order.length) : ""}</span>
        <span className="spacer" />
        <Button
          size="xs"
          variant="default"
          disabled={!finding?.spans.length}
          onClick={() => setJump((old) => old + 1)}
          leftSection={<Icon name="target" size={13} />}
        >
          {texts.drawer.go} <kbd>G</kbd>
        </Button>
        <Button size="xs" variant="default" className="with-keys" onClick={help} aria-label={texts.keys.title}>
          <kbd className="kbd-alone">?</kbd>
        </Button>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.drawer.close} onClick={close}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      {result && field && finding ? (
        <Evidence task={task} template={template} result={result} field={field} finding={finding} jump={jump}>
          <ReviewPanel
            task={task}
            results={results}
            field={field}
            finding={finding}
            place={place}
            order={order}
            step={step}
            close={close}
          />
        </Evidence>
      ) : (
        <p className="pad dim">{texts.table.noMatch}</p>
      )}
    </aside>
  );
}

interface EvidenceProps {
  task: Task;
  template: Template;
  result: Result;
  field: Field;
  finding: Finding;
  jump: number;
  children: ReactNode;
}

function Evidence({ task, template, result, field, finding, jump, children }: EvidenceProps) {
  const first = finding.spans[0]?.page ?? 0;
  const key = `${result.ordinal} ${finding.row} ${finding.field}`;
  const [seen, setSeen] = useState({ key, page: first });
  const page = seen.key === key ? seen.page : first;
  const [drawn, setDrawn] = useState<PdfPage | null>(null);
  const boxes = useQueries({
    queries: finding.spans.map((span) => ({
      queryKey: ["rectangles", task.task_id, result.ordinal, span.page, span.start, span.end],
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get("/api/v1/extraction/tasks/{task_id}/results/{ordinal}/rectangles", {
          path: { task_id: task.task_id, ordinal: result.ordinal },
          query: { page: span.page, start: span.start, end: span.end },
          signal,
        }),
    })),
    combine: useCallback((all: { data: Rectangle[] | undefined }[]) => all.map((one) => one.data), []),
  });
  const here = useMemo(
    () => finding.spans.flatMap((span, at) => (span.page === page ? (boxes[at] ?? []) : [])),
    [finding.spans, boxes, page],
  );
  // G brings back the page of the quote, wherever the reader has turned to.
  useEffect(() => {
    if (jump > 0) setSeen({ key, page: first });
  }, [jump, key, first]);
  const [lines, setLines] = useState("");
  useEffect(() => {
    setLines("");
    if (!drawn || here.length === 0 || drawn.pageNumber !== page + 1) return;
    let isOver = false;
    linesIn(drawn, here).then(
      (text) => {
        if (!isOver) setLines(text);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [drawn, here, page]);
  return (
    <div className="drawer-body">
      <PageView
        key={result.document_id}
        result={result}
        page={page}
        setPage={(next) => setSeen({ key, page: next })}
        rectangles={here}
        jump={jump}
        onPage={setDrawn}
      />
      <div className="details-side">
        <Details task={task} template={template} result={result} field={field} finding={finding} lines={lines} />
        {children}
      </div>
    </div>
  );
}

function Details(props: {
  task: Task;
  template: Template;
  result: Result;
  field: Field;
  finding: Finding;
  lines: string;
}) {
  const { texts, language } = useLanguage();
  const { task, template, result, field, finding, lines } = props;
  const mark = markOf(finding);
  const section = template.sections.find((one) => one.fields.includes(field));
  const row = result.rows.find((one) => one.key === finding.row);
  const flags = lookAt(result).flags(finding.row, field.id);
  const messageOf = (flag: Flag) =>
    texts.notice(flag.message, template.checks.find((one) => one.id === flag.rule)?.message);
  const value = shown(finding.value, field, language);
  const was = finding.extracted;
  const source = finding.source === "reviewer" ? (was?.source ?? "") : finding.source;
  const noValue =
    mark === "open" && !finding.review
      ? texts.drawer.noValue
      : (texts.table.short[finding.state] ?? texts.drawer.noValue);
  return (
    <div className="details">
      <p className="details-path dim">
        {section?.label[language]}
        {row && (
          <>
            {" "}
            · <bdi>{row.label}</bdi>
          </>
        )}
      </p>
      <h2>{field.label[language]}</h2>
      {finding.state !== "" && (
        <div className={`verdict verdict-${mark}`} data-testid="verdict">
          <Mark name={mark} size={14} /> {texts.table.marks[mark]}
        </div>
      )}
      {flags.map((flag) => (
        <div key={flag.rule} className="verdict verdict-flag">
          <FlagMark size={14} /> {messageOf(flag)}
        </div>
      ))}
      <h3>{texts.drawer.value}</h3>
      <p className="details-value" data-testid="value">
        {value ? <bdi>{value}</bdi> : <span className="dim">{noValue}</span>}
        {value && (field.type === "int" || field.type === "float") && unitOf(field) && (
          <span className="tag">{unitOf(field)}</span>
        )}
      </p>
      {was && (
        <p className="details-was" data-testid="extracted">
          {texts.review.extracted}:{" "}
          <s>{shown(was.value, field, language) || (texts.table.short[was.state] ?? was.state)}</s>
          {mark === "given" && was.state === "reported" && (
            <> ({texts.table.marks[finding.verdict as keyof typeof texts.table.marks]})</>
          )}
        </p>
      )}
      {finding.note && (
        <>
          <h3>{texts.drawer.note}</h3>
          <p className="plain">{texts.notice(finding.note)}</p>
        </>
      )}
      <h3>
        {texts.drawer.quote}
        {finding.spans[0] && <span className="dim"> {texts.drawer.pageOf(finding.spans[0].page + 1)}</span>}
        {finding.spans.length > 1 && <span className="dim"> · {texts.drawer.places(finding.spans.length)}</span>}
        {finding.quote && (
          <CopyButton value={finding.quote}>
            {({ copied, copy }) => (
              <ActionIcon size="xs" variant="subtle" color="gray" aria-label={texts.drawer.copyQuote} onClick={copy}>
                <Icon name={copied ? "check" : "copy"} size={12} />
              </ActionIcon>
            )}
          </CopyButton>
        )}
      </h3>
      {finding.quote ? (
        <blockquote data-testid="quote">
          <Compared quote={finding.quote} source={lines} />
        </blockquote>
      ) : (
        <p className="dim">{texts.drawer.noQuote}</p>
      )}
      {finding.spans.length > 0 && (
        <>
          <h3 title={texts.drawer.sourceHow}>{texts.drawer.source}</h3>
          {/* Until the page is read, the quote keeps the room that its lines will take. */}
          <blockquote className={lines ? "source" : "source source-later"} aria-hidden={!lines}>
            <span>{lines || finding.quote}</span>
          </blockquote>
        </>
      )}
      <h3>{texts.drawer.checks}</h3>
      {flags.length === 0 ? (
        <p className="dim">{texts.drawer.noChecks}</p>
      ) : (
        flags.map((flag) => (
          <p key={flag.rule} className="plain">
            {messageOf(flag)}
          </p>
        ))
      )}
      <h3>{texts.drawer.instruction}</h3>
      <p className="plain dim">{field.instruction || "—"}</p>
      {source && (
        <>
          <h3>{texts.drawer.from}</h3>
          <p className="plain dim">
            {source === "embedded" ? texts.drawer.embedded : source === "computed" ? texts.drawer.computed : source}
          </p>
        </>
      )}
      <History task={task} result={result} field={field} row={finding.row} />
    </div>
  );
}
