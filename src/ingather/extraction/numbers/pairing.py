"""Cells of two arms that speak of the same thing: all their labels agree but the one that names the arm. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from ingather.extraction.numbers.arm_match import ArmLabel, ArmQuery, match_arms
from ingather.extraction.numbers.label import TableLabel, bare_n_of_label, unmarked_labels
from ingather.extraction.numbers.mentions import mentions_of
from ingather.extraction.numbers.moment import Moment, When, lengths_of_moments, moment_in
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.view import TableView, ViewEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a table gives for one arm: its label, and the cells that agree in everything but how they count."""

    label: TableLabel
    entries: tuple[ViewEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCells:
    """The cells of both arms for one thing at one time. `frame` are the labels that say which thing, nearest first."""

    view: TableView
    frame: tuple[TableLabel, ...]
    moment: Moment | None
    is_change: bool
    intervention: Side
    comparator: Side


# Pairs of tables that are kept: the questions of a review share few arms.
_KEPT: Final = 64


@lru_cache(maxsize=_KEPT)
def paired_cells(view: TableView, arms: tuple[ArmQuery, ArmQuery], paper: NumbersPaper) -> list[PairedCells]:
    """All pairs of a table, whether its arms are columns or rows."""
    found: list[tuple[float, list[PairedCells]]] = []
    for by_columns in (True, False):
        depth = max((len(_pairing_axis_labels(entry, by_columns=by_columns)) for entry in view.entries), default=0)
        for level in range(depth):
            pairs = _pairs_on_level(view, arms, paper, level, by_columns=by_columns)
            found += [(_pairing_likeness(pairs, by_columns=by_columns), pairs)] if pairs else []
    return max(found, key=lambda one: one[0])[1] if found else []


def _pairing_likeness(pairs: Sequence[PairedCells], *, by_columns: bool) -> float:
    """How much a pair of labels looks like arms: with numbers of people, over many cells, rather columns than rows."""
    sides = (pairs[0].intervention.label, pairs[0].comparator.label)
    has_n = all(side.n for side in sides)
    return 2.0 * has_n + (1.0 if by_columns else 0.0) + min(1.0, len(pairs) / 10)


def _pairing_axis_labels(entry: ViewEntry, *, by_columns: bool) -> tuple[TableLabel, ...]:
    # Columns are counted from the top, rows from the innermost label.
    return entry.columns if by_columns else tuple(reversed(entry.rows))


def _pairs_on_level(
    view: TableView, arms: tuple[ArmQuery, ArmQuery], paper: NumbersPaper, level: int, *, by_columns: bool
) -> list[PairedCells]:
    cells: dict[ArmLabel, dict[object, list[ViewEntry]]] = {}
    names: dict[tuple[str, ...], ArmLabel] = {}
    sizes: dict[ArmLabel, set[str]] = {}
    for entry in view.entries:
        axis = _pairing_axis_labels(entry, by_columns=by_columns)
        if level >= len(axis) or any(label.is_comparison for label in entry.labels):
            continue
        (label,) = unmarked_labels([axis[level]], paper.vocabulary)
        if not label.core or label.is_everyone or label.is_total_n:
            continue
        arm = names.setdefault(label.core, ArmLabel(label.text, label.core))
        sizes.setdefault(arm, set()).update({label.n} - {""})
        cells.setdefault(arm, {}).setdefault(_labels_common_to_pair(entry, level, by_columns=by_columns), []).append(
            entry
        )
    siblings = [
        arm
        for arm in cells
        if any(not cells[arm].keys().isdisjoint(cells[other]) for other in cells if other is not arm)
    ]
    assigned = match_arms(siblings, arms, paper.short, partial(mentions_of, paper), paper.known_names)
    if assigned is None:
        return []
    one, other = assigned
    # A label that stands several times may have its number of people at one place only.
    known = [next(iter(sizes[arm])) if len(sizes[arm]) == 1 else "" for arm in assigned]
    return [
        _pair_of_sides(
            view, [(n, cells[arm][key]) for n, arm in zip(known, assigned, strict=True)], level, by_columns=by_columns
        )
        for key in cells[one]
        if key in cells[other]
    ]


def _is_way_of_counting_in_pair(label: TableLabel) -> bool:
    return (not label.core and label.moment is None) or label.is_total_n


def _is_other_arm_of_pair(label: TableLabel, arm: TableLabel) -> bool:
    """Whether a label above an arm's is an arm too, with people of its own: indents of rows are sometimes misread."""
    return bool(label.n and arm.n) and label.core != arm.core


def _labels_common_to_pair(entry: ViewEntry, level: int, *, by_columns: bool) -> object:
    """What the cells of two arms must have in common."""
    axis = _pairing_axis_labels(entry, by_columns=by_columns)
    arm = axis[level]
    along = tuple(
        label.text
        for at, label in enumerate(axis)
        if at != level and not _is_way_of_counting_in_pair(label) and not _is_other_arm_of_pair(label, arm)
    )
    moment = (arm.moment, arm.is_change)
    if by_columns:
        rows = tuple(label.text for label in entry.rows if not _is_way_of_counting_in_pair(label))
        counts_below = entry.rows and _is_way_of_counting_in_pair(entry.rows[-1]) and len(entry.rows) > 1
        return moment, along, entry.record if entry.record >= 0 else rows if counts_below else entry.cell.row
    columns = tuple(label.text for label in entry.columns if not _is_way_of_counting_in_pair(label))
    counts = not entry.columns or _is_way_of_counting_in_pair(entry.columns[-1])
    return moment, along, columns if counts else entry.cell.column


def _pair_of_sides(
    view: TableView, sides: Sequence[tuple[str, list[ViewEntry]]], level: int, *, by_columns: bool
) -> PairedCells:
    (_, entries), _ = sides
    one, other = _pair_with_bare_n([_paired_side(n, side, level, by_columns=by_columns) for n, side in sides])
    frame = tuple(_frame_labels_of_pair(entries[0], level, by_columns=by_columns))
    arm = _pairing_axis_labels(entries[0], by_columns=by_columns)[level]
    caption = view.table.caption
    return PairedCells(
        view=view,
        frame=frame,
        moment=_moment_of_pair((*frame, arm)) or _moment_of_pair_by_caption(caption),
        is_change=any(label.is_change for label in (*frame, arm)),
        intervention=one,
        comparator=other,
    )


def _pair_with_bare_n(sides: list[Side]) -> list[Side]:
    """Numbers of people that stand alone in brackets, where the labels of both arms have one and no other."""
    found = [bare_n_of_label(side.label.text) for side in sides]
    if any(side.label.n for side in sides) or not all(found):
        return sides
    return [replace(side, label=replace(side.label, n=n)) for side, n in zip(sides, found, strict=True)]


def _paired_side(n: str, entries: list[ViewEntry], level: int, *, by_columns: bool) -> Side:
    label = _pairing_axis_labels(entries[0], by_columns=by_columns)[level]
    return Side(label=label if label.n else replace(label, n=n), entries=tuple(entries))


def _moment_of_pair(labels: Sequence[TableLabel]) -> Moment | None:
    """The time of some labels: one that names nothing else comes before `visits in the prior 2 months`."""
    timed = [label for label in labels if label.moment is not None]
    return next((label.moment for label in sorted(timed, key=lambda label: bool(label.core))), None)


def _frame_labels_of_pair(entry: ViewEntry, level: int, *, by_columns: bool) -> Iterator[TableLabel]:
    for is_column, labels in ((False, tuple(reversed(entry.rows))), (True, entry.columns)):
        along = is_column == by_columns
        for at, label in enumerate(labels):
            if not (along and (at == level or _is_other_arm_of_pair(label, labels[level]))):
                yield label


_PEOPLE: Final = (
    "patients?|participants?|subjects?|sample|population|cohort|groups?|women|men|children|adults|infants|mothers"
)
_CHARACTERISTICS: Final = re.compile(
    rf"demographic|\b(?:clinical|general|basic|main|{_PEOPLE})\b.*characteristic|^\W*characteristics\W*$|基线|一般资料"
    rf"|characteristics? (?:data|(?:of|for) (?:the |all |both )?(?:\w+ ){{0,3}}(?:{_PEOPLE}))"
)
# Words of a caption that speak of what came later, also where it names characteristics too.
_LATER = (
    "change", "result", "outcome", "follow", "surg", "operat", "anesthe", "anaesthe", "procedur", "comparison", "block",
    "stimulation", "delivery", "treatment",
)  # fmt: skip


def _moment_of_pair_by_caption(caption: str) -> Moment | None:
    """The time that a caption gives to a whole table; tables of characteristics are of the beginning."""
    moment, _ = moment_in(caption) if len(lengths_of_moments(caption)) < 2 else (None, "")
    if moment is not None:
        return moment
    plain = caption.casefold()
    if _CHARACTERISTICS.search(plain) and not any(term in plain for term in _LATER):
        return Moment(When.BEFORE)
    return None
