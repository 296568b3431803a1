"""Who could take part, and what they had."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.design import PEOPLE
from ingather.extraction.rules.hits import STUDY, Hit, first, prose, rx
from ingather.extraction.rules.numbers import COUNT
from ingather.extraction.rules.sentences import Document

FIELDS: Final = frozenset({"inclusion_criteria", "exclusion_criteria", "condition"})

_INCLUDED: Final = rx(
    r"\b(?:were|was) eligible (?:if|when|for)\b|\beligible (?:participants|patients|adults|children|people|women"
    r"|men) (?:were|had)\b|\binclusion criteria\b"
    r"|\bcould (?:take part|be included|participate) if\b|\bwere included (?:if|when)\b|\bto be eligible\b"
    r"|\beligibility criteria (?:were|included)\b"
    r"|\bwere eligible\.?$|(?:纳入|入选)标准:"
)
# `Eight patients were excluded` counts people; it gives no criterion.
_TALLIED: Final = rx(
    rf"^(?:of |in all, |a total of )?{COUNT}[^.]{{0,80}}\bexcluded\b|\bexcluded from (?:the |all )?\w* ?analys"
    r"|\banaly[sz]\w+ excluded"
)
# Sentences that count people, speak of measurements or of other lists, or only announce the criteria.
_VAGUE: Final = re.compile(
    rf"{_TALLIED.pattern}|\b(?:events?|data|values?|samples?|articles?|studies|trials|variables?|outcomes?"
    rf"|records?|items?|images?"
    r"|scans?|visits?|tests?|measurements?) (?:\w+ ){0,3}(?:were|was) (?:included|excluded)"
    r"|\b(?:met|fulfilled|satisf\w+|meeting|according to|following|based on|assessed for|screened for|check\w*"
    r"|full|complete)"
    r"\b[^.]{0,40}\b(?:inclusion|exclusion|eligibility)\b|\bas follows:?$|\b(?:table|box|figure|appendix"
    r"|supplement\w*|panel)\b"
    r"|\b(?:inclusion|exclusion|eligibility) criteria (?:have|has|are|were|is) (?:been |also )?(?:described"
    r"|given|shown|listed|provided"
    r"|published|reported|summari[sz]ed|detailed|the same|as follows|identical|similar|not)|\bfrom (?:the|this"
    r"|all|our) \w* ?analys"
    r"|\bno exclusion criteria\b|\bstratifi",
    re.IGNORECASE,
)
# People of an age are a criterion where they were sought, not where those who took part are described.
_SOUGHT: Final = rx(
    r"\b(?:eligible|recruit\w*|invited|sought|could|approached|enrol\w*|identified|included)\b(?!.*[±=])"
)
_AGED: Final = rx(rf"\b{PEOPLE} (?:who were )?aged \d")
_EXCLUDED: Final = rx(
    r"\bexclusion criteria\b|\b(?:were|was) excluded\b|\bwe excluded\b|\b(?:were|was) not eligible\b|\bineligible\b"
    r"|\b(?:were|was) not (?:enrolled|included) if\b"
    r"|\bexclusions were\b|排除标准:"
)
_WITH: Final = rx(
    rf"\b{PEOPLE} (?:with|suffering from|diagnosed with) (?P<what>(?!an? |no |the |at |missing|and |or |without )"
    r"[a-z][\w' -]{2,60}?)(?=[.,;:()]|$| (?:were|was|who|in|at|from|and|to|or|took|lasting|can|may|is|has|have|will"
    r"|would|showed|which|that|undergoing|receiving|using|diagnosed|referred|within|admitted|attending"
    r"|presenting|treated"
    r"|scheduled|having|after|for|are|had|on|received|by|during|without|between|as|of age|aged)\b)"
)
_ADJECTIVE: Final = rx(
    r"stable|severe|mild|moderate|acute|chronic|symptomatic|newly|previous|active|advanced"
    r"|recurrent|persistent"
)
_WITH_ZH: Final = re.compile(r"\d{1,6} ?例(?P<what>[\u4e00-\u9fff0-9]{2,14}?)(?:患者|病人|患儿)")


def answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "inclusion_criteria": first("inclusion_criteria", _criteria(document, "inclusion", _INCLUDED, _AGED)),
        "exclusion_criteria": first("exclusion_criteria", _criteria(document, "exclusion", _EXCLUDED, None)),
        "condition": first("condition", _conditions(document)),
    }


def _criteria(document: Document, topic: str, words: re.Pattern[str], weaker: re.Pattern[str] | None) -> Iterator[Hit]:
    """What stands under the heading, else the sentence that says who may, else one that says who did."""
    for sentence in prose(document, frozenset({"methods", "abstract", "body"})):
        if sentence.topic == topic and not sentence.in_abstract:
            yield Hit(value=sentence.text, sentence=sentence)
        elif (found := words.search(sentence.text)) and not _VAGUE.search(sentence.text):
            rank = 2 if sentence.in_abstract else 1
            yield Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=rank)
        elif weaker and (found := weaker.search(sentence.text)) and _SOUGHT.search(sentence.text):
            rank = 4 if sentence.in_abstract else 3
            yield Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=rank)


def _conditions(document: Document) -> Iterator[Hit]:
    for sentence in prose(document, STUDY - {"results", "conclusions"}):
        is_told = sentence.in_abstract or sentence.topic in {"participants", "inclusion", "design", "setting"}
        if not is_told or _EXCLUDED.search(sentence.text):
            continue
        for found in (*_WITH.finditer(sentence.text), *_WITH_ZH.finditer(sentence.text)):
            after = sentence.text[found.end("what") :]
            # `Mood or anxiety disorder` names its condition behind the `or`, and a list names several.
            if _ADJECTIVE.fullmatch(found["what"].strip()) or re.match(r",? (?:and|or)\b|,", after):
                continue
            rank = 0 if sentence.in_abstract else 1
            yield Hit(value=found["what"].strip(), sentence=sentence, start=found.start(), end=found.end(), rank=rank)
