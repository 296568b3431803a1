"""How well the labels of some cells name the outcome of a question. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.moment import Moment, is_change, moment_in
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.terms import ShortForms, terms_of, weight
from ingather.extraction.numbers.view import TableView
from ingather.extraction.numbers.view import unmarked_term as _unmarked

# A caption speaks of a whole table: what only it says counts less than what a row says.
_CAPTION: Final = 0.6
# A term of the question that other rows of the table have and this row has not.
_ELSEWHERE: Final = 0.5
# What a label loses that has one term instead of another: `results link` for `protocol link`.
_OTHER: Final = 0.2
# Terms of this weight or more name a thing; lighter ones say how it was counted.
_STRONG: Final = 0.6
_OVERALL: Final = terms_of("overall")[0]
# How much a label loses for terms of its own that the question has not.
_EXCESS: Final = 0.35


@dataclass(frozen=True, slots=True)
class OutcomeQuery:
    """An outcome of a question: its terms, the time it names, and whether it is a change."""

    terms: tuple[str, ...]
    moment: Moment | None
    is_change: bool


def outcome_of(text: str) -> OutcomeQuery:
    moment, rest = moment_in(text)
    terms = tuple(dict.fromkeys(terms_of(rest))) or tuple(dict.fromkeys(terms_of(text)))
    return OutcomeQuery(terms, moment, is_change(text))


def outcome_score(
    query: OutcomeQuery, frame: Sequence[TableLabel], caption: str, elsewhere: frozenset[str], paper: NumbersPaper
) -> float:
    """From 0, nothing in common, to 1: the labels say all of the outcome and nothing else.

    `elsewhere` are the terms of all labels of the table. A term of the
    question that other rows have and these labels have not speaks against them.
    """
    short, vocabulary = paper.short, paper.vocabulary
    named = [_unmarked(term, vocabulary) for label in frame for term in label.core]
    labels, whole = short.written_out(named), short.written_out(terms_of(caption))
    own = list(dict.fromkeys(named))
    # Rows such as `Total` or `6 months` leave it to the caption to name the outcome.
    is_left_to_caption = all(weight(term) < _STRONG or term == _OVERALL for term in own)
    wanted = short.written_out(query.terms)
    total = sum(map(weight, query.terms))
    source = whole if is_left_to_caption else labels
    if not total or not any(weight(term) >= _STRONG and _is_covered(term, source, short) for term in query.terms):
        return 0.0
    covered, missed = 0.0, 0.0
    for term in query.terms:
        if _is_covered(term, labels, short):
            covered += weight(term)
        elif term in whole:
            covered += (1.0 if is_left_to_caption else _CAPTION) * weight(term)
        else:
            missed += weight(term)
            covered -= _ELSEWHERE * weight(term) if term in elsewhere and weight(term) >= _STRONG else 0.0
    extra = sum(weight(term) for term in own if not (term in wanted or _is_covered(term, wanted, short)))
    excess = extra / max(1.0, sum(map(weight, own)))
    return covered / total - _EXCESS * excess - _OTHER * min(1.0, missed, extra)


def _is_covered(term: str, terms: set[str], short: ShortForms) -> bool:
    """Whether a term is among others, or most of what it is short for is."""
    if term in terms:
        return True
    long = short.long.get((term,))
    if not long:
        return False
    return sum(map(weight, long & terms)) * 2 > sum(map(weight, long))


def terms_elsewhere(view: TableView, paper: NumbersPaper) -> frozenset[str]:
    """The terms of all labels of a table, short forms written out."""
    labels = {label for entry in view.entries for label in entry.labels}
    return frozenset(term for label in labels for term in paper.short.written_out(label.core))
