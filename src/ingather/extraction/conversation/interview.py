"""The interview of a model about one document: rows first, then every field, with one chance to repair an answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.answers import Understood, failed, read_answers, read_listing, unlisted
from ingather.extraction.conversation.merging import distinct, merged
from ingather.extraction.conversation.parts import Passage, parts
from ingather.extraction.conversation.questions import (
    LISTED,
    MADE,
    Group,
    Listed,
    askable_fields,
    identity,
    row_groups,
    rows_from,
    scopes_to_list,
    study_groups,
)
from ingather.extraction.findings import Answer, Flag, Row, State
from ingather.extraction.provider import ErrorKind, Message, ModelError, estimate_tokens, salvage
from ingather.extraction.template import Scope, Template
from ingather.extraction.template.field_types import TRAITS
from ingather.notice import notice

# A document that is too long is cut into halves down to this many tokens, a page. Below it no quote has its context.
SMALLEST_BUDGET = 2_000
AGAIN = ", again"  # behind the name of a step that is repeated with what was wrong in its answer
# A group whose answer is cut off is halved this often: 60 cells end as groups of four. Then the model is too small.
MOST_HALVINGS = 4
LONGEST_REPEATED = 40_000  # characters of a bad answer that are sent back with what is wrong with it
MALFORMED = {ErrorKind.BLANK, ErrorKind.BAD_JSON, ErrorKind.SCHEMA}
CUT = "It was cut off before its end. Keep every quote short."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """A model's answer: the object, and the text it was read from.

    `is_cut`: the end is missing. `is_known`: it was paid for by an earlier
    call.
    """

    object: dict[str, Any]
    text: str
    is_cut: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewResult:
    """The result of an interview. The flags name what was left out."""

    rows: list[Row]
    answers: list[Answer]
    flags: list[Flag]


class Ask(Protocol):
    """Put one question to a model; `step` names it for the ledger. Raises ModelError if there is no object to read."""

    async def __call__(self, step: str, messages: tuple[Message, ...], schema: dict[str, Any]) -> ModelAnswer: ...


class Interview:
    """All questions of a template about one document."""

    def __init__(self, template: Template, pages: Sequence[str], ask: Ask, *, budget: int, context: str = "") -> None:
        self._template = template
        self._pages = pages
        self._ask = ask
        self._budget = budget
        self._context = context

    async def run(self) -> InterviewResult:
        """Rows and answers. A document that is too long for the model is sent in smaller parts."""
        while True:
            try:
                return await self._run(parts(self._pages, self._budget))
            except ModelError as error:
                if error.kind is not ErrorKind.TOO_LONG or self._budget < SMALLEST_BUDGET:
                    raise
                # Half of the actual length: half of a larger budget could repeat the same call.
                self._budget = min(self._budget, estimate_tokens(self._pages)) // 2

    async def _run(self, pieces: list[list[Passage]]) -> InterviewResult:
        opening = [(Message(role="system", content=prompt.SYSTEM), prompt.document(part)) for part in pieces]
        lists = [await self._list(part) for part in opening]
        listed = distinct(entry for entries, _ in lists for entry in entries)
        rows, left_out = rows_from(listed, self._template)
        answers = self._identities(listed, rows)
        prose_fields = {field.id for field in self._template.fields if TRAITS[field.type].is_free_text}
        last: ModelError | None = None
        usable = 0
        for group in [*study_groups(self._template), *row_groups(self._template, rows)]:
            answers_by_part: list[tuple[Answer, ...]] = []
            for part in opening:
                understood, error = await self._question(part, group)
                answers_by_part.append(understood)
                last = error or last
            together = merged(answers_by_part, prose_fields)
            usable += sum(answer.state is not State.FAILED for answer in together)
            answers += together
        if not usable and last is not None:
            raise last
        flags = self._flags(left_out, is_cut=any(is_cut for _, is_cut in lists))
        rows, answers = _without_empty(rows, answers)
        return InterviewResult(rows=rows, answers=answers, flags=flags)

    async def _list(self, opening: tuple[Message, ...]) -> tuple[list[Listed], bool]:
        """The rows that the model lists, and whether the list was cut off.

        Most questions need these rows. So the interview ends if the model
        gives no list at the second try either; it has cost little so far.
        """
        scopes = scopes_to_list(self._template)
        if not scopes:
            return [], False
        messages = (*opening, prompt.listing(scopes, self._context))
        form = prompt.listing_schema(scopes)
        answer, problems = await self._ask_once("list", messages, form)
        listed, more = read_listing(answer.object, scopes) if answer else ([], [])
        if answer and answer.is_cut:
            problems = [CUT]
        if not (problems or more):
            return listed, False
        again, _ = await self._ask_once(f"list{AGAIN}", self._again(messages, answer, [*problems, *more]), form)
        best = again or answer
        if best is None or (unlisted(best.object, scopes) and not best.is_cut):
            sentence = notice(
                "model.model_did_not_list_arms",
                "The model did not list the arms and outcomes in a form that can be read, also when asked again.",
            )
            raise ModelError(ErrorKind.SCHEMA, sentence)
        return read_listing(best.object, scopes)[0], best.is_cut

    async def _question(
        self, opening: tuple[Message, ...], group: Group, *, halvings: int = 0
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """The answers to a group, after repair and halving; and the error, if nothing in them could be read."""
        messages, form = (*opening, prompt.fields(group, self._context)), prompt.schema(group)
        answer, problems = await self._ask_once(group.name, messages, form)
        understood = read_answers(answer.object, group) if answer else Understood(answers=(), problems=tuple(problems))
        if answer and answer.is_cut:
            return await self._in_halves(opening, group, understood, halvings)
        if not understood.problems:
            return understood.answers, None
        again, still = await self._ask_once(
            f"{group.name}{AGAIN}", self._again(messages, answer, understood.problems), form
        )
        if again:
            understood = _latest(understood, read_answers(again.object, group))
            if again.is_cut:
                return await self._in_halves(opening, group, understood, halvings)
        error = None if answer or again else ModelError(ErrorKind.SCHEMA, (still or problems)[0])
        return failed(
            group,
            understood,
            str(
                error
                or notice(
                    "model.model_gave_no_usable_answer", "The model gave no usable answer, also when asked again."
                )
            ),
        ), error

    async def _in_halves(
        self, opening: tuple[Message, ...], group: Group, understood: Understood, halvings: int
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """Handle an answer that was cut off: its whole entries are kept, and two calls put the remaining questions."""
        rest = group.without((answer.row, answer.field) for answer in understood.answers)
        halves = rest.halves() if rest else ()
        if len(halves) == 1 or halvings == MOST_HALVINGS:
            why = notice(
                "model.model_answer_cut_off_raise",
                "The model's answer was cut off. Raise its output limit or ask fewer fields.",
            )
            return failed(group, Understood(answers=understood.answers, problems=()), why), None
        answers = list(understood.answers)
        last: ModelError | None = None
        for half in halves:
            more, error = await self._question(opening, half, halvings=halvings + 1)
            answers += more
            last = error or last
        return tuple({(answer.row, answer.field): answer for answer in answers}.values()), last

    async def _ask_once(
        self, step: str, messages: tuple[Message, ...], form: dict[str, Any]
    ) -> tuple[ModelAnswer | None, list[str]]:
        """The model's answer, or what is wrong with it. Raises only errors that a second call cannot mend."""
        try:
            return await self._ask(step, messages, form), []
        except ModelError as error:
            if error.kind is ErrorKind.TRUNCATED and error.reply is not None:
                return ModelAnswer(object=salvage(error.reply.text) or {}, text="", is_cut=True), []
            if error.kind in MALFORMED:
                return None, [error.sentence]
            raise

    def _again(
        self, messages: tuple[Message, ...], answer: ModelAnswer | None, problems: Sequence[str]
    ) -> tuple[Message, ...]:
        text = answer.text if answer and len(answer.text) <= LONGEST_REPEATED else ""
        replied = (Message(role="assistant", content=text),) if text else ()
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
        """Flags for readers about rows of the paper that no question was put about."""
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
            answer |= {scope: cut for scope in scopes_to_list(self._template) if scope not in answer}
        first = {field.scope: field.id for field in reversed(askable_fields(self._template))}
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


def _latest(first: Understood, second: Understood) -> Understood:
    """The second answer, and of the first what the second has lost."""
    have = {(answer.row, answer.field) for answer in second.answers}
    kept = [answer for answer in first.answers if (answer.row, answer.field) not in have]
    return Understood(answers=(*second.answers, *kept), problems=second.problems)


def _without_empty(rows: list[Row], answers: list[Answer]) -> tuple[list[Row], list[Answer]]:
    """Leave out combinations of outcome, time and arm about which the paper says nothing."""
    silent = {State.NOT_REPORTED, State.NOT_APPLICABLE}
    spoken = {answer.row for answer in answers if answer.state not in silent}
    dropped = {row.key for row in rows if row.scope in MADE and row.key not in spoken}
    return [row for row in rows if row.key not in dropped], [a for a in answers if a.row not in dropped]
