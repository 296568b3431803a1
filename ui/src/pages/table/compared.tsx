/** The quote, with what the source's lines do not have marked in it. Without a source, the quote alone. */
export function Compared({ quote, source }: { quote: string; source: string }) {
  if (!source) return <>{quote}</>;
  const left = new Map<string, number>();
  for (const one of partsOf(source)) left.set(one, (left.get(one) ?? 0) + 1);
  const joined = partsOf(source).join("");
  return (
    <>
      {quote.split(/(\s+)/).map((part, at) => {
        const term = plain(part);
        const count = left.get(term) ?? 0;
        if (count > 0) left.set(term, count - 1);
        // What the page breaks in two, or runs together, is no difference.
        const isThere = term === "" || count > 0 || joined.includes(term);
        return isThere ? part : <mark key={at}>{part}</mark>;
      })}
    </>
  );
}

const partsOf = (text: string) => text.split(/\s+/).map(plain).filter(Boolean);
const plain = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.%]+/gu, "")
    .replace(/^\.+|\.+$/g, "");
