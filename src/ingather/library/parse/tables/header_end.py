"""Where the header of a table ends: what rules, shading, type and figures say, weighed against each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingather.library.parse.tables.marks import Shade, Token
from ingather.library.table import Box

# A cell that is a figure; "n = 40" is none.
FIGURE = re.compile(r"^[<>=~\u2264\u2265\u2248\u00b1+\-\u2212\u2013(]*\s*[\d.]")

# A letter or two before a figure with decimals: `A 85.73`.
_LETTERED = re.compile(r"^[A-Za-z]{1,2}\s?\d+[.,]\d")

# An amount with its unit in words is a name more often than a figure: `40 mg`, `12 weeks`; so is a level: `(95% CI)`.
_AMOUNT = re.compile(r"^\d+(?:[.,]\d+)?\s+[A-Za-z]+\.?$|^\(?\d+(?:[.,]\d+)?\s?%\s?[A-Z]")

# A sign for a figure that there is none of says nothing about its row.
_NO_FIGURE = re.compile(r"^(?:[-\u2010-\u2015\u2212.]+|[Nn]/?[Aa]\.?|[Nn]\.?[SsDdRr]\.?|[Rr]ef(?:erence)?\.?)$")

# A header has no more lines than this.
_MOST = 14

# Each sign is worth this much. The first rule below the first rows decides unless much speaks against it; a change of
# type and a change of shading come next; each row of figures above speaks against; figures that begin later are a
# doubt.
_RULE = 5.0
_LATER_RULE = 0.6
# A rule that leaves out the labels' column may as well stand below a header above others.
_RULE_BESIDE = 2.5
_TYPE = 3.0
_SHADE = 3.0
_FIGURES_BEGIN = 1.5
_FIGURES_ABOVE = -2.5
_BEFORE_FIGURES = -0.35
# So many rules, below so large a share of the lines, are below rows and not below the header.
_MANY_RULES = 5
_RULED_ROWS = 0.35

# A header does not end between two lines of a cell, nor at a rule that groups the columns named below it.
_TIGHT = -3.0
_GROUPS_BELOW = -6.0

# A row is one of figures if this share of its cells is.
_MOST_FIGURES = 0.5

# Out of 255: text in a darker colour is as good as black.
_DARK = 90

Colour = tuple[int, int, int] | None


@dataclass(slots=True, kw_only=True)
class Look:
    """What a line or a row of a table looks like.

    `figures` is the share of its cells beyond the first that are figures, or
    None without such cells. `traits` are what all of its words have in common,
    or None without words.
    """

    figures: float | None
    traits: frozenset[object] | None
    shade: Colour
    is_ruled_below: bool
    is_alone: bool
    is_single: bool = False
    """It has one cell at most."""
    is_ruled_beside: bool = False
    """A rule runs below it through all columns but that of the labels."""
    is_grouping: bool = False
    """A piece of a rule below it stands over several columns, and not over all."""
    is_tight_below: bool = False
    """The next line stands as near as lines of one cell do, and nearer than rows."""


def look_for_header_end(
    cells: Sequence[tuple[bool, str, list[Token]]], shades: list[Shade], *, is_ruled_below: bool, is_alone: bool
) -> Look:
    """The look of cells, each with whether it is the first of its row, its text and its words."""
    others = [text for is_first, text, _ in cells if not is_first]
    others = [text for text in others if not _NO_FIGURE.match(text)] or others
    tokens = [token for _, _, own in cells for token in own if any(char.isalnum() for char in token.text)]
    traits: set[object] = set()
    if tokens:
        if all(token.is_bold for token in tokens):
            traits.add("bold")
        if all(token.is_italic for token in tokens):
            traits.add("italic")
        if len({token.colour for token in tokens}) == 1 and max(tokens[0].colour) > _DARK:
            traits.add(tokens[0].colour)
    figures = sum(1 for text in others if _is_figure_cell_at_header_end(text)) / len(others) if others else None
    colours = [shade_at_header_end(own[0].box, shades) for _, _, own in cells if own]
    shade = max(colours, key=colours.count) if colours else None  # of as many of both, the first
    return Look(
        is_single=len(cells) <= 1,
        figures=figures,
        traits=frozenset(traits) if tokens else None,
        shade=shade,
        is_ruled_below=is_ruled_below,
        is_alone=is_alone,
    )


def _is_figure_cell_at_header_end(text: str) -> bool:
    """Whether a cell is a figure, and not a name that begins with one."""
    if _LETTERED.match(text):
        return True
    if _AMOUNT.match(text):
        return False
    return FIGURE.match(text) is not None and 2 * sum(map(str.isalpha, text)) <= len(text)


def shade_at_header_end(box: Box, shades: list[Shade]) -> Colour:
    """The colour behind the middle of a box."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    over = [s.colour for s in shades if s.box[0] <= x <= s.box[2] and s.box[1] <= y <= s.box[3]]
    return over[-1] if over else None


def header_end_row(rows: list[Look]) -> int:
    """How many rows at the top are headers: at least one, and never all."""
    if len(rows) < 2:
        return 0
    figures = [_is_row_of_figures_at_header_end(rows, number) for number in range(len(rows))]
    first_figures = figures.index(True) if True in figures else None
    best, most = 1, -1e9
    # Where a rule stands below each row, none of them is the header's.
    ruled = sum(row.is_ruled_below for row in rows)
    are_ruled = ruled >= _MANY_RULES and ruled >= _RULED_ROWS * len(rows)
    rules = int(are_ruled)
    for end in range(1, min(len(rows), _MOST + 1)):
        # The rule below a title within the table is not yet the header's.
        rules += rows[end - 1].is_ruled_below and not all(row.is_single for row in rows[:end])
        score = _header_end_score(rows, end, rules) + _FIGURES_ABOVE * sum(figures[:end])
        if first_figures is not None:
            score += _RULE_BESIDE * _is_header_end_beside(rows, end, first_figures)
            score += _FIGURES_BEGIN * (end == first_figures) + _BEFORE_FIGURES * min(max(first_figures - end, 0), 2)
        if score > most + 1e-9:
            best, most = end, score
    # A label that stands alone below the header in its type is the first group.
    while (
        best > 1
        and rows[best - 1].is_alone
        and (are_ruled or not rows[best - 1].is_ruled_below)
        and rows[_first_line_before_header_end(rows, best - 1)].is_alone
        and not all(row.is_alone for row in rows[: best - 1])
    ):
        best -= 1
    return best


def _is_header_end_beside(rows: list[Look], end: int, first_figures: int) -> bool:
    """Whether a rule beside the labels is drawn at an end of the header, and none before the figures."""
    last = rows[end - 1]
    return (
        last.is_ruled_beside
        and not last.is_grouping
        and not last.is_ruled_below
        and not any(row.is_ruled_beside or row.is_ruled_below for row in rows[end:first_figures])
    )


def _first_line_before_header_end(rows: list[Look], number: int) -> int:
    """The first of the lines that stand as near to each other as lines of a cell."""
    while number and rows[number - 1].is_tight_below:
        number -= 1
    return number


def _header_end_score(rows: list[Look], end: int, rules: int) -> float:
    above, below = rows[:end], rows[end]
    score = 0.0
    if above[-1].is_ruled_below:
        score += _RULE if rules == 1 and not all(row.is_single for row in above) else _LATER_RULE
    traits = [row.traits for row in above if row.traits is not None]
    if traits and below.traits is not None and frozenset.intersection(*traits) - below.traits:
        score += _TYPE
    if (
        above[0].shade is not None
        and all(row.shade == above[0].shade for row in above)
        and below.shade != above[0].shade
    ):
        score += _SHADE
    return score + _TIGHT * above[-1].is_tight_below + _GROUPS_BELOW * above[-1].is_grouping


def _is_row_of_figures_at_header_end(rows: list[Look], number: int) -> bool:
    """Whether most cells of a row are figures, and no second lines of the cells above."""
    figures = rows[number].figures
    if figures is None or figures < _MOST_FIGURES:
        return False
    return number == 0 or not rows[number - 1].is_tight_below or _is_row_of_figures_at_header_end(rows, number - 1)
