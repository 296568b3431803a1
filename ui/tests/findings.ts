import type { Finding, Result } from "../src/api/client";
import { blank } from "../src/api/decisions";

/** A reported value with a verified quote, changed as a test wants it. */
export const finding = (part: Partial<Finding> = {}): Finding => ({
  ...blank({ row: "", field: "title" }),
  state: "reported",
  value: "A trial",
  quote: "A trial",
  verdict: "verified",
  source: "model",
  mark: "verified",
  ...part,
});

export const review = (part: Partial<NonNullable<Finding["review"]>> = {}): NonNullable<Finding["review"]> => ({
  revision: 1,
  action: "accepted",
  value: null,
  note: "",
  by: "ann",
  at: "2026-01-01T00:00:00Z",
  is_outdated: false,
  has_cell: false,
  checked_by: null,
  passage: null,
  ...part,
});

/** A completed document with these findings. */
export const result = (findings: Finding[], part: Partial<Result> = {}): Result => ({
  ordinal: 0,
  document_id: 1,
  file_name: "paper.pdf",
  sha256: "",
  study: "",
  study_id: 0,
  state: "completed",
  problem: null,
  rows: [],
  findings,
  flags: [],
  arms: [],
  checks_version: 2,
  ...part,
});
