import { Button } from "@mantine/core";
import type { Result, Task } from "../../api/client";
import { Empty } from "../../components/states";
import { useTexts } from "../../texts";
import type { Address, View } from "./use-view";

interface Props {
  task: Task;
  results: Result[];
  isWhole: boolean;
  address: Address;
  view: View;
}

/** Why the table has no cells, and what would show some. */
export function TableEmpty({ task, results, isWhole, address, view }: Props) {
  const texts = useTexts();
  const all = (change: Record<string, null>) => (
    <Button variant="default" onClick={() => address.put(change)}>
      {texts.table.showAll}
    </Button>
  );
  const isDone = (address.filter === "attention" || address.filter === "unreviewed") && !view.wanted;
  const isUnderWay = !isWhole || task.state === "open";
  if (!isWhole) return <Empty icon="clock" title={texts.state.loading} />;
  if (results.every((one) => one.findings.length === 0))
    return <Empty icon="clock" title={texts.table.empty} how={isUnderWay ? texts.table.emptyHow : undefined} />;
  if (view.all === 0) return <Empty icon="table" title={isUnderWay ? texts.table.noRowsYet : texts.table.noRows} />;
  if (!isDone)
    return (
      <Empty icon="search" title={texts.table.noMatch}>
        {all({ filter: null, search: null, section: null, document: null })}
      </Empty>
    );
  const isAttention = address.filter === "attention";
  return (
    <Empty
      icon="check"
      title={isAttention ? texts.table.nothingToDo : texts.table.allReviewed}
      how={isAttention ? texts.table.nothingToDoHow : undefined}
    >
      {all({ filter: null })}
    </Empty>
  );
}
