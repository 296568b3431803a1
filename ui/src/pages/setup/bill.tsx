import { Alert, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { type Document, type Schemas } from "../../api/client";
import { useEstimate, useModel } from "../../api/queries";
import type { Field, Template } from "../../api/template";
import { Icon } from "../../components/icon";
import { Refusal } from "../../components/states";
import { count, duration, useLanguage } from "../../texts";

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
  const model = useModel();
  const estimate = useEstimate(props.request);
  const found = props.request && estimate.data && estimate.data.documents > 0 ? estimate.data : null;
  const unreadable = chosen.filter((one) => one.state === "problem" || one.state === "failed").length;
  const unread = chosen.filter((one) => one.state === "unread").length;
  const twice = chosen.length - new Set(chosen.map((one) => one.sha256)).size;
  const pages = chosen.reduce((sum, one) => sum + one.page_count, 0);
  const isEmbedded = model.data?.model === null;
  const isCapLow = found?.cost && cap !== "" && Number(cap) < found.cost.low;
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
      <dl className="bill-estimate" aria-busy={estimate.isFetching}>
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
          {isEmbedded
            ? t.billFree
            : !found
              ? "—"
              : found.cost
                ? `${span(found.cost, money)} ${found.cost.currency}`
                : t.billUnpriced}
        </Line>
        <Line name={t.billTime} testId="bill-time">
          {found ? span(found.seconds, (n) => duration(n, texts)) : "—"}
        </Line>
        {!isEmbedded && (
          <Line name={t.billCap}>{cap === "" ? t.noCap : `${cap} ${model.data?.price?.currency ?? ""}`}</Line>
        )}
      </dl>
      {estimate.isError && props.request && <Refusal error={estimate.error} />}
      {found && !isEmbedded && <p className="dim bill-note">{t.billNote}</p>}
      {isCapLow && (
        <Alert color="orange" icon={<Icon name="warning" />} p="xs">
          {t.warnCap}
        </Alert>
      )}
      {unreadable > 0 && (
        <Alert color="orange" icon={<Icon name="warning" />} p="xs">
          {t.warnUnreadable(unreadable)}
        </Alert>
      )}
      {twice > 0 && (
        <Alert color="orange" icon={<Icon name="copy" />} p="xs">
          {t.warnTwice(twice)}
        </Alert>
      )}
      {unread > 0 && <p className="dim">{t.warnUnread(unread)}</p>}
      <Button
        size="md"
        fullWidth
        disabled={props.reason !== null}
        loading={props.isStarting}
        leftSection={<Icon name="play" />}
        onClick={props.start}
      >
        {t.start}
      </Button>
      {chosen.length > PILOT && (
        <Button
          variant="light"
          size="sm"
          fullWidth
          disabled={props.reason !== null || props.isStarting}
          onClick={props.tryFirst}
          title={t.pilotHow}
        >
          {t.pilot(PILOT)}
        </Button>
      )}
      <p className="bill-reason" role="status">
        {props.reason ?? t.locked}
      </p>
      <Refusal error={props.error} />
    </aside>
  );
}

function Line({ name, testId, children }: { name: string; testId?: string; children: ReactNode }) {
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

const compact = (n: number, language: string) =>
  new Intl.NumberFormat(language === "zh" ? "zh-CN" : "en", {
    notation: "compact",
    maximumSignificantDigits: 2,
  }).format(n);
