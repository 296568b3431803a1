"""Make the sample papers: `samples/source/*.txt` become PDF files, the same bytes on every machine.

A source opens with settings in YAML between two lines of `---`. Then `# ` is
the title, `## ` and `### ` are headings, `@ ` is an author or an address,
`! ` is the caption of a table and `| ` a row of it. Any other line is a
paragraph. Every page says at its foot that the study does not exist.

    python tools/samples.py            write all of them
    python tools/samples.py --check    say whether the files are what the sources make
"""

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import yaml
from reportlab.lib.enums import TA_LEFT  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent.parent / "samples"
FOLDERS = (HERE, HERE / "held_out")
NOTICE = "Fictional sample, written to test software. No such study was ever done."
NOTICE_CJK = "虚构样例,仅供软件测试,并无此项研究。"
FACES = {
    "serif": ("Times-Roman", "Times-Bold"),
    "sans": ("Helvetica", "Helvetica-Bold"),
    "cjk": ("STSong-Light", "STSong-Light"),
}
MARGIN = 48
GUTTER = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A sample paper before it is set: how it should look, and its marked-up lines."""

    name: str
    settings: dict[str, Any]
    lines: tuple[str, ...]


def read(path: Path) -> Source:
    """The source in a file, its settings apart from its lines."""
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return Source(name=path.stem, settings=yaml.safe_load(head), lines=tuple(filter(None, body.splitlines())))


def made(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every PDF of a folder and the bytes its source makes."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    for path in sorted((folder / "source").glob("*.txt")):
        source = read(path)
        hidden = source.settings.get("hidden", [])
        paper = set_paper(source, hidden)
        yield folder / f"{source.name}.pdf", scanned(paper) if source.settings.get("scan") else paper
        if twin := source.settings.get("twin"):
            yield folder / f"{twin}.pdf", set_paper(source, [])


def set_paper(source: Source, hidden: list[dict[str, str]]) -> bytes:
    """The paper as PDF. Pages are not compressed, so that the bytes do not depend on a version of zlib."""
    face, bold = FACES[source.settings["face"]]
    is_cjk = source.settings["face"] == "cjk"

    def before(canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setFont(face, 7.5)
        canvas.drawString(MARGIN, A4[1] - 34, source.settings["masthead"])
        if canvas.getPageNumber() == 1:
            hide(canvas, hidden)

    def after(canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setFont(face, 7)
        canvas.drawString(MARGIN, 26, f"{NOTICE_CJK if is_cjk else NOTICE}   {canvas.getPageNumber()}")

    width = A4[0] - 2 * MARGIN
    columns = int(source.settings["columns"])
    each = (width - GUTTER * (columns - 1)) / columns
    frames = [Frame(MARGIN + i * (each + GUTTER), 40, each, A4[1] - 88, 0, 0, 0, 0) for i in range(columns)]
    out = io.BytesIO()
    document = BaseDocTemplate(out, pagesize=A4, invariant=1, pageCompression=0, title=source.name)
    document.addPageTemplates(PageTemplate(frames=frames, onPage=before, onPageEnd=after))
    document.build(list(flow(source, face, bold, each)))
    return out.getvalue()


def hide(canvas: Canvas, hidden: list[dict[str, str]]) -> None:
    """Write what no reader sees: white on white, half a point high, or beside the page."""
    for entry in hidden:
        canvas.saveState()
        match entry["how"]:
            case "white":
                canvas.setFillGray(1)
                canvas.setFont("Helvetica", 8)
                for i, start in enumerate(range(0, len(entry["text"]), 100)):
                    canvas.drawString(MARGIN, 150 - 10 * i, entry["text"][start : start + 100])
            case "tiny":
                canvas.setFont("Helvetica", 0.5)
                canvas.drawString(MARGIN, 60, entry["text"])
            case how:
                assert how == "off_page"
                canvas.setFont("Helvetica", 9)
                canvas.drawString(MARGIN, -40, entry["text"])
        canvas.restoreState()


def flow(source: Source, face: str, bold: str, width: float) -> Iterator[Flowable]:
    """The parts of the paper, from top to bottom."""
    wrap = "CJK" if source.settings["face"] == "cjk" else None
    body = ParagraphStyle(
        "body", fontName=face, fontSize=9, leading=11.5, spaceAfter=4, alignment=TA_LEFT, wordWrap=wrap
    )
    styles = {
        "# ": ParagraphStyle("title", body, fontName=bold, fontSize=14, leading=17, spaceAfter=6),
        "## ": ParagraphStyle("heading", body, fontName=bold, fontSize=10.5, leading=13, spaceBefore=5),
        "### ": ParagraphStyle("subheading", body, fontName=bold, fontSize=9, spaceBefore=2),
        "@ ": ParagraphStyle("author", body, fontSize=8.5),
        "! ": ParagraphStyle("caption", body, fontName=bold, fontSize=8.5, spaceBefore=4),
    }
    rows: list[list[str]] = []
    for line in (*source.lines, ""):
        if line.startswith("| "):
            rows.append([cell.strip() for cell in line.strip("| ").split(" |")] if rows else header(line))
            continue
        if rows:
            yield table(rows, face, width)
            yield Spacer(1, 6)
            rows = []
        mark = next((mark for mark in styles if line.startswith(mark)), "")
        if line:
            yield Paragraph(line.removeprefix(mark), styles.get(mark, body))


def header(line: str) -> list[str]:
    """The cells of a table's first row, of which the first may be empty."""
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def table(rows: list[list[str]], face: str, width: float) -> Table:
    """A table with lines above, below its first row and below, as journals set them."""
    share = 0.4 if len(rows[0]) < 4 else 0.28
    widths = [width * share] + [width * (1 - share) / (len(rows[0]) - 1)] * (len(rows[0]) - 1)
    style = ParagraphStyle("cell", fontName=face, fontSize=8, leading=9.5)
    cells = [[Paragraph(cell, style) for cell in row] for row in rows]
    lines = [("LINEABOVE", (0, 0), (-1, 0), 0.7, "black"), ("LINEBELOW", (0, 0), (-1, 0), 0.4, "black")]
    return Table(
        cells,
        widths,
        style=[*lines, ("LINEBELOW", (0, -1), (-1, -1), 0.7, "black"), ("VALIGN", (0, 0), (-1, -1), "TOP")],
    )


def scanned(paper: bytes) -> bytes:
    """The same paper as a scanner would give it: one picture for each page, and no text."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    with pypdfium2.PdfDocument(paper) as pages:
        for page in pages:
            picture = page.render(scale=1.4, grayscale=True).to_pil().convert("L").rotate(0.4, fillcolor=245)
            jpeg = io.BytesIO()
            picture.save(jpeg, "JPEG", quality=35)
            canvas.drawImage(ImageReader(jpeg), 0, 0, *A4)
            canvas.showPage()
    canvas.save()
    return out.getvalue()


def main(arguments: list[str]) -> int:
    """Write every sample, or with `--check` only say which ones differ."""
    differing = 0
    for folder in FOLDERS:
        for path, content in made(folder):
            if path.exists() and path.read_bytes() == content:
                continue
            differing += 1
            print(f"{path.relative_to(HERE.parent)} differs from its source")
            if "--check" not in arguments:
                path.write_bytes(content)
    return int(bool(differing) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
