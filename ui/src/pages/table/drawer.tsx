import { ActionIcon, Button } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Finding, Result, Task } from "../../api/client";
import { blank } from "../../api/decisions";
import { lookAt } from "../../api/judge";
import { type Field, type Template, fieldsOf } from "../../api/template";
import { Icon } from "../../components/icon";
import { usePageKeys } from "../../components/keys";
import { useTexts } from "../../texts";
import { Evidence } from "./evidence";
import { ReviewPanel } from "./review-panel";
import { type Place, isSamePlace } from "./rows";

interface Props {
  task: Task;
  template: Template;
  results: Result[];
  place: Place;
  order: Place[];
  step: (place: Place) => void;
  close: () => void;
  help: () => void;
}

/** One cell with its proof: the page on one side, what was found and what the question was on the other. */
export function Drawer({ task, template, results, place, order, step, close, help }: Props) {
  const texts = useTexts();
  const result = results.find((one) => one.ordinal === place.ordinal);
  const field = useMemo(() => fieldsOf(template).find((one) => one.id === place.field), [template, place.field]);
  const finding = useMemo(() => findingAt(result, field, place), [result, field, place]);
  const [jump, setJump] = useState(0);
  const goToQuote = () => setJump((old) => old + 1);
  const walk = useWalk(place, order, step);
  usePageKeys([
    ["j", () => walk.go(1)],
    ["k", () => walk.go(-1)],
    ["shift+j", () => walk.goDocument(1)],
    ["shift+k", () => walk.goDocument(-1)],
    ["g", goToQuote],
    // With something to review, the panel knows what is closed first.
    ["Escape", () => finding || close()],
  ]);
  return (
    <aside className="drawer" aria-label={texts.drawer.label}>
      <DrawerHead
        walk={walk}
        hasQuote={!!finding?.spans.length || !!finding?.cell}
        goToQuote={goToQuote}
        help={help}
        close={close}
      />
      {result && field && finding ? (
        <Evidence task={task} template={template} result={result} field={field} finding={finding} jump={jump}>
          <ReviewPanel
            task={task}
            results={results}
            field={field}
            finding={finding}
            place={place}
            order={order}
            step={step}
            close={close}
          />
        </Evidence>
      ) : (
        <p className="pad dim">{texts.table.noMatch}</p>
      )}
    </aside>
  );
}

/** What stands at a place; a blank where nothing was found in a row that there is. */
function findingAt(result: Result | undefined, field: Field | undefined, place: Place): Finding | undefined {
  if (!result || !field || result.state !== "completed") return undefined;
  const isRow =
    place.row === ""
      ? field.scope === "study"
      : result.rows.some((row) => row.key === place.row && row.scope === field.scope);
  return lookAt(result).finding(place.row, place.field) ?? (isRow ? blank(place) : undefined);
}

function useWalk(place: Place, order: Place[], step: (place: Place) => void) {
  const at = order.findIndex((one) => isSamePlace(one, place));
  const go = (by: number) => {
    const next = order[at < 0 ? 0 : at + by];
    if (next) step(next);
  };
  const goDocument = (by: number) => {
    const from = at < 0 ? 0 : at;
    for (let one = from + by; one >= 0 && one < order.length; one += by) {
      const next = order[one];
      if (next && next.ordinal !== place.ordinal) return step(next);
    }
  };
  return { at, all: order.length, go, goDocument };
}

interface HeadProps {
  walk: ReturnType<typeof useWalk>;
  hasQuote: boolean;
  goToQuote: () => void;
  help: () => void;
  close: () => void;
}

function DrawerHead({ walk, hasQuote, goToQuote, help, close }: HeadProps) {
  const texts = useTexts();
  const { at, all, go } = walk;
  const shared = { size: "xs", variant: "default" };
  return (
    <header className="drawer-head">
      <Button {...shared} onClick={() => go(-1)} disabled={at <= 0} leftSection={<Icon name="left" size={12} />}>
        {texts.drawer.previous} <kbd>K</kbd>
      </Button>
      <Button {...shared} onClick={() => go(1)} disabled={at >= all - 1} rightSection={<Icon name="right" size={12} />}>
        {texts.drawer.next} <kbd>J</kbd>
      </Button>
      <span className="dim">{at >= 0 ? texts.drawer.position(at + 1, all) : ""}</span>
      <span className="spacer" />
      <Button {...shared} disabled={!hasQuote} onClick={goToQuote} leftSection={<Icon name="target" size={13} />}>
        {texts.drawer.go} <kbd>G</kbd>
      </Button>
      <Button {...shared} className="with-keys" onClick={help} aria-label={texts.keys.title}>
        <kbd className="kbd-alone">?</kbd>
      </Button>
      <ActionIcon variant="subtle" color="gray" aria-label={texts.drawer.close} onClick={close}>
        <Icon name="close" />
      </ActionIcon>
    </header>
  );
}
