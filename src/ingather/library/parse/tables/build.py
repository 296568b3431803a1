"""A region of a page made into a table: columns, rows, headers and labels, each cell with its place."""

import re
from dataclasses import dataclass, field

from ingather.library.parse.tables import gutters, headers, rows
from ingather.library.parse.tables.labels import Label, paths_of
from ingather.library.parse.tables.lattice import Lattice, lattice_of
from ingather.library.parse.tables.marks import Rule, Segment, Shade, Word, enclosing, joined
from ingather.library.parse.tables.notes import notes_of
from ingather.library.parse.tables.regions import Region
from ingather.library.parse.tables.words import lines_of, segments_of
from ingather.library.table import Box, Cell, Table

_FIGURE = re.compile(r"^[<>=~\u2264\u2265\u2248\u00b1+\-\u2212\u2013(]*\s*[\d.]")

# A table has no more columns and rows on a page than these; what seems to have more is a drawing.
_MOST_COLUMNS = 60
_MOST_ROWS = 400

_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(slots=True)
class Part:
    """A cell being made: its place in the grid, and its lines of words."""

    row: int
    column: int
    row_span: int
    column_span: int
    lines: list[list[Word]]
    page: int
    text: str = ""
    box: Box | None = None
    left: float = 0.0

    def __post_init__(self) -> None:
        self.text = text_of(self.lines)
        words = [word for line in self.lines for word in line]
        self.box = enclosing([word.box for word in words])
        self.left = min((word.box[0] for word in words), default=0.0)

    @property
    def is_bold(self) -> bool:
        return all(word.is_bold for line in self.lines for word in line)


@dataclass(slots=True)
class Grid:
    """A table in the making: its cells, and how many rows at the top are headers."""

    region: Region
    parts: list[Part] = field(default_factory=list)
    header_rows: int = 0
    column_edges: list[float] = field(default_factory=list)
    is_ruled: bool = False


def text_of(lines: list[list[Word]]) -> str:
    """The text of a cell from its lines; after a dash or a slash it goes on without a blank."""
    text = ""
    for line in lines:
        new = joined(line)
        if not text:
            text = new
        elif (_CJK.match(text[-1]) and _CJK.match(new[:1])) or (
            text[-1] in "-\u2010\u2011\u2013\u2014/" and len(text) > 1 and not text[-2].isspace()
        ):
            text += new
        else:
            text += " " + new
    return text


def grid_of(region: Region) -> Grid | None:
    """The grid of a region, or None where it holds no table."""
    lattice = lattice_of(region.box, region.across, region.down)
    if lattice is not None and not _is_open(lattice, region):
        return _ruled(region, lattice)
    return _spaced(region, lattice)


def _is_open(lattice: Lattice, region: Region) -> bool:
    """Whether the boxes of a lattice hold several rows each: then its lines down are columns and no more."""
    inside: dict[tuple[int, int], int] = {}
    for line in lines_of(region.words):
        for segment in segments_of(line):
            square = lattice.square_at(segment.middle, segment.base - 0.4 * segment.size)
            if square is not None and _FIGURE.match(segment.text):
                key = (square.row, square.column)
                inside[key] = inside.get(key, 0) + 1
    several = sum(1 for count in inside.values() if count > 2)
    return several >= 1 and several >= 0.3 * len(inside)


def _ruled(region: Region, lattice: Lattice) -> Grid | None:
    inside: dict[int, list[Word]] = {}
    for word in region.words:
        middle = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
        square = lattice.square_at(*middle)
        if square is not None:
            inside.setdefault(id(square), []).append(word)
    if len(lattice.xs) > _MOST_COLUMNS or len(lattice.ys) > _MOST_ROWS:
        return None
    parts = [
        Part(
            square.row,
            square.column,
            square.last_row - square.row + 1,
            square.last_column - square.column + 1,
            lines_of(inside.get(id(square), [])),
            region.page,
        )
        for square in lattice.squares
    ]
    grid = Grid(region, parts, column_edges=lattice.xs, is_ruled=True)
    grid.header_rows = _header_rows(parts, region.shades, len(lattice.ys) - 1)
    return grid


def _header_rows(parts: list[Part], shades: list[Shade], count: int) -> int:
    """How many rows at the top are headers: by shading, else by bold type, else those before the first figures."""
    by_row: list[list[Part]] = [[] for _ in range(count)]
    for part in parts:
        if part.text:
            by_row[part.row].append(part)
    filled = [row for row in by_row if row]
    shaded = [_shade_of(row, shades) for row in filled]
    if shaded and shaded[0] is not None:
        same = next((n for n, colour in enumerate(shaded) if colour != shaded[0]), len(shaded))
        if same < len(shaded):
            return _until(by_row, same)
    bold = [all(part.is_bold for part in row) for row in filled]
    if bold and bold[0]:
        same = next((n for n, is_bold in enumerate(bold) if not is_bold), len(bold))
        if same < len(bold):
            return _until(by_row, same)
    for number, row in enumerate(filled):
        cells = [part for part in row if part.column > 0]
        figures = sum(1 for part in cells if _FIGURE.match(part.text))
        if cells and figures * 2 >= len(cells):
            return _until(by_row, number)
    return _until(by_row, 1)


def _until(by_row: list[list[Part]], filled: int) -> int:
    """The number of rows from the top that hold the first `filled` rows with text."""
    count = seen = 0
    for row in by_row:
        if row:
            if seen == filled:
                break
            seen += 1
        count += 1
    return count


def _shade_of(row: list[Part], shades: list[Shade]) -> tuple[int, int, int] | None:
    """The colour behind most cells of a row."""
    colours: list[tuple[int, int, int] | None] = []
    for part in row:
        assert part.box is not None
        x, y = (part.box[0] + part.box[2]) / 2, (part.box[1] + part.box[3]) / 2
        over = [s.colour for s in shades if s.box[0] <= x <= s.box[2] and s.box[1] <= y <= s.box[3]]
        colours.append(over[-1] if over else None)
    return max(set(colours), key=colours.count) if colours else None


def _spaced(region: Region, lattice: Lattice | None) -> Grid | None:
    """A grid from white space, with the help of what lines there are."""
    lines = [segments_of(line) for line in lines_of(region.words)]
    if not lines:
        return None
    size = rows.usual_size(lines)
    full = _full_rules(region)
    header_end = _header_end(region, lines, full)
    header = [line for line in lines if _middle(line) < header_end]
    body = [line for line in lines if _middle(line) >= header_end]
    if not body:
        return None
    cuts = _cuts(region, lattice, header, body, size)
    if len(cuts) + 1 > _MOST_COLUMNS or len(lines) > _MOST_ROWS:
        return None
    segments = [segment for line in body for segment in line]
    columns = headers.columns_from(cuts, segments, region.box[0], region.box[2])
    pitch = rows.tight_pitch(body, cuts)
    above = headers.header_blocks(header, columns, pitch or 1.4, [r for r in region.across if r.at < header_end - 2])
    depth = max((block.row for block in above), default=-1) + 1
    parts = [_part(block, block.row, region.page) for block in above]
    start = depth
    for band in _bands(body, full, region.shades, region.box):
        found = rows.rows_by_words(band, cuts) if pitch is None else rows.rows_of(rows.blocks_of(band, cuts, pitch))
        for row in found:
            parts += [_part(block, start + block.row, region.page) for block in row]
        start += len(found)
    edges = [region.box[0], *cuts, region.box[2]]
    return Grid(region, parts, header_rows=depth, column_edges=edges)


def _middle(line: list[Segment]) -> float:
    return line[0].base - 0.35 * line[0].size


def _part(block: rows.Block, row: int, page: int) -> Part:
    lines = [segment.words for segment in block.lines]
    return Part(row, block.first, block.span, block.last - block.first + 1, lines, page)


def _full_rules(region: Region) -> list[Rule]:
    left, _, right, _ = region.box
    return [rule for rule in region.across if rule.start <= left + 5 and rule.end >= right - 5]


def _header_end(region: Region, lines: list[list[Segment]], full: list[Rule]) -> float:
    """The height at which the header ends: a rule below the first lines, or else where figures begin."""
    first, last = _middle(lines[0]), _middle(lines[-1])
    inner = [rule.at for rule in full if first < rule.at < last]
    if inner:
        return inner[0]
    shaded = _shaded_end(lines, region.shades)
    if shaded is not None:
        return shaded
    bold = [all(word.is_bold for segment in line for word in segment.words) for line in lines]
    if bold[0] and not all(bold):
        return _middle(lines[bold.index(False)]) - 1
    for line in lines:
        cells = line[1:] if len(line) > 1 else []
        figures = sum(1 for segment in cells if _FIGURE.match(segment.text))
        if cells and figures * 2 >= len(cells):
            return _middle(line) - 1
    return _middle(lines[1]) - 1 if len(lines) > 1 else region.box[1]


def _shaded_end(lines: list[list[Segment]], shades: list[Shade]) -> float | None:
    """Where the shading of the first line ends, if there is any."""
    x, y = lines[0][0].middle, _middle(lines[0])
    for shade in shades:
        if shade.box[0] <= x <= shade.box[2] and shade.box[1] <= y <= shade.box[3]:
            below = [line for line in lines if _middle(line) > shade.box[3]]
            return shade.box[3] if below else None
    return None


def _cuts(
    region: Region, lattice: Lattice | None, header: list[list[Segment]], body: list[list[Segment]], size: float
) -> list[float]:
    if lattice is not None:
        return lattice.xs[1:-1]
    segments = [segment for line in body for segment in line]
    joints = max((rule.joints for rule in region.across), key=len, default=())
    if joints and _fit(joints, segments):
        return list(joints)
    cuts = gutters.cuts_of(body, size)
    leaf = [segment for line in header[-1:] for segment in line]
    return gutters.with_header_columns(cuts, segments, leaf, size)


def _fit(joints: tuple[float, ...], segments: list[Segment]) -> bool:
    """Whether the pieces in which rules were drawn are columns: hardly any text stands across their ends."""
    crossed = sum(1 for s in segments for joint in joints if s.left + 1 < joint < s.right - 1)
    return crossed <= 0.1 * len(segments)


def _bands(body: list[list[Segment]], full: list[Rule], shades: list[Shade], box: Box) -> list[list[list[Segment]]]:
    """The body cut at rules and at edges of shading that run through the table: no cell crosses one."""
    width = box[2] - box[0]
    edges = [rule.at for rule in full]
    by_edge: dict[int, float] = {}
    for shade in shades:
        for edge in (shade.box[1], shade.box[3]):
            by_edge[round(edge)] = by_edge.get(round(edge), 0.0) + shade.box[2] - shade.box[0]
    edges += [float(edge) for edge, length in by_edge.items() if length >= 0.9 * width]
    bands: dict[int, list[list[Segment]]] = {}
    for line in body:
        bands.setdefault(sum(1 for edge in edges if edge < _middle(line)), []).append(line)
    return [bands[number] for number in sorted(bands)]


def table_from(grid: Grid) -> Table:
    """The finished table: paths for every cell, caption and footnotes."""
    region = grid.region
    count = max((part.row + part.row_span for part in grid.parts), default=0)
    columns = max((part.column + part.column_span for part in grid.parts), default=0)
    heads = [part for part in grid.parts if part.row < grid.header_rows and part.text]
    by_row: list[list[Part]] = [[] for _ in range(count)]
    for part in grid.parts:
        if part.text:
            for row in range(part.row, part.row + part.row_span):
                by_row[row].append(part)
    body = range(grid.header_rows, count)
    labels = [_label(by_row[row], row, columns) for row in body]
    paths = dict(zip(body, paths_of(labels), strict=True))
    names = {row: label.text for row, label in zip(body, labels, strict=True) if label}
    cells = [_cell(part, grid, heads, paths, names) for part in grid.parts if part.text]
    cells.sort(key=lambda cell: (cell.row, cell.column))
    caption = region.caption
    return Table(
        page=region.page,
        label=caption.label if caption else "",
        caption=caption.text if caption else "",
        footnotes=notes_of(region.below),
        cells=tuple(cells),
    )


def _label(row: list[Part], number: int, columns: int) -> Label | None:
    first = [part for part in row if part.column == 0 and part.row == number]
    if not first:
        alone = [part for part in row if part.row == number]
        if len(alone) == 1 and alone[0].column_span == columns > 1:
            return Label(alone[0].text, alone[0].left, is_alone=True)
        return None
    others = [part for part in row if part is not first[0]]
    return Label(first[0].text, first[0].left, is_alone=not others)


def _cell(part: Part, grid: Grid, heads: list[Part], paths: dict[int, tuple[str, ...]], names: dict[int, str]) -> Cell:
    is_header = part.row < grid.header_rows
    last = part.column + part.column_span - 1
    over = [
        head
        for head in heads
        if head is not part
        and head.column <= part.column
        and head.column + head.column_span - 1 >= last
        and (not is_header or head.row < part.row)
    ]
    over.sort(key=lambda head: head.row)
    row_path: tuple[str, ...] = ()
    if not is_header:
        row_path = paths.get(part.row, ())
        if part.column > 0 and part.row in names:
            row_path = (*row_path, names[part.row])
    return Cell(
        row=part.row,
        column=part.column,
        row_span=part.row_span,
        column_span=part.column_span,
        text=part.text,
        row_path=row_path,
        column_path=tuple(head.text for head in over),
        is_header=is_header,
        page=part.page,
        box=part.box,
    )
