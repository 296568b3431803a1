import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { type Finding, type Rectangle, type Result, type Span, type Task, api } from "../../api/client";

/** Boxes on one page: of the quote, and within it of the value's own characters and of the words that make it this value. */
export interface Boxes {
  quote: Rectangle[];
  value: Rectangle[];
  subject: Rectangle[];
  /** The cell that a value was read from, the labels of its row, its headers; and an area that a reader looks at. */
  cell?: Rectangle[];
  row?: Rectangle[];
  header?: Rectangle[];
  area?: Rectangle[];
}

const KINDS = ["quote", "value", "subject"] as const;

/** Where the characters of a finding stand on a page. */
export function useBoxes(task: Task, result: Result, finding: Finding, page: number): Boxes {
  const wanted = useMemo(() => {
    const spans: Record<(typeof KINDS)[number], Span[]> = {
      quote: finding.spans,
      value: finding.value_spans,
      subject: finding.subject_spans,
    };
    // What a person has pointed at stands in the place of what was extracted.
    const passage = finding.review && !finding.review.is_outdated ? finding.review.passage : null;
    if (passage) Object.assign(spans, { quote: [passage], value: [passage], subject: [] });
    return KINDS.flatMap((kind) => spans[kind].filter((span) => span.page === page).map((span) => ({ kind, span })));
  }, [finding, page]);
  const found = useQueries({
    queries: wanted.map(({ span }) => ({
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
  return useMemo(() => {
    const of = (kind: string) => wanted.flatMap((one, at) => (one.kind === kind ? (found[at] ?? []) : []));
    return { quote: of("quote"), value: of("value"), subject: of("subject") };
  }, [wanted, found]);
}
