"""Asking a model about one document: rows first, then every field, with one chance to put a bad answer right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.answers import Understood, failed, read_answers, read_listing, unlisted
from ingather.extraction.conversation.merging import distinct, merged
from ingather.extraction.conversation.parts import Piece, parts
from ingather.extraction.conversation.questions import (
    LISTED,
    MADE,
    Group,
    Listed,
    asked,
    identity,
    row_groups,
    rows_from,
    scopes_to_list,
    study_groups,
)
from ingather.extraction.findings import Answer, Flag, Row, State
from ingather.extraction.provider import Kind, Message, ModelError, estimate_tokens, salvage
from ingather.extraction.template import FieldType, Scope, Template
from ingather.notice import notice

SMALLEST_BUDGET = 2_000
AGAIN = ", again"  # behind the name of a step that is repeated with what was wrong in its answer
MOST_HALVINGS = 4
LONGEST_REPEATED = 40_000  # characters of a bad answer that are sent back with what is wrong with it
MALFORMED = {Kind.BLANK, Kind.BAD_JSON, Kind.SCHEMA}
CUT = "It was cut off before its end. Keep every quote short."


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a model said: the object, and the text it was read from.

    `is_cut`: the end is missing. `is_known`: it was said, and paid for,
    before.
    """

    object: dict[str, Any]
    text: str
    is_cut: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of an interview. The flags say what could not be asked."""

    rows: list[Row]
    answers: list[Answer]
    flags: list[Flag]


class Ask(Protocol):
    """Puts one question to a model; `step` names it for the ledger. ModelError: there is no object to read."""

    async def __call__(self, step: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> Told: ...


class Interview:
    """All questions of a template about one document."""

    def __init__(self, template: Template, pages: Sequence[str], ask: Ask, *, budget: int, context: str = "") -> None:
        self._template = template
        self._pages = pages
        self._ask = ask
        self._budget = budget
        self._context = context

    async def run(self) -> Heard:
        """Rows and answers. A document the model finds too long is asked about in smaller parts."""
        while True:
            try:
                return await self._run(parts(self._pages, self._budget))
            except ModelError as error:
                if error.kind is not Kind.TOO_LONG or self._budget < SMALLEST_BUDGET:
                    raise
                # Less than there is: half of more would be the same call again.
                self._budget = min(self._budget, estimate_tokens(self._pages)) // 2

    async def _run(self, pieces: list[list[Piece]]) -> Heard:
        opening = [(Message(role="system", content=prompt.SYSTEM), prompt.document(part)) for part in pieces]
        lists = [await self._list(part) for part in opening]
        listed = distinct(entry for entries, _ in lists for entry in entries)
        rows, left_out = rows_from(listed, self._template)
        answers = self._identities(listed, rows)
        words = {field.id for field in self._template.fields if field.type in {FieldType.TEXT, FieldType.LONGTEXT}}
        last: ModelError | None = None
        usable = 0
        for group in [*study_groups(self._template), *row_groups(self._template, rows)]:
            found: list[tuple[Answer, ...]] = []
            for part in opening:
                heard, error = await self._question(part, group)
                found.append(heard)
                last = error or last
            together = merged(found, words)
            usable += sum(answer.state is not State.FAILED for answer in together)
            answers += together
        if not usable and last is not None:
            raise last
        flags = self._flags(left_out, is_cut=any(is_cut for _, is_cut in lists))
        rows, answers = _without_empty(rows, answers)
        return Heard(rows=rows, answers=answers, flags=flags)

    async def _list(self, opening: tuple[Message, ...]) -> tuple[list[Listed], bool]:
        """The rows the model names, and whether it was cut off naming them.

        Without them most questions cannot be asked, so a model that gives no
        list, also when asked again, ends the interview, which has cost little
        so far.
        """
        scopes = scopes_to_list(self._template)
        if not scopes:
            return [], False
        messages = (*opening, prompt.listing(scopes, self._context))
        form = prompt.listing_schema(scopes)
        told, problems = await self._told("list", messages, form)
        listed, more = read_listing(told.object, scopes) if told else ([], [])
        if told and told.is_cut:
            problems = [CUT]
        if not (problems or more):
            return listed, False
        again, _ = await self._told(f"list{AGAIN}", self._again(messages, told, [*problems, *more]), form)
        best = again or told
        if best is None or (unlisted(best.object, scopes) and not best.is_cut):
            sentence = notice(
                "model.model_did_not_list_arms",
                "The model did not list the arms and outcomes in a form that can be read, also when asked again.",
            )
            raise ModelError(Kind.SCHEMA, sentence)
        return read_listing(best.object, scopes)[0], best.is_cut

    async def _question(
        self, opening: tuple[Message, ...], group: Group, *, halvings: int = 0
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """The answers to a group, whatever it takes; and the error, where the model gave nothing that can be read."""
        messages, form = (*opening, prompt.fields(group, self._context)), prompt.schema(group)
        told, problems = await self._told(group.name, messages, form)
        heard = read_answers(told.object, group) if told else Understood(answers=(), problems=tuple(problems))
        if told and told.is_cut:
            return await self._in_halves(opening, group, heard, halvings)
        if not heard.problems:
            return heard.answers, None
        again, still = await self._told(f"{group.name}{AGAIN}", self._again(messages, told, heard.problems), form)
        if again:
            heard = _latest(heard, read_answers(again.object, group))
            if again.is_cut:
                return await self._in_halves(opening, group, heard, halvings)
        error = None if told or again else ModelError(Kind.SCHEMA, (still or problems)[0])
        return failed(
            group,
            heard,
            str(
                error
                or notice(
                    "model.model_gave_no_usable_answer", "The model gave no usable answer, also when asked again."
                )
            ),
        ), error

    async def _in_halves(
        self, opening: tuple[Message, ...], group: Group, heard: Understood, halvings: int
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """The answer was cut off: what is whole in it is kept, and the rest is asked in two calls."""
        rest = group.without((answer.row, answer.field) for answer in heard.answers)
        halves = rest.halves() if rest else ()
        if len(halves) == 1 or halvings == MOST_HALVINGS:
            why = notice(
                "model.model_answer_cut_off_raise",
                "The model's answer was cut off. Raise its output limit or ask fewer fields.",
            )
            return failed(group, Understood(answers=heard.answers, problems=()), why), None
        answers = list(heard.answers)
        last: ModelError | None = None
        for half in halves:
            more, error = await self._question(opening, half, halvings=halvings + 1)
            answers += more
            last = error or last
        return tuple({(answer.row, answer.field): answer for answer in answers}.values()), last

    async def _told(
        self, step: str, messages: tuple[Message, ...], form: dict[str, Any]
    ) -> tuple[Told | None, list[str]]:
        """What the model said, or what is wrong with it. Only what asking again cannot mend is raised."""
        try:
            return await self._ask(step, messages, form), []
        except ModelError as error:
            if error.kind is Kind.TRUNCATED and error.reply is not None:
                return Told(object=salvage(error.reply.text) or {}, text="", is_cut=True), []
            if error.kind in MALFORMED:
                return None, [error.sentence]
            raise

    def _again(self, messages: tuple[Message, ...], told: Told | None, problems: Sequence[str]) -> tuple[Message, ...]:
        said = told.text if told and len(told.text) <= LONGEST_REPEATED else ""
        replied = (Message(role="assistant", content=said),) if said else ()
        return (*messages, *replied, prompt.repair(problems))

    def _identities(self, listed: Iterable[Listed], rows: Sequence[Row]) -> list[Answer]:
        """Listing the rows has answered the field that names them."""
        by_label = {(str(entry.scope), entry.label): entry for entry in listed}
        names = {str(scope): identity(self._template, scope) for scope in LISTED}
        return [
            Answer(
                field=field.id, row=row.key, state=State.REPORTED, value=row.label, quote=entry.quote, page=entry.page
            )
            if (entry := by_label.get((row.scope, row.label)))
            else Answer(field=field.id, row=row.key, state=State.NOT_REPORTED)
            for row in rows
            if (field := names.get(row.scope))
        ]

    def _flags(self, left_out: dict[Scope, int], *, is_cut: bool) -> list[Flag]:
        """What a reader should know: rows that the paper has and that nobody was asked about."""
        told = {
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
            told |= {scope: cut for scope in scopes_to_list(self._template) if scope not in told}
        first = {field.scope: field.id for field in reversed(asked(self._template))}
        return [
            Flag(rule="rows_left_out", row="", fields=(first[scope],) if scope in first else (), message=message)
            for scope, message in told.items()
        ]


_PLURALS = {
    Scope.ARM: "arms",
    Scope.OUTCOME: "outcomes",
    Scope.DOMAIN: notice("model.domains", "results whose risk of bias could be judged"),
    Scope.ARM_RESULT: notice("model.arm_results", "results of arms"),
    Scope.CONTRAST: "contrasts",
}


def _latest(first: Understood, second: Understood) -> Understood:
    """The second answer, and of the first what the second has lost."""
    have = {(answer.row, answer.field) for answer in second.answers}
    kept = [answer for answer in first.answers if (answer.row, answer.field) not in have]
    return Understood(answers=(*second.answers, *kept), problems=second.problems)


def _without_empty(rows: list[Row], answers: list[Answer]) -> tuple[list[Row], list[Answer]]:
    """Not every outcome is reported for every arm and time: combinations the paper says nothing about are no rows."""
    silent = {State.NOT_REPORTED, State.NOT_APPLICABLE}
    spoken = {answer.row for answer in answers if answer.state not in silent}
    dropped = {row.key for row in rows if row.scope in MADE and row.key not in spoken}
    return [row for row in rows if row.key not in dropped], [a for a in answers if a.row not in dropped]
