/** The quote, with the words marked that the source's lines do not have. Without a source, the quote alone. */
export function Compared({ quote, source }: { quote: string; source: string }) {
  if (!source) return <>{quote}</>;
  const left = new Map<string, number>();
  for (const word of wordsOf(source)) left.set(word, (left.get(word) ?? 0) + 1);
  const joined = wordsOf(source).join("");
  return (
    <>
      {quote.split(/(\s+)/).map((part, at) => {
        const word = plain(part);
        const count = left.get(word) ?? 0;
        if (count > 0) left.set(word, count - 1);
        // A word that the page breaks in two, or two that it runs together, is no difference.
        const isThere = word === "" || count > 0 || joined.includes(word);
        return isThere ? part : <mark key={at}>{part}</mark>;
      })}
    </>
  );
}

const wordsOf = (text: string) => text.split(/\s+/).map(plain).filter(Boolean);
const plain = (word: string) =>
  word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.%]+/gu, "")
    .replace(/^\.+|\.+$/g, "");
