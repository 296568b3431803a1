"""Cells of a table whose lines are drawn: the boxes between lines across and lines down."""

from dataclasses import dataclass

from ingather.library.parse.tables.marks import Rule
from ingather.library.table import Box

# In points: lines nearer than this are one edge.
_SAME = 2.5


@dataclass(frozen=True, slots=True)
class Square:
    """A cell by its first and last row and column of the lattice."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Lattice:
    """The edges of rows and columns, and the cells between them."""

    xs: list[float]
    ys: list[float]
    squares: list[Square]

    def square_at(self, x: float, y: float) -> Square | None:
        column = sum(1 for edge in self.xs if edge <= x) - 1
        row = sum(1 for edge in self.ys if edge <= y) - 1
        column, row = min(max(column, 0), len(self.xs) - 2), min(max(row, 0), len(self.ys) - 2)
        for square in self.squares:
            if square.row <= row <= square.last_row and square.column <= column <= square.last_column:
                return square
        return None


def lattice_edges(values: list[float]) -> list[float]:
    """Values that lie near each other as one, from the least."""
    found: list[list[float]] = []
    for value in sorted(values):
        if found and value - found[-1][-1] <= _SAME:
            found[-1].append(value)
        else:
            found.append([value])
    return [sum(group) / len(group) for group in found]


def lattice_of(box: Box, across: list[Rule], down: list[Rule]) -> Lattice | None:
    """The lattice in a box, or None where lines do not enclose its columns."""
    left, top, right, bottom = box
    inner = [rule for rule in down if left + 5 < rule.at < right - 5]
    if not inner or sum(rule.length for rule in inner) < 0.5 * (bottom - top):
        return None
    xs = lattice_edges([left, right, *(rule.at for rule in down if rule.length > 4)])
    ys = lattice_edges([top, bottom, *(rule.at for rule in across)])
    if len(xs) < 3 or len(ys) < 2:
        return None
    return Lattice(xs, ys, _lattice_squares(xs, ys, across, down))


def _rules_cover_lattice(rules: list[Rule], at: float, low: float, high: float) -> bool:
    middle = (low + high) / 2
    return any(abs(rule.at - at) <= _SAME and rule.start <= middle <= rule.end for rule in rules)


def _lattice_squares(xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]) -> list[Square]:
    columns, rows = len(xs) - 1, len(ys) - 1
    near_down = [[rule for rule in down if abs(rule.at - x) <= _SAME] for x in xs]
    near_across = [[rule for rule in across if abs(rule.at - y) <= _SAME] for y in ys]
    taken = [[False] * columns for _ in range(rows)]
    found = []
    for row in range(rows):
        for column in range(columns):
            if taken[row][column]:
                continue
            last_column = column
            while (
                last_column + 1 < columns
                and not taken[row][last_column + 1]
                and not _rules_cover_lattice(near_down[last_column + 1], xs[last_column + 1], ys[row], ys[row + 1])
            ):
                last_column += 1
            last_row = row
            while last_row + 1 < rows and not any(
                taken[last_row + 1][c]
                or _rules_cover_lattice(near_across[last_row + 1], ys[last_row + 1], xs[c], xs[c + 1])
                for c in range(column, last_column + 1)
            ):
                last_row += 1
            for r in range(row, last_row + 1):
                for c in range(column, last_column + 1):
                    taken[r][c] = True
            found.append(Square(row, column, last_row, last_column))
    return found
