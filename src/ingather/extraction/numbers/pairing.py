"""Cells of two arms that speak of the same thing: all their labels agree but the one that names the arm. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ingather.extraction.numbers.arm_match import ArmLabel, ArmQuery, assign
from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.mentions import mentions_of
from ingather.extraction.numbers.moment import Moment, When, moment_in
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.view import Entry, TableView, unmarked


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a table gives for one arm: its label, and the cells that agree in everything but how they count."""

    label: TableLabel
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCells:
    """The cells of both arms for one thing at one time. `frame` are the labels that say which thing, nearest first."""

    view: TableView
    frame: tuple[TableLabel, ...]
    moment: Moment | None
    is_change: bool
    intervention: Side
    comparator: Side


def paired(view: TableView, arms: tuple[ArmQuery, ArmQuery], paper: NumbersPaper) -> list[PairedCells]:
    """All pairs of a table, whether its arms are columns or rows."""
    found: list[PairedCells] = []
    for by_columns in (True, False):
        depth = max((len(_axis(entry, by_columns=by_columns)) for entry in view.entries), default=0)
        for level in range(depth):
            found += _on_level(view, arms, paper, level, by_columns=by_columns)
        if found:
            break
    return found


def _axis(entry: Entry, *, by_columns: bool) -> tuple[TableLabel, ...]:
    # Columns are counted from the top, rows from the innermost label.
    return entry.columns if by_columns else tuple(reversed(entry.rows))


def _on_level(
    view: TableView, arms: tuple[ArmQuery, ArmQuery], paper: NumbersPaper, level: int, *, by_columns: bool
) -> list[PairedCells]:
    cells: dict[ArmLabel, dict[object, list[Entry]]] = {}
    names: dict[tuple[str, ...], ArmLabel] = {}
    labels: dict[ArmLabel, TableLabel] = {}
    for entry in view.entries:
        axis = _axis(entry, by_columns=by_columns)
        if level >= len(axis) or any(label.is_comparison for label in entry.labels):
            continue
        (label,) = unmarked([axis[level]], paper.vocabulary)
        if not label.core or label.is_everyone or label.is_total_n:
            continue
        arm = names.setdefault(label.core, ArmLabel(_bare(label), label.core))
        labels.setdefault(arm, label)
        cells.setdefault(arm, {}).setdefault(_key(entry, level, by_columns=by_columns), []).append(entry)
    siblings = [
        arm
        for arm in cells
        if any(not cells[arm].keys().isdisjoint(cells[other]) for other in cells if other is not arm)
    ]
    assigned = assign(siblings, arms, paper.short, partial(mentions_of, paper))
    if assigned is None:
        return []
    one, other = assigned
    return [
        _pair(view, [(labels[arm], cells[arm][key]) for arm in assigned], level, by_columns=by_columns)
        for key in cells[one]
        if key in cells[other]
    ]


def _bare(label: TableLabel) -> str:
    return label.text


def _is_way_of_counting(label: TableLabel) -> bool:
    return (not label.core and label.moment is None) or label.is_total_n


def _key(entry: Entry, level: int, *, by_columns: bool) -> object:
    """What the cells of two arms must have in common."""
    axis = _axis(entry, by_columns=by_columns)
    arm = axis[level]
    along = tuple(label.text for at, label in enumerate(axis) if at != level and not _is_way_of_counting(label))
    moment = (arm.moment, arm.is_change)
    if by_columns:
        rows = tuple(label.text for label in entry.rows if not _is_way_of_counting(label))
        counts_below = entry.rows and _is_way_of_counting(entry.rows[-1]) and len(entry.rows) > 1
        return moment, along, rows if counts_below else entry.cell.row
    columns = tuple(label.text for label in entry.columns if not _is_way_of_counting(label))
    counts = not entry.columns or _is_way_of_counting(entry.columns[-1])
    return moment, along, columns if counts else entry.cell.column


def _pair(
    view: TableView, sides: Sequence[tuple[TableLabel, list[Entry]]], level: int, *, by_columns: bool
) -> PairedCells:
    (one, entries), (other, others) = sides
    frame = tuple(_frame(entries[0], level, by_columns=by_columns))
    arm = _axis(entries[0], by_columns=by_columns)[level]
    caption = view.table.caption
    return PairedCells(
        view=view,
        frame=frame,
        moment=_moment_of((*frame, arm)) or _moment_of_caption(caption),
        is_change=any(label.is_change for label in (*frame, arm)),
        intervention=Side(label=one, entries=tuple(entries)),
        comparator=Side(label=other, entries=tuple(others)),
    )


def _moment_of(labels: Sequence[TableLabel]) -> Moment | None:
    """The time of some labels: one that names nothing else comes before `visits in the prior 2 months`."""
    timed = [label for label in labels if label.moment is not None]
    return next((label.moment for label in sorted(timed, key=lambda label: bool(label.core))), None)


def _frame(entry: Entry, level: int, *, by_columns: bool) -> Iterator[TableLabel]:
    for is_column, labels in ((False, tuple(reversed(entry.rows))), (True, entry.columns)):
        for at, label in enumerate(labels):
            if not (is_column == by_columns and at == level):
                yield label


_CHARACTERISTICS = ("baseline", "characteristic", "demographic", "基线", "一般资料")


def _moment_of_caption(caption: str) -> Moment | None:
    """The time that a caption gives to a whole table; tables of characteristics are of the beginning."""
    moment, _ = moment_in(caption)
    if moment is not None:
        return moment
    plain = caption.casefold()
    if any(term in plain for term in _CHARACTERISTICS[1:3]) and "change" not in plain:
        return Moment(When.BEFORE)
    return None
