"""The counts of a review's flow (PRISMA 2020), from its reports: how many there were at each step. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ingather.extraction.analysis.flow import FlowCounts
from ingather.extraction.references import UnreadableReference
from ingather.extraction.studies.report import ScreeningStage, StudyReport


class SourceKind(StrEnum):
    """Where records came from, as the flow tells them apart."""

    DATABASE = "database"
    REGISTER = "register"
    OTHER = "other"  # citation searches, experts, websites


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSource:
    """A file of references that came in: what was searched, how many records it gave, and what it did not."""

    id: int
    name: str
    kind: SourceKind
    file_name: str
    format: str
    records: int
    unreadable: tuple[UnreadableReference, ...]
    imported_by: str
    imported_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFlow:
    """The counts, with what they are made of: records by source, reasons at both stages, and what has no paper.

    A record that is another one once more is a duplicate. A file that is the
    paper of a record is that record, and no duplicate of it. Papers that came
    without a record count as sought and assessed, and are in `without_record`.
    """

    counts: FlowCounts
    by_source: tuple[tuple[str, SourceKind, int], ...]
    screening_reasons: Mapping[str, int]
    without_file: tuple[int, ...]
    without_record: tuple[int, ...]


def review_flow(reports: Sequence[StudyReport], sources: Sequence[ReferenceSource]) -> ReviewFlow:
    """How many records, reports and studies there were at each step of the review, as far as its people have said."""
    groups: dict[int, list[StudyReport]] = defaultdict(list)
    for one in reports:
        groups[one.same_as or one.id].append(one)
    heads = {one.id: one for one in reports if one.same_as is None}
    records = sum(one.source_id is not None for one in reports)
    recorded = [head for head, group in groups.items() if any(one.source_id is not None for one in group)]
    at_screening = [head for head in groups if heads[head].excluded_at is ScreeningStage.SCREENING]
    sought = [head for head in groups if heads[head].excluded_at is not ScreeningStage.SCREENING]
    without_file = [head for head in sought if not any(one.sha256 or one.has_registry_record for one in groups[head])]
    missing = set(without_file)
    assessed = [head for head in sought if head not in missing]
    excluded = [head for head in assessed if heads[head].excluded_at is ScreeningStage.ASSESSMENT]
    included = [head for head in assessed if heads[head].excluded_at is None]
    found = set(recorded)
    return ReviewFlow(
        counts=FlowCounts(
            identified=records if sources else None,
            duplicates=records - len(recorded) if sources else None,
            screened=len(recorded) if sources else None,
            excluded=len(at_screening) if sources else None,
            sought=len(sought),
            not_retrieved=len(without_file),
            assessed=len(assessed),
            excluded_reports=len(excluded),
            reasons=_reasons(heads[head] for head in excluded),
            included=len({heads[head].study_id for head in included}),
            reports=len(included),
        ),
        by_source=tuple((one.name, one.kind, one.records) for one in sources),
        screening_reasons=_reasons(heads[head] for head in at_screening),
        without_file=tuple(without_file),
        without_record=tuple(head for head in sought if head not in found) if sources else (),
    )


def _reasons(reports: Iterable[StudyReport]) -> dict[str, int]:
    """How many were excluded for each reason, the commonest first; an empty reason is none that was given."""
    return dict(Counter(one.exclusion_reason for one in reports).most_common())
