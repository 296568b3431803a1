"""Tables of a document, as they were read."""

from ingather.web.schemas.forms import Wire
from ingather.web.schemas.results import Edges


class TableCell(Wire):
    """One cell. Rows and columns count from 0, headers and row labels included; `box` is in points."""

    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    is_header: bool
    row_path: list[str]
    column_path: list[str]
    page: int
    box: Edges | None


class DocumentTable(Wire):
    """A table, whole, also where it goes on over pages. One that is a picture has no cells."""

    page: int
    label: str
    caption: str
    footnotes: list[str]
    is_picture: bool
    cells: list[TableCell]


class Tables(Wire):
    tables: list[DocumentTable]
