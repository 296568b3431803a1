import { Button } from "@mantine/core";
import { Link } from "react-router";
import { Empty } from "../components/states";
import { useTexts } from "../texts";

export function NotFound() {
  const texts = useTexts();
  return (
    <div className="page">
      <h1 className="unseen">Ingather</h1>
      <Empty icon="help" title={texts.app.notFound}>
        <Button component={Link} to="/">
          {texts.app.goHome}
        </Button>
      </Empty>
    </div>
  );
}
