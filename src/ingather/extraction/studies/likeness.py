"""Two reports compared: whether they seem to be one, or of one study, and why. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from ingather.extraction.studies.report import ReportType, StudyReport
from ingather.extraction.studies.study_names import surname
from ingather.notice import notice

# Titles that agree by this much, of 100, are one title printed twice: a dash or a letter may differ.
SAME_TITLE: Final = 96.0
# Titles that agree by this much, once the terms of designs are left out, speak of one thing.
LIKE_TITLE: Final = 80.0
# A term of a title is a misprint of another where they agree by this much, of 100.
MISPRINT: Final = 85.0
# Titles of fewer terms than this, without those of designs, say too little to be held against each other.
FEWEST_TERMS: Final = 3
# Shared authors prove little where the titles share less than this, of 100.
RELATED_TITLE: Final = 45.0
# Shorter titles, in characters, come again in other papers: `Editorial`, `Reply to the authors`.
SHORTEST_TITLE: Final = 25
# So many authors that two reports share are a group; fewer meet in papers of several studies.
SHARED_AUTHORS: Final = 2
# Samples smaller than this come to the same size by chance too often.
LEAST_SAMPLE: Final = 30
# The years that the reports of one study may lie apart, from its protocol to its follow-up.
LONGEST_STUDY_YEARS: Final = 8


class SuggestionKind(StrEnum):
    SAME_REPORT = "same_report"  # one is the other once more
    SAME_STUDY = "same_study"


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Two reports that seem to belong together, with the reasons in the order of their weight."""

    one: int
    other: int
    kind: SuggestionKind
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenReport:
    """A report, and its clues as they are compared."""

    report: StudyReport
    title: str
    core: str
    terms: frozenset[str]
    surnames: frozenset[str]
    registries: dict[str, frozenset[str]]


_DESIGN: Final = re.compile(
    r"\b(?:a|an|the|of|for|in|and|on|effects?|efficacy|supplement to|study protocol|protocol|rationale|design|methods?"
    r"|statistical analysis plan"
    r"|randomi[sz]ed|controlled|clinical|double|single|blind(?:ed)?|open|label|trial|study|pilot|results|from"
    r"|secondary|post hoc|analysis|follow up|months?|years?|year|week|weeks|protocols?|preprint|abstract|rct)\b"
)


def registry_of(number: str) -> str:
    """The registry that a number is of: its letters."""
    found = re.match(r"[A-Za-z-]+", number)
    return found[0].upper().rstrip("-") if found else ""


def bare_registration(number: str) -> str:
    """A number as it is compared: `NCT 01234567` is `NCT01234567`."""
    return re.sub(r"[\s:_-]", "", number).upper()


def bare_title(title: str) -> str:
    text = re.sub(r"\[[^\]]*\]", " ", title.casefold())
    return " ".join(re.findall(r"[^\W_]+", text))


def seen_report(report: StudyReport) -> SeenReport:
    title = bare_title(report.clues.title)
    registries: dict[str, set[str]] = defaultdict(set)
    for number in report.clues.registrations:
        registries[registry_of(number)].add(bare_registration(number))
    terms = _DESIGN.sub(" ", title).split()
    return SeenReport(
        report=report,
        title=title,
        core=" ".join(terms),
        terms=frozenset(terms),
        surnames=frozenset(_author_keys(report.clues.authors)),
        registries={name: frozenset(numbers) for name, numbers in registries.items()},
    )


def _author_keys(authors: Iterable[str]) -> Iterator[str]:
    """Surname and first initial: `Evans, Farid` and `Evans F` are one, `Evans, Kira` is another."""
    for author in authors:
        if name := surname(author):
            rest = re.findall(r"[^\W\d_]+", author.replace(name, " ", 1))
            yield f"{name} {rest[0][0] if rest else ''}".strip().casefold()


def compared_reports(one: SeenReport, other: SeenReport) -> Likeness | None:
    first, second = one.report.clues, other.report.clues
    if reasons := _same_report(one, other):
        kind = SuggestionKind.SAME_REPORT
        if _is_other_form(one, other):
            kind = SuggestionKind.SAME_STUDY
        return Likeness(one=one.report.id, other=other.report.id, kind=kind, reasons=tuple(reasons))
    shared = _shared_registrations(one, other)
    if shared:
        reasons = [notice("studies.same_registration", "Both are registered as {number}.", number=shared[0])]
    elif is_registered_elsewhere(one, other):
        return None
    else:
        reasons = []
    reasons += _like_reasons(one, other, has_registration=bool(shared))
    if not reasons:
        return None
    if first.sample_size and first.sample_size == second.sample_size and first.sample_size >= LEAST_SAMPLE:
        reasons.append(notice("studies.same_size", "Both randomised {n}.", n=f"{first.sample_size:,}"))
    return Likeness(
        one=one.report.id, other=other.report.id, kind=SuggestionKind.SAME_STUDY, reasons=tuple(dict.fromkeys(reasons))
    )


def _is_other_form(one: SeenReport, other: SeenReport) -> bool:
    """Whether two reports with one title are two reports: a preprint and its article, or two papers with DOIs."""
    first, second = one.report.clues, other.report.clues
    has_other_doi = bool(first.doi and second.doi) and first.doi.casefold() != second.doi.casefold()
    types = {first.type, second.type}
    # How long a file is says little where the other one is only a record: it may be the record of that file.
    is_unsure = types == {ReportType.ARTICLE, ReportType.ABSTRACT} and not (one.report.sha256 and other.report.sha256)
    is_other_type = len(types) > 1 and ReportType.OTHER not in types and not is_unsure
    return has_other_doi or is_other_type


def _same_report(one: SeenReport, other: SeenReport) -> list[str]:
    """Why two reports are the same one, or two prints of it; nothing where they are not."""
    first, second = one.report.clues, other.report.clues
    reasons: list[str] = []
    if first.doi and first.doi.casefold() == second.doi.casefold() and _are_related(one, other):
        reasons.append(notice("studies.same_doi", "Both have the DOI {doi}.", doi=first.doi))
    if first.pmid and first.pmid == second.pmid:
        reasons.append(notice("studies.same_pmid", "Both have the PubMed number {pmid}.", pmid=first.pmid))
    is_long = min(len(one.title), len(other.title)) >= SHORTEST_TITLE
    if is_long and _is_same_title(one.title, other.title):
        is_other_study = is_registered_elsewhere(one, other)
        has_authors = bool(one.surnames and other.surnames)
        if not is_other_study and (not has_authors or one.surnames & other.surnames):
            reasons.append(notice("studies.same_title", "Both have the same title."))
    return reasons


def _are_related(one: SeenReport, other: SeenReport) -> bool:
    """Whether the titles do not speak against each other: a DOI may have been read from another paper's line."""
    return not (one.title and other.title) or fuzz.ratio(one.title, other.title) >= RELATED_TITLE


def _is_same_title(one: str, other: str) -> bool:
    """Whether one title was printed twice. A letter may differ, but no number and no term stands for another."""
    if one.replace(" ", "") == other.replace(" ", ""):
        return True
    if not fuzz.ratio(one, other, score_cutoff=SAME_TITLE):
        return False
    mine, theirs = Counter(one.split()), Counter(other.split())
    changed, into = list((mine - theirs).elements()), list((theirs - mine).elements())
    return len(changed) == len(into) and _is_misprint(changed, into)


def _is_misprint(changed: Sequence[str], into: Sequence[str]) -> bool:
    return all(
        len(before) > 3 and before.isalpha() and fuzz.ratio(before, after) >= MISPRINT
        for before, after in zip(sorted(changed), sorted(into), strict=True)
    )


def _is_within(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether the terms of one title are all in the other: the title of a secondary report says more, nothing else."""
    return len(mine) >= FEWEST_TERMS and len(theirs) >= FEWEST_TERMS and (mine <= theirs or theirs <= mine)


def _like_reasons(one: SeenReport, other: SeenReport, *, has_registration: bool) -> list[str]:
    """Why two reports that are not the same seem to be of one study. With a shared registration, any sign counts."""
    first, second = one.report.clues, other.report.clues
    if abs((first.year or second.year or 0) - (second.year or first.year or 0)) > LONGEST_STUDY_YEARS:
        return []
    authors = sorted(one.surnames & other.surnames)
    has_size = bool(first.sample_size) and first.sample_size == second.sample_size
    is_other_size = bool(first.sample_size and second.sample_size) and not has_size
    has_acronym = bool(first.acronym) and first.acronym.casefold() == second.acronym.casefold()
    is_group = len(authors) >= min(SHARED_AUTHORS, len(one.surnames), len(other.surnames)) and bool(authors)
    is_nobodys = not (one.surnames and other.surnames)
    has_large_size = has_size and (first.sample_size or 0) >= LEAST_SAMPLE
    is_same_subject = _is_within(one.terms, other.terms)
    if not (has_registration or is_group or (is_nobodys and has_large_size)):
        return []
    likeness = fuzz.token_set_ratio(one.core, other.core) if one.core and other.core else 0.0
    reasons: list[str] = []
    if has_acronym and (is_group or has_registration):
        reasons.append(notice("studies.same_acronym", "Both name the study {acronym}.", acronym=first.acronym))
    is_like = likeness >= LIKE_TITLE if has_registration else is_same_subject
    if is_like and (has_registration or (is_group and not is_other_size) or (is_nobodys and has_large_size)):
        reasons.append(notice("studies.like_title", "Their titles agree by {percent} %.", percent=round(likeness)))
    if is_group and has_large_size and likeness >= RELATED_TITLE:
        reasons.append(notice("studies.group_and_size", "The same group reports a sample of the same size."))
    if authors and (reasons or has_registration):
        named = ", ".join(name.title() for name in authors[:3])
        reasons.append(notice("studies.same_authors", "They share authors: {names}.", names=named))
    return reasons


def _shared_registrations(one: SeenReport, other: SeenReport) -> list[str]:
    """The numbers that both have. A report with several numbers of one registry tells of several studies."""
    found: list[str] = []
    for registry, numbers in one.registries.items():
        theirs = other.registries.get(registry, frozenset())
        if len(numbers) == len(theirs) == 1:
            found += numbers & theirs
    return sorted(found)


def is_registered_elsewhere(one: SeenReport, other: SeenReport) -> bool:
    """Whether both are registered in one registry, under other numbers."""
    return not _shared_registrations(one, other) and any(
        not numbers & other.registries[registry]
        for registry, numbers in one.registries.items()
        if registry in other.registries
    )
