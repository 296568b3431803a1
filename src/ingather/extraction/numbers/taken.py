"""The value that a person takes from a cell by pointing at it: the part of the cell that a field asks for. Pure."""

import re

from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.errors import NotFound
from ingather.extraction.findings import CellPlace
from ingather.extraction.numbers.cell import CellContent, Form, cell_content_of
from ingather.extraction.numbers.label import label_of
from ingather.extraction.numbers.number_places import number_place_of_cell
from ingather.extraction.template import Field, FieldType
from ingather.library.port import Passage, Table
from ingather.notice import notice

_NUMBER = re.compile(r"[-\u2212]?\d[\d,]*(?:[.·]\d+)?")
_NUMBERS = {FieldType.INT, FieldType.FLOAT, FieldType.PERCENT}


def taken_from_cell(field: Field, tables: list[Table], table: int, row: int, column: int) -> tuple[CellPlace, str]:
    """The cell, and what it says to the field. Raises a sentence where there is no such cell, or no number in it."""
    if not tables:
        raise NotReady(notice("cells.no_tables", "No tables were read in this document."))
    found = next(
        (one for one in (tables[table].cells if table < len(tables) else ()) if (one.row, one.column) == (row, column)),
        None,
    )
    if found is None:
        raise NotFound(notice("cells.no_cell", "The document has no such cell."))
    value = _taken_value(field, found.text)
    if not value:
        raise UsageError(
            notice("cells.no_number", "The cell {text} holds no value for this field.", text=f"{found.text[:60]!r}")
        )
    return number_place_of_cell(found, tables[table], table), value


def taken_from_passage(field: Field, passage: Passage | None) -> str:
    """What selected words of a page say to a field. Raises a sentence where they hold no value for it."""
    if passage is None:
        raise UsageError(notice("cells.no_words", "No words of the document's text stand there."))
    value = _taken_value(field, passage.text)
    numbers = _NUMBER.findall(passage.text)
    if not value and field.type in _NUMBERS and len(numbers) == 1:
        value = numbers[0]
    if not value:
        raise UsageError(
            notice("cells.no_value_in_words", "{text} holds no value for this field.", text=f"{passage.text[:60]!r}")
        )
    return value


def _taken_value(field: Field, text: str) -> str:
    if field.type not in _NUMBERS:
        return " ".join(text.split())
    content = cell_content_of(text)
    name = field.id.removeprefix("question_").rpartition("_")[0] if field.id.startswith("question_") else field.id
    if name in {"n", "r_n"} and (size := _taken_size(content, text)):
        return size
    if name in {"sd", "r_sd"} and content.second and content.form in {Form.PLUS_MINUS, Form.BRACKET, Form.PAIR}:
        return content.second
    if field.type is FieldType.PERCENT and content.percent:
        return content.percent
    return content.first


def _taken_size(content: CellContent, text: str) -> str:
    """A number of people: behind `n =`, in a header, or the second one of a fraction."""
    return content.n or label_of(text).n or (content.second if content.form is Form.FRACTION else "")
