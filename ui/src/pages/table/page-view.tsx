import { ActionIcon, Loader } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { Problem, type Rectangle, type Result } from "../../api/client";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import { type PdfPage, usePdf } from "./pdf";

interface Props {
  result: Result;
  page: number;
  setPage: (page: number) => void;
  rectangles: Rectangle[];
  /** Changes whenever the quote should be brought into sight. */
  jump: number;
  onPage: (page: PdfPage | null) => void;
}

/** A page of the document as a picture, with the quote's boxes on it. */
export function PageView({ result, page, setPage, rectangles, jump, onPage }: Props) {
  const texts = useTexts();
  const isPdf = result.file_name.toLowerCase().endsWith(".pdf");
  const pdf = usePdf(result.document_id, isPdf);
  const [zoom, setZoom] = useState(1);
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const [failure, setFailure] = useState(false);
  const count = pdf.data?.numPages ?? 0;
  const at = Math.min(page, Math.max(0, count - 1));

  useEffect(() => {
    const document = pdf.data;
    const target = canvas.current;
    if (!document || !target || width === 0) return;
    let isOver = false;
    let stop = () => {};
    void (async () => {
      try {
        const found = await document.getPage(at + 1);
        if (isOver) return;
        const plain = found.getViewport({ scale: 1 });
        const scale = (zoom * (width - 24)) / plain.width;
        const sharp = Math.min(2, window.devicePixelRatio || 1);
        const view = found.getViewport({ scale: scale * sharp });
        target.width = Math.floor(view.width);
        target.height = Math.floor(view.height);
        setSize({ width: plain.width * scale, height: plain.height * scale });
        const drawing = found.render({ canvas: target, viewport: view });
        stop = () => drawing.cancel();
        await drawing.promise;
        if (!isOver) {
          setFailure(false);
          onPage(found);
        }
      } catch (error) {
        if (!isOver && (error as Error).name !== "RenderingCancelledException") setFailure(true);
      }
    })();
    return () => {
      isOver = true;
      stop();
    };
  }, [pdf.data, at, zoom, width, onPage]);

  useEffect(() => {
    if (!size || rectangles.length === 0) return;
    sheet.current?.querySelector(".box")?.scrollIntoView({ block: "center", behavior: "instant" });
  }, [jump, rectangles, size]);

  const message = !isPdf
    ? texts.drawer.noPages
    : pdf.isError
      ? pdf.error instanceof Problem && pdf.error.status === 404
        ? texts.drawer.noFile
        : texts.drawer.pageFailed
      : failure
        ? texts.drawer.pageFailed
        : null;
  return (
    <div className="viewer">
      <div className="viewer-bar">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.drawer.previousPage}
          disabled={at <= 0}
          onClick={() => setPage(at - 1)}
        >
          <Icon name="left" />
        </ActionIcon>
        <span>{count > 0 ? texts.drawer.page(at + 1, count) : "…"}</span>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.drawer.nextPage}
          disabled={at >= count - 1}
          onClick={() => setPage(at + 1)}
        >
          <Icon name="right" />
        </ActionIcon>
        <span className="spacer" />
        <span className="document-name dim" title={result.file_name}>
          {result.file_name}
        </span>
        <span className="spacer" />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.drawer.zoomOut}
          disabled={zoom <= 0.6}
          onClick={() => setZoom(zoom - 0.2)}
        >
          <Icon name="minus" />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.drawer.zoomIn}
          disabled={zoom >= 3}
          onClick={() => setZoom(zoom + 0.2)}
        >
          <Icon name="plus" />
        </ActionIcon>
      </div>
      <div ref={ref} className="viewer-scroll" tabIndex={0}>
        {message && <p className="viewer-message">{message}</p>}
        {!message && pdf.isPending && (
          <p className="viewer-message">
            <Loader size="sm" />
          </p>
        )}
        <div
          ref={sheet}
          className="sheet"
          hidden={message !== null || !pdf.data}
          style={size ? { width: size.width, height: size.height } : undefined}
        >
          <canvas ref={canvas} style={{ width: "100%", height: "100%" }} />
          {size &&
            rectangles.map((one) => (
              <div
                key={`${one.left} ${one.top}`}
                className="box"
                style={{
                  left: `${(100 * one.left) / one.page_width}%`,
                  top: `${(100 * one.top) / one.page_height}%`,
                  width: `${(100 * (one.right - one.left)) / one.page_width}%`,
                  height: `${(100 * (one.bottom - one.top)) / one.page_height}%`,
                }}
              />
            ))}
        </div>
      </div>
    </div>
  );
}
