"""Asking a model about one document: rows first, then every field, with one chance to put a bad answer right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ingather.extraction import prompt
from ingather.extraction.answers import Understood, failed, read_answers, read_listing
from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.parts import Piece, parts
from ingather.extraction.provider import Kind, Message, ModelError, salvage
from ingather.extraction.questions import (
    MADE,
    Group,
    Listed,
    identity,
    row_groups,
    rows_from,
    scopes_to_list,
    study_groups,
)
from ingather.extraction.template import Template

SMALLEST_BUDGET = 2_000
MOST_HALVINGS = 4
MALFORMED = {Kind.BLANK, Kind.BAD_JSON, Kind.SCHEMA}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a model said: the object, and the text it was read from. `is_cut`: the end is missing."""

    object: dict[str, Any]
    text: str
    is_cut: bool = False


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

    async def run(self) -> tuple[list[Row], list[Answer]]:
        """Rows and answers. A document the model finds too long is asked about in smaller parts."""
        while True:
            try:
                return await self._run(parts(self._pages, self._budget))
            except ModelError as error:
                if error.kind is not Kind.TOO_LONG or self._budget < SMALLEST_BUDGET:
                    raise
                self._budget //= 2

    async def _run(self, pieces: list[list[Piece]]) -> tuple[list[Row], list[Answer]]:
        opening = [(Message(role="system", content=prompt.SYSTEM), prompt.document(part)) for part in pieces]
        listed = _distinct([entry for part in opening for entry in await self._list(part)])
        rows = rows_from(listed, self._template)
        answers = self._identities(listed, rows)
        groups = [*study_groups(self._template), *row_groups(self._template, rows)]
        last: ModelError | None = None
        usable = 0
        for group in groups:
            found: list[tuple[Answer, ...]] = []
            for part in opening:
                heard, error = await self._question(part, group)
                found.append(heard)
                last = error or last
            together = merged(found)
            usable += sum(answer.state is not State.FAILED for answer in together)
            answers += together
        if not usable and last is not None:
            raise last
        return _without_empty(rows, answers)

    async def _list(self, opening: tuple[Message, ...]) -> list[Listed]:
        scopes = scopes_to_list(self._template)
        if not scopes:
            return []
        messages = (*opening, prompt.listing(scopes, self._context))
        form = prompt.listing_schema(scopes)
        told, problems = await self._told("list", messages, form)
        listed, more = read_listing(told.object, scopes) if told else ([], [])
        if not (problems or more):
            return listed
        again, _ = await self._told("list, again", self._again(messages, told, [*problems, *more]), form)
        return read_listing(again.object, scopes)[0] if again else listed

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
        again, still = await self._told(f"{group.name}, again", self._again(messages, told, heard.problems), form)
        if again:
            heard = _latest(heard, read_answers(again.object, group))
        error = None if told or again else ModelError(Kind.SCHEMA, (still or problems)[0])
        return failed(group, heard, str(error or "The model gave no usable answer, also when asked again.")), error

    async def _in_halves(
        self, opening: tuple[Message, ...], group: Group, heard: Understood, halvings: int
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """The answer was cut off: what is whole in it is kept, and the rest is asked in two calls."""
        rest = group.without((answer.row, answer.field) for answer in heard.answers)
        halves = rest.halves() if rest else ()
        if len(halves) == 1 or halvings == MOST_HALVINGS:
            why = "The model's answer was cut off. Raise its output limit or ask fewer fields."
            return failed(group, heard, why), None
        answers = list(heard.answers)
        for half in halves:
            more, _ = await self._question(opening, half, halvings=halvings + 1)
            answers += more
        return tuple({(answer.row, answer.field): answer for answer in answers}.values()), None

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
        said = told.text if told else ""
        replied = (Message(role="assistant", content=said),) if said else ()
        return (*messages, *replied, prompt.repair(problems))

    def _identities(self, listed: Iterable[Listed], rows: Sequence[Row]) -> list[Answer]:
        """Listing the rows has answered the field that names them."""
        by_label = {(entry.scope, entry.label): entry for entry in listed}
        answers = []
        for row in rows:
            entry = by_label.get((row.scope, row.label))  # type: ignore[arg-type]  # a scope is its own text
            field = identity(self._template, entry.scope) if entry else None
            if entry and field:
                answers.append(
                    Answer(
                        field=field.id,
                        row=row.key,
                        state=State.REPORTED,
                        value=entry.label,
                        quote=entry.quote,
                        page=entry.page,
                    )
                )
        return answers


def merged(parts_said: Sequence[Sequence[Answer]]) -> list[Answer]:
    """One answer per question from those about each part of a document.

    What one part reports stands against the silence of the others; two parts
    that report different things make it unclear.
    """
    best: dict[tuple[str, str], Answer] = {}
    for answer in (answer for said in parts_said for answer in said):
        known = best.get((answer.row, answer.field))
        if known is None or _RANK[answer.state] < _RANK[known.state]:
            best[answer.row, answer.field] = answer
        elif known.state is answer.state is State.REPORTED and known.value != answer.value:
            note = f"Elsewhere the paper says {answer.value!r:.200}."
            best[answer.row, answer.field] = replace(known, state=State.UNCLEAR, value=None, note=note)
    return list(best.values())


_RANK = {
    State.REPORTED: 0,
    State.UNCLEAR: 1,
    State.FAILED: 2,
    State.NOT_APPLICABLE: 3,
    State.NOT_REPORTED: 4,
}


def _distinct(listed: Iterable[Listed]) -> list[Listed]:
    """Several parts of a paper name the same arms."""
    found: dict[tuple[str, str], Listed] = {}
    for entry in listed:
        known = found.setdefault((entry.scope, entry.label.casefold()), entry)
        times = tuple(dict.fromkeys((*known.timepoints, *entry.timepoints)))
        found[entry.scope, entry.label.casefold()] = replace(known, timepoints=times)
    return list(found.values())


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
