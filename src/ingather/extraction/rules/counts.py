"""How many people: planned, screened, randomised, included, analysed, lost."""

import re
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules import randomised
from ingather.extraction.rules.design import PEOPLE, UNITS
from ingather.extraction.rules.hits import STUDY, Pattern, agreed, find, rx
from ingather.extraction.rules.printed_numbers import COUNT, MONTHS, printed_count
from ingather.extraction.rules.sentences import Document

_WHO: Final = (
    rf"(?:(?:of the |of these |eligible |consecutive |randomi[sz]ed |adult )?{PEOPLE}(?: with (?:(?!were"
    rf"|was)[\w-]+ ){{0,4}}[\w-]+)? )?"
)
_WERE: Final = r"(?:were|was|have been|had been)"
_RANDOMISED: Final = r"(?:randomi[sz]ed|randomly (?:assigned|allocated|divided)|allocated at random)"
_PERSON: Final = rx(rf"\b{PEOPLE}\b|例")
_DATED: Final = rx(r"(?:\b(?:in|since|until|before|after|of|early|late|" + "|".join(MONTHS) + r")|,) ?$")
_EACH: Final = r"\b(?! (?:\w+ )?(?:in|per|for) (?:[\w-]+ ){0,2}(?:each|every|group|arm|protocol|treatment))(?! each\b)"
_MAIN: Final = STUDY - {"aim", "conclusions"}


def _count_of_match(found: re.Match[str]) -> int | None:
    """The count of a match; None for a year that follows a month, and for the first or the remaining so many."""
    number = next(filter(None, found.groups()), "")
    # `96 and 216 patients were included`: two numbers, of which none is the whole.
    if re.search(r"\d and $", found.string[: found.start(1)]):
        return None
    if re.search(r"\b(?:first|last|additional|remaining|other) $", found.string[: found.start()], re.IGNORECASE):
        return None
    if re.fullmatch(r"(?:19|20)\d\d", number) and _DATED.search(found.string[: found.start(1)]):
        return None
    return printed_count(number)


def _count_pattern(terms: str, *, rank: int = 0, parts: frozenset[str] = _MAIN, beside: str = "") -> Pattern:
    """A pattern whose first group is a count."""
    return Pattern(
        terms=rx(terms),
        value=_count_of_match,
        rank=rank,
        parts=parts,
        beside=rx(beside) if beside else None,
    )


PATTERNS: Final[dict[str, tuple[Pattern, ...]]] = {
    "sample_size_planned": (
        _count_pattern(rf"\b(?:planned|aimed) to (?:enrol|enroll|recruit|include|randomi[sz]e) ({COUNT}){_EACH}"),
        _count_pattern(
            rf"\bsample(?: size)? of ({COUNT})(?: {PEOPLE})? (?:was|were|would be|is) (?:needed|required|necessary"
            rf"|planned){_EACH}"
        ),
        _count_pattern(rf"\btarget(?: sample size)? (?:was|of) ({COUNT})(?: {PEOPLE})?{_EACH}"),
        _count_pattern(rf"({COUNT}) {PEOPLE} (?:in \d+ \w+ )?(?:were|was|would be) (?:needed|required){_EACH}"),
        _count_pattern(rf"\b(?:required|needed) (?:a total of |a sample of )?({COUNT}) {PEOPLE}{_EACH}"),
        _count_pattern(r"(?:计划|拟|预计)(?:共)?纳入 ?(\d{1,6}) ?例|样本量(?:为|至少)? ?(\d{1,6}) ?例"),
    ),
    "n_screened": (
        _count_pattern(rf"({COUNT}) {_WHO}(?:{_WERE} )?(?:assessed for eligibility|screened)\b"),
        _count_pattern(rf"\bscreened ({COUNT}) (?!and)"),
        _count_pattern(r"筛选(?:了)? ?(\d{1,6}) ?例"),
    ),
    "n_analysed": (
        _count_pattern(
            rf"({COUNT}) {_WHO}{_WERE} (?:included in (?:the )?(?:primary |main |final "
            rf"|intention-to-treat )?analysis|analy[sz]ed)\b"
        ),
        _count_pattern(rf"({COUNT}) {_WHO}completed [^.;\d]{{3,50}} and were analy[sz]ed"),
        _count_pattern(r"(\d{1,6}) ?例(?:患者|受试者)?纳入(?:主要|最终|统计)?(?:的)?分析"),
    ),
    "n_included": (
        _count_pattern(
            rf"({COUNT}) {_WHO}(?:{_WERE} included\b(?! in (?:the )?(?:\w+ )?analysis)|met the (?:inclusion"
            rf"|eligibility) criteria)"
        ),
        _count_pattern(rf"\b(?:study population|cohort|sample) (?:comprised|consisted of|included) ({COUNT}) "),
        _count_pattern(rf"\bwe (?:followed|included|enrolled) ({COUNT}) {PEOPLE}"),
        _count_pattern(r"(?:最终|共)纳入(?:研究对象)? ?(\d{1,7}) ?(?:例|人|名)"),
    ),
    "n_source": (
        _count_pattern(rf"\b(?:of|from) (?:the )?({COUNT}) {PEOPLE}\b[^.;]{{0,80}}, {COUNT} {_WHO}{_WERE} included"),
        _count_pattern(rf"({COUNT}) {PEOPLE} (?:were|was) (?:identified|invited|considered|registered)"),
    ),
    "n_lost": (
        _count_pattern(rf"({COUNT}) {_WHO}(?:\(\d+(?:\.\d+)?%\) )?(?:{_WERE} )?lost to follow-?up"),
        _count_pattern(r"失访 ?(\d{1,6}) ?例"),
    ),
}
FIELDS: Final = frozenset(PATTERNS) | {randomised.FIELD}


def count_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family. Where clusters were randomised, only a number of people counts."""
    has_clusters = agreed("unit_of_allocation", find(document, UNITS)).value == "cluster"
    return {randomised.FIELD: randomised.randomised_answer(document)} | {
        field: agreed(field, [hit for hit in find(document, patterns) if not has_clusters or _PERSON.search(hit.terms)])
        for field, patterns in PATTERNS.items()
    }
