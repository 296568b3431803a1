import { Button } from "@mantine/core";
import { useRouteError } from "react-router";
import { sentence } from "../api/client";
import { Empty } from "../components/states";
import { useTexts } from "../texts";

/** Shown instead of a white page when a component throws. */
export function Crashed() {
  const texts = useTexts();
  return (
    <div className="page">
      <Empty icon="warning" title={texts.app.crashed} how={sentence(useRouteError(), texts)}>
        <Button onClick={() => window.location.reload()}>{texts.app.reload}</Button>
      </Empty>
    </div>
  );
}
