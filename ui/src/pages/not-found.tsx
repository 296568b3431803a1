import { Button } from "@mantine/core";
import { Link } from "react-router";
import { Empty } from "../components/states";
import { useWords } from "../words";

export function NotFound() {
  const words = useWords();
  return (
    <div className="page">
      <Empty icon="help" title={words.app.notFound}>
        <Button component={Link} to="/">
          {words.app.goHome}
        </Button>
      </Empty>
    </div>
  );
}
