/** The cell of the grid on which the arrow keys stand. */
export interface Focus {
  row: number;
  column: number;
}

interface Size {
  rows: number;
  columns: number;
  /** How many lines are in sight. */
  page: number;
}

/** Where a key leads from a cell, never beyond the grid; null for a key that moves nothing. */
export function moved(key: string, from: Focus, { rows, columns, page }: Size): Focus | null {
  const by = steps(page, columns)[key];
  return by ? { row: within(from.row + by[0], rows), column: within(from.column + by[1], columns) } : null;
}

const within = (at: number, length: number) => Math.min(length - 1, Math.max(0, at));

const steps = (page: number, far: number): Record<string, [number, number]> => ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-page, 0],
  PageDown: [page, 0],
  Home: [0, -far],
  End: [0, far],
});
