import { Button } from "@mantine/core";
import { useRouteError } from "react-router";
import { sentence } from "../api/client";
import { Empty } from "../components/states";
import { useWords } from "../words";

/** A fault of ours, said instead of a white page. */
export function Crashed() {
  const words = useWords();
  return (
    <div className="page">
      <Empty icon="warning" title={words.app.crashed} how={sentence(useRouteError(), words)}>
        <Button onClick={() => window.location.reload()}>{words.app.reload}</Button>
      </Empty>
    </div>
  );
}
