"""Listing the rows of a study: one call, and one more for what is missing in its answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.answers import listing_read_from_answer
from ingather.extraction.conversation.questions import (
    LIST_NAMES,
    Listed,
    askable_question_fields,
    scopes_to_list_before_questions,
)
from ingather.extraction.conversation.sizes import LIST_TOKENS
from ingather.extraction.findings import Flag
from ingather.extraction.provider import ErrorKind, Message, ModelError
from ingather.extraction.template import Scope, Template
from ingather.notice import notice

if TYPE_CHECKING:
    from ingather.extraction.conversation.interview import ModelAnswer

AGAIN = ", again"  # behind the name of a step that is repeated with what was wrong in its answer

# Asks once; gives the answer, or what is wrong with it.
AskOnce = Callable[[str, tuple[Message, ...], dict[str, Any], int], Awaitable[tuple["ModelAnswer | None", list[str]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowList:
    """The rows that a model listed, and whether the list was cut off."""

    entries: list[Listed]
    is_cut: bool


async def list_rows(ask: AskOnce, opening: tuple[Message, ...], scopes: Sequence[Scope], context: str) -> RowList:
    """The rows of these scopes in one part of a document.

    Most questions need these rows. So the interview ends if the model gives
    no list at the second try either; it has cost little so far. A list that
    was cut off is kept, and the second call asks for the others.
    """
    form = prompt.listing_prompt_schema(scopes)
    answer, problems = await ask("list", (*opening, prompt.listing_prompt(scopes, context)), form, LIST_TOKENS)
    listed, more = listing_read_from_answer(answer.object, scopes) if answer else ([], [])
    is_cut = answer is not None and answer.is_cut
    if not (problems or more or is_cut):
        return RowList(entries=listed, is_cut=False)
    left = _left_in_listing(answer, scopes, more)
    question = prompt.listing_prompt(
        left, context, listed=[entry.label for entry in listed], problems=[*problems, *more]
    )
    again, _ = await ask(f"list{AGAIN}", (*opening, question), prompt.listing_prompt_schema(left), LIST_TOKENS)
    if again is not None:
        listed += listing_read_from_answer(again.object, left)[0]
        is_cut = again.is_cut
    never = [scope for scope in left if not (_is_given_in_listing(answer, scope) or _is_given_in_listing(again, scope))]
    was_cut = any(given is not None and given.is_cut for given in (answer, again))
    if never and not was_cut:
        raise _unreadable_listing()
    return RowList(entries=listed, is_cut=bool(never) or is_cut)


def _left_in_listing(answer: "ModelAnswer | None", scopes: Sequence[Scope], problems: Sequence[str]) -> list[Scope]:
    """The scopes to ask again: those without a list, those with a problem, and the one in which the list was cut."""
    given = [scope for scope in scopes if _is_given_in_listing(answer, scope)]
    cut = given[-1:] if answer and answer.is_cut else []
    wrong = [scope for scope in given if any(f"`{LIST_NAMES[scope]}`" in problem for problem in problems)]
    return [scope for scope in scopes if scope not in given or scope in {*cut, *wrong}]


def _is_given_in_listing(answer: "ModelAnswer | None", scope: Scope) -> bool:
    return answer is not None and isinstance(answer.object.get(LIST_NAMES[scope]), list)


def _unreadable_listing() -> ModelError:
    return ModelError(
        ErrorKind.SCHEMA,
        notice(
            "model.model_did_not_list_arms",
            "The model did not list the arms and outcomes in a form that can be read, also when asked again.",
        ),
    )


def rows_left_out_of_listing(template: Template, left_out: Mapping[Scope, int], *, is_cut: bool) -> list[Flag]:
    """Flags for readers about rows of the paper that no question is put about. `left_out` counts them."""
    answer = {
        scope: notice(
            "model.paper_asked_about_once_those",
            "The paper has {count} more {rows} than can be asked about at once; those are missing.",
            count=f"{count:,}",
            rows=_PLURALS[scope],
        )
        for scope, count in left_out.items()
    }
    if is_cut:
        cut = notice(
            "model.model_list_arms_outcomes_cut",
            "The model's list of arms and outcomes was cut off; some may be missing.",
        )
        answer |= {scope: cut for scope in scopes_to_list_before_questions(template) if scope not in answer}
    first = {field.scope: field.id for field in reversed(askable_question_fields(template))}
    return [
        Flag(rule="rows_left_out", row="", fields=(first[scope],) if scope in first else (), message=message)
        for scope, message in answer.items()
    ]


_PLURALS = {
    Scope.ARM: "arms",
    Scope.OUTCOME: "outcomes",
    Scope.DOMAIN: notice("model.domains", "results whose risk of bias could be judged"),
    Scope.ARM_RESULT: notice("model.arm_results", "results of arms"),
    Scope.CONTRAST: "contrasts",
}
