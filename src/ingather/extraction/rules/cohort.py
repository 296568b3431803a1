"""What only cohorts have: kind, source of data, follow-up, how exposure was learnt."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import STUDY, Hit, Pattern, agreed, find, first, prose, rx
from ingather.extraction.rules.printed_numbers import DATE, SPAN, printed_month
from ingather.extraction.rules.sentences import Document

FIELDS: Final = frozenset({"cohort_type", "data_source", "followup_length", "followup_end", "exposure_ascertain"})

_KINDS: Final = (
    Pattern(
        terms=rx(r"\bregist(?:er|ry)[- ]based\b[^.]{0,20}\b(?:cohort|study)|登记(?:数据库)?队列"),
        value="registry_based",
    ),
    Pattern(
        terms=rx(r"\b(?:claims|electronic (?:health|medical) records?)[- ](?:based )?(?:cohort|study|data)\b"),
        value="claims_or_ehr",
    ),
    Pattern(terms=rx(r"\bbirth cohort\b|出生队列"), value="birth_cohort"),
    Pattern(terms=rx(r"\bambi(?:directional|spective)\b|双向(?:性)?队列"), value="ambidirectional"),
    Pattern(
        terms=rx(r"\bprospective(?:ly)?\b[^.]{0,30}\bcohort|\bcohort\b[^.]{0,20}\bprospective|前瞻性[^。]{0,6}队列"),
        value="prospective",
        rank=1,
    ),
    Pattern(
        terms=rx(r"\bretrospective(?:ly)?\b[^.]{0,30}\bcohort|\bhistorical cohort\b|回顾性[^。]{0,6}队列"),
        value="retrospective",
        rank=1,
    ),
)
_SOURCE: Final = re.compile(
    r"\b(?P<name>(?:[A-Z][\w'-]+ (?:of |and |for |the )?){1,6}(?:Study|Cohort|Register|Registry|Database|Biobank"
    r"|Survey|Datalink))\b"
)
_SOURCE_ZH: Final = re.compile(r"(?P<name>[\u4e00-\u9fff]{3,14}(?:数据库|登记系统|队列))")
_TAKEN: Final = rx(r"\bdata\b|\bcohort|\bused\b|\busing\b|\b(?:from|in|within|of) the\b|\benrol|\blink|数据|来自")
_TRIAL_NAME: Final = rx(r"\b(?:safety|feasibility|efficacy|trial|effects?|outcomes? study|evaluation)\b")
_LENGTH: Final = rx(
    rf"\b(?:median|mean|average) (?:duration of |length of )?follow-?up(?: (?:time|period|duration))?(?: was| of"
    rf"|:)? (?P<a>{SPAN}(?: \([^)]{{3,60}}\))?)"
    rf"|\bfor an? (?:median|mean|average) of (?P<b>{SPAN}(?: \([^)]{{3,60}}\))?)|(?:中位"
    rf"|平均)随访(?:时间)?(?:为)? ?(?P<c>{SPAN})"
)
_LAST_DAY: Final = (
    Pattern(
        terms=rx(
            rf"\bfollow(?:ed|-up|ed up)\b[^.]{{0,90}}?\b(?:until|ended on|end(?:ed)? (?:in|of the study on)|through"
            rf"|to|on) (?:the end of )?({DATE})"
        ),
        value=lambda found: printed_month(found[1]),
    ),
    Pattern(
        terms=rx(rf"\bcensored (?:on|at|in) ({DATE})|随访(?:截止|截至)(?:于|到|至)? ?({DATE})"),
        value=lambda found: printed_month(found[1] or found[2]),
    ),
)
_LEARNT: Final = tuple(
    (value, rx(terms))
    for value, terms in (
        (
            "medical_or_pharmacy_record",
            r"\b(?:prescription|dispensing|pharmacy|medical|hospital) records?\b|\bprescriptions\b|病历|处方",
        ),
        ("structured_interview", r"\bstructured interviews?\b|结构化访谈"),
        ("self_report", r"\bquestionnaires?\b|\bself-?report|问卷"),
        (
            "biomarker_or_device",
            r"\bbiomarkers?\b|\baccelerometers?\b|\b(?:serum|plasma|urinary) (?:levels?|concentrations?)|生物标志物",
        ),
    )
)


def cohort_answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "cohort_type": agreed("cohort_type", find(document, _KINDS)),
        "data_source": first("data_source", _cohort_sources(document)),
        "followup_length": first("followup_length", _cohort_lengths(document)),
        "followup_end": agreed("followup_end", find(document, _LAST_DAY)),
        "exposure_ascertain": agreed("exposure_ascertain", _cohort_exposure_hits(document)),
    }


def _cohort_sources(document: Document) -> list[Hit]:
    """The named cohort or database that the paper speaks of most."""
    hits = [
        Hit(value=found["name"].removeprefix("The "), sentence=sentence, start=found.start(), end=found.end())
        for sentence in prose(document, STUDY - {"results", "conclusions"})
        for terms in (_SOURCE, _SOURCE_ZH)
        for found in terms.finditer(sentence.text)
    ]
    hits = [hit for hit in hits if _is_cohort_named(str(hit.value)) and _TAKEN.search(hit.sentence.text)]
    times = Counter(str(hit.value) for hit in hits)
    return sorted(hits, key=lambda hit: -times[str(hit.value)])


def _is_cohort_named(name: str) -> bool:
    """Whether a name is more than a kind of source, and that of no trial."""
    return not name.isascii() or (len(name.split()) > 1 and not _TRIAL_NAME.search(name))


def _cohort_lengths(document: Document) -> Iterator[Hit]:
    """In the results better than in the abstract, which often leaves out the spread."""
    for sentence in prose(document, STUDY):
        if found := _LENGTH.search(sentence.text):
            value = found[0] if found["a"] else (found["b"] or found["c"])
            rank = 1 if sentence.in_abstract else 0
            yield Hit(value=value, sentence=sentence, start=found.start(), end=found.end(), rank=rank)


def _cohort_exposure_hits(document: Document) -> Iterator[Hit]:
    for sentence in prose(document, frozenset({"methods"})):
        if sentence.topic != "exposure":
            continue
        for value, terms in _LEARNT:
            if found := terms.search(sentence.text):
                yield Hit(value=value, sentence=sentence, start=found.start(), end=found.end())
                break
