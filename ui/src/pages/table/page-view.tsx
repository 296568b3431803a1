import { ActionIcon, Loader } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Problem, type Rectangle, type Result } from "../../api/client";
import { Icon } from "../../components/icon";
import { useTexts } from "../../texts";
import { type Drawn, useDrawnArea } from "./point";
import { type Pdf, type PdfPage, usePdf } from "./pdf";
import type { Boxes } from "./use-boxes";

interface Props {
  result: Result;
  page: number;
  setPage: (page: number) => void;
  boxes: Boxes;
  /** Changes whenever the quote should be brought into sight. */
  jump: number;
  onPage: (page: PdfPage | null) => void;
  /** An area that was drawn on the page, or none any more. Nothing, where nobody may point. */
  onArea?: (area: Drawn | null) => void;
  /** The area of this page that was drawn last, for as long as it is asked about. */
  pointed?: Drawn | null;
}

interface Size {
  width: number;
  height: number;
}

/** A page of the document as a picture, with the boxes of quote, subject and value on it. */
export function PageView({ result, page, setPage, boxes, jump, onPage, onArea, pointed }: Props) {
  const texts = useTexts();
  const isPdf = result.file_name.toLowerCase().endsWith(".pdf");
  const pdf = usePdf(result.document_id, isPdf);
  const [zoom, setZoom] = useState(1);
  const { ref, width } = useElementSize();
  const sheet = useRef<HTMLDivElement>(null);
  const drawing = useDrawnArea(sheet, onArea ?? nothing);
  const outlined = drawing.area ?? pointed;
  const count = pdf.data?.numPages ?? 0;
  const at = Math.min(page, Math.max(0, count - 1));
  const { canvas, size, isFailed } = useDrawing(pdf.data, at, zoom, width, onPage);
  useEffect(() => {
    if (!size || (boxes.quote.length === 0 && !boxes.cell?.length && !boxes.area?.length)) return;
    const mark = sheet.current?.querySelector(boxes.area?.length ? ".box-area" : ".box, .box-cell");
    mark?.scrollIntoView({ block: "center", behavior: "instant" });
  }, [jump, boxes.quote, boxes.cell, boxes.area, size]);
  const failure = pdf.error ?? (isFailed ? new Error() : null);
  const message = !isPdf ? texts.drawer.noPages : failure ? texts.drawer[reasonOf(failure)] : null;
  return (
    <div className="viewer">
      <ViewerBar name={result.file_name} at={at} count={count} setPage={setPage} zoom={zoom} setZoom={setZoom} />
      <div ref={ref} className="viewer-scroll" tabIndex={0}>
        {message && <p className="viewer-message">{message}</p>}
        {!message && pdf.isPending && (
          <p className="viewer-message">
            <Loader size="sm" />
          </p>
        )}
        <div
          ref={sheet}
          className={onArea ? "sheet sheet-pointed" : "sheet"}
          data-testid="sheet"
          hidden={message !== null || !pdf.data}
          style={size ?? undefined}
          {...(onArea ? drawing.handlers : {})}
        >
          <canvas ref={canvas} style={{ width: "100%", height: "100%" }} />
          {size && <Marks boxes={boxes} />}
          {outlined && <div className="box-drawn" style={placed(outlined)} data-testid="drawn" />}
        </div>
      </div>
    </div>
  );
}

const nothing = () => undefined;
const percent = (part: number) => `${100 * part}%`;
const placed = ({ left, top, right, bottom }: Drawn) => ({
  left: percent(left),
  top: percent(top),
  width: percent(right - left),
  height: percent(bottom - top),
});

const reasonOf = (error: Error) => (error instanceof Problem && error.status === 404 ? "noFile" : "pageFailed");

/** Draws a page into a canvas, as wide as there is room and as sharp as the screen. */
function useDrawing(
  pdf: Pdf | undefined,
  at: number,
  zoom: number,
  width: number,
  onPage: (page: PdfPage | null) => void,
) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!pdf || width === 0) return;
    let isOver = false;
    let stop = () => {};
    void (async () => {
      try {
        const page = await pdf.getPage(at + 1);
        if (isOver) return;
        const drawing = draw(page, canvas, zoom * (width - MARGIN), setSize);
        stop = () => drawing?.cancel();
        await drawing?.promise;
        if (!isOver) {
          setFailed(false);
          onPage(page);
        }
      } catch (error) {
        if (!isOver && (error as Error).name !== "RenderingCancelledException") setFailed(true);
      }
    })();
    return () => {
      isOver = true;
      stop();
    };
  }, [pdf, at, zoom, width, onPage]);
  return { canvas, size, isFailed };
}

// Pixels that the page leaves free beside it.
const MARGIN = 24;
// Device pixels per pixel. More is not seen and takes four times the memory.
const SHARPEST = 2;

function draw(
  page: PdfPage,
  canvas: RefObject<HTMLCanvasElement | null>,
  width: number,
  setSize: (size: Size) => void,
) {
  const target = canvas.current;
  if (!target) return undefined;
  const plain = page.getViewport({ scale: 1 });
  const scale = width / plain.width;
  const sharp = Math.min(SHARPEST, window.devicePixelRatio || 1);
  const view = page.getViewport({ scale: scale * sharp });
  target.width = Math.floor(view.width);
  target.height = Math.floor(view.height);
  setSize({ width: plain.width * scale, height: plain.height * scale });
  return page.render({ canvas: target, viewport: view });
}

/** The quote, or a cell with its labels; in the quote the words that make the value this one, and on top the value's own characters. */
function Marks({ boxes }: { boxes: Boxes }) {
  return (
    <>
      {boxes.quote.map((one) => (
        <Box key={keyOf("quote", one)} name="box" at={one} />
      ))}
      {boxes.subject.map((one) => (
        <Box key={keyOf("subject", one)} name="box-subject" at={one} />
      ))}
      {boxes.value.map((one) => (
        <Box key={keyOf("value", one)} name="box-value" at={one} />
      ))}
      {boxes.area?.map((one) => (
        <Box key={keyOf("area", one)} name="box-area" at={one} />
      ))}
      {boxes.header?.map((one) => (
        <Box key={keyOf("header", one)} name="box-header" at={one} />
      ))}
      {boxes.row?.map((one) => (
        <Box key={keyOf("row", one)} name="box-row" at={one} />
      ))}
      {boxes.cell?.map((one) => (
        <Box key={keyOf("cell", one)} name="box-cell" at={one} />
      ))}
    </>
  );
}

const keyOf = (kind: string, one: Rectangle) => `${kind} ${one.left} ${one.top}`;

export function Box({ name, at }: { name: string; at: Rectangle }) {
  return (
    <div
      className={name}
      style={{
        left: `${(100 * at.left) / at.page_width}%`,
        top: `${(100 * at.top) / at.page_height}%`,
        width: `${(100 * (at.right - at.left)) / at.page_width}%`,
        height: `${(100 * (at.bottom - at.top)) / at.page_height}%`,
      }}
    />
  );
}

interface BarProps {
  name: string;
  at: number;
  count: number;
  setPage: (page: number) => void;
  zoom: number;
  setZoom: (zoom: number) => void;
}

function ViewerBar({ name, at, count, setPage, zoom, setZoom }: BarProps) {
  const t = useTexts().drawer;
  const shared = { variant: "subtle", color: "gray" };
  return (
    <div className="viewer-bar">
      <ActionIcon {...shared} aria-label={t.previousPage} disabled={at <= 0} onClick={() => setPage(at - 1)}>
        <Icon name="left" />
      </ActionIcon>
      <span>{count > 0 ? t.page(at + 1, count) : "…"}</span>
      <ActionIcon {...shared} aria-label={t.nextPage} disabled={at >= count - 1} onClick={() => setPage(at + 1)}>
        <Icon name="right" />
      </ActionIcon>
      <span className="spacer" />
      <span className="document-name dim" title={name}>
        {name}
      </span>
      <span className="spacer" />
      <ActionIcon {...shared} aria-label={t.zoomOut} disabled={zoom <= 0.6} onClick={() => setZoom(zoom - 0.2)}>
        <Icon name="minus" />
      </ActionIcon>
      <ActionIcon {...shared} aria-label={t.zoomIn} disabled={zoom >= 3} onClick={() => setZoom(zoom + 0.2)}>
        <Icon name="plus" />
      </ActionIcon>
    </div>
  );
}
