import { Alert, Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { sentence } from "../api/client";
import { useTexts } from "../texts";
import { Icon, type IconName } from "./icon";

/** Lines where text will be, in the height that the text will have. */
export function Loading({ lines = 4, height = 40 }: { lines?: number; height?: number }) {
  const texts = useTexts();
  return (
    <div className="loading" role="status" aria-label={texts.state.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={height} radius="sm" />
      ))}
    </div>
  );
}

export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const texts = useTexts();
  return (
    <Alert color="red" variant="light" title={texts.state.failed} icon={<Icon name="warning" />} role="alert">
      <p className="plain">{sentence(error, texts)}</p>
      {again && (
        <Button size="xs" variant="default" mt="sm" onClick={again}>
          {texts.state.again}
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
  const texts = useTexts();
  if (!error) return null;
  return (
    <p className="refusal" role="alert">
      {sentence(error, texts)}
    </p>
  );
}
