"""Which reports seem to belong together, and why. A person decides: nothing here changes anything. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from ingather.extraction.studies.likeness import (
    SHORTEST_TITLE,
    Likeness,
    SeenReport,
    SuggestionKind,
    compared_reports,
    is_registered_elsewhere,
    seen_report,
)
from ingather.extraction.studies.report import StudyReport
from ingather.notice import Notice

# The notices of reasons that leave no doubt.
SURE_REASONS: Final = frozenset({"studies.same_doi", "studies.same_pmid"})
# A key that more reports share than this says nothing about any two of them: `Wang`, or the number of a review.
MOST_PER_KEY: Final = 60


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


def likenesses(reports: Sequence[StudyReport], apart: Collection[tuple[int, int]] = ()) -> list[Likeness]:
    """All pairs that seem to belong together and are not of one study yet. `apart`: pairs that a person refused."""
    seen = {one.id: seen_report(one) for one in reports if one.same_as is None}
    refused = {(min(pair), max(pair)) for pair in apart}
    found = []
    for one, other in sorted(_worth_comparing(seen.values())):
        if (one, other) in refused or seen[one].report.study_id == seen[other].report.study_id:
            continue
        if likeness := compared_reports(seen[one], seen[other]):
            found.append(likeness)
    return found


def _worth_comparing(seen: Iterable[SeenReport]) -> set[tuple[int, int]]:
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


def _keys_of_report(one: SeenReport) -> Iterator[tuple[str, str]]:
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


def suggestions(reports: Sequence[StudyReport], apart: Collection[tuple[int, int]] = ()) -> list[Suggestion]:
    """The pairs put together: one suggestion for each set of studies that belong together, the surest kind first.

    Pairs that are the same report come by themselves, since what follows from them is another thing.
    """
    pairs = likenesses(reports, apart)
    refused = {(min(pair), max(pair)) for pair in apart}
    seen = {one.id: seen_report(one) for one in reports}
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
    pairs: Sequence[Likeness], refused: Collection[tuple[int, int]], seen: Mapping[int, SeenReport]
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
            (min(one, other), max(one, other)) in refused or is_registered_elsewhere(seen[one], seen[other])
            for one in first
            for other in second
        ):
            continue
        joined = first | second
        for report_id in joined:
            sets[report_id] = joined
    return sorted(({*map(frozenset, sets.values())}), key=min)
