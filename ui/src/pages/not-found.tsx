import { Button } from "@mantine/core";
import { Link } from "react-router";
import { Empty } from "../components/states";
import { useWords } from "../words";

export function NotFound() {
  const words = useWords();
  return (
    <div className="page">
      <h1 className="unseen">Ingather</h1>
      <Empty icon="help" title={words.app.notFound}>
        <Button component={Link} to="/">
          {words.app.goHome}
        </Button>
      </Empty>
    </div>
  );
}
