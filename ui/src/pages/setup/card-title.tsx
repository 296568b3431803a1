/** The numbered title of a card. */
export function CardTitle({ number, title }: { number: number; title: string }) {
  return (
    <h2 className="card-title">
      <b>{number}</b> {title}
    </h2>
  );
}
