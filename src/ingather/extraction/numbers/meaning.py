"""What the cells of one arm say: events and N, or mean, SD and N, or the reason why they do not say it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from ingather.extraction.numbers import reasons
from ingather.extraction.numbers.cell import Form, decimal_in_cell, is_whole_number_in_cell
from ingather.extraction.numbers.checks import check_percent_of_count, events_checked_by_percent
from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.pairing import Side
from ingather.extraction.numbers.spread import Spread, spread_defined, spread_of_second_number
from ingather.extraction.numbers.view import ViewEntry
from ingather.library.port import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The numbers of one arm as far as its cells give them, the cells, and what is missing or was worked out."""

    events: str = ""
    n: str = ""
    mean: str = ""
    sd: str = ""
    percent: str = ""
    cells: tuple[ViewEntry, ...] = ()
    missing: str = ""
    note: str = ""


def meaning_of_n_beside(side: Side, column_n: dict[int, str] | object) -> str:
    """The number of people that the table gives for an arm beside its numbers: own cell, own column, header."""
    for entry in side.entries:
        if entry.content.n:
            return entry.content.n
    totals = {entry.content.first for entry in cells_meaning_totals(side.entries)}
    if len(totals) == 1:
        return totals.pop()
    columns = column_n if isinstance(column_n, dict) else {}
    below = {columns[entry.cell.column] for entry in side.entries if entry.cell.column in columns}
    if side.label.n:
        return side.label.n
    nearer = {label.n for entry in side.entries for label in (*entry.columns, *entry.rows) if label.n}
    if len(below) == 1:
        return below.pop()
    return nearer.pop() if len(nearer) == 1 else ""


def cells_meaning_totals(entries: Sequence[ViewEntry]) -> list[ViewEntry]:
    """The cells that hold numbers of people. A small `n` beside a percentage stands over counts."""
    found = [entry for entry in entries if _means_total(entry)]
    if any(_means_percent(entry) for entry in entries):
        found = [entry for entry in found if not any(label.text.strip() == "n" for label in entry.labels)]
    return found


def _means_total(entry: ViewEntry) -> bool:
    return (
        entry.content.form is Form.NUMBER
        and is_whole_number_in_cell(entry.content.first)
        and any(label.is_total_n for label in (entry.columns[-1:] + entry.rows[-1:]))
    )


def meaning_as_events(side: Side, n: str) -> Figures:
    """Events and N of one arm. `n` is what the table or the paper gives for the arm; may be empty."""
    totals = cells_meaning_totals(side.entries)
    entries = [entry for entry in side.entries if entry not in totals]
    for entry in entries:
        content = entry.content
        if content.form is Form.FRACTION:
            found = Figures(events=content.first, n=content.second, percent=content.percent, cells=(entry,))
            if content.percent and not check_percent_of_count(content.first, content.second, content.percent):
                return Figures(
                    cells=(entry,),
                    missing=reasons.PERCENT_DISAGREES,
                )
            return found
    for entry in entries:
        content = entry.content
        if content.form is Form.COUNT_PERCENT and is_whole_number_in_cell(content.first):
            return _meaning_of_events_of_n(content.first, n, content.percent, entry)
        if content.form is Form.BRACKET and (counted := _meaning_of_count_and_percent(entry, n)) is not None:
            return _meaning_of_events_of_n(counted[0], n, counted[1], entry)
    return _meaning_of_separate_cells(entries, n)


def meaning_as_events_of_best_n(
    side: Side, ns: Sequence[str], *, has_counts: bool = False, is_beside: bool = False
) -> Figures:
    """Events and N of one arm; of several numbers of people, the one that the percentages of the cells agree with.

    A bare nought is a count where the other arm `has_counts` beside it. Where N `is_beside` the numbers, a percentage
    of somewhat fewer people says that some were not seen, and N stays what the table says.
    """
    bare = [entry for entry in side.entries if entry.content.form is Form.NUMBER and entry.content.first == "0"]
    if has_counts and len(bare) == 1 and len(set(ns)) == 1:
        return Figures(events="0", n=ns[0], cells=(bare[0],))
    found = [meaning_as_events(side, n) for n in dict.fromkeys(ns)] or [meaning_as_events(side, "")]
    whole = [one for one in found if not one.missing]
    if len({(one.events, one.n) for one in whole}) == 1:
        return whole[0]
    if whole:
        return replace(whole[0], missing=_means_several_n([one.n for one in whole]))
    one = found[0]
    if is_beside and len(found) == 1 and one.events and one.percent and means_fewer_people(one, ns[0]):
        note = reasons.reason_of_fewer(events=one.events, percent=one.percent, n=ns[0])
        return replace(one, n=ns[0], missing="", note=note)
    return one


def _means_several_n(ns: Sequence[str]) -> str:
    return reasons.reason_several_n(ns=" or ".join(ns))


# So much of an arm may be missing where a percentage is of those who were seen. More would be another group.
_MOST_UNSEEN: Final = 0.1


def means_fewer_people(figures: Figures, n: str) -> bool:
    """Whether a percentage is of at most N people, and of most of them."""
    percent = decimal_in_cell(figures.percent)
    if not percent:
        return False
    of = decimal_in_cell(figures.events) * 100 / percent
    return decimal_in_cell(n) * Decimal(str(1 - _MOST_UNSEEN)) <= of <= decimal_in_cell(n)


def _meaning_of_count_and_percent(entry: ViewEntry, n: str) -> tuple[str, str] | None:
    """`12 (27)` as a count and its percentage, in the order in which labels or N say; none where nothing says so."""
    first, second = entry.content.first, entry.content.second
    if any(label.is_mean or label.is_median or label.is_spread for label in entry.labels[:3]):
        return None
    says_so = any(label.is_percent and (label.is_count or not label.is_mean) for label in entry.labels)
    agrees = bool(n) and is_whole_number_in_cell(first) and check_percent_of_count(first, n, second)
    swapped = bool(n) and is_whole_number_in_cell(second) and check_percent_of_count(second, n, first)
    if agrees and not swapped:
        return first, second
    if swapped and not agrees:
        return second, first
    return (first, second) if says_so and is_whole_number_in_cell(first) else None


def _meaning_of_events_of_n(events: str, n: str, percent: str, entry: ViewEntry) -> Figures:
    if not n:
        return Figures(events=events, percent=percent, cells=(entry,), missing=reasons.NO_N)
    if not check_percent_of_count(events, n, percent):
        return Figures(
            events=events, percent=percent, cells=(entry,),
            missing=reasons.reason_other_denominator(events=events,
                n=n,
                percent=percent,
            ),
        )  # fmt: skip
    return Figures(events=events, n=n, percent=percent, cells=(entry,))


def _meaning_of_separate_cells(entries: Sequence[ViewEntry], n: str) -> Figures:
    """Counts and percentages in cells of their own, or a percentage alone."""
    counts = [entry for entry in entries if _means_count(entry)]
    percents = [entry for entry in entries if _means_percent(entry)]
    if len(counts) == 1:
        count = counts[0].content.first
        percent = percents[0].content.percent or percents[0].content.first if len(percents) == 1 else ""
        if percent:
            return _meaning_of_events_of_n(count, n, percent, counts[0])
        if not n:
            return Figures(events=count, cells=(counts[0],), missing=reasons.NO_N)
        return Figures(events=count, n=n, cells=(counts[0],))
    if len(percents) == 1 and not counts:
        percent = percents[0].content.percent or percents[0].content.first
        return _meaning_worked_out(percent, n, percents[0])
    return Figures(cells=tuple(entries[:1]), missing=reasons.NO_COUNTS)


def _meaning_worked_out(percent: str, n: str, entry: ViewEntry) -> Figures:
    events = events_checked_by_percent(percent, n) if n else None
    if events is None:
        return Figures(percent=percent, n=n, cells=(entry,), missing=reasons.ONLY_PERCENT)
    return Figures(
        events=events,
        n=n,
        percent=percent,
        cells=(entry,),
        note=reasons.reason_worked_out(percent=percent, n=n, events=events),
    )


_NUMBER_OF: Final = re.compile(r"(?<![a-z])(?:number of|no\.? of|n of|deaths|events)(?![a-z])", re.IGNORECASE)


def _means_count(entry: ViewEntry) -> bool:
    if entry.content.form is not Form.NUMBER or not is_whole_number_in_cell(entry.content.first):
        return False
    near = entry.labels
    if any(label.is_mean or label.is_median for label in near) or _nearest_label_means_percent(entry):
        return False
    return any(label.is_count for label in near)


def _nearest_label_means_percent(entry: ViewEntry) -> bool:
    column = entry.columns[-1] if entry.columns else None
    return column is not None and column.is_percent and not column.is_count


def _means_percent(entry: ViewEntry) -> bool:
    if entry.content.form is Form.PERCENT:
        return True
    if entry.content.form is not Form.NUMBER:
        return False
    return _nearest_label_means_percent(entry) or any(label.is_percent and not label.is_count for label in entry.rows)


def meaning_as_mean(side: Side, ns: Sequence[str], table: Table, extra_notes: Sequence[str]) -> Figures:
    """Mean, SD and N of one arm. What the second number is must be said: never taken for an SD otherwise."""
    n = ns[0] if len(set(ns)) == 1 else ""
    no_n = "" if n else _means_several_n(ns) if ns else reasons.NO_N
    notes = (table.caption, *table.footnotes)
    for entry in side.entries:
        if entry.content.form not in {Form.PLUS_MINUS, Form.BRACKET, Form.PAIR}:
            continue
        says, missing = _meaning_of_spread(entry, notes, extra_notes)
        if says is Spread.SD:
            return Figures(mean=entry.content.first, sd=entry.content.second, n=n, cells=(entry,), missing=no_n)
        return Figures(mean=entry.content.first, n=n, cells=(entry,), missing=missing)
    means = [entry for entry in side.entries if _means_plain_number(entry) and _means_a_mean(entry)]
    sds = [entry for entry in side.entries if _means_plain_number(entry) and _means_sd(entry)]
    if not means and len(sds) == 1 and sds[0].record >= 0:
        means = [entry for entry in side.entries if _means_plain_number(entry) and entry.cell.row == sds[0].record]
    if len(means) == 1 and len(sds) == 1:
        cells = (means[0], sds[0])
        return Figures(mean=means[0].content.first, sd=sds[0].content.first, n=n, cells=cells, missing=no_n)
    return Figures(cells=side.entries[:1], missing=reasons.NO_MEAN_SD)


def _meaning_of_spread(entry: ViewEntry, notes: Sequence[str], extra: Sequence[str]) -> tuple[Spread | None, str]:
    content, labels = entry.content, entry.labels
    if _means_median(labels):
        return None, reasons.MEDIAN
    if content.form is not Form.PLUS_MINUS and _label_means_count(labels):
        return None, reasons.COUNTS
    if content.spread is not None:
        says: Spread | None = content.spread
        source = "cell"
    else:
        says, source = spread_of_second_number([label.text for label in labels], notes)
        if says is None and not source:
            says = spread_defined(notes) if content.form is Form.PLUS_MINUS else None
            source = "notes" if says else ""
        if says is None and not source:
            says, source = spread_of_second_number([], extra)
    if says is None:
        return None, reasons.SD_OR_SE if not source else (
            reasons.reason_second_unclear(
                source=repr(source[:80]),
            )
        )
    return says, "" if says is Spread.SD else reasons.reason_second_is_other(what=_meaning_with_article(says))


def _meaning_with_article(spread: Spread) -> str:
    return f"an {spread}" if spread in {Spread.SE, Spread.IQR} else f"a {spread}"


def _means_median(labels: Sequence[TableLabel]) -> bool:
    for label in labels:
        if label.is_mean:
            return False
        if label.is_median:
            return True
    return False


def _label_means_count(labels: Sequence[TableLabel]) -> bool:
    for label in labels:
        if label.is_mean or label.is_spread:
            return False
        if label.is_count and label.is_percent:
            return True
    return False


def _means_plain_number(entry: ViewEntry) -> bool:
    return entry.content.form is Form.NUMBER


def _means_a_mean(entry: ViewEntry) -> bool:
    nearest = next(
        (label for label in _labels_of_meaning(entry) if label.is_mean or label.is_spread or label.is_median), None
    )
    return nearest is not None and nearest.is_mean and not nearest.is_spread


def _means_sd(entry: ViewEntry) -> bool:
    nearest = next(
        (label for label in _labels_of_meaning(entry) if label.is_mean or label.is_spread or label.is_median), None
    )
    if nearest is None or nearest.is_mean:
        return False
    says, _ = spread_of_second_number([nearest.text], ())
    return says is Spread.SD


def _labels_of_meaning(entry: ViewEntry) -> tuple[TableLabel, ...]:
    """The labels that say how a cell counts: the header next to it, then its row label, then the others."""
    return (*reversed(entry.columns), *reversed(entry.rows))
