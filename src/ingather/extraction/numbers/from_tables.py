"""What the tables of a paper answer to one question: the best row, or the rows between which nothing decides. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.numbers import reasons
from ingather.extraction.numbers.answer import ArmNumbers
from ingather.extraction.numbers.arm_match import ArmLabel, ArmQuery, arm_queries_of
from ingather.extraction.numbers.arms import arms_of_question
from ingather.extraction.numbers.cell import Form, is_whole_number_in_cell
from ingather.extraction.numbers.meaning import (
    Figures,
    cells_meaning_totals,
    meaning_as_events_of_best_n,
    meaning_as_mean,
    meaning_of_n_beside,
)
from ingather.extraction.numbers.moment import Moment, When, moment_in
from ingather.extraction.numbers.outcome_match import (
    OutcomeQuery,
    outcome_match_score,
    outcome_query_of,
    outcome_terms_elsewhere,
)
from ingather.extraction.numbers.pairing import PairedCells, Side, paired_cells
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.extraction.numbers.sizes import ArmSize, sizes_of, sizes_of_arm
from ingather.extraction.numbers.terms import term_weight, terms_of

# Labels must say this much of the outcome. Less, and another outcome of the same kind would do as well.
LEAST_NAMED: Final = 0.55
# Rows whose scores differ by less name the outcome about as well.
_TIE: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCandidate:
    """Cells of both arms that may answer a question, what they say, and how well their labels name the outcome."""

    cells: PairedCells
    score: float
    intervention: Figures
    comparator: Figures

    @property
    def missing(self) -> str:
        return self.intervention.missing or self.comparator.missing

    @property
    def values(self) -> tuple[ArmNumbers, ArmNumbers]:
        return _numbers_from_table(self.intervention), _numbers_from_table(self.comparator)


def _numbers_from_table(figures: Figures) -> ArmNumbers:
    return ArmNumbers(
        events=figures.events or None, n=figures.n or None, mean=figures.mean or None, sd=figures.sd or None
    )


def table_candidates(
    question: NumbersQuestion, paper: NumbersPaper, least: float = LEAST_NAMED
) -> list[TableCandidate]:
    """All cells whose labels say enough of the outcome, the best first."""
    if table_question_compares_times(question):
        return []
    arms = arm_queries_of(question.intervention, question.comparator, paper.short)
    query = outcome_query_of(question.outcome)
    sizes = sizes_of(paper)
    found = []
    for view in paper.views:
        elsewhere = outcome_terms_elsewhere(view, paper)
        for cells in paired_cells(view, arms, paper):
            score = outcome_match_score(query, cells.frame, view.table.caption, elsewhere, paper)
            if score >= least and not _is_nameless_in_table(cells):
                found.append(table_candidate_of(question, cells, score, paper, arms, sizes))
    return sorted(found, key=lambda one: -one.score)


def table_question_compares_times(question: NumbersQuestion) -> bool:
    """Whether a question compares an arm with itself before: `baseline`, `before treatment`. No arms answer that."""
    moment, _ = moment_in(question.comparator)
    return moment is not None and moment.when is When.BEFORE


def _is_nameless_in_table(cells: PairedCells) -> bool:
    """Whether cells stand in a row without a label, in a table of several rows: what they give is unknown."""
    rows = {entry.cell.row for entry in cells.view.entries}
    return len(rows) > 1 and not cells.intervention.entries[0].rows


# The forms in which counts stand in cells.
_COUNTS: Final = frozenset((Form.COUNT_PERCENT, Form.FRACTION, Form.BRACKET))


# A row of means of some of the people: the number of people of the whole arm is not theirs.
_SOME: Final = re.compile(
    r"\b(?:patients|participants|subjects|those|women|men|children) (?:with|without|who|aged)\b|\bsub-?groups?\b"
    r"|^\W*(?:males?|females?|men|women|boys|girls)\b",
    re.IGNORECASE,
)


def _is_row_of_some(cells: PairedCells) -> bool:
    return any(_SOME.search(label.text) for label in cells.intervention.entries[0].rows)


def _sizes_of_some(side: Side) -> list[str]:
    """The numbers of people that stand in the cells of a row or in its own labels."""
    found = [entry.content.n for entry in side.entries] + [label.n for entry in side.entries for label in entry.rows]
    found += [entry.content.first for entry in cells_meaning_totals(side.entries)]
    return [n for n in found if n]


def table_candidate_of(
    question: NumbersQuestion,
    cells: PairedCells,
    score: float,
    paper: NumbersPaper,
    arms: tuple[ArmQuery, ArmQuery],
    sizes: Sequence[ArmSize],
) -> TableCandidate:
    sides = []
    has_counts = any(
        entry.content.form in _COUNTS and is_whole_number_in_cell(entry.content.first)
        for side in (cells.intervention, cells.comparator)
        for entry in side.entries
    )
    is_of_some = question.kind is NumbersKind.CONTINUOUS and _is_row_of_some(cells)
    for at, side in enumerate((cells.intervention, cells.comparator)):
        if is_of_some:
            sides.append(meaning_as_mean(side, _sizes_of_some(side), cells.view.table, paper.statements))
            continue
        n = meaning_of_n_beside(side, cells.view.column_n)
        label = ArmLabel(side.label.text, side.label.core)
        firm, every = ([n], [n]) if n else sizes_of_arm(label, at, arms, sizes, paper)
        if len(set(firm)) != 1 and (both := arms_of_question(question, paper)) is not None and both[at].n:
            firm, every = [both[at].n], [*every, both[at].n]
        if question.kind is NumbersKind.BINARY:
            # The percentages of the cells tell which number of people is theirs.
            sides.append(meaning_as_events_of_best_n(side, every, has_counts=has_counts, is_beside=bool(n)))
        else:
            sides.append(meaning_as_mean(side, firm, cells.view.table, paper.statements))
    return TableCandidate(cells=cells, score=score, intervention=sides[0], comparator=sides[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoice:
    """The candidate that answers, or why none does; the candidates that were looked at, the best first."""

    chosen: TableCandidate | None
    why: str
    looked_at: tuple[TableCandidate, ...]


def choose_table_candidate(found: Sequence[TableCandidate], question: NumbersQuestion) -> TableChoice:
    """One candidate, where labels, time and kind leave one set of values."""
    query = outcome_query_of(question.outcome)
    if not found:
        return TableChoice(chosen=None, why="", looked_at=())
    if query.is_change_only and any(one.cells.is_change for one in found):
        found = [one for one in found if one.cells.is_change]
    timed, why = _table_candidates_at_time(_table_candidates_of_everyone(found, query), query)
    if not timed:
        return TableChoice(chosen=None, why=why, looked_at=tuple(found))
    ranked = sorted(timed, key=lambda one: -_table_candidate_standing(one, query))
    best = [
        one
        for one in ranked
        if _table_candidate_standing(one, query) >= _table_candidate_standing(ranked[0], query) - _TIE
    ]
    whole = _last_table_candidates([one for one in best if not one.missing], query)
    if not whole:
        return TableChoice(chosen=None, why=best[0].missing, looked_at=tuple(best))
    if len({one.values for one in whole}) > 1:
        whole = _best_named_table_candidates(whole, query)
    if len({one.values for one in whole}) > 1:
        return TableChoice(
            chosen=None,
            why=reasons.SEVERAL_ROWS,
            looked_at=tuple(whole),
        )
    return TableChoice(
        chosen=whole[0], why=whole[0].intervention.note or whole[0].comparator.note, looked_at=tuple(whole)
    )


_A_PART: Final = re.compile(
    r"per[- ]protocol|completers?\b|sensitivity analys|sub-?groups?\b|subset|post[- ]hoc", re.IGNORECASE
)


def _table_candidates_of_everyone(found: Sequence[TableCandidate], query: OutcomeQuery) -> Sequence[TableCandidate]:
    """Without the tables of a part of the people, where another table names the outcome about as well."""
    if _A_PART.search(query.text):
        return found
    whole = [one for one in found if not _A_PART.search(one.cells.view.table.caption)]
    best = max(one.score for one in found)
    return whole if any(one.score >= best - _TIE for one in whole) else found


# A row loses this much that speaks of a change where the question does not, and the reverse.
_NO_CHANGE: Final = 0.05
_A_CHANGE: Final = 0.2


def _table_candidate_standing(one: TableCandidate, query: OutcomeQuery) -> float:
    """How well a candidate fits: its labels, and whether it is the change or the value that the question asks for."""
    if one.cells.is_change == query.is_change:
        return one.score
    return one.score - (_NO_CHANGE if one.cells.is_change else _A_CHANGE)


def _best_named_table_candidates(found: list[TableCandidate], query: OutcomeQuery) -> list[TableCandidate]:
    """Those that name the outcome best; of the same row in several tables, the one of the most people."""
    kind = [one for one in found if one.cells.is_change == query.is_change] or found
    everyone = [one for one in kind if any(label.is_everyone for label in one.cells.frame)] or kind
    top = max(one.score for one in everyone)
    best = [one for one in everyone if one.score >= top - _TIE / 4]
    rows = {tuple(label.core for label in one.cells.frame if label.core) for one in best}
    if len(rows) == 1 and len({id(one.cells.view) for one in best}) == len(best):
        best = _table_candidates_of_plainest_caption(best, query)
        people = [sum(int(arm.n.replace(",", "")) for arm in one.values if arm.n) for one in best]
        most = [one for one, count in zip(best, people, strict=True) if count == max(people)]
        return most if len(most) == 1 else best
    return best


def _table_candidates_of_plainest_caption(found: list[TableCandidate], query: OutcomeQuery) -> list[TableCandidate]:
    """Of tables whose captions name the outcome, the one whose caption names nothing else: `diarrhoea` alone."""
    wanted = set(query.terms)
    tables = [one.cells.view.table for one in found]
    captions = [frozenset(terms_of(table.caption.removeprefix(table.label))) for table in tables]
    plainest = min(captions, key=len)
    is_part = all(plainest < caption for caption in captions if caption is not plainest)
    return [found[captions.index(plainest)]] if is_part and plainest & wanted else found


def _table_candidates_at_time(found: Sequence[TableCandidate], query: OutcomeQuery) -> tuple[list[TableCandidate], str]:
    """Those that can be of the time of the question; without one, those after the start."""
    if query.moment is not None:
        exact = [one for one in found if table_is_of_same_time(one.cells.moment, query.moment)]
        open_ = [one for one in found if one.cells.moment is None]
        return exact or [
            one for one in open_ if _table_candidate_has_number_of_time(one, query)
        ] or open_, reasons.OTHER_TIMES
    after = [one for one in found if one.cells.moment is None or one.cells.moment.when is not When.BEFORE]
    return after if after or not _table_outcome_never_changes(query) else list(found), reasons.BASELINE_ONLY


# People are asked these once, at the beginning, and no treatment changes them.
_UNCHANGING: Final = frozenset(terms_of("age sex gender male female race ethnicity white black caucasian hispanic"))


def _table_outcome_never_changes(query: OutcomeQuery) -> bool:
    return all(term in _UNCHANGING for term in query.terms if term_weight(term) >= 1)


def _table_candidate_has_number_of_time(one: TableCandidate, query: OutcomeQuery) -> bool:
    """Whether a short form of a label has the number of the question's time behind it: `VAS5` after 5 minutes."""
    numbers = {found[1] for label in one.cells.frame for term in label.core if (found := _NUMBERED.fullmatch(term))}
    return bool(numbers & query.numbers) and not numbers - query.numbers


_NUMBERED: Final = re.compile(r"[a-z]+(\d{1,3})")


def _last_table_candidates(found: list[TableCandidate], query: OutcomeQuery) -> list[TableCandidate]:
    """Of several times after the start, the last one, where the question names none."""
    if query.moment is not None or not found:
        return found
    last = max((one.cells.moment.days for one in found if one.cells.moment is not None), default=0.0)
    return [one for one in found if one.cells.moment is None or one.cells.moment.days == last]


def table_is_of_same_time(one: Moment | None, other: Moment) -> bool:
    if one is None:
        return False
    if When.BEFORE in {one.when, other.when}:
        return one.when is other.when
    if one.when is When.AT and other.when is When.AT:
        # Months of 30 days and quarters of 13 weeks are the same time.
        return abs(one.days - other.days) <= 0.1 * max(one.days, other.days)
    return True
