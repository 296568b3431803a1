"""Follow-ups as their callers see them: started with the reviews of the earlier task, and compared cell by cell."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingather.engine.errors import UsageError
from ingather.engine.item import Offspring
from ingather.engine.script import Script
from ingather.extraction.findings import DocumentResult, Finding
from ingather.extraction.reviewing import reviews
from ingather.extraction.tasks import tasks
from ingather.extraction.tasks.request import FrozenRequest
from ingather.notice import notice


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


def start(frozen: FrozenRequest, work: Offspring) -> Script[tuple[int, bool]]:
    """The task, and with a follow-up the reviews of the task that it follows, in one commit."""
    task_id, is_new = yield from tasks.start(frozen, work)
    if is_new and frozen.request.follow_up is not None:
        yield from reviews.copy(frozen.request.follow_up.task_id, task_id)
    return task_id, is_new


def check_ended(state: str, task_id: int) -> None:
    """Refuse to follow a task that goes on: what it has not answered yet would be asked twice."""
    if state != "closed":
        raise UsageError(
            notice(
                "follow_up.still_open",
                "Task {id} has not ended yet. Wait for it, or cancel it, then ask again.",
                id=task_id,
            )
        )


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
