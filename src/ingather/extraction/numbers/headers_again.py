"""Rows that are headers again in the middle of a table, rows that are titles of what follows, and their paths. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ingather.extraction.numbers.cell import CellContent, Form, cell_content_of
from ingather.extraction.numbers.label import TableLabel, label_of
from ingather.library.port import Cell, Table

# A header in the middle of a table is shorter than this, in characters; a longer text is a remark.
_LONGEST_HEADER: Final = 60
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
# Numbers with their percentage, or two numbers, are no header: `Female = 29 (29.2 %)`, `50 men, 20 women`.
_DATA: Final = re.compile(r"\d ?%|(?<![nN] )(?<![nN])= ?\d.*\(|\d ?\(\d")
Contents = Sequence[tuple[Cell, CellContent]]


def is_header_again(row: Sequence[Cell], contents: Contents) -> bool:
    """Two or more texts without a number, beside an empty row label or each of them a way of counting or a time."""
    texts = [cell.text for cell, content in contents if content.form is not Form.EMPTY]
    if len(texts) < 2 or any(cell.is_header for cell in row):
        return False
    if not all(len(text) < _LONGEST_HEADER and _LETTERS.search(text) for text in texts):
        return False
    if any(_DATA.search(text) for text in texts):
        return False
    labels = [label_of(text) for text in texts]
    counting = sum(_label_says_how_in_view(label) for label in labels)
    if any(cell.column == 0 and cell.text.strip() for cell in row):
        times = sum(label.moment is not None and not label.core for label in labels)
        return counting == len(labels) or (
            times > 1
            and counting * 2 >= len(labels)
            and all(content.form in {Form.TEXT, Form.EMPTY} for _, content in contents)
        )
    return counting * 2 >= len(labels) or all(content.form is Form.TEXT for _, content in contents)


def _label_says_how_in_view(label: TableLabel) -> bool:
    return label.moment is not None or label.is_count or label.is_mean or label.is_median or label.is_comparison


def header_paths_again(contents: Contents, above: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """The column paths below a row that is a header again.

    `above` are those of the row right above where it is such a row too. A
    header that stands over the first of its columns only goes on over the
    others where the names below it come again: `CT | | HIT |` over `Pre |
    Post | Pre | Post`.
    """
    comes_again = len({cell.text for cell, _ in contents}) < len(contents)
    found: dict[int, tuple[str, ...]] = {}
    left: tuple[str, ...] = ()
    for cell, _ in contents:
        own = above.get(cell.column, ()) if above else cell.column_path
        left = found[cell.column] = own or (left if above or comes_again else ())
    if above:
        return {cell.column: (*found[cell.column], cell.text) for cell, _ in contents}
    shared = Counter(path for path in found.values() if path)
    # A header of several columns goes on above those that stand again below it.
    return {
        cell.column: (*(found[cell.column] if shared[found[cell.column]] > 1 else found[cell.column][:-1]), cell.text)
        for cell, _ in contents
    }


# Words over the column of row labels that name nothing.
_STUB_NAMES: Final = re.compile(
    r"(?:variables?|parameters?|characteristics?|outcomes?|measures?|items?|groups?|time|mean|n|values?|features?)\b.*",
    re.IGNORECASE,
)


def panel_headers(table: Table, rows: Sequence[Sequence[Cell]], stub: int) -> dict[int, str]:
    """The titles of the panels of a table, by the rows that hold them: `SF-36` before names that come again.

    What stands above the first such row has its title in the header of the
    table, in the same place; it is given for row -1.
    """
    found: dict[int, str] = {}
    for row in rows:
        contents = [(cell, cell_content_of(cell.text)) for cell in row if not cell.is_header and cell.column > stub]
        if is_header_again(row, contents):
            title = _header_again_title(row)
            if title and not found:
                heads = [cell for cell in table.cells if cell.is_header and cell.column == 0]
                found[-1] = _header_again_title(heads[-1:])
        else:
            title = _panel_header(row, contents, rows)
        if title:
            found[row[0].row] = title
    return found


def _header_again_title(row: Sequence[Cell]) -> str:
    """What stands in the first column beside a header, such as `SF-36`, where it names something."""
    text = next((cell.text for cell in row if cell.column == 0), "").strip()
    label = label_of(text)
    return text if label.core and label.moment is None and not _STUB_NAMES.fullmatch(text) else ""


def _panel_header(row: Sequence[Cell], contents: Contents, rows: Sequence[Sequence[Cell]]) -> str:
    """The text of a row that has no other cell, set above the numbers of the rows below: `Smokers (n = 30)`."""
    filled = [cell for cell in row if cell.text.strip()]
    found = [(cell, content) for cell, content in contents if content.form is Form.TEXT]
    if len(filled) != 1 or len(found) != 1 or not _LETTERS.search(filled[0].text):
        return ""
    cell, _ = found[0]
    below = [one for other in rows for one in other if one.column == cell.column and not one.is_header]
    texts = sum(cell_content_of(one.text).form is Form.TEXT for one in below)
    return cell.text if len(cell.text) <= _LONGEST_HEADER and texts * 2 < len(below) else ""
