import { Badge, Button, Checkbox, Tooltip } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { Document } from "../../api/client";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";

// The height of a line in pixels.
const ROW = 40;

interface ListProps {
  documents: Document[];
  ids: Set<number>;
  put: (some: Document[], isOn: boolean) => void;
  isTwice: (document: Document) => boolean;
}

/** The documents of a knowledge base with their boxes; only those in sight are drawn. */
export function DocumentList(props: ListProps) {
  const texts = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: props.documents.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  return (
    <div
      ref={box}
      className="documents"
      role="list"
      style={{ height: Math.min(props.documents.length * ROW, 440) + 2 }}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map((item) => {
          const one = props.documents[item.index] as Document;
          return (
            <div key={one.document_id} role="listitem">
              <label className="document" style={{ transform: `translateY(${item.start}px)`, height: ROW }}>
                <Checkbox
                  aria-label={one.file_name}
                  checked={props.ids.has(one.document_id)}
                  onChange={(event) => props.put([one], event.currentTarget.checked)}
                />
                <Icon name="file" />
                <span className="document-name" title={one.file_name}>
                  {one.file_name}
                </span>
                <Badges document={one} isTwice={props.isTwice(one)} />
                <span className="dim document-pages">
                  {one.page_count > 0 ? texts.setup.pages(one.page_count) : ""}
                </span>
              </label>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Badges({ document, isTwice }: { document: Document; isTwice: boolean }) {
  const texts = useTexts();
  const badges: { text: string; color: string; why: string }[] = [];
  const why = (document.problem && texts.setup.problems[document.problem]) || texts.notice(document.sentence);
  if (isTwice) badges.push({ text: texts.setup.twice, color: "orange", why: texts.setup.twiceHow });
  if (document.state === "unread") badges.push({ text: texts.setup.unread, color: "gray", why: "" });
  if (document.problem === "no_text_layer") badges.push({ text: texts.setup.scan, color: "red", why });
  else if (document.state === "problem") badges.push({ text: texts.setup.problem, color: "red", why });
  if (document.state === "failed") badges.push({ text: texts.setup.failed, color: "red", why });
  if (document.hidden_characters > 0)
    badges.push({ text: texts.setup.hidden, color: "orange", why: texts.setup.hiddenHow(document.hidden_characters) });
  return (
    <>
      {badges.map((one) => (
        <Tooltip key={one.text} label={one.why || one.text} multiline maw={360}>
          <Badge
            size="sm"
            variant="light"
            color={one.color}
            leftSection={one.color === "gray" ? <Icon name="clock" size={10} /> : <Icon name="warning" size={10} />}
          >
            {one.text}
          </Badge>
        </Tooltip>
      ))}
    </>
  );
}

interface SelectionProps {
  documents: Document[];
  ids: Set<number>;
  put: (some: Document[], isOn: boolean) => void;
  clear: () => void;
}

/** Chooses all of the documents, those that can be read, or none. */
export function Selection({ documents, ids, put, clear }: SelectionProps) {
  const texts = useTexts();
  const here = documents.filter((one) => ids.has(one.document_id)).length;
  const readable = documents.filter((one) => one.state === "readable");
  return (
    <div className="documents-select">
      <Checkbox
        label={texts.setup.selectAll}
        checked={here === documents.length}
        indeterminate={here > 0 && here < documents.length}
        onChange={(event) => put(documents, event.currentTarget.checked)}
      />
      <Button variant="subtle" size="compact-sm" onClick={() => put(readable, true)}>
        {texts.setup.selectReadable}
      </Button>
      <Button variant="subtle" size="compact-sm" color="gray" disabled={ids.size === 0} onClick={clear}>
        {texts.setup.selectNone}
      </Button>
      <span className="spacer" />
      <span className="dim">{texts.setup.selected(here, documents.length)}</span>
    </div>
  );
}
