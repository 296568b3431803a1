"""What a follow-up says otherwise than the task that it follows, cell by cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingather.extraction.findings import DocumentResult, Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDifference:
    """A cell that says something else than in the earlier task; None where there was, or is, nothing."""

    row: str
    field: str
    before: Finding | None
    after: Finding | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDifferences:
    """What is different about one document. `is_new`: it joined with the follow-up, and is compared with nothing."""

    ordinal: int
    document_id: int
    file_name: str
    is_new: bool
    cells: tuple[CellDifference, ...]


def differences(before: DocumentResult | None, after: DocumentResult) -> DocumentDifferences:
    """The cells whose state or value differ between two results of one document."""
    was = {(one.row, one.field): one for one in before.findings} if before else {}
    now = {(one.row, one.field): one for one in after.findings}
    cells = _different(was, now) if before else iter(())
    return DocumentDifferences(
        ordinal=after.ordinal,
        document_id=after.document_id,
        file_name=after.file_name,
        is_new=before is None,
        cells=tuple(cells),
    )


def _different(was: dict[tuple[str, str], Finding], now: dict[tuple[str, str], Finding]) -> Iterator[CellDifference]:
    for place in {**was, **now}:
        before, after = was.get(place), now.get(place)
        if before is None or after is None or (before.state, before.value) != (after.state, after.value):
            yield CellDifference(row=place[0], field=place[1], before=before, after=after)
