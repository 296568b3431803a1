"""How many people are in each arm, wherever the paper says so: headers of its tables, and its sentences. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ingather.extraction.numbers.arm_match import ArmLabel, ArmQuery, matches_only_arm
from ingather.extraction.numbers.cell import Form, is_whole_number_in_cell
from ingather.extraction.numbers.label import TableLabel, unmarked_labels
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.terms import terms_of
from ingather.extraction.numbers.view import ViewEntry
from ingather.extraction.rules.printed_numbers import COUNT, printed_count


@dataclass(frozen=True, slots=True)
class ArmSize:
    """A number of people, and the words it is said of; no words where it is the size of each arm.

    It is firm where a table or a sentence about the division of people says
    it. What a person has confirmed comes before all others.
    """

    label: ArmLabel | None
    n: str
    is_firm: bool = False
    is_confirmed: bool = False


_PEOPLE: Final = (
    r"(?:(?:eligible |consecutive |adult |healthy |randomi[sz]ed )?(?:patients?|participants?|subjects?|women|men"
    r"|children|infants?|adults?|people|individuals?|persons?|volunteers?|students?"
    r"|cases|girls|boys|mothers|players|athletes|nurses|residents|pupils|adolescents|households|eyes|teeth|pairs"
    r"|dyads|families|smokers))"
)
_DIVIDING: Final = re.compile(r"\brandom|\bassign|\ballocat|\bdivided\b", re.IGNORECASE)
_NAME: Final = r"(?P<label>[^\W\d_][^().;:\[\]]{0,70}?)"
_IN_BRACKETS: Final = re.compile(
    rf"{_NAME}(?:\s?\([^()]{{1,40}}\))?\s?[(\[](?:\s?[A-Za-z][A-Za-z0-9-]{{0,11}}[,;:])?\s?n\s?[=:]\s?(?P<n>\d[\d,]*)\b",
    re.IGNORECASE,
)
_PEOPLE_IN_BRACKETS: Final = re.compile(rf"{_NAME}\s?[(\[](?P<n>{COUNT}) {_PEOPLE}\b", re.IGNORECASE)
# `assigned to amoxicillin (1038) and placebo (1023)`: only where people are divided.
_BARE: Final = re.compile(rf"{_NAME}\s?[(\[](?P<n>\d{{2,5}}(?:,\d{{3}})?)[)\]]", re.IGNORECASE)
_TO: Final = re.compile(
    rf"\b(?P<n>{COUNT})\)? (?:{_PEOPLE} )?(?:of them |of whom )?(?:\(\d+(?:\.\d+)? ?%\) )?(?:were |was |who "
    rf"|had been )?(?:randomly )?(?:assigned|allocated|randomi[sz]ed|entered|given|received|receiving)?"
    rf" ?(?:to|in|into|on|received?|receiving|with)? (?:receive |the |a |an )?(?P<label>(?!total|all|each|both|either"
    rf"|this|these|our|study\b)[^\W\d_][^().;:,\[\]\d]{{1,60}}?)(?= (?:group|arm)s?\b)",
    re.IGNORECASE,
)
_GROUP_HAD: Final = re.compile(
    rf"(?P<label>(?:[A-Za-z-]{{1,40}} ){{1,4}}(?:group|arm)(?: [A-D1-4]| I{{1,3}})?) (?:\w+ )?(?:had|included|comprised"
    rf"|consisted of|contained|with|of) (?:a total of )?(?P<n>{COUNT}) {_PEOPLE}",
    re.IGNORECASE,
)
_RECEIVED: Final = re.compile(
    rf"\b(?P<n>{COUNT}) (?:{_PEOPLE} )?(?:were |was )?(?:randomly |randomi[sz]ed |assigned "
    rf"|allocated ){{0,3}}(?:to receive|to|received) (?!the\b|each\b|either\b|one\b"
    rf"|two\b)(?P<label>[^\W\d_][^().;:,\[\]\d]{{1,50}}?)(?=,| and {COUNT}|[.;]| \((?!\d+\))| or |$)",
    re.IGNORECASE,
)
_EACH: Final = re.compile(
    rf"(?:\b(?P<a>{COUNT}) (?:{_PEOPLE} )?(?:were |was )?(?:\w+ )?(?:in|to|for|per) (?:each|either"
    rf"|both)(?: of the)?(?: two| three| four)?(?: (?:study|treatment|intervention))? ?(?:groups?|arms?)"
    rf"|\b(?:each|per) (?:group|arm)[^.;\d]{{0,30}}?\(?(?:n ?= ?)?(?P<b>{COUNT})\b(?! ?%| ?(?:mg|g|ml|weeks?|days?"
    rf"|months?|min|hours?|centers?|centres?|times|villages|clusters))"
    rf"|\bn ?= ?(?P<c>{COUNT}) (?:in |per |for )?each|\bn ?= ?(?P<d>{COUNT}) (?:per|in each) (?:group|arm))",
    re.IGNORECASE,
)


_A_COUNT: Final = re.compile(COUNT, re.IGNORECASE)
_PATTERNS: Final = (_IN_BRACKETS, _PEOPLE_IN_BRACKETS, _TO, _RECEIVED, _GROUP_HAD)
# Papers whose sizes are kept: a session asks one paper many questions, and seldom several papers in turn.
_KEPT: Final = 4


@lru_cache(maxsize=_KEPT)
def sizes_of(paper: NumbersPaper) -> tuple[ArmSize, ...]:
    """All sizes of arms that the paper gives, one for each place."""
    return (*_confirmed_sizes(paper), *_sizes_in_tables(paper), *_sizes_in_sentences(paper))


def _confirmed_sizes(paper: NumbersPaper) -> Iterator[ArmSize]:
    for core, arm in paper.known_names.items():
        if arm.n:
            yield ArmSize(ArmLabel(arm.name, core), arm.n, is_firm=True, is_confirmed=True)


def _sizes_in_tables(paper: NumbersPaper) -> Iterator[ArmSize]:
    for view in paper.views:
        seen: set[tuple[tuple[str, ...], str]] = set()
        for entry in view.entries:
            if _is_size_of_row(entry) and (entry.rows[-1].core, entry.content.first) not in seen:
                seen.add((entry.rows[-1].core, entry.content.first))
                yield ArmSize(ArmLabel(entry.rows[-1].text, entry.rows[-1].core), entry.content.first, is_firm=True)
            for label in unmarked_labels((*entry.columns, *entry.rows[:1]), paper.vocabulary):
                n = label.n or (
                    view.column_n.get(entry.cell.column, "") if label.core and label in entry.columns else ""
                )
                if n and label.core and not label.is_everyone and (label.core, n) not in seen:
                    seen.add((label.core, n))
                    yield ArmSize(ArmLabel(label.text, label.core), n, is_firm=True)


def _is_size_of_row(entry: ViewEntry) -> bool:
    """Whether a cell is the number of people of its row: a whole number in a column `N`."""
    return (
        entry.content.form is Form.NUMBER
        and is_whole_number_in_cell(entry.content.first)
        and bool(entry.rows and entry.rows[-1].core and entry.columns)
        and entry.columns[-1].is_total_n
    )


# Sentences about how many people a study needed say nothing of how many it had.
_PLANNED: Final = re.compile(
    r"sample size|\bpower(?:ed)?\b|to detect|\b(?:required|needed|necessary)\b|\bassum(?:ed|ing|ption)", re.IGNORECASE
)


# `100 patients were assigned to either treatment or placebo`: the number is of all.
_SEVERAL_NAMES: Final = re.compile(r"\b(?:either|or|versus|vs)\b", re.IGNORECASE)


def _size_phrases(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All places of a pattern, but for those where another number stands between number and name.

    In `ten to walking and twelve to placebo groups` ten is the size of no placebo.
    """
    at = 0
    while found := pattern.search(text, at):
        is_behind = found.start("n") < found.start("label")
        is_across = is_behind and _A_COUNT.search(found["label"])
        if not is_across and not (is_behind and _SEVERAL_NAMES.search(found["label"])):
            yield found
        at = found.start("label") if is_across else max(found.end(), at + 1)


def _sizes_in_sentences(paper: NumbersPaper) -> Iterator[ArmSize]:
    for sentence in paper.sentences:
        firm = _DIVIDING.search(sentence.text) is not None
        if not (firm or any(c.isdigit() for c in sentence.text) or "each" in sentence.text):
            continue
        if _PLANNED.search(sentence.text):
            continue
        for pattern in (*_PATTERNS, _BARE) if firm else _PATTERNS:
            for found in _size_phrases(pattern, sentence.text):
                label = _arm_name_before_size(found["label"])
                if label and (n := printed_count(found["n"])) is not None and n > 1:
                    yield ArmSize(ArmLabel(label, tuple(terms_of(label))), str(n), is_firm=firm)
        for found in _EACH.finditer(sentence.text):
            n = printed_count(next(one for one in found.groups() if one))
            if n is not None and n > 1:
                yield ArmSize(None, str(n), is_firm=firm)


_CUT: Final = re.compile(
    r"^.*(?:\b(?:and|or|to|into|either|receive|received|versus|vs\.?|group of|of the|the|of|in|with)\b|,)\s+",
    re.IGNORECASE,
)


def _arm_name_before_size(text: str) -> str:
    """The last words before a number that can be a name."""
    return " ".join(_CUT.sub("", text).split()[-5:])


def sizes_of_arm(
    label: ArmLabel, at: int, arms: tuple[ArmQuery, ArmQuery], sizes: Sequence[ArmSize], paper: NumbersPaper
) -> tuple[list[str], list[str]]:
    """The sizes of one arm, under its name in a table or under words of the question: firm ones, and all."""
    own = [
        size
        for size in sizes
        if size.label is not None
        and (
            is_size_of_same_name(size.label, label)
            or (not size.is_confirmed and matches_only_arm(size.label, arms[at], arms[1 - at], paper.short))
        )
    ]
    own = [size for size in own if size.is_confirmed] or own
    found = own or [size for size in sizes if size.label is None]
    firm, every = ([size.n for size in found if size.is_firm or not is_firm] for is_firm in (True, False))
    return list(dict.fromkeys(firm)), list(dict.fromkeys(every))


def is_size_of_same_name(one: ArmLabel, other: ArmLabel) -> bool:
    """Whether two labels are one name, with or without `group`."""
    ours, theirs = (tuple(term for term in label.core if term not in _NO_NAME) for label in (one, other))
    return bool(ours) and ours == theirs


_NO_NAME: Final = frozenset(terms_of("group groups arm arms patients participants subjects"))


def size_named_in_text(label: TableLabel, sizes: Sequence[ArmSize]) -> str:
    """The size that sentences about the division of people give under this name, or for each arm, where it is one."""
    wanted = ArmLabel(label.text, label.core)
    named = {
        size.n for size in sizes if size.label is not None and is_size_of_same_name(size.label, wanted) and size.is_firm
    }
    found = named or {size.n for size in sizes if size.label is None and size.is_firm}
    return found.pop() if len(found) == 1 else ""
