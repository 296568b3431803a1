import { useMemo, useRef, useState } from "react";
import { useParams } from "react-router";
import type { Task } from "../../api/client";
import { useFollowReviews } from "../../api/follow";
import { usePresence } from "../../api/people";
import { useTask, useTaskTemplate } from "../../api/queries";
import { useResults } from "../../api/results";
import type { Template } from "../../api/template";
import { usePageKeys } from "../../components/keys";
import { Failed, Loading } from "../../components/states";
import { useTexts } from "../../texts";
import { Drawer } from "./drawer";
import { Grid } from "./grid";
import { Keys } from "./keys";
import { placeText } from "./rows";
import { TableEmpty } from "./table-empty";
import { TableHead } from "./table-head";
import { useAddress, useDrawer, useView } from "./use-view";

export function TablePage() {
  const taskId = Number(useParams().taskId);
  const task = useTask(taskId);
  const template = useTaskTemplate(taskId);
  const failed = [task, template].find((one) => one.isError);
  if (task.data && template.data) return <Table task={task.data} template={template.data} />;
  return (
    <div className="page page-wide">
      {failed ? <Failed error={failed.error} again={() => void failed.refetch()} /> : <Loading lines={10} />}
    </div>
  );
}

function Table({ task, template }: { task: Task; template: Template }) {
  const texts = useTexts();
  const query = useResults(task);
  useFollowReviews(task.task_id);
  const results = useMemo(() => query.data?.results ?? [], [query.data]);
  const isWhole = query.data?.isWhole === true;
  const address = useAddress();
  const present = usePresence(task.task_id, address.place ? placeText(address.place) : "");
  const view = useView(template, results, address);
  const drawer = useDrawer(address);
  const [isHelp, setHelp] = useState(false);
  const searchBox = useRef<HTMLInputElement>(null);
  const help = () => setHelp(true);
  usePageKeys([
    ["shift+?", help],
    ["/", () => searchBox.current?.focus()],
  ]);
  const shared = { task, template, results, isWhole, address, view };
  const { place, filter } = address;
  return (
    <div className="table-page">
      <TableHead {...shared} present={present} help={help} searchBox={searchBox} />
      {query.isError && <Failed error={query.error} again={() => void query.refetch()} />}
      {view.rows.length === 0 || view.columns.length === 0 ? (
        <div className="table-empty">{query.isPending ? <Loading lines={10} /> : <TableEmpty {...shared} />}</div>
      ) : (
        <Grid
          key={view.scope}
          rows={view.rows}
          columns={view.columns}
          first={view.scope === "study" ? texts.task.document : texts.scopes[view.scope]}
          template={template}
          filter={filter}
          place={place}
          open={place ? drawer.step : drawer.open}
          drawer={(order) => place && <Drawer {...shared} {...drawer} place={place} order={order} help={help} />}
        />
      )}
      <Keys isOpen={isHelp} close={() => setHelp(false)} />
    </div>
  );
}
