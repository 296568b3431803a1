/** Where a cell stands in the table of the task. */
export function addressOf(taskId: number, { ordinal, row, field }: { ordinal: number; row: string; field: string }) {
  const scope = row.split("/")[0] || "study";
  const search = new URLSearchParams({ scope, document: String(ordinal) });
  if (field) search.set("cell", `${ordinal}~${row}~${field}`);
  return `/tasks/${taskId}/table?${search}`;
}
