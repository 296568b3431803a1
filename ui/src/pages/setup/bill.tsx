import { Alert, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { type Document, type Schemas } from "../../api/client";
import { useEstimate, useModel } from "../../api/queries";
import type { Field, Template } from "../../api/template";
import { Icon, type IconName } from "../../components/icon";
import { Refusal } from "../../components/states";
import { compact, count, duration, useLanguage, useTexts } from "../../texts";

// So many documents make a trial. More cost more before one has seen anything; fewer show little.
export const PILOT = 3;

interface Props {
  template: Template | undefined;
  fields: Field[];
  chosen: Document[];
  cap: number | string;
  request: Schemas["AskEstimate"] | null;
  reason: string | null;
  isStarting: boolean;
  error: unknown;
  start: () => void;
  tryFirst: () => void;
}

/** What the task is about and what it will take, beside the button that starts it. */
export function Bill(props: Props) {
  const { texts, language } = useLanguage();
  const t = texts.setup;
  const { template, chosen, cap } = props;
  const isEmbedded = useModel().data?.model === null;
  const estimate = useEstimate(props.request);
  const found = props.request && estimate.data && estimate.data.documents > 0 ? estimate.data : null;
  const pages = chosen.reduce((all, one) => all + one.page_count, 0);
  return (
    <aside className="bill card" aria-label={t.bill}>
      <h2>{t.bill}</h2>
      <dl>
        <Line name={t.billTemplate}>
          {template ? template.label[language] : "—"}
          {template && <span className="dim"> {t.version(template.version)}</span>}
        </Line>
        <Line name={t.billFields}>{props.fields.length}</Line>
        <Line name={t.billDocuments} testId="bill-documents">
          {count(chosen.length)}
        </Line>
        <Line name={t.billPages}>{count(pages)}</Line>
      </dl>
      <Amounts found={found} cap={cap} isBusy={estimate.isFetching} />
      {estimate.isError && props.request && <Refusal error={estimate.error} />}
      {found && !isEmbedded && <p className="dim bill-note">{t.billNote}</p>}
      <Warnings chosen={chosen} isCapLow={isCapLow(cap, found?.cost ?? null)} />
      <Starts {...props} />
      <p className="bill-reason" role="status">
        {props.reason ?? t.locked}
      </p>
      <Refusal error={props.error} />
    </aside>
  );
}

type Estimate = NonNullable<ReturnType<typeof useEstimate>["data"]>;

/** Calls, tokens, cost and time, each from the least to the most; the embedded rules make no calls. */
export function Amounts({ found, cap, isBusy }: { found: Estimate | null; cap: number | string; isBusy: boolean }) {
  const { texts, language } = useLanguage();
  const t = texts.setup;
  const model = useModel();
  const isEmbedded = model.data?.model === null;
  return (
    <dl className="bill-estimate" aria-busy={isBusy}>
      {!isEmbedded && (
        <>
          <Line name={t.billCalls} testId="bill-calls">
            {found ? span(found.calls, (n) => count(Math.round(n))) : "—"}
          </Line>
          <Line name={t.billTokens} testId="bill-tokens">
            {found ? span(sum(found.tokens_in, found.tokens_out), (n) => compact(n, language)) : "—"}
          </Line>
        </>
      )}
      <Line name={t.billCost} testId="bill-cost">
        {isEmbedded ? t.billFree : found ? costOf(found, t.billUnpriced) : "—"}
      </Line>
      <Line name={t.billTime} testId="bill-time">
        {found ? span(found.seconds, (n) => duration(n, texts)) : "—"}
      </Line>
      {!isEmbedded && (
        <Line name={t.billCap}>{cap === "" ? t.noCap : `${cap} ${model.data?.price?.currency ?? ""}`}</Line>
      )}
    </dl>
  );
}

const isCapLow = (cap: number | string, cost: Range | null) => cost !== null && cap !== "" && Number(cap) < cost.low;

const costOf = (found: Estimate, unpriced: string) =>
  found.cost ? `${span(found.cost, money)} ${found.cost.currency}` : unpriced;

/** What somebody should know of the choice before it is started. */
function Warnings({ chosen, isCapLow }: { chosen: Document[]; isCapLow: boolean }) {
  const t = useTexts().setup;
  const unreadable = chosen.filter((one) => one.state === "problem" || one.state === "failed").length;
  const unread = chosen.filter((one) => one.state === "unread").length;
  const twice = chosen.length - new Set(chosen.map((one) => one.sha256)).size;
  return (
    <>
      {isCapLow && <Warning text={t.warnCap} />}
      {unreadable > 0 && <Warning text={t.warnUnreadable(unreadable)} />}
      {twice > 0 && <Warning text={t.warnTwice(twice)} icon="copy" />}
      {unread > 0 && <p className="dim">{t.warnUnread(unread)}</p>}
    </>
  );
}

function Warning({ text, icon = "warning" }: { text: string; icon?: IconName }) {
  return (
    <Alert color="orange" icon={<Icon name={icon} />} p="xs">
      {text}
    </Alert>
  );
}

/** Starts all of it, or first a few where there are more. */
function Starts({ chosen, reason, isStarting, start, tryFirst }: Props) {
  const t = useTexts().setup;
  return (
    <>
      <Button
        size="md"
        fullWidth
        disabled={reason !== null}
        loading={isStarting}
        leftSection={<Icon name="play" />}
        onClick={start}
      >
        {t.start}
      </Button>
      {chosen.length > PILOT && (
        <Button
          variant="light"
          size="sm"
          fullWidth
          disabled={reason !== null || isStarting}
          onClick={tryFirst}
          title={t.pilotHow}
        >
          {t.pilot(PILOT)}
        </Button>
      )}
    </>
  );
}

export function Line({ name, testId, children }: { name: string; testId?: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd data-testid={testId}>{children}</dd>
    </>
  );
}

interface Range {
  low: number;
  high: number;
}

const sum = (one: Range, other: Range): Range => ({ low: one.low + other.low, high: one.high + other.high });

/** From the low to the high number; once, where they read the same. */
function span(range: Range, format: (n: number) => string): string {
  const low = format(range.low);
  const high = format(range.high);
  return low === high ? low : `${low} – ${high}`;
}

const money = (amount: number) =>
  amount < 0.01 ? amount.toFixed(4) : amount < 10 ? amount.toFixed(2) : count(Math.round(amount));
