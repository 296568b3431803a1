"""What kind of report a paper is, where it says so: rules for trials are silent on papers that are none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingather.extraction.rules.hits import Hit, prose, rx
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.notice import notice

NOT_A_TRIAL: Final = notice("rules.paper_not_a_trial", "This paper reports no randomised trial of its own.")
NO_TRIAL_SEEN: Final = notice(
    "rules.paper_no_trial_recognised", "The rules did not recognise this paper as the report of a randomised trial."
)
NOT_A_COHORT: Final = notice("rules.paper_not_a_cohort", "This paper reports no cohort of its own.")


class ReportKind(StrEnum):
    """What a paper says that it is. `UNKNOWN`: no rule recognised it, which proves nothing."""

    TRIAL = "trial"
    PROTOCOL = "protocol"
    REVIEW = "review"
    OBSERVATIONAL = "observational"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The kind of a paper, and the sentence that shows it; none where nothing does."""

    kind: ReportKind
    hit: Hit | None = None


_REVIEW: Final = rx(
    r"\bsystematic(?:ally)? (?:literature )?review|\bmeta-?analys[ei]s\b|\b(?:narrative|scoping|umbrella"
    r"|literature) review\b"
    r"|\bguidelines?\b(?= (?:for|on|of))|\(review\)$|\bpooled analysis of (?:\w+ ){0,3}(?:trials|studies)"
    r"|系统评价|荟萃分析|综述"
)
_PROTOCOL: Final = rx(
    r"\b(?:study|trial) protocol\b|\bprotocol (?:for|of) an? |\brationale(?:,| and) (?:\w+,? ){0,3}design\b"
    r"|\bdesign and rationale\b|研究方案"
)
_OBSERVATIONAL: Final = rx(
    r"\bcohort (?:study|analysis)\b|\bcase[- ]control\b|\bcross[- ]sectional\b|\bretrospective\b|\bregist(?:ry"
    r"|er)[- ]based\b"
    r"|\bobservational (?:\w+ )?(?:study|analysis|cohort)|\bmendelian random|\bcase (?:report|series)\b|\bprevalence\b"
    r"|\bincidence of\b|\bpopulation-based (?:\w+ )?(?:study|cohort)|队列研究|横断面|病例对照|回顾性"
)
_TRIAL: Final = rx(
    r"(?<!non[- ])(?<!mendelian )\brandomi[sz]ed\b(?! (?:controlled )?(?:trials|studies)\b)"
    r"|\brandomly (?:assigned|allocated)"
    r"|\brandomi[sz]ed (?:\w+ ){0,3}trial\b|\bRCT\b|\bcrossover trial\b|随机"
)
_OWN_TRIAL: Final = rx(
    r"\b(?:were|was|underwent) (?:\w+ ){0,2}(?:randomi[sz]ed|randomi[sz]ation|random assignment"
    r"|randomly (?:assigned|allocated|divided))|\b(?:this|our|a|an|the|of"
    r"|prospective),? (?:[\w-]+,? ){0,5}randomi[sz]ed"
    r"(?:,? [\w-]+){0,5} (?:trial|study)\b|\b(?:allocated|assigned|divided|allocation"
    r"|assignment) (?:was )?(?:at random|by chance)"
    r"|\b(?:were|was) (?:[\w-]+ ){1,8}and (?:then )?(?:randomi[sz]ed|randomly (?:assigned|allocated))"
    r"|^randomi[sz]ed(?:,? [\w-]+){0,5} (?:trial|study)\b|: (?:an? |results of an? )?(?:[\w-]+,? ){0,5}randomi[sz]ed"
    r"(?:,? [\w-]+){0,5} (?:trial|study)\b|^randomi[sz]ation of [\d,]+ |\b(?:women|men|patients|participants|people"
    r"|adults"
    r"|children) randomly (?:assigned|allocated) to\b"
    r"|\brandomi[sz]ation (?:list|schedule|sequence|code|was)\b|\bwe (?:randomi[sz]ed|randomly (?:assigned"
    r"|allocated))|随机(?:分|对照)"
)
_SAYS_OBSERVATIONAL: Final = rx(
    r"\b(?:this|our|a|an|the) (?:[\w-]+,? ){0,4}(?:cohort|case[- ]control|cross[- ]sectional|observational"
    r"|retrospective)"
    r"(?: [\w-]+){0,2} (?:study|analysis)\b|\bwe (?:retrospectively|conducted a retrospective"
    r"|performed a case[- ]control)"
    r"|\bretrospective(?:ly)? (?:review|analy[sz])"
)
_SEARCHED: Final = rx(
    r"\b(?:pubmed|medline|embase|cochrane (?:library|central))\b[^.]{0,120}\b(?:search|from|until|through"
    r"|were)|\bwe searched\b|\bPRISMA\b"
)
_COHORT: Final = rx(
    r"\bcohort\b|\bfollowed (?:up )?for\b|\bregist(?:er|ry)\b|\bprospective(?:ly)? (?:study|followed)|队列"
)


def kind_of_report(document: Document, title: Sentence | None) -> Report:
    """What the title says, else what the abstract says, else what the methods say."""
    if title is not None:
        for kind, terms in (
            (ReportKind.PROTOCOL, _PROTOCOL), (ReportKind.REVIEW, _REVIEW), (ReportKind.TRIAL, _TRIAL),
            (ReportKind.OBSERVATIONAL, _OBSERVATIONAL),
        ):  # fmt: skip
            if found := terms.search(title.text):
                return Report(kind=kind, hit=_kind_hit(title, found))
    abstract = [sentence for sentence in _own_report_prose(document) if sentence.in_abstract or sentence.part == "body"]
    methods = [
        sentence for sentence in _own_report_prose(document) if sentence.part == "methods" and not sentence.in_abstract
    ]
    for sentences in (abstract, methods):
        for kind, terms in (
            (ReportKind.REVIEW, _SEARCHED), (ReportKind.OBSERVATIONAL, _SAYS_OBSERVATIONAL),
            (ReportKind.TRIAL, _OWN_TRIAL),
        ):  # fmt: skip
            for sentence in sentences:
                if found := terms.search(sentence.text):
                    return Report(kind=kind, hit=_kind_hit(sentence, found))
    return Report(kind=ReportKind.UNKNOWN)


def _own_report_prose(document: Document) -> Iterator[Sentence]:
    return prose(document, frozenset({"abstract", "aim", "methods", "results", "body"}))


def _kind_hit(sentence: Sentence, found: re.Match[str]) -> Hit:
    return Hit(value=None, sentence=sentence, start=found.start(), end=found.end())


# The fields that only a randomised trial can answer.
TRIAL_FIELDS: Final = frozenset(
    {
        "design", "framework", "unit_of_allocation", "n_clusters", "icc", "sequence_generation", "sequence_method",
        "allocation_concealment", "concealment_method", "stratification", "blind_participants", "blind_personnel",
        "blind_assessors", "blind_analysts", "blinding_detail", "n_randomised", "n_screened", "n_analysed",
        "sample_size_planned", "early_stopping", "analysis_set", "followup_planned",
    }
)  # fmt: skip
# The fields that only a cohort can answer.
COHORT_FIELDS: Final = frozenset(
    {
        "cohort_type", "data_source", "followup_length", "followup_end", "exposure_ascertain", "n_source", "n_included",
        "confounders_listed", "adjustment_method",
    }
)  # fmt: skip


# A review may answer these all the same: what it is, who paid, what it wanted and found.
OF_ANY_PAPER: Final = frozenset(
    {
        "title", "publication_year", "journal", "doi", "registration_id", "funding_source", "funding_type",
        "conflicts_of_interest", "aim", "conclusions", "limitations",
    }
)  # fmt: skip


def is_cohort(paper: Report, document: Document) -> bool:
    """Whether a paper may report a cohort: it speaks of one, and is no trial, no protocol and no review."""
    return paper.kind in {ReportKind.OBSERVATIONAL, ReportKind.UNKNOWN} and any(
        _COHORT.search(sentence.text) for sentence in _own_report_prose(document)
    )
