"""What a printed test of two groups says: an exact P, a t, and the SD that follows from them. Pure."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from ingather.extraction.analysis import conversions
from ingather.extraction.analysis.cells import Figure
from ingather.extraction.analysis.comparisons import StudyRows
from ingather.extraction.analysis.conversions import Formula
from ingather.extraction.analysis.groups import SD, GroupNumbers, MissingFigure, converted_figure
from ingather.extraction.findings import Row

P, T, ARMS, TIME = "c_p", "c_t", "c_arms", "c_timepoint"
# An exact P as papers print it. `P < 0.05` says too little to compute with.
_EXACT: Final = re.compile(r"\s*(?:p\s*)?=?\s*(0?[.\u00b7]\d+)\s*", re.IGNORECASE)
_BETWEEN_ARMS: Final = re.compile(r"\s+(?:vs?\.?|versus)\s+", re.IGNORECASE)
_SIDES: Final = ("mean", "n")


def arms_of(text: str) -> tuple[str, str]:
    """The two names of `Drug vs Placebo`; the second is empty where there is one."""
    first, *others = _BETWEEN_ARMS.split(text, maxsplit=1)
    return first.strip(), others[0].strip() if others else ""


def exact_p(rows: StudyRows, row: str) -> Figure | None:
    """The P of a row as a number, if it is printed exactly."""
    text = rows.cells.text(row, P)
    found = _EXACT.fullmatch(text)
    if not found:
        return None
    printed = found[1].replace("\u00b7", ".")
    return rows.cells.as_figure(row, P, value=float(printed), printed=printed)


def with_sd_of_test(
    rows: StudyRows, outcome: str, when: str, arms: tuple[str, str], sides: list[GroupNumbers]
) -> list[GroupNumbers]:
    """The same numbers, with the SD that follows from a printed t or P where neither group has one of its own."""
    known = [_figures(numbers) for numbers in sides]
    is_wanted = all(
        isinstance(numbers["sd"], MissingFigure) and not _is_conflict(rows, numbers["sd"]) for numbers in sides
    )
    if not is_wanted or any(figures is None for figures in known):
        return sides
    one, two = (figures or {} for figures in known)
    row = _row_of_test(rows, outcome, when, arms)
    found = _test_of_row(rows, row.key) if row else None
    if found is None:
        return sides
    test, formula, convert = found
    difference = one["mean"].value - two["mean"].value
    inputs = (one["mean"], two["mean"], one["n"], two["n"], test)

    def sd() -> float:
        return convert(difference, test.value, int(one["n"].value), int(two["n"].value))

    return [
        numbers | {"sd": converted_figure(sd, formula, inputs, figures["mean"].row, SD)}
        for numbers, figures in zip(sides, (one, two), strict=True)
    ]


def _figures(numbers: GroupNumbers) -> dict[str, Figure] | None:
    found = {name: one for name in _SIDES if isinstance(one := numbers[name], Figure)}
    return found if len(found) == len(_SIDES) else None


def _is_conflict(rows: StudyRows, missing: object) -> bool:
    return isinstance(missing, MissingFigure) and rows.cells.has_conflict(missing.row, missing.field)


def _row_of_test(rows: StudyRows, outcome: str, when: str, arms: Sequence[str]) -> Row | None:
    """The one comparison that the paper prints of these groups on this outcome at this time."""
    names = {arm.casefold() for arm in arms}
    fitting = [
        row
        for row in rows.rows("contrast")
        if row.parts.get("outcome") == outcome
        and rows.cells.text(row.key, TIME) == when
        and {name.casefold() for name in arms_of(rows.cells.text(row.key, ARMS))} == names
    ]
    return fitting[0] if len(fitting) == 1 else None


def _test_of_row(rows: StudyRows, row: str) -> tuple[Figure, Formula, Callable[[float, float, int, int], float]] | None:
    if t := rows.cells.figure(row, T):
        return t, Formula.SD_FROM_T, conversions.sd_from_t
    if p := exact_p(rows, row):
        return p, Formula.SD_FROM_P, conversions.sd_from_p
    return None
