import type { Finding } from "./client";

const NUMBER = /[-−]?\d+(?:[.·]\d+)?/g;

const plain = (text: string) => text.replace("−", "-").replace("·", ".");

/**
 * A number as the paper prints it: 19.0 stays 19.0. JSON has one number for both, so the figures are looked up in the
 * quote: at the value's own place, or else wherever the quote has this number and writes it in one way only.
 */
export function printedOf(finding: Finding): string | undefined {
  const { value, quote } = finding;
  if (typeof value !== "number" || !quote || finding.source === "reviewer") return undefined;
  const isThis = (text: string) => Number(plain(text)) === value;
  const own = ownText(finding);
  if (own !== undefined) return numbersIn(own).find(isThis);
  const ways = new Set(numbersIn(quote).filter(isThis));
  return ways.size === 1 ? [...ways][0] : undefined;
}

const numbersIn = (text: string) => (text.match(NUMBER) ?? []).map(plain);

/** The value's own characters. Spans count in the page, so this needs a quote that stands there character by character. */
function ownText({ quote, spans, value_spans }: Finding): string | undefined {
  const [span, value] = [spans[0], value_spans[0]];
  if (!span || !value || spans.length > 1 || value_spans.length > 1 || span.page !== value.page) return undefined;
  if (quote.length !== span.end - span.start || value.start < span.start || value.end > span.end) return undefined;
  return quote.slice(value.start - span.start, value.end - span.start);
}
