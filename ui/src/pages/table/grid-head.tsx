import type { Column } from "./rows";
import { type GridState, HEAD } from "./use-grid";

interface Props {
  grid: GridState;
  first: string;
  width: number;
}

export function GridHead({ grid, first, width }: Props) {
  const { table, firstWidth } = grid;
  const corner = table.getColumn("first");
  return (
    <div className="grid-head" role="row" style={{ width, height: HEAD }}>
      <div role="columnheader" className="contents">
        <button
          type="button"
          className="grid-first grid-corner"
          style={{ width: firstWidth }}
          onClick={() => corner?.toggleSorting()}
        >
          {first} <Sorted by={corner?.getIsSorted() ?? false} />
        </button>
      </div>
      <Sections grid={grid} />
      <Leaves grid={grid} />
    </div>
  );
}

function Sections({ grid: { table, leaves, firstWidth } }: { grid: GridState }) {
  const starts = new Map<string, number>();
  let start = firstWidth;
  for (const leaf of leaves) {
    starts.set(leaf.id, start);
    start += (leaf.columnDef.meta as Column).width;
  }
  return table
    .getHeaderGroups()[0]
    ?.headers.slice(1)
    .map((section) => {
      const left = starts.get(section.column.columns[0]?.id ?? "") ?? firstWidth;
      const wide = section.column.columns.reduce((all, one) => all + (one.columnDef.meta as Column).width, 0);
      return (
        <div key={section.id} className="grid-section" style={{ left, width: wide }} role="columnheader">
          <span style={{ left: firstWidth + 8 }}>{String(section.column.columnDef.header)}</span>
        </div>
      );
    });
}

const ORDERS = { asc: "ascending", desc: "descending" } as const;

function Leaves({ grid: { leaves, metas, across, firstWidth } }: { grid: GridState }) {
  return across.getVirtualItems().map((item) => {
    const leaf = leaves[item.index];
    if (!leaf) return null;
    const sorted = leaf.getIsSorted();
    return (
      <div key={leaf.id} role="columnheader" aria-sort={sorted ? ORDERS[sorted] : "none"} className="contents">
        <button
          type="button"
          className="grid-column"
          style={{ left: firstWidth + item.start, width: item.size }}
          title={metas[item.index]?.field.instruction}
          onClick={() => leaf.toggleSorting()}
        >
          <span>{String(leaf.columnDef.header)}</span> <Sorted by={sorted} />
        </button>
      </div>
    );
  });
}

function Sorted({ by }: { by: false | "asc" | "desc" }) {
  if (!by) return null;
  return <i className="sorted">{by === "asc" ? "↑" : "↓"}</i>;
}
