"""Reads the tables of an answer of docling-serve: its JSON of a document. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingather.library.layout.grid import ParsedCell, ParsedTable
from ingather.library.table import Box


def grids_of(answer: Mapping[str, Any]) -> Iterator[ParsedTable]:
    """Raises KeyError, TypeError or ValueError where the answer is of another form."""
    document = answer["document"]["json_content"]
    heights = {number: float(page["size"]["height"]) for number, page in document["pages"].items()}
    for table in document["tables"]:
        [place, *_] = table["prov"]
        page = int(place["page_no"])
        height = heights[str(page)]
        yield ParsedTable(
            page=page - 1,
            caption=_docling_texts(document, table["captions"]),
            footnotes=tuple(text for one in table["footnotes"] if (text := _docling_texts(document, [one]))),
            cells=tuple(_docling_cell(cell, height) for cell in table["data"]["table_cells"]),
            box=_docling_box(place["bbox"], height),
        )


def _docling_cell(cell: Mapping[str, Any], height: float) -> ParsedCell:
    return ParsedCell(
        row=int(cell["start_row_offset_idx"]),
        column=int(cell["start_col_offset_idx"]),
        row_span=int(cell["end_row_offset_idx"]) - int(cell["start_row_offset_idx"]),
        column_span=int(cell["end_col_offset_idx"]) - int(cell["start_col_offset_idx"]),
        text=" ".join(str(cell["text"]).split()),
        is_column_header=bool(cell["column_header"]),
        is_row_header=bool(cell["row_header"]),
        box=_docling_box(cell["bbox"], height) if cell.get("bbox") else None,
    )


def _docling_box(box: Mapping[str, Any], height: float) -> Box:
    """In points from the top left corner, wherever the parser counts from."""
    left, top, right, bottom = (float(box[name]) for name in ("l", "t", "r", "b"))
    if box.get("coord_origin") == "BOTTOMLEFT":
        top, bottom = height - top, height - bottom
    return left, min(top, bottom), right, max(top, bottom)


def _docling_texts(document: Mapping[str, Any], references: Sequence[Mapping[str, Any]]) -> str:
    """The texts that are referred to, such as `{"$ref": "#/texts/3"}`."""
    found = []
    for reference in references:
        _, kind, number = str(reference["$ref"]).split("/")
        found.append(str(document[kind][int(number)]["text"]))
    return " ".join(" ".join(found).split())
