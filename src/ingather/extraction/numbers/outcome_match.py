"""How well the labels of some cells name the outcome of a question. Pure."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ingather.extraction.numbers.label import TableLabel, label_of, label_without_units, unmarked_label_term
from ingather.extraction.numbers.moment import Moment, is_change_not_moment, moment_in
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.terms import ShortForms, term_weight, terms_of, weight_of_terms
from ingather.extraction.numbers.view import TableView

# A caption speaks of a whole table: what only it says counts less than what a row says.
_CAPTION: Final = 0.6
# A term of the question that other rows of the table have and this row has not.
_ELSEWHERE: Final = 0.5
# A label loses this much that has one term instead of another: `results link` for `protocol link`.
_OTHER: Final = 0.2
# Terms of this weight or more name a thing; lighter ones say how it was counted.
_STRONG: Final = 0.6
# Words of so many letters that begin alike are forms of one word: `extens(ion)`, `extensor`.
_LONG: Final = 6
_OVERALL: Final = terms_of("overall")[0]
# How much a term of the question counts that no label and no caption of the paper has: it tells no rows apart.
_UNKNOWN: Final = 0.3
# Words that make another outcome of the same thing: where the question has one, a row without it is another row.
_TELLING: Final = frozenset(
    terms_of("serious severe major minor mild moderate left right male female early late first second related")
)
# Such a word costs this much where it is missing, beside its own weight.
_LESS_TELLING: Final = 0.3
# A row of one sex is a part of the people, although such words say nothing in `number of women with pain`.
_SEXES: Final = frozenset(terms_of("male female"))
# How much a label loses for terms of its own that the question has not.
_EXCESS: Final = 0.35


@dataclass(frozen=True, slots=True)
class OutcomeQuery:
    """An outcome of a question: its words, their terms, the time it names, and whether it is a change."""

    text: str
    terms: tuple[str, ...]
    moment: Moment | None
    is_change: bool

    @property
    def is_change_only(self) -> bool:
        """Whether nothing but a change can answer: an `improvement` may be read from the values at the end, too."""
        return _CHANGE_ONLY.search(self.text) is not None

    @property
    def numbers(self) -> frozenset[str]:
        """All numbers of the question, those of its times too."""
        return frozenset(_DIGITS.findall(self.text))


_CHANGE_ONLY: Final = re.compile(r"\bchanges? (?:in|from|score)|\bmean change\b|from baseline|\bdelta\b", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")


def outcome_query_of(text: str) -> OutcomeQuery:
    moment, rest = moment_in(label_without_units(text))
    terms = tuple(dict.fromkeys(terms_of(rest))) or tuple(dict.fromkeys(terms_of(text)))
    return OutcomeQuery(text, terms, moment, is_change_not_moment(text))


def outcome_match_score(
    query: OutcomeQuery, frame: Sequence[TableLabel], caption: str, elsewhere: frozenset[str], paper: NumbersPaper
) -> float:
    """From 0, nothing in common, to 1: the labels say all of the outcome and nothing else.

    `elsewhere` are the terms of all labels of the table. A term of the
    question that other rows have and these labels have not speaks against them.
    """
    short, vocabulary = paper.outcome_short, paper.vocabulary
    frame = [label for label in frame if not label.is_everyone]
    named = [_outcome_term_without_mark(term, vocabulary, short) for label in frame for term in label.core]
    whole = short.written_out(terms_of(caption))
    named += [part for term in named for part in _outcome_code_and_number(term, short)]
    labels = short.written_out(named)
    own = list(dict.fromkeys(named))
    # Rows such as `Total` or `6 months` leave it to the caption to name the outcome.
    is_left_to_caption = all((term_weight(term) < _STRONG and term not in _SEXES) or term == _OVERALL for term in own)
    wanted = short.written_out(query.terms)
    known = paper.label_terms
    weights = {
        term: term_weight(term) * (1.0 if term in _TELLING or matches_outcome_term(term, known, short) else _UNKNOWN)
        for term in query.terms
    }
    total = sum(weights.values())
    source = whole if is_left_to_caption else labels
    if not total or not any(matches_outcome_term(term, source, short) for term in _telling_outcome_terms(query)):
        return 0.0
    named_on = _Named(labels, whole, elsewhere, is_left_to_caption)
    covered, missed = _outcome_match_coverage(weights, named_on, short)
    # Text behind a colon or in brackets explains a long label and makes it no other outcome.
    main = [term for label in frame for term in main_terms_for_outcome(label)]
    own = list(dict.fromkeys(_outcome_term_without_mark(term, vocabulary, short) for term in main))
    own = [part for term in own for part in _outcome_code_and_number(term, short) or (term,)]
    own = [term for term in short.spelled_out(own) if term != _OVERALL and term not in query.numbers]
    extra = sum(term_weight(term) for term in own if not (term in wanted or matches_outcome_term(term, wanted, short)))
    excess = extra / max(1.0, sum(map(term_weight, own)))
    score = covered / total - _EXCESS * excess - _OTHER * min(1.0, missed, extra)
    return max(score, _outcome_match_of_sentence(frame, wanted, short))


def _telling_outcome_terms(query: OutcomeQuery) -> list[str]:
    """The terms that name the outcome. One sex is a name where the question says nothing else: `women` at the start."""
    return [term for term in query.terms if term_weight(term) >= _STRONG] or [
        term for term in query.terms if term in _SEXES
    ]


def _outcome_term_without_mark(term: str, vocabulary: frozenset[str], short: ShortForms) -> str:
    """A term without the mark of a footnote behind it, as in `AEsc`."""
    if len(term) > 2 and term[-1] in "abcdefgh" and (term,) not in short.long and (term[:-1],) in short.long:
        return term[:-1]
    return unmarked_label_term(term, vocabulary)


class _Named(NamedTuple):
    """The terms that speak of some cells: of their labels, of the caption, and of the other labels of the table."""

    labels: AbstractSet[str]
    caption: AbstractSet[str]
    elsewhere: AbstractSet[str]
    is_left_to_caption: bool


def _outcome_match_coverage(weights: Mapping[str, float], named: _Named, short: ShortForms) -> tuple[float, float]:
    """The weight of the terms that are there, less what speaks against the cells; and of those that are not there."""
    covered, missed = 0.0, 0.0
    for term, own_weight in weights.items():
        if matches_outcome_term(term, named.labels, short):
            covered += own_weight
        elif matches_outcome_term(term, named.caption, short):
            covered += (1.0 if named.is_left_to_caption else _CAPTION) * own_weight
        else:
            missed += own_weight
            covered -= _LESS_TELLING if term in _TELLING else 0.0
            covered -= _ELSEWHERE if term in _SEXES and term in named.elsewhere else 0.0
            if term in named.elsewhere and term_weight(term) >= _STRONG:
                covered -= _ELSEWHERE * term_weight(term)
    return covered, missed


_CODED: Final = re.compile(r"([a-z]+)([0-9]{1,3})")


def _outcome_code_and_number(term: str, short: ShortForms) -> tuple[str, ...]:
    """A short form and the number of its time, as in `VAS5`; nothing where a term is no such pair."""
    found = _CODED.fullmatch(term)
    if found is None or (term,) in short.long or (found[1],) not in short.long:
        return ()
    return found[1], found[2]


def _outcome_match_of_sentence(frame: Sequence[TableLabel], wanted: set[str], short: ShortForms) -> float:
    """How much of a label as long as a sentence the question says too; nothing where it is too little to be the same.

    Questions of a questionnaire are quoted by both, each with words of its own around them.
    """
    for label in frame:
        terms = [term for term in dict.fromkeys(label.core) if term_weight(term) >= 1]
        if len(terms) >= _SENTENCE:
            share = sum(matches_outcome_term(term, wanted, short) for term in terms) / len(terms)
            return share if share >= _SAME_SENTENCE else 0.0
    return 0.0


# A label of so many strong terms is a sentence; that much of one is not shared by chance.
_SENTENCE: Final = 10
_SAME_SENTENCE: Final = 0.8


@lru_cache(maxsize=5_000)
def main_terms_for_outcome(label: TableLabel) -> tuple[str, ...]:
    """The terms of a label without its explanations; all of them where nothing else is left."""
    if len(label.core) <= _SHORT_LABEL:
        return label.core
    main = label_of(_EXPLANATION.split(label.text)[0]).core
    return main or label.core


# A label of so few terms explains nothing.
_SHORT_LABEL: Final = 6
_EXPLANATION: Final = re.compile(r":\s|\s?[(\[]|;\s|\bdefined as\b")


def matches_outcome_term(term: str, terms: AbstractSet[str], short: ShortForms) -> bool:
    """Whether a term is among others, in this form or a longer or shorter one, or most of what it is short for is."""
    if term in terms:
        return True
    if any(_outcome_terms_are_forms(term, other) for other in terms):
        return True
    long = short.long.get((term,))
    if not long:
        return False
    return weight_of_terms(long & terms) * 2 > weight_of_terms(long)


@lru_cache(maxsize=50_000)
def _outcome_terms_are_forms(one: str, other: str) -> bool:
    """Whether two terms are forms of one word: one begins like the other, or a letter of a long one was mistyped."""
    if one[0] != other[0]:
        return False
    if not (one.isalpha() and other.isalpha()):
        return _outcome_term_is_numbered_form(one, other)
    shorter, longer = sorted((one, other), key=len)
    if longer.startswith(shorter):
        return len(shorter) >= _LONG or (len(shorter) >= _LEAK and len(longer) - len(shorter) <= _ENDING)
    return len(shorter) >= _LONG and len(longer) - len(shorter) <= 1 and _outcome_term_is_mistyped(shorter, longer)


# A scale's name of so many letters may go without the number of its items: `GHQ` and `GHQ-28`.
_SCALE_NAME: Final = 3


def _outcome_term_is_numbered_form(one: str, other: str) -> bool:
    """Whether one term is the other with a number behind it, the number of items of a scale."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _SCALE_NAME and shorter.isalpha() and longer.rstrip("0123456789") == shorter


# `leak` and `leakage`: a short word may be begun alike by another with an ending of so many letters.
_LEAK: Final = 4
_ENDING: Final = 2


def _outcome_term_is_mistyped(shorter: str, longer: str) -> bool:
    """Whether one letter was left out, exchanged, or two neighbours stand in the wrong order."""
    at = next((n for n, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    swapped = shorter[at + 1 : at + 2] + shorter[at : at + 1] + shorter[at + 2 :]
    return shorter[at + 1 :] == longer[at + 1 :] or swapped == longer[at:]


def outcome_terms_elsewhere(view: TableView, paper: NumbersPaper) -> frozenset[str]:
    """The terms of all labels and texts of a table, short forms written out."""
    texts = {cell.text for cell in view.table.cells if _LETTERS.search(cell.text)}
    return frozenset(term for text in texts for term in paper.outcome_short.written_out(terms_of(text)))


_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
