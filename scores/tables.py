"""Tables: what is read from pages held against the cells of the articles that the pages were set from.

FOLDER/pdf holds NAME.STYLE.pdf, and NAME.xml stands in the `papers` of any board. A cell counts where its whole text
is right; its header path where all headers above it are, from the top; its box where the characters of the page that
stand in it are the cell's text. Text is compared without the differences of blanks at line ends and of dashes.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from struct import iter_unpack
from typing import TypeVar

from ingather.library.parse import pdf
from ingather.library.parse.formats import read_in_its_format
from ingather.library.parse.limits import Limits
from ingather.library.reading import Page
from ingather.library.table import Cell, Table
from scores.report import Report, Share
from scores.table_truth import TrueCell, TrueTable, plain, tables_of

# A table that was read is one of the article's where this share of the smaller one's cells is in the other.
_ALIKE = 0.2
# The boxes of characters are kept in quarter points.
_UNIT = 4

AnyCell = TypeVar("AnyCell", TrueCell, Cell)


@dataclass(slots=True)
class Count:
    """What one paper, or a board of them, gives."""

    true: int = 0
    read: int = 0
    right: int = 0
    in_row: int = 0
    paths: int = 0
    paths_right: int = 0
    paths_of_read: int = 0
    row_paths: int = 0
    row_paths_right: int = 0
    boxes: int = 0
    boxes_right: int = 0
    tables: int = 0
    tables_found: int = 0
    tables_extra: int = 0
    seconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def add(self, other: "Count") -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def score(folder: Path) -> Report:
    """How much of the tables of all papers in `pdf` is read."""
    papers = {path.stem: path for path in sorted(folder.glob("*/papers/*.xml"))}
    files = [file for file in sorted((folder / "pdf").glob("*.pdf")) if file.name.split(".")[0] in papers]
    if not files:
        raise FileNotFoundError("no pages in pdf/ that an article of this folder was set in")
    styles: dict[str, Count] = defaultdict(Count)
    for file in files:
        name, style = file.stem.split(".")[:2]
        styles[style].add(of_paper(file, papers[name]))
    whole = Count()
    for count in styles.values():
        whole.add(count)
    shares = [share for style in sorted(styles) for share in _shares(styles[style], f"{style}: ")]
    notes = [_note(style, styles[style]) for style in sorted(styles)]
    return Report(
        board="tables", shares=_shares(whole, "") + shares, misses=whole.misses, notes=[_note("all", whole), *notes]
    )


def of_paper(file: Path, article: Path) -> Count:
    """One file held against its article."""
    count = Count()
    with _stopwatch() as seconds:
        reading = read_in_its_format(file.read_bytes(), Limits(seconds=120), suffix=".pdf")
    count.seconds.append(sum(seconds))
    truths = tables_of(article)
    count.tables = len(truths)
    tables = [table for table in reading.tables if table.cells]
    for table in tables:
        count.read += len(table.cells)
        for cell in table.cells:
            _count_box(count, file.stem, table, cell, reading.pages)
    partners = _partners(truths, tables)
    count.tables_extra = len(tables) - len(set(partners.values()))
    taken = set(partners.values())
    for number, table in enumerate(tables):
        if number not in taken:
            count.misses.append(f"{file.stem} page {table.page + 1}: extra table {table.caption[:60]!r}")
    for number, truth in enumerate(truths):
        count.true += len(truth.cells)
        if number in partners:
            count.tables_found += 1
            _count_table(count, f"{file.stem} {truth.label}", truth, tables[partners[number]])
        else:
            count.paths += sum(1 for cell in truth.cells if truth.has_header and not cell.is_header)
            count.row_paths += sum(1 for cell in truth.cells if cell.row_path is not None)
            count.misses.append(f"{file.stem} {truth.label}: no such table")
    return count


@contextmanager
def _stopwatch() -> Iterator[list[float]]:
    """The processor time that tables take beyond the text, measured around the calls for them."""
    seconds: list[float] = []

    def timed(function: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object) -> object:
            start = time.process_time()
            try:
                return function(*arguments)
            finally:
                seconds.append(time.process_time() - start)

        return run

    real = {name: getattr(pdf, name) for name in ("read_grids_of_page", "tables_carried_over_pages")}
    for name, function in real.items():
        setattr(pdf, name, timed(function))
    try:
        yield seconds
    finally:
        for name, function in real.items():
            setattr(pdf, name, function)


def _partners(truths: list[TrueTable], tables: list[Table]) -> dict[int, int]:
    """Which table that was read is which of the article, by the cells they have in common."""
    bags = [Counter(plain(cell.text) for cell in table.cells) for table in tables]
    pairs = []
    for number, truth in enumerate(truths):
        own = Counter(cell.text for cell in truth.cells)
        for other, bag in enumerate(bags):
            common = (own & bag).total()
            least = min(own.total(), bag.total())
            if common > _ALIKE * least or (common and _is_named(truth, tables[other])):
                pairs.append((common + 0.5 * _is_named(truth, tables[other]), number, other))
    found: dict[int, int] = {}
    for _, number, other in sorted(pairs, reverse=True):
        if number not in found and other not in found.values():
            found[number] = other
    return found


def _is_named(truth: TrueTable, table: Table) -> bool:
    return bool(truth.label) and plain(table.label).lower() == truth.label.lower().rstrip(".:")


def _count_table(count: Count, name: str, truth: TrueTable, table: Table) -> None:
    pairs = list(_pairs(truth, table))
    count.right += len(pairs)
    count.in_row += sum(1 for _, _, is_in_row in pairs if is_in_row)
    by_cell = {id(true): cell for true, cell, _ in pairs}
    for true in truth.cells:
        cell = by_cell.get(id(true))
        if true.row_path is not None:
            count.row_paths += 1
            if cell is not None and tuple(plain(text) for text in cell.row_path) == true.row_path:
                count.row_paths_right += 1
            elif cell is not None:
                count.misses.append(
                    f"{name} row {true.row} column {true.column}: {true.text!r} beside "
                    f"{tuple(cell.row_path)}, not {true.row_path}"
                )
        if cell is None:
            count.misses.append(f"{name} row {true.row} column {true.column}: not read {true.text!r}")
        if not truth.has_header or true.is_header:
            continue
        count.paths += 1
        if cell is None:
            continue
        count.paths_of_read += 1
        path = tuple(plain(text) for text in cell.column_path)
        if path == true.path:
            count.paths_right += 1
        else:
            count.misses.append(
                f"{name} row {true.row} column {true.column}: {true.text!r} under {path}, not {true.path}"
            )
    paired = {id(cell) for _, cell, _ in pairs}
    count.misses += [
        f"{name}: read {cell.text!r} in row {cell.row}, which is no cell"
        for cell in table.cells
        if id(cell) not in paired
    ]


def _pairs(truth: TrueTable, table: Table) -> Iterator[tuple[TrueCell, Cell, bool]]:
    """Cells with one text: first in rows that are alike, in their order; then whatever is left, from the top."""
    true_rows, rows = _by_row(truth.cells), _by_row(table.cells)
    left, right = [list(row) for row in true_rows], [list(row) for row in rows]
    for one, other in _aligned(true_rows, rows):
        texts = [cell.text for cell in true_rows[one]], [plain(cell.text) for cell in rows[other]]
        for block in SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks():
            for step in range(block.size):
                true, cell = true_rows[one][block.a + step], rows[other][block.b + step]
                left[one].remove(true)
                right[other].remove(cell)
                yield true, cell, True
    spare: dict[str, list[Cell]] = defaultdict(list)
    for row in right:
        for cell in row:
            spare[plain(cell.text)].append(cell)
    for true in (cell for row in left for cell in row):
        if spare[true.text]:
            yield true, spare[true.text].pop(0), False


def _by_row(cells: Iterable[AnyCell]) -> list[list[AnyCell]]:
    rows: dict[int, list[AnyCell]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.column)):
        rows[cell.row].append(cell)
    return [rows[number] for number in sorted(rows)]


def _aligned(one: list[list[TrueCell]], other: list[list[Cell]]) -> list[tuple[int, int]]:
    """Rows of both tables in their order, so that most cells agree (the longest common subsequence, weighted)."""
    bags = [Counter(plain(cell.text) for cell in row) for row in other]
    best = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    own = [Counter(cell.text for cell in row) for row in one]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + (own[i] & bags[j]).total())
    pairs, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _count_box(count: Count, name: str, table: Table, cell: Cell, pages: tuple[Page, ...]) -> None:
    """Whether the characters of the page whose middle is in the box are those of the cell."""
    count.boxes += 1
    inside = _inside(pages[cell.page], cell.box) if cell.box is not None else ""
    if Counter(re.sub(r"\s", "", inside)) == Counter(re.sub(r"\s", "", cell.text)):
        count.boxes_right += 1
    else:
        count.misses.append(f"{name} {table.label}: in the box of {cell.text!r} stands {inside!r}")


def _inside(page: Page, box: tuple[float, float, float, float]) -> str:
    left, top, right, bottom = box
    chars = []
    for char, (x0, y0, x1, y1) in zip(page.text, iter_unpack("<4H", page.boxes), strict=True):
        x, y = (x0 + x1) / 2 / _UNIT, (y0 + y1) / 2 / _UNIT
        if left <= x <= right and top <= y <= bottom:
            chars.append(char)
    return "".join(chars)


def _shares(count: Count, prefix: str) -> list[Share]:
    return [
        Share(name=f"{prefix}F1 of cell text", right=2 * count.right, of=count.true + count.read, target=0.97),
        Share(name=f"{prefix}precision of cell text", right=count.right, of=count.read),
        Share(name=f"{prefix}recall of cell text", right=count.right, of=count.true),
        Share(name=f"{prefix}cells in their row", right=count.in_row, of=count.true),
        Share(name=f"{prefix}header path exact", right=count.paths_right, of=count.paths, target=0.95),
        Share(
            name=f"{prefix}header path exact where the cell was read", right=count.paths_right, of=count.paths_of_read
        ),
        Share(name=f"{prefix}row path exact", right=count.row_paths_right, of=count.row_paths),
        Share(name=f"{prefix}box holds the cell's characters", right=count.boxes_right, of=count.boxes),
        Share(name=f"{prefix}tables found", right=count.tables_found, of=count.tables),
    ]


def _note(style: str, count: Count) -> str:
    seconds = sorted(count.seconds)
    middle = seconds[len(seconds) // 2]
    missed = count.tables - count.tables_found
    return (
        f"{style}: {len(seconds)} files, {missed} tables missed, {count.tables_extra} extra; processor time beyond the "
        f"text {sum(seconds) / len(seconds):.3f} s a paper, middle {middle:.3f}, most {seconds[-1]:.3f}"
    )
