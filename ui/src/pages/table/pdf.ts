import { useQuery } from "@tanstack/react-query";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { Problem, type Rectangle, address } from "../../api/client";

export type Pdf = PDFDocumentProxy;
export type PdfPage = PDFPageProxy;

/** PDF.js is larger than all the rest, so it comes only when a page is shown. */
async function pdfjs() {
  const [library, worker] = await Promise.all([
    import("pdfjs-dist/legacy/build/pdf.mjs"),
    import("pdfjs-dist/legacy/build/pdf.worker.min.mjs?url"),
  ]);
  library.GlobalWorkerOptions.workerSrc = worker.default;
  return library;
}

const PARTS = "/assets/pdf";

async function open(documentId: number, signal: AbortSignal): Promise<Pdf> {
  const [library, answer] = await Promise.all([
    pdfjs(),
    fetch(address("/api/v1/documents/{id}/file", { id: documentId }), { signal, credentials: "same-origin" }),
  ]);
  if (!answer.ok) throw new Problem(answer.status, `${answer.status}`);
  return library.getDocument({
    data: await answer.arrayBuffer(),
    // The server's content policy forbids both; PDF.js must not even try.
    isEvalSupported: false,
    useWasm: false,
    wasmUrl: `${PARTS}/wasm/`,
    cMapUrl: `${PARTS}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${PARTS}/standard_fonts/`,
    // A font that a file names but does not hold is drawn with one of ours, the same everywhere.
    useSystemFonts: false,
    enableXfa: false,
  }).promise;
}

export function usePdf(documentId: number, isPdf: boolean) {
  return useQuery({
    queryKey: ["pdf", documentId],
    enabled: isPdf,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false,
    retry: false,
    queryFn: ({ signal }) => open(documentId, signal),
  });
}

/** The text of the lines that the rectangles touch, as PDF.js reads it. */
export async function linesIn(page: PdfPage, rectangles: Rectangle[]): Promise<string> {
  const view = page.getViewport({ scale: 1 });
  const content = await page.getTextContent();
  const found: string[] = [];
  for (const item of content.items) {
    if (!("str" in item) || !item.str.trim()) continue;
    const [x, y] = view.convertToViewportPoint(item.transform[4] as number, item.transform[5] as number) as [
      number,
      number,
    ];
    const middle = y - item.height / 3;
    const isIn = rectangles.some(
      (one) => one.top <= middle && middle <= one.bottom && x < one.right && x + item.width > one.left,
    );
    if (isIn) found.push(item.str);
  }
  return found.join(" ").replace(/\s+/g, " ");
}
