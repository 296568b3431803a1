import { Tabs } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { useMe } from "../../api/queries";
import { useTexts } from "../../texts";
import { Batches } from "./batches";
import { Queues, Schedules, Workers } from "./lists";

const PARTS = ["batches", "queues", "workers", "schedules"] as const;
type Part = (typeof PARTS)[number];

export function Engine() {
  const texts = useTexts();
  const navigate = useNavigate();
  const me = useMe();
  const { part: name } = useParams();
  const part: Part = PARTS.find((one) => one === name) ?? "batches";
  const mayAct = me.data?.is_operator ?? false;
  return (
    <div className="page page-wide">
      <header className="page-head">
        <div>
          <h1>{texts.engine.title}</h1>
          <p className="lead">
            {texts.engine.lead} {me.data && !mayAct && texts.engine.operatorsOnly}
          </p>
        </div>
      </header>
      <Tabs value={part} onChange={(next) => void navigate(`/engine/${next ?? "batches"}`)} mb="md">
        <Tabs.List>
          {PARTS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {texts.engine[one]}
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
