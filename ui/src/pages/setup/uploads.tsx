import { Button, Progress } from "@mantine/core";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type Document, type Schemas, address } from "../../api/client";
import { type Notice, english } from "../../texts/notice";
import { useTexts } from "../../texts";

const LARGEST = 50_000_000;

interface Upload {
  id: number;
  file: File;
  knowledgeBaseId: number;
  percent: number;
  state: "waiting" | "sending" | "done" | "duplicate" | "refused";
  detail: Notice | string;
}

export interface Uploads {
  all: Upload[];
  isBusy: boolean;
  add: (files: File[]) => void;
  clear: () => void;
}

/** Sends files one after the other, so that a slow line is not shared by fifty. */
export function useUploads(
  knowledgeBaseId: number | undefined,
  done: (document: Document, isDuplicate: boolean) => void,
): Uploads {
  const texts = useTexts();
  const [all, setAll] = useState<Upload[]>([]);
  const number = useRef(0);
  const sending = useRef<XMLHttpRequest | null>(null);
  const change = (id: number, part: Partial<Upload>) =>
    setAll((old) => old.map((one) => (one.id === id ? { ...one, ...part } : one)));

  const next = all.find((one) => one.state === "waiting");
  const isSending = all.some((one) => one.state === "sending");
  const nextId = next?.id;
  const begin = useEffectEvent(() => {
    if (!next) return;
    if (next.file.size > LARGEST) {
      change(next.id, { state: "refused", detail: texts.setup.tooBig });
      return;
    }
    change(next.id, { state: "sending" });
    sending.current = send(next, {
      progress: (percent) => change(next.id, { percent }),
      done: (made) => {
        change(next.id, {
          state: made.is_duplicate ? "duplicate" : "done",
          percent: 100,
          detail: made.document.file_name,
        });
        done(made.document, made.is_duplicate);
      },
      refused: (detail) => change(next.id, { state: "refused", detail: detail || texts.setup.broken }),
    });
  });
  useEffect(() => {
    if (nextId !== undefined && !isSending) begin();
  }, [nextId, isSending]);
  useEffect(() => () => sending.current?.abort(), []);

  return {
    all,
    isBusy: isSending || next !== undefined,
    add: (files) => {
      if (knowledgeBaseId === undefined) return;
      setAll((old) => [
        ...old,
        ...files.map((file) => ({
          id: ++number.current,
          file,
          knowledgeBaseId,
          percent: 0,
          state: "waiting" as const,
          detail: "",
        })),
      ]);
    },
    clear: () => setAll((old) => old.filter((one) => one.state === "waiting" || one.state === "sending")),
  };
}

interface Listeners {
  progress: (percent: number) => void;
  done: (made: Schemas["Uploaded"]) => void;
  refused: (detail: Notice | string) => void;
}

/** fetch does not tell how much of a body was sent; this old friend does. */
function send(upload: Upload, on: Listeners): XMLHttpRequest {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("files", upload.file);
  request.open("POST", address("/api/v1/knowledge-bases/{id}/documents", { id: upload.knowledgeBaseId }));
  request.responseType = "json";
  request.upload.onprogress = (event) => {
    if (event.lengthComputable) on.progress((100 * event.loaded) / event.total);
  };
  request.onload = () => {
    const answer = request.response as (Schemas["Uploads"] & { detail?: string; notice?: Notice }) | null;
    const made = answer?.uploads?.[0];
    if (request.status < 300 && made) on.done(made);
    else on.refused(answer?.notice ?? answer?.detail ?? answer?.refused?.[0]?.detail ?? "");
  };
  request.onerror = () => on.refused("");
  request.send(form);
  return request;
}

export function UploadList({ uploads }: { uploads: Uploads }) {
  const texts = useTexts();
  if (uploads.all.length === 0) return null;
  const left = uploads.all.filter((one) => one.state === "waiting" || one.state === "sending").length;
  return (
    <div className="uploads" role="status">
      <div className="uploads-head">
        <b>{left > 0 ? texts.setup.uploading(left) : texts.setup.uploaded}</b>
        <Button size="compact-xs" variant="subtle" onClick={uploads.clear}>
          {texts.setup.clearList}
        </Button>
      </div>
      {seen(uploads.all).map((one) => (
        <div key={one.id} className="upload">
          <span className="document-name">{one.file.name}</span>
          {one.state === "sending" ? (
            <Progress value={one.percent} size="sm" className="upload-bar" aria-label={one.file.name} />
          ) : one.state === "waiting" ? (
            <span className="dim">{texts.setup.waitsForUpload}</span>
          ) : (
            <span className={one.state === "refused" ? "refusal" : "dim"}>
              {one.state === "done"
                ? texts.setup.uploaded
                : one.state === "duplicate"
                  ? texts.setup.duplicate(english(one.detail))
                  : texts.notice(one.detail)}
            </span>
          )}
        </div>
      ))}
      {uploads.all.length > SEEN && <p className="dim">{texts.setup.uploadsLeft(uploads.all.length - SEEN)}</p>}
    </div>
  );
}

// Lines of the list. More push the documents off the screen.
const SEEN = 8;
const ORDER: Record<Upload["state"], number> = { sending: 0, refused: 1, waiting: 3, duplicate: 2, done: 2 };

/** What moves and what went wrong come first, then the last ones that are done, then what waits. */
function seen(all: Upload[]): Upload[] {
  return [...all]
    .sort((one, other) => {
      const byState = ORDER[one.state] - ORDER[other.state];
      return byState || (ORDER[one.state] === ORDER.waiting ? one.id - other.id : other.id - one.id);
    })
    .slice(0, SEEN);
}
