import { Tabs } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { useMe } from "../../api/queries";
import { useWords } from "../../words";
import { Batches } from "./batches";
import { Queues, Schedules, Workers } from "./lists";

const PARTS = ["batches", "queues", "workers", "schedules"] as const;
type Part = (typeof PARTS)[number];

export function Engine() {
  const words = useWords();
  const navigate = useNavigate();
  const me = useMe();
  const { part: asked } = useParams();
  const part: Part = PARTS.find((one) => one === asked) ?? "batches";
  const mayAct = me.data?.is_operator ?? false;
  return (
    <div className="page page-wide">
      <header className="page-head">
        <div>
          <h1>{words.engine.title}</h1>
          <p className="lead">
            {words.engine.lead} {me.data && !mayAct && words.engine.operatorsOnly}
          </p>
        </div>
      </header>
      <Tabs value={part} onChange={(next) => void navigate(`/engine/${next ?? "batches"}`)} mb="md">
        <Tabs.List>
          {PARTS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {words.engine[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {part === "batches" && <Batches mayAct={mayAct} />}
      {part === "queues" && <Queues mayAct={mayAct} />}
      {part === "workers" && <Workers />}
      {part === "schedules" && <Schedules mayAct={mayAct} />}
    </div>
  );
}
