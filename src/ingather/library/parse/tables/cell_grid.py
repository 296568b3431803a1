"""A region of a page made into a table: columns, rows, headers and labels, each cell with its place."""

import re
from dataclasses import dataclass, field

from ingather.library.parse.tables import gutters, headers, rows
from ingather.library.parse.tables.header_end import FIGURE, header_end_row, look_for_header_end
from ingather.library.parse.tables.header_lines import (
    end_of_header_lines,
    end_of_repeated_header_lines,
    middle_of_header_line,
    pitch_beside_header_lines,
)
from ingather.library.parse.tables.lattice import Lattice, lattice_of
from ingather.library.parse.tables.marks import Rule, Segment, Shade, Token, box_enclosing_marks, text_of_marks
from ingather.library.parse.tables.parted_labels import parted_labels_of
from ingather.library.parse.tables.region import Region
from ingather.library.parse.tables.ruled_rows import are_ruled_rows, ruled_row_of
from ingather.library.parse.tables.tokens import lines_of_tokens, segments_of_tokens
from ingather.library.parse.tables.unfinished import is_unfinished
from ingather.library.table import Box

# A table has no more columns and rows on a page than these; what seems to have more is a drawing.
_MOST_COLUMNS = 60
_MOST_ROWS = 400

# In points: a box is this much larger than its ink, for a dash is thinner than the grid that characters are kept on.
_MARGIN = 0.4

# A lattice is open where this share of its boxes with figures holds three or more of them, or this share holds two.
_OPEN_BY_SEVERAL = 0.3
_OPEN_BY_TWO = 0.6

_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(slots=True)
class GridPart:
    """A cell being made: its place in the grid, and its lines of words."""

    row: int
    column: int
    row_span: int
    column_span: int
    lines: list[list[Token]]
    page: int
    text: str = ""
    box: Box | None = None
    left: float = 0.0

    def __post_init__(self) -> None:
        self.text = text_of_grid_cell(self.lines)
        tokens = [token for line in self.lines for token in line]
        box = box_enclosing_marks([token.box for token in tokens])
        self.box = box and (box[0] - _MARGIN, box[1] - _MARGIN, box[2] + _MARGIN, box[3] + _MARGIN)
        self.left = min((token.box[0] for token in tokens), default=0.0)

    @property
    def is_bold(self) -> bool:
        return all(token.is_bold for line in self.lines for token in line)


@dataclass(slots=True)
class CellGrid:
    """A table in the making: its cells, and how many rows at the top are headers."""

    region: Region
    parts: list[GridPart] = field(default_factory=list)
    header_rows: int = 0
    cuts: list[float] = field(default_factory=list)
    is_ruled: bool = False
    turns: int = 0
    """How many quarter turns against the clock its text is turned on its page."""

    @property
    def rows(self) -> int:
        return max((part.row + part.row_span for part in self.parts), default=0)

    @property
    def columns(self) -> int:
        return len(self.cuts) + 1

    def header_texts(self) -> set[tuple[int, str]]:
        """What its headers say, each with its column."""
        return {(part.column, part.text) for part in self.parts if part.row < self.header_rows and part.text}


def text_of_grid_cell(lines: list[list[Token]]) -> str:
    """The text of a cell from its lines; after a dash it goes on without a blank."""
    text = ""
    for line in lines:
        new = text_of_marks(line)
        if not text:
            text = new
        elif (_CJK.match(text[-1]) and _CJK.match(new[:1])) or (
            text[-1] in "-\u2010\u2011\u2013\u2014" and len(text) > 1 and not text[-2].isspace()
        ):
            text += new
        else:
            text += " " + new
    return text


def build_cell_grid(region: Region, before: CellGrid | None = None) -> CellGrid | None:
    """The grid of a region, or None where it holds no table. `before` is the grid that it may go on with."""
    if region.is_picture or not region.tokens:
        return CellGrid(region)
    if before is not None and not before.parts:
        before = None
    lattice = lattice_of(region.box, region.across, region.down)
    if lattice is not None and not _cell_grid_has_open_lattice(lattice, region):
        return _build_ruled_cell_grid(region, lattice, before)
    return _build_spaced_cell_grid(region, lattice, before)


def _cell_grid_has_open_lattice(lattice: Lattice, region: Region) -> bool:
    """Whether the boxes of a lattice hold several rows each: then its lines down are columns and no more."""
    inside: dict[tuple[int, int], list[str]] = {}
    for line in lines_of_tokens(region.tokens):
        for segment in segments_of_tokens(line):
            square = lattice.square_at(segment.middle, segment.base - 0.4 * segment.size)
            if square is None or not FIGURE.match(segment.text):
                continue
            own = inside.setdefault((square.row, square.column), [])
            # A figure that wraps is one.
            if not own or not (segment.text[0] in "([" or is_unfinished(own[-1], segment.text)):
                own.append(segment.text)
    several, two = (sum(1 for own in inside.values() if len(own) > least) for least in (2, 1))
    return (several >= 1 and several >= _OPEN_BY_SEVERAL * len(inside)) or two >= max(_OPEN_BY_TWO * len(inside), 4)


def _build_ruled_cell_grid(region: Region, lattice: Lattice, before: CellGrid | None) -> CellGrid | None:
    inside: dict[int, list[Token]] = {}
    for token in region.tokens:
        middle = (token.box[0] + token.box[2]) / 2, (token.box[1] + token.box[3]) / 2
        square = lattice.square_at(*middle)
        if square is not None:
            inside.setdefault(id(square), []).append(token)
    if len(lattice.xs) > _MOST_COLUMNS or len(lattice.ys) > _MOST_ROWS:
        return None
    parts = [
        GridPart(
            square.row,
            square.column,
            square.last_row - square.row + 1,
            square.last_column - square.column + 1,
            lines_of_tokens(inside.get(id(square), [])),
            region.page,
        )
        for square in lattice.squares
    ]
    grid = CellGrid(region, parts, cuts=lattice.xs[1:-1], is_ruled=True)
    if before is None:
        grid.header_rows = _header_rows_of_cell_grid(parts, region.shades, len(lattice.ys) - 1)
    else:
        grid.header_rows = _repeated_rows_of_cell_grid(parts, before)
    return grid


def _repeated_rows_of_cell_grid(parts: list[GridPart], before: CellGrid) -> int:
    """How many rows at the top are the headers of the page before, once more."""
    known, count = before.header_texts(), 0
    for row in range(before.header_rows):
        here = {(part.column, part.text) for part in parts if part.row == row and part.text}
        if not here or not here <= known:
            break
        count = row + 1
    return count


def _header_rows_of_cell_grid(parts: list[GridPart], shades: list[Shade], count: int) -> int:
    """How many rows at the top of a table with drawn cells are headers."""
    by_row: list[list[GridPart]] = [[] for _ in range(count)]
    for part in parts:
        if part.text:
            by_row[part.row].append(part)
    filled = [row for row in by_row if row]
    if not filled:
        return 0
    looks = []
    for row in filled:
        cells = [(part.column == 0, part.text, [token for line in part.lines for token in line]) for part in row]
        looks.append(look_for_header_end(cells, shades, is_ruled_below=False, is_alone=_is_alone_in_cell_grid_row(row)))
    return _cell_grid_rows_until(by_row, header_end_row(looks))


def _is_alone_in_cell_grid_row(row: list[GridPart]) -> bool:
    """Whether a row holds a label and no more: in the first column, or over several columns."""
    return len(row) == 1 and (row[0].column == 0 or row[0].column_span > 1)


def _cell_grid_rows_until(by_row: list[list[GridPart]], filled: int) -> int:
    """The number of rows from the top that hold the first `filled` rows with text."""
    count = seen = 0
    for row in by_row:
        if row:
            if seen == filled:
                break
            seen += 1
        count += 1
    return count


def _build_spaced_cell_grid(region: Region, lattice: Lattice | None, before: CellGrid | None) -> CellGrid | None:
    """A grid from white space, with the help of what lines there are."""
    lines = [segments_of_tokens(line) for line in lines_of_tokens(region.tokens)]
    if not lines:
        return None
    size = rows.usual_type_size_of_rows(lines)
    full = _full_rules_of_cell_grid(region)
    end = (
        end_of_header_lines(region, lines)
        if before is None
        else end_of_repeated_header_lines(region, lines, before.header_texts())
    )
    header = [line for line in lines if middle_of_header_line(line) < end]
    body = [line for line in lines if middle_of_header_line(line) >= end]
    if not body:
        return None
    cuts = _column_cuts_of_cell_grid(region, lattice, header, body, size)
    known = [cut + region.shift for cut in before.cuts] if before is not None else []
    if known and _rules_fit_cell_grid(tuple(known), [segment for line in body for segment in line]):
        cuts = known
    if len(cuts) + 1 > _MOST_COLUMNS or len(lines) > _MOST_ROWS:
        return None
    segments = [segment for line in body for segment in line]
    columns = headers.header_columns_from(cuts, segments, region.box[0], region.box[2])
    pitch = rows.tight_pitch_of_rows(body, cuts, pitch_beside_header_lines(region))
    rules = [rule for rule in region.across if rule.at < end - 2]
    of_header = _header_pitch_for_cell_grid(header, body, cuts, pitch)
    above = headers.header_blocks(header, columns, of_header, rules)
    depth = max((block.row for block in above), default=-1) + 1
    parts = [_cell_grid_part(block, block.row, region.page) for block in above]
    start = depth
    bands = _body_bands_of_cell_grid(body, full, region.shades, region.box)
    is_ruled = are_ruled_rows(bands, cuts)
    for band in bands:
        if is_ruled:
            found = [ruled_row_of(band, cuts)]
        elif pitch is None:
            found = rows.rows_by_text(band, cuts)
        else:
            found = rows.rows_of_blocks(parted_labels_of(rows.row_blocks_of(band, cuts, pitch)))
        for row in found:
            parts += [_cell_grid_part(block, start + block.row, region.page) for block in row]
        start += len(found)
    return CellGrid(region, parts, header_rows=depth, cuts=cuts)


def _header_pitch_for_cell_grid(
    header: list[list[Segment]], body: list[list[Segment]], cuts: list[float], pitch: float | None
) -> float:
    """How far apart lines of one header may stand: as those of cells, or less far than rows where no cell says it."""
    if pitch:
        # Lines of smaller type may stand as far apart as those of the body.
        return pitch * max(rows.usual_type_size_of_rows(body) / rows.usual_type_size_of_rows(header), 1.0)
    nearest, of_rows = headers.line_pitch_of_headers(header), rows.row_pitch(body, cuts)
    if nearest >= of_rows:
        return headers.LEAST_PITCH
    return min(rows.loosest_pitch_of_rows(nearest, rows.usual_type_size_of_rows(header)), of_rows)


def _cell_grid_part(block: rows.RowBlock, row: int, page: int) -> GridPart:
    lines = [segment.tokens for segment in block.lines]
    return GridPart(row, block.first, block.span, block.last - block.first + 1, lines, page)


def _full_rules_of_cell_grid(region: Region) -> list[Rule]:
    left, _, right, _ = region.box
    return [rule for rule in region.across if rule.start <= left + 5 and rule.end >= right - 5]


def _column_cuts_of_cell_grid(
    region: Region, lattice: Lattice | None, header: list[list[Segment]], body: list[list[Segment]], size: float
) -> list[float]:
    if lattice is not None:
        return lattice.xs[1:-1]
    segments = [segment for line in body for segment in line]
    cuts = gutters.gutter_cuts_of(body, size)
    joints = max((rule.joints for rule in region.across), key=len, default=())
    if joints and _rules_fit_cell_grid(joints, segments):
        # The pieces of a rule show columns that white space hides; not each rule has a piece for each column.
        if len(joints) >= len(cuts):
            return list(joints)
        cuts = sorted([*cuts, *(joint for joint in joints if _is_new_cut_of_cell_grid(joint, cuts, segments))])
    leaves = headers.leaf_headers_of(header, headers.LEAST_PITCH, region.across)
    places = [(leaf.left, leaf.right) for leaf in leaves]
    cuts = gutters.gutters_between_headers(cuts, segments, places, size)
    pairs = gutters.gutters_paired_with_headers(cuts, segments, places)
    if pairs is not None:
        return pairs
    leaf = [segment for line in header[-1:] for segment in line]
    return gutters.gutters_with_header_columns(cuts, segments, leaf, size)


def _is_new_cut_of_cell_grid(joint: float, cuts: list[float], segments: list[Segment]) -> bool:
    """Whether text stands between a joint and the cuts beside it."""
    low = max((cut for cut in cuts if cut < joint), default=-1e9)
    high = min((cut for cut in cuts if cut > joint), default=1e9)
    return any(low < s.middle < joint for s in segments) and any(joint < s.middle < high for s in segments)


def _rules_fit_cell_grid(joints: tuple[float, ...], segments: list[Segment]) -> bool:
    """Whether the pieces in which rules were drawn are columns: hardly any text stands across the end of one."""
    crossed = (sum(1 for s in segments if s.left + 1 < joint < s.right - 1) for joint in joints)
    return max(crossed, default=0) <= 0.1 * len(segments)


def _body_bands_of_cell_grid(
    body: list[list[Segment]], full: list[Rule], shades: list[Shade], box: Box
) -> list[list[list[Segment]]]:
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
        bands.setdefault(sum(1 for edge in edges if edge < middle_of_header_line(line)), []).append(line)
    return [bands[number] for number in sorted(bands)]
