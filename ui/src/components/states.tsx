import { Alert, Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { sentence } from "../api/client";
import { useWords } from "../words";
import { Icon, type IconName } from "./icon";

/** Lines where text will be, in the height that the text will have. */
export function Loading({ lines = 4, height = 40 }: { lines?: number; height?: number }) {
  const words = useWords();
  return (
    <div className="loading" role="status" aria-label={words.state.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={height} radius="sm" />
      ))}
    </div>
  );
}

export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const words = useWords();
  return (
    <Alert color="red" variant="light" title={words.state.failed} icon={<Icon name="warning" />} role="alert">
      <p className="plain">{sentence(error, words)}</p>
      {again && (
        <Button size="xs" variant="default" mt="sm" onClick={again}>
          {words.state.again}
        </Button>
      )}
    </Alert>
  );
}

export function Empty(props: { icon: IconName; title: string; how?: ReactNode; children?: ReactNode }) {
  return (
    <div className="empty">
      <div className="empty-icon">
        <Icon name={props.icon} size={28} />
      </div>
      <h2>{props.title}</h2>
      {props.how && <p>{props.how}</p>}
      {props.children && <div className="empty-actions">{props.children}</div>}
    </div>
  );
}

export function Refusal({ error }: { error: unknown }) {
  const words = useWords();
  if (!error) return null;
  return (
    <p className="refusal" role="alert">
      {sentence(error, words)}
    </p>
  );
}
