"""The tables of a JATS article as they are known: cells with spans, rows, and the headers that stand above them."""

import re
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

# PDF and XML write these differently without a difference for a reader: hyphens, and signs without a shape.
_DASHES = re.compile("[\u2010\u2011\u2212\u2013\u2014]")
_SHAPELESS = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\ufe00-\ufe0f]")
_SECTIONS = ("thead", "tbody", "tfoot", "tr")
# Not set on the page.
_UNSEEN = {
    "graphic", "inline-graphic", "media", "object-id", "tex-math", "supplementary-material", "permissions"
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class TrueCell:
    """A cell as its article gives it. `path` are the headers above it, from the top.

    `row_path` are the labels that speak of its row, from the group to its own;
    None where the article does not say: headers, labels, and rows of a label
    that spans several.
    """

    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    is_header: bool
    path: tuple[str, ...] = ()
    row_path: tuple[str, ...] | None = None
    indent: int = 0
    """How many blanks that a browser keeps stand before the text."""


@dataclass(slots=True, kw_only=True)
class TrueTable:
    """`has_header` where the article marks rows as headers; without, nobody can say what stands above a cell."""

    label: str
    cells: list[TrueCell] = field(default_factory=list)
    has_header: bool = False


def plain(text: str) -> str:
    """A text as it is compared: no shape, blank or dash makes a difference that has none for a reader."""
    text = unicodedata.normalize("NFKC", _SHAPELESS.sub("", text))
    return " ".join(_DASHES.sub("-", text).split())


def tables_of(path: Path) -> list[TrueTable]:
    """The tables of an article with cells, in its order."""
    source = re.sub(r"<!DOCTYPE.*?>", "", path.read_text("utf-8", "replace"), flags=re.DOTALL)
    found = []
    root = ET.fromstring(source)  # noqa: S314  # the boards are files that a person chose
    # Tables of `floats-group` stand in no text, so they are on no page.
    body = next((node for node in root.iter() if _name(node) == "body"), root)
    for wrap in body.iter():
        if _name(wrap) != "table-wrap":
            continue
        label = next((plain("".join(child.itertext())) for child in wrap if _name(child) == "label"), "")
        tables = [_table(node, label) for node in wrap.iter() if _name(node) == "table"]
        found += [table for table in tables if table.cells]
    return found


def _name(node: ET.Element) -> str:
    return str(node.tag).rsplit("}", 1)[-1]


def _table(node: ET.Element, label: str) -> TrueTable:
    table = TrueTable(label=label)
    taken: set[tuple[int, int]] = set()
    row = 0
    for section in node:
        if _name(section) not in _SECTIONS:
            continue
        lines = [section] if _name(section) == "tr" else [child for child in section if _name(child) == "tr"]
        for at, line in enumerate(lines):
            is_header = _name(section) == "thead"
            table.has_header = table.has_header or is_header
            column = 0
            for cell in line:
                if _name(cell) not in {"td", "th"}:
                    continue
                while (row, column) in taken:
                    column += 1
                width, height = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(lines) - at)
                taken.update((row + r, column + c) for r in range(height) for c in range(width))
                raw = _text(cell)
                text = plain(raw)
                if text:
                    table.cells.append(
                        TrueCell(
                            row=row,
                            column=column,
                            row_span=height,
                            column_span=width,
                            text=text,
                            is_header=is_header,
                            indent=_indent(raw),
                        )
                    )
                column += width
            row += 1
    heads = [cell for cell in table.cells if cell.is_header]
    for own in table.cells:
        own.path = tuple(head.text for head in heads if _is_over(head, own))
    _set_row_paths(table)
    return table


def _indent(raw: str) -> int:
    kept = raw.lstrip(" \t\r\n")
    return len(kept) - len(kept.lstrip())


def _set_row_paths(table: TrueTable) -> None:
    """The labels over each row: those that are less indented, and, without indents, the last that stood alone.

    Where a label stands alone and the next one has its indent, in a table
    with indents, the article does not say whether it is over it: the rows
    below it have no path until a label with less indent.
    """
    rows: dict[int, list[TrueCell]] = {}
    for cell in table.cells:
        if not cell.is_header:
            rows.setdefault(cell.row, []).append(cell)
    labels = {row: cells[0] for row, cells in rows.items() if cells[0].column == 0 and cells[0].row_span == 1}
    spanned = {
        cell.row + n for cell in table.cells if cell.column == 0 for n in range(cell.row_span) if cell.row_span > 1
    }
    has_indents = any(label.indent for label in labels.values())
    above: list[TrueCell] = []
    unknown: TrueCell | None = None
    for row in sorted(rows):
        label = labels.get(row)
        if label is None or row in spanned:
            above, unknown = [], None
            continue
        is_alone = len(rows[row]) == 1
        if has_indents:
            above = [other for other in above if other.indent < label.indent]
        elif is_alone:
            above = []
        if unknown is not None and label.indent < unknown.indent:
            unknown = None
        path = (*(other.text for other in above), label.text)
        following = labels.get(row + 1)
        if has_indents and is_alone and following is not None and following.indent <= label.indent:
            unknown = label
        for cell in rows[row]:
            if cell is not label and unknown is None:
                cell.row_path = path
        if is_alone or (following is not None and following.indent > label.indent):
            above.append(label)


def _is_over(head: TrueCell, cell: TrueCell) -> bool:
    return (
        head is not cell
        and head.row < cell.row
        and head.column <= cell.column
        and head.column + head.column_span >= cell.column + cell.column_span
    )


def _span(cell: ET.Element, name: str) -> int:
    value = cell.get(name) or "1"
    return max(int(value), 1) if value.isdigit() else 1


def _text(node: ET.Element) -> str:
    parts = [node.text or ""]
    for child in node:
        name = _name(child)
        if name in {"break", "p", "list-item"}:
            parts.append(" ")
        if name not in _UNSEEN:
            parts.append(_text(child))
        if name in {"p", "list-item"}:
            parts.append(" ")
        parts.append(child.tail or "")
    return "".join(parts)
