"""Which reports seem to belong together, and why. A person decides: nothing here changes anything. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from rapidfuzz import fuzz

from ingather.extraction.studies.report import ReportType, StudyReport
from ingather.extraction.studies.study_names import surname
from ingather.notice import Notice, notice

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
# The notices of reasons that leave no doubt.
SURE_REASONS: Final = frozenset({"studies.same_doi", "studies.same_pmid"})
# A key that more reports share than this says nothing about any two of them: `Wang`, or the number of a review.
MOST_PER_KEY: Final = 60


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Reports that seem to belong together, of several studies as they stand, and what each pair rests on."""

    kind: SuggestionKind
    report_ids: tuple[int, ...]
    study_ids: tuple[int, ...]
    pairs: tuple[Likeness, ...]

    @property
    def is_sure(self) -> bool:
        """Whether every pair has the same DOI or PubMed number: numbers that one report alone has."""
        return self.kind is SuggestionKind.SAME_REPORT and all(
            SURE_REASONS & {reason.id for reason in pair.reasons if isinstance(reason, Notice)} for pair in self.pairs
        )


@dataclass(frozen=True, slots=True)
class _Seen:
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


def _seen(report: StudyReport) -> _Seen:
    title = bare_title(report.clues.title)
    registries: dict[str, set[str]] = defaultdict(set)
    for number in report.clues.registrations:
        registries[registry_of(number)].add(bare_registration(number))
    terms = _DESIGN.sub(" ", title).split()
    return _Seen(
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


def likenesses(reports: Sequence[StudyReport], apart: Collection[tuple[int, int]] = ()) -> list[Likeness]:
    """All pairs that seem to belong together and are not of one study yet. `apart`: pairs that a person refused."""
    seen = {one.id: _seen(one) for one in reports if one.same_as is None}
    refused = {(min(pair), max(pair)) for pair in apart}
    found = []
    for one, other in sorted(_worth_comparing(seen.values())):
        if (one, other) in refused or seen[one].report.study_id == seen[other].report.study_id:
            continue
        if likeness := _compared_reports(seen[one], seen[other]):
            found.append(likeness)
    return found


def _worth_comparing(seen: Iterable[_Seen]) -> set[tuple[int, int]]:
    """Pairs that share a key. Ten thousand reports have fifty million pairs, and few of them share anything."""
    keys: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in seen:
        for key in _keys_of_report(one):
            keys[key].append(one.report.id)
    return {
        (min(pair), max(pair))
        for (kind, _), ids in keys.items()
        if len(ids) <= MOST_PER_KEY or kind in {"doi", "pmid", "registration"}
        for pair in combinations(sorted(set(ids)), 2)
    }


def _keys_of_report(one: _Seen) -> Iterator[tuple[str, str]]:
    clues = one.report.clues
    if clues.doi:
        yield "doi", clues.doi.casefold()
    if clues.pmid:
        yield "pmid", clues.pmid
    for numbers in one.registries.values():
        for number in numbers:
            yield "registration", number
    if len(one.title) >= SHORTEST_TITLE:
        yield "title", one.title[:60]
    if len(one.core) >= SHORTEST_TITLE:
        yield "core", " ".join(sorted(set(one.core.split()), key=lambda term: (-len(term), term))[:3])
    for name in one.surnames:
        yield "author", name
    if clues.acronym:
        yield "acronym", clues.acronym.casefold()


def _compared_reports(one: _Seen, other: _Seen) -> Likeness | None:
    first, second = one.report.clues, other.report.clues
    if reasons := _same_report(one, other):
        kind = SuggestionKind.SAME_REPORT
        if _is_other_form(one, other):
            kind = SuggestionKind.SAME_STUDY
        return Likeness(one=one.report.id, other=other.report.id, kind=kind, reasons=tuple(reasons))
    shared = _shared_registrations(one, other)
    if shared:
        reasons = [notice("studies.same_registration", "Both are registered as {number}.", number=shared[0])]
    elif _is_registered_elsewhere(one, other):
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


def _is_other_form(one: _Seen, other: _Seen) -> bool:
    """Whether two reports with one title are two reports: a preprint and its article, or two papers with DOIs."""
    first, second = one.report.clues, other.report.clues
    has_other_doi = bool(first.doi and second.doi) and first.doi.casefold() != second.doi.casefold()
    types = {first.type, second.type}
    # How long a file is says little where the other one is only a record: it may be the record of that file.
    is_unsure = types == {ReportType.ARTICLE, ReportType.ABSTRACT} and not (one.report.sha256 and other.report.sha256)
    is_other_type = len(types) > 1 and ReportType.OTHER not in types and not is_unsure
    return has_other_doi or is_other_type


def _same_report(one: _Seen, other: _Seen) -> list[str]:
    """Why two reports are the same one, or two prints of it; nothing where they are not."""
    first, second = one.report.clues, other.report.clues
    reasons: list[str] = []
    if first.doi and first.doi.casefold() == second.doi.casefold() and _are_related(one, other):
        reasons.append(notice("studies.same_doi", "Both have the DOI {doi}.", doi=first.doi))
    if first.pmid and first.pmid == second.pmid:
        reasons.append(notice("studies.same_pmid", "Both have the PubMed number {pmid}.", pmid=first.pmid))
    is_long = min(len(one.title), len(other.title)) >= SHORTEST_TITLE
    if is_long and _is_same_title(one.title, other.title):
        is_other_study = _is_registered_elsewhere(one, other)
        has_authors = bool(one.surnames and other.surnames)
        if not is_other_study and (not has_authors or one.surnames & other.surnames):
            reasons.append(notice("studies.same_title", "Both have the same title."))
    return reasons


def _are_related(one: _Seen, other: _Seen) -> bool:
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


def _like_reasons(one: _Seen, other: _Seen, *, has_registration: bool) -> list[str]:
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


def _shared_registrations(one: _Seen, other: _Seen) -> list[str]:
    """The numbers that both have. A report with several numbers of one registry tells of several studies."""
    found: list[str] = []
    for registry, numbers in one.registries.items():
        theirs = other.registries.get(registry, frozenset())
        if len(numbers) == len(theirs) == 1:
            found += numbers & theirs
    return sorted(found)


def _is_registered_elsewhere(one: _Seen, other: _Seen) -> bool:
    """Whether both are registered in one registry, under other numbers."""
    return not _shared_registrations(one, other) and any(
        not numbers & other.registries[registry]
        for registry, numbers in one.registries.items()
        if registry in other.registries
    )


def suggestions(reports: Sequence[StudyReport], apart: Collection[tuple[int, int]] = ()) -> list[Suggestion]:
    """The pairs put together: one suggestion for each set of studies that belong together, the surest kind first.

    Pairs that are the same report come by themselves, since what follows from them is another thing.
    """
    pairs = likenesses(reports, apart)
    refused = {(min(pair), max(pair)) for pair in apart}
    seen = {one.id: _seen(one) for one in reports}
    studies = {one.id: one.study_id for one in reports}
    found: list[Suggestion] = []
    for kind in SuggestionKind:
        mine = [one for one in pairs if one.kind is kind]
        sets = _joined_sets(mine, refused, seen)
        place = {report_id: number for number, ids in enumerate(sets) for report_id in ids}
        inside: dict[int, list[Likeness]] = defaultdict(list)
        for one in mine:
            if place.get(one.one, -1) == place.get(one.other, -2):
                inside[place[one.one]].append(one)
        found += [
            Suggestion(
                kind=kind,
                report_ids=tuple(sorted(ids)),
                study_ids=tuple(sorted({studies[one] for one in ids})),
                pairs=tuple(inside[number]),
            )
            for number, ids in enumerate(sets)
        ]
    return found


def _joined_sets(
    pairs: Sequence[Likeness], refused: Collection[tuple[int, int]], seen: Mapping[int, _Seen]
) -> list[frozenset[int]]:
    """Sets of reports that pairs hang together, the pair with most reasons first.

    Two that a person keeps apart, or that are registered under two numbers,
    are never in one set, whatever stands between them.
    """
    sets: dict[int, set[int]] = {}
    for pair in sorted(pairs, key=lambda one: -len(one.reasons)):
        first, second = sets.get(pair.one, {pair.one}), sets.get(pair.other, {pair.other})
        if first is second:
            continue
        if any(
            (min(one, other), max(one, other)) in refused or _is_registered_elsewhere(seen[one], seen[other])
            for one in first
            for other in second
        ):
            continue
        joined = first | second
        for report_id in joined:
            sets[report_id] = joined
    return sorted(({*map(frozenset, sets.values())}), key=min)
