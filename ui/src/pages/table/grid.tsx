import type { ReactNode } from "react";
import { FOCUSED } from "./cell";
import { GridHead } from "./grid-head";
import { GridRow } from "./grid-row";
import type { Place } from "./rows";
import { type GridProps, HEAD, useFocus, useGrid, useGridKeys, useOrder } from "./use-grid";

interface Props extends GridProps {
  open: (place: Place) => void;
  drawer: (order: Place[]) => ReactNode;
}

/** The matrix. Only the rows and columns in sight are in the page, so a thousand studies cost no more than twenty. */
export function Grid({ open, drawer, ...props }: Props) {
  const grid = useGrid(props);
  const order = useOrder(grid, props.filter);
  const focused = useFocus(grid, props.place);
  const move = useGridKeys(grid, focused, open);
  const { box, sorted, leaves, down, across, firstWidth } = grid;
  const width = firstWidth + across.getTotalSize();
  return (
    <div className="table-body">
      <div
        ref={box}
        className="grid"
        role="grid"
        aria-rowcount={sorted.length + 2}
        aria-colcount={leaves.length + 1}
        aria-activedescendant={FOCUSED}
        tabIndex={0}
        onKeyDown={move}
      >
        <div className="grid-inner" style={{ width, height: HEAD + down.getTotalSize() }}>
          <GridHead grid={grid} first={props.first} width={width} />
          {down.getVirtualItems().map((item) => {
            const row = sorted[item.index]?.original;
            return (
              row && (
                <GridRow
                  key={row.id}
                  grid={grid}
                  row={row}
                  at={item.index}
                  top={item.start}
                  width={width}
                  focus={focused.focus}
                  filter={props.filter}
                  place={props.place}
                  open={open}
                />
              )
            );
          })}
        </div>
      </div>
      {drawer(order)}
    </div>
  );
}
