"""The rows of an edited export, each with its key and its cells by column; sheets without keys are named. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.export.sheets import SheetHeading
from ingather.extraction.read_back.uploaded import UploadedCell, UploadedSheet
from ingather.notice import notice

# A wide sheet of a workbook has its section, label and id in three rows; others have their heading in one.
_HEADING_ROWS: Final = 3
# Sheets that say how the tables came about. Nobody reviews in them.
NOT_READ: Final = frozenset({"audit", "failures", "dictionary", "settings"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """A row of a sheet: where it stands, and its cells by the place of their column in the export."""

    sheet: str
    line: int
    key: str
    heading: SheetHeading
    cells: dict[int, UploadedCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnplacedRow:
    """A row, or a whole sheet where `line` is 0, that nothing is done about, with the reason."""

    sheet: str
    line: int
    column: str
    text: str
    why: str


def rows_of_sheet(sheet: UploadedSheet, headings: Sequence[SheetHeading]) -> Iterator[ReadRow | UnplacedRow]:
    """The rows of one sheet, read by the headings of one language."""
    found = _heading_of_sheet(sheet, headings)
    if found is None:
        if sheet.rows and not _is_not_read(sheet, headings):
            yield _unplaced_sheet(
                sheet,
                notice(
                    "read_back.unknown_sheet",
                    "This is no table that can be read back: Evidence, Studies and the tables by row can.",
                ),
            )
        return
    heading, places, first = found
    if heading.key in NOT_READ:
        return
    titles = _titles(heading)
    yield from _unknown_columns(sheet, places, first, titles)
    at_key = titles.index(titles[_key_place(heading)])
    if at_key not in places.values():
        why = notice("read_back.no_keys", "The column of keys is missing, so no row of this sheet can be placed.")
        yield _unplaced_sheet(sheet, why)
        return
    for line, row in enumerate(sheet.rows[first:], first + 1):
        cells = {place: row[column] if column < len(row) else "" for column, place in places.items()}
        if any(cell != "" for cell in cells.values()):
            key = str(cells.pop(at_key)).strip()
            yield ReadRow(sheet=sheet.name, line=line, key=key, heading=heading, cells=cells)


def _heading_of_sheet(
    sheet: UploadedSheet, headings: Sequence[SheetHeading]
) -> tuple[SheetHeading, dict[int, int], int] | None:
    """Which table it is, the place in it of each column of the file, and where its rows begin."""
    best: tuple[int, SheetHeading, dict[int, int], int] | None = None
    for first, names in _possible_headings(sheet.rows):
        for heading in headings:
            known = {name: place for place, name in enumerate(_titles(heading))}
            places = {column: known[name] for column, name in enumerate(names) if name in known}
            # Half of the columns: a table of another kind has fewer, and one whose columns were deleted has more.
            if 2 * len(places) >= min(len(known), len(names)) and (best is None or len(places) > best[0]):
                best = len(places), heading, places, first
    return None if best is None or best[0] < 2 else best[1:]


def _possible_headings(rows: list[list[UploadedCell]]) -> Iterator[tuple[int, list[str]]]:
    texts = [[str(cell).strip() for cell in row] for row in rows[:_HEADING_ROWS]]
    if texts:
        yield 1, texts[0]
    if len(texts) == _HEADING_ROWS:
        _, titles, ids = texts
        width = max(len(titles), len(ids))
        titles, ids = (row + [""] * (width - len(row)) for row in (titles, ids))
        yield _HEADING_ROWS, [name or title for title, name in zip(titles, ids, strict=True)]


def _titles(heading: SheetHeading) -> list[str]:
    return [column.id or column.title for column in heading.columns]


def _key_place(heading: SheetHeading) -> int:
    return len(heading.columns) - 1


def _unknown_columns(
    sheet: UploadedSheet, places: dict[int, int], first: int, titles: list[str]
) -> Iterator[UnplacedRow]:
    """Columns that somebody added or renamed, where they hold anything."""
    names = next(names for start, names in _possible_headings(sheet.rows) if start == first)
    for column in range(max(map(len, sheet.rows))):
        if column in places or not any(len(row) > column and row[column] != "" for row in sheet.rows[first:]):
            continue
        name = names[column] if column < len(names) else ""
        why = notice(
            "read_back.unknown_column", "The export has no column of this name; what stands in it is not read."
        )
        yield UnplacedRow(sheet=sheet.name, line=0, column=name or str(column + 1), text="", why=why)
    missing = [titles[place] for place in range(len(titles) - 1) if place not in places.values()]
    if missing:
        why = notice("read_back.missing_columns", "Columns of the export are missing here; nothing is read for them.")
        yield UnplacedRow(sheet=sheet.name, line=0, column=", ".join(missing), text="", why=why)


def _is_not_read(sheet: UploadedSheet, headings: Sequence[SheetHeading]) -> bool:
    return any(heading.key in NOT_READ and heading.title == sheet.name for heading in headings) or len(sheet.rows) <= 1


def _unplaced_sheet(sheet: UploadedSheet, why: str) -> UnplacedRow:
    return UnplacedRow(sheet=sheet.name, line=0, column="", text=f"{max(len(sheet.rows) - 1, 0)}", why=why)
