import type { Mark as Name } from "../api/judge";
import { useTexts } from "../texts";

const SHAPES: Record<Name, string> = {
  verified: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z",
  verified_fuzzy: "M8 2a6 6 0 0 0 0 12z",
  unbound: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.5M8 11v.5",
  number_mismatch: "M8 2l7 12H1z",
  polarity_mismatch: "M8 14L1 2h14z",
  unsupported_value: "M8 1l7 7-7 7-7-7z",
  quote_not_found: "M3 3l10 10M13 3L3 13",
  no_quote: "M8 1l7 7-7 7-7-7z",
  failed: "M2 2h12v12H2zM5 5l6 6M11 5l-6 6",
  not_reported: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z",
  not_applicable: "M3 13L13 3",
  unclear: "M5 5.5C5 2 11 2 11 5.5 11 8 8 7.5 8 10M8 13.5v.5",
  open: "M4 8h8",
  computed: "M3.5 6h9M3.5 10h9",
  rejected: "M4 4l8 8M12 4l-8 8M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z",
  given: "M8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2.5 14c.6-3 2.6-4 5.5-4s4.9 1 5.5 4",
};
const FILLED: ReadonlySet<Name> = new Set<Name>([
  "verified",
  "verified_fuzzy",
  "number_mismatch",
  "polarity_mismatch",
  "unsupported_value",
]);

/** A verdict as a shape with a colour: whoever sees no colours sees the shape, whoever sees neither hears the words. */
export function Mark({ name, size = 12 }: { name: Name; size?: number }) {
  const texts = useTexts();
  return (
    <svg
      className={`mark mark-${name}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      role="img"
      aria-label={texts.table.marks[name]}
    >
      {name === "verified_fuzzy" && (
        <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      )}
      <path
        d={SHAPES[name]}
        fill={FILLED.has(name) ? "currentColor" : "none"}
        stroke={FILLED.has(name) ? "none" : "currentColor"}
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      {name === "verified" && (
        <path d="M5.2 8.2l2 2 3.6-4" stroke="var(--card)" strokeWidth="1.6" fill="none" strokeLinecap="round" />
      )}
    </svg>
  );
}

export function FlagMark({ size = 12 }: { size?: number }) {
  const texts = useTexts();
  return (
    <svg
      className="mark mark-flag"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      role="img"
      aria-label={texts.table.flagged}
    >
      <path
        d="M3 15V2h10l-2 3.5L13 9H3"
        fill="currentColor"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  );
}

const HANDS: Record<string, string> = {
  accepted: "M4.2 8.4l2.6 2.6 5-5.6",
  edited: "M4.6 11.4l.6-2.4 4.6-4.6 1.8 1.8-4.6 4.6z",
  rejected: "M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4",
};

/** That a person has decided, and how: a sign in a square, where verdicts are plain shapes. */
export function ReviewMark({ action, isOutdated, size = 14 }: { action: string; isOutdated: boolean; size?: number }) {
  const texts = useTexts();
  const label = `${isOutdated ? texts.review.outdatedMark : texts.review.reviewedMark}: ${texts.review.actions[action] ?? action}`;
  return (
    <svg
      className={isOutdated ? "hand hand-outdated" : "hand"}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      role="img"
      aria-label={label}
    >
      <rect
        x="1"
        y="1"
        width="14"
        height="14"
        rx="3.5"
        fill={isOutdated ? "none" : "currentColor"}
        stroke="currentColor"
        strokeWidth="1.4"
        strokeDasharray={isOutdated ? "2.4 2" : undefined}
      />
      <path
        d={HANDS[action] ?? HANDS.accepted}
        fill="none"
        stroke={isOutdated ? "currentColor" : "var(--card)"}
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
