"""Who could take part, and what they had."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.design import PEOPLE
from ingather.extraction.rules.hits import STUDY, Hit, prose, rx
from ingather.extraction.rules.printed_numbers import COUNT
from ingather.extraction.rules.sentences import Document, Sentence, joined_sentences
from ingather.extraction.rules.whole import part, whole_or_part

FIELDS: Final = frozenset({"inclusion_criteria", "exclusion_criteria", "condition"})

_INCLUDED: Final = rx(
    r"\b(?:were|was) eligible (?:if|when|for)\b|\beligible (?:participants|patients|adults|children|people|women"
    r"|men) (?:were (?:aged|those|adults|required)|had)\b|\binclusion criteria (?:for [^.]{0,40} )?(?:were"
    r"|was|included?|comprised|are|:)"
    r"|\bcould (?:take part|be included|participate) if\b|\bwere included (?:if|when)\b|\bto be eligible\b"
    r"|\beligibility criteria (?:were|included)\b"
    r"|(?:纳入|入选)标准:"
)
# `Eight patients were excluded` counts people; it gives no criterion.
_TALLIED: Final = rx(
    rf"^(?:of |in all, |a total of )?{COUNT}[^.]{{0,80}}\bexcluded\b|\bexcluded from (?:the |all )?\w* ?analys"
    r"|\banaly[sz]\w+ excluded"
)
# Sentences that count people, speak of measurements or of other lists, or only announce the criteria.
# Sentences that describe those who took part, or controls, or how people came into the study.
_NO_MEMBERS: Final = re.compile(
    r"\bvolunteered\b|\bcontrol group\b|\bmean age\b|\bslips?\b|\bwere later\b|\brecords departments?\b|\bresults\b"
    r"|\(n ?= ?\d|\bthe physician\b|\bco-?ordinator\b",
    re.IGNORECASE,
)
_SHORTEST: Final = 30  # characters of a sentence that gives criteria; a shorter one is a label or was cut off
# Sentences that end with a colon only announce a list, and one with its first entry alone is not the list.
_OPEN_LIST: Final = re.compile(r":$|^(?![^.]*\b2[.)])[^.]*\b1[.)]|^(?!.*[(]?(?:b|ii)[)]).*[ (](?:a|i)[)]")
_VAGUE: Final = re.compile(
    rf"{_TALLIED.pattern}|\b(?:events?|data|values?|samples?|articles?|studies|trials|variables?|outcomes?"
    rf"|records?|items?|images?"
    r"|scans?|visits?|tests?|measurements?) (?:\w+ ){0,3}(?:were|was) (?:included|excluded)"
    r"|\bpre-?screened\b|\b(?:cent(?:re|er)s|clusters|practices|clinics|schools|villages)\b[^.]{0,40}\bexcluded\b"
    r"|\b(?:meets?|met|fulfilled|satisf\w+|meeting|according to|following|based on|assessed for|screened for|check\w*"
    r"|full|complete)"
    r"\b[^.]{0,40}\b(?:inclusion|exclusion|eligibility)\b|\bas follows:?$|\b(?:table|box|figure|appendix"
    r"|supplement\w*|panel)\b"
    r"|\b(?:inclusion|exclusion|eligibility) criteria (?:have|has|are|were|is) (?:been |also )?(?:described"
    r"|given|shown|listed|provided"
    r"|published|reported|summari[sz]ed|detailed|the same|as follows|identical|similar|not)|\bfrom (?:the|this"
    r"|all|our) \w* ?analys"
    r"|\bno exclusion criteria\b|\bstratifi|\bafter the eligible\b|\benrolled and\b|\bconsent|\bassent\b"
    r"|\bstrictly\b|\badher|\bproportion\b|\bas (?:previously )?described\b|\bpreviously\.|\bdescribed (?:previously"
    r"|elsewhere|before)\b|\binvited\b|\bfor (?:the )?(?:healthy )?controls\b|\bestimate|\baimed\b"
    r"|\bsuitable\b"
    r"|\brandomly\b|\bwere randomi"
    r"|\beligible for (?:the )?enrol",
    re.IGNORECASE,
)
# People of an age are a criterion where they were sought, not where those who took part are described.
# Exclusions of an analysis, of records or of results, and sentences that argue, say nothing of who could take part.
_NO_CRITERION: Final = re.compile(
    r"\bdid not complete\b|\bmain study\b|\b(?:not able|unable|fail\w*|did not) (?:to )?(?:meet|fulfil)"
    r"|\bduring (?:the )?(?:\w+ )?(?:treatment|study|intervention|trial)\b|\bwithdr|\bdropp?ed\b"
    r"|\(n ?= ?\d"
    r"|\b(?:sensitivity|analys[ei]s|analyzed|analysed"
    r"|excluding|exclusive|however|therefore|because|although|since"
    r"|results?|outcomes?|estimates?|events?|hospitali[sz]ations|stud(?:y|ies) (?:that|which|with|in|on|were"
    r"|on)|studies"
    r"|articles|reviews?|trials|records|database|imput\w+|missing|remaining|subsequently|after randomi[sz]ation"
    r"|in our|for this reason|we did not|comments|figure|table)\b",
    re.IGNORECASE,
)
# How a sentence that gives criteria of exclusion is built.
_EXCLUDES: Final = re.compile(
    r"\bexclusion criteria\b[^.]{0,60}?(?:were|was|included?|comprised|are|:)"
    rf"|^(?:{PEOPLE}|subjects|those|women|men)\b[^.]{{0,80}}? (?:were|was) (?:excluded|ineligible|not eligible)"
    rf"|\bwe excluded (?:all )?{PEOPLE}\b"
    r"|\b(?:were|was) excluded (?:if|when|from the (?:study|trial) if)\b|\bexclusions were\b|\bineligible if\b"
    r"|排除标准",
    re.IGNORECASE,
)
_SOUGHT: Final = rx(
    r"\b(?:eligible|recruit\w*|invited|sought|could|approached|enrol\w*|identified|included)\b(?!.*[±=])"
)
# A mark of citation behind a term, or the first letter of the name of an author.
_NUMBERED_MARK: Final = re.compile(r"(?<=[A-Za-z]{2})\d{1,2}$| [A-Z]$")
_BROKEN_END: Final = re.compile(r" (?:of|in|for|with|the|refractory)$", re.IGNORECASE)
# Hits above this rank come from sentences that only say how old people were.
_BY_AGE: Final = 2
_AGED: Final = rx(rf"\b{PEOPLE} (?:who were )?aged \d")
_EXCLUDED: Final = rx(
    r"\bexclusion criteria\b|\b(?:were|was) excluded\b|\bwe excluded\b|\b(?:were|was) not eligible\b|\bineligible\b"
    r"|\b(?:were|was) not (?:enrolled|included) if\b"
    r"|\bexclusions were\b|排除标准:"
)
# Words of a list of criteria that is not all of them, and of sentences that add to one.
_SOME: Final = rx(r"(?:the )?(?:key|main|major|additional|other|further|also)\b|[^.]{0,40}\bcriteria also\b")
_ADDED: Final = rx(
    r"\b(?:additional|other|further) (?:\w+ )?(?:inclusion|exclusion|eligibility)\b|\b(?:had|were required"
    r"|needed) to (?:be"
    r"|have) "
)
_NARROWS: Final = rx(
    r"\b(?:only (?:if|when|after)|had to|must|(?:was|were) (?:also )?(?:required|considered|allowed|permitted|eligible"
    r"|accepted)|provided that|at least one of|in addition|further(?:more)?|defined as)\b"
)
_DIAGNOSED: Final = rx(
    r"\b(?:diagnos\w+|defin\w+|classif\w+|confirmed|fulfil\w*|met|meeting|meet|according to|based on|by)\b[^.]{0,100}"
    r"\b(?:criteria|classification|guidelines?)\b(?<!clusion criteria)(?<!ligibility criteria)|\bDSM\b|\bICD-|诊断标准"
)
_WITH: Final = rx(
    rf"\b{PEOPLE} (?:with|suffering from|diagnosed with) (?P<what>(?!an? |no |the |at |missing|and |or |without )"
    r"[a-z][\w' -]{2,60}?)(?=[.,;:()]|$| (?:were|was|who|in|at|from|and|to|or|took|lasting|can|may|is|has|have|will"
    r"|would|showed|which|that|undergoing|receiving|using|diagnosed|referred|within|admitted|attending"
    r"|presenting|treated"
    r"|scheduled|having|after|for|are|had|on|received|by|during|without|between|as|of age|aged|due|secondary|caused"
    r"|associated|affected|related)\b)"
)
_ADJECTIVE: Final = rx(
    r"stable|severe|mild|moderate|acute|chronic|symptomatic|newly|previous|active|advanced"
    r"|recurrent|persistent"
)
_WITH_ZH: Final = re.compile(r"\d{1,6} ?例(?P<what>[\u4e00-\u9fff0-9]{2,14}?)(?:患者|病人|患儿)")


def people_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "inclusion_criteria": _all_criteria(document, "inclusion", _INCLUDED, _AGED),
        "exclusion_criteria": _all_criteria(document, "exclusion", _EXCLUDED, None),
        "condition": whole_or_part("condition", _conditions(document), document, _speaks_of_diagnosis, gathers=False),
    }


def _all_criteria(document: Document, topic: str, terms: re.Pattern[str], weaker: re.Pattern[str] | None) -> Answer:
    """The criteria, where one sentence or the passage under a heading gives all of them; else as a part."""

    def says(sentence: Sentence) -> bool:
        is_method = sentence.part in {"methods", "body"} and not _VAGUE.search(sentence.text)
        return sentence.topic == topic or (is_method and (terms.search(sentence.text) or _ADDED.search(sentence.text))
                                           is not None)  # fmt: skip

    hits = list(_criteria(document, topic, terms, weaker))
    answer = whole_or_part(f"{topic}_criteria", hits, document, says)
    # An age among what is told of those who took part is one criterion, and seldom the only one.
    narrowed = any(_narrows_what_stands_before(document, one, str(answer.value)) for one in document.sentences)
    is_weak = narrowed or min((hit.rank for hit in hits), default=0) > _BY_AGE
    return part(answer) if is_weak or _SOME.match(str(answer.value)) else answer


def _narrows_what_stands_before(document: Document, sentence: Sentence, value: str) -> bool:
    """Whether a sentence right behind the criteria adds a condition to them."""
    if sentence.part not in {"methods", "body"} or not _NARROWS.search(sentence.text):
        return False
    at = document.sentences.index(sentence)
    return at > 0 and value.endswith(document.sentences[at - 1].text)


def _speaks_of_diagnosis(sentence: Sentence) -> bool:
    """Whether a sentence says by which criteria people had the condition."""
    return sentence.part in {"methods", "body"} and _DIAGNOSED.search(sentence.text) is not None


def _criteria(document: Document, topic: str, terms: re.Pattern[str], weaker: re.Pattern[str] | None) -> Iterator[Hit]:
    """What stands under the heading, else the sentence that says who may, else one that says who did."""
    for sentence in prose(document, frozenset({"methods", "abstract", "body"})):
        is_excluding = topic == "exclusion"
        if _OPEN_LIST.search(sentence.text) or "#" in sentence.text:
            continue
        if is_excluding and (
            _NO_CRITERION.search(sentence.text) or sentence.text[:1].islower() or sentence.text[:1] == "\u2022"
        ):
            continue
        if not is_excluding and _NO_MEMBERS.search(sentence.text):
            continue
        if sentence.topic == topic and not sentence.in_abstract:
            if len(sentence.text) >= _shortest_criteria(sentence.text):
                yield _whole_list(document, sentence)
        elif (found := terms.search(sentence.text)) and not _VAGUE.search(sentence.text):
            if is_excluding and not _EXCLUDES.search(sentence.text):
                continue
            rank = 2 if sentence.in_abstract else 1
            yield Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=rank)
        elif weaker and (found := weaker.search(sentence.text)) and _is_sought(sentence.text):
            rank = 4 if sentence.in_abstract else 3
            yield Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=rank)


def _whole_list(document: Document, first: Sentence) -> Hit:
    """All that stands under the heading of a criterion: its first sentence alone is not the list."""
    stated = [one for one in document.sentences if one.topic == first.topic and not one.in_abstract and not one.is_row]
    last = stated[-1]
    whole = joined_sentences(first, last) or first
    return Hit(value=whole.text, sentence=whole)


def _shortest_criteria(text: str) -> int:
    """How long a sentence that gives criteria is at least; Chinese says as much in a third of the characters."""
    return _SHORTEST if text.isascii() else _SHORTEST // 3


def _is_in_title(what: str, title: str) -> bool:
    """Whether the title names a condition, and not together with another one. Short forms alone are not enough."""
    if not what.isascii():
        return what in title
    terms = re.findall(r"(?<![\w-])[a-z][a-z-]{3,}", what, re.IGNORECASE)
    is_named = bool(terms) and all(term.casefold().rstrip("s") in title for term in terms)
    return is_named and re.search(rf"{re.escape(what.casefold())} (?:and|or)\b", title) is None


def _is_sought(text: str) -> bool:
    """Whether people of a kind were looked for, and not counted."""
    return _SOUGHT.search(text) is not None and re.match(rf"{COUNT}\b", text, re.IGNORECASE) is None


def _conditions(document: Document) -> Iterator[Hit]:
    """What the people of the abstract had, where the title names it, too: others are named in passing."""
    title = " ".join(line.text for line in document.front).casefold()
    for sentence in prose(document, STUDY - {"results", "conclusions"}):
        is_shown = sentence.in_abstract or sentence.topic in {"participants", "inclusion", "design", "setting"}
        if not is_shown or _EXCLUDED.search(sentence.text):
            continue
        for found in (*_WITH.finditer(sentence.text), *_WITH_ZH.finditer(sentence.text)):
            after = sentence.text[found.end("what") :]
            # `Mood or anxiety disorder` names its condition behind the `or`, and a list names several.
            if _ADJECTIVE.fullmatch(found["what"].strip()) or re.match(r",? (?:and|or)\b|,", after):
                continue
            what = _BROKEN_END.sub("", _NUMBERED_MARK.sub("", found["what"].strip()))
            if not _is_in_title(what, title):
                continue
            rank = 0 if sentence.in_abstract else 1
            yield Hit(value=what, sentence=sentence, start=found.start(), end=found.end(), rank=rank)
