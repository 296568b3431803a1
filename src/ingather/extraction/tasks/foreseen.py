"""What a follow-up would take: the cells of known documents that it asks again, and the documents that join."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ingather.engine.script import Script
from ingather.extraction.conversation.estimate import Estimate, estimates_together, scaled_estimate
from ingather.extraction.conversation.interview import Earlier
from ingather.extraction.conversation.questions import askable_question_fields
from ingather.extraction.task import Task
from ingather.extraction.tasks import stored_result, tasks
from ingather.extraction.tasks.follow_up import taken_over
from ingather.extraction.tasks.request import FrozenRequest
from ingather.extraction.template import Scope, Template


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftToAsk:
    """What is known of a document that is asked again, and how many of its cells are asked."""

    earlier: Earlier
    cells: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpEstimate:
    """What a follow-up would take, and how many cells of documents that are known it asks again.

    `unread` and `unreadable` count documents, as for a task.
    """

    estimate: Estimate
    cells: int
    unread: int
    unreadable: int


def left_to_ask(
    before: Task, template: Template, frozen: FrozenRequest, ordinals: Iterable[int]
) -> Script[dict[int, LeftToAsk]]:
    """What of these documents of the earlier task is asked again; those with nothing to ask are left out."""
    assert frozen.request.follow_up is not None
    study_cells = sum(field.scope is Scope.STUDY for field in askable_question_fields(frozen.template))
    found = {}
    for ordinal in ordinals:
        stored = yield from tasks.find_result(before, ordinal)
        if stored is None:
            # It failed, so all of it is asked, and what rows it has is not known.
            nothing = Earlier(rows=(), scopes=frozenset(), settled=frozenset())
            found[ordinal] = LeftToAsk(earlier=nothing, cells=study_cells)
            continue
        taken = taken_over(
            template,
            frozen.template,
            stored_result.from_json(stored),
            again=frozen.request.follow_up.again,
            parser=stored.get("parser", ""),
            is_kept=False,
        )
        if taken.has_questions:
            found[ordinal] = LeftToAsk(earlier=taken.earlier, cells=taken.open_cells)
    return found


def foreseen(
    again: tuple[Estimate, int, int],
    joining: tuple[Estimate, int, int],
    left: Mapping[int, LeftToAsk],
    *,
    share: float,
) -> FollowUpEstimate:
    """The estimate of both parts. `share`: how many documents each of those in `left` stands for."""
    known = scaled_estimate(again[0], round(share * again[0].documents))
    return FollowUpEstimate(
        estimate=estimates_together(known, joining[0]),
        cells=round(share * sum(one.cells for one in left.values())),
        unread=round(share * again[1]) + joining[1],
        unreadable=round(share * again[2]) + joining[2],
    )
