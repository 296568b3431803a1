"""The interview of a model about one document: rows first, then every field, with one chance to repair an answer.

Whatever was answered is not asked again: not when an answer is cut off, not
when it is repaired, and not when the document has to go into smaller parts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.answers import Understood, answers_read, failed_answer
from ingather.extraction.conversation.listing import AGAIN, RowList, list_rows, rows_left_out_of_listing
from ingather.extraction.conversation.merging import distinct_when_merged, merged_answers
from ingather.extraction.conversation.parts import document_parts
from ingather.extraction.conversation.questions import (
    LISTED,
    MADE,
    Listed,
    QuestionGroup,
    identity_questions,
    row_question_groups,
    rows_to_question_from,
    scopes_to_list_before_questions,
    study_question_groups,
)
from ingather.extraction.conversation.ranking import ranked_nearest_first, ranked_rows_first
from ingather.extraction.conversation.sizes import (
    SMALLEST_DOCUMENT,
    answer_size_in_call,
    call_sizes_for,
    fits_call_size,
)
from ingather.extraction.findings import Answer, Flag, Row, State
from ingather.extraction.provider import ErrorKind, Message, ModelError, estimate_tokens, salvage
from ingather.extraction.template import Scope, Template
from ingather.extraction.template.field_types import TRAITS
from ingather.notice import notice

# A group whose answer is cut off is halved this often: 60 cells end as groups of four. Then the model is too small.
MOST_HALVINGS = 4
MALFORMED = {ErrorKind.BLANK, ErrorKind.BAD_JSON, ErrorKind.SCHEMA}
# Fields that the next part of the paper is not asked for, where a part is asked only what is open.
_SETTLED = {State.REPORTED, State.NOT_APPLICABLE}

Opening = tuple[Message, ...]  # policy and a part of the document: how every call begins


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What is known of a document from an earlier interview: its rows, and the cells that are not asked again.

    `scopes` are those whose rows were looked for then.
    """

    rows: tuple[Row, ...]
    scopes: frozenset[Scope]
    settled: frozenset[tuple[str, str]]


@dataclass(slots=True)
class _Plan:
    """A group of questions, the parts it is still to be put about, the next one first, and what of it is open."""

    group: QuestionGroup
    parts: list[Opening]
    left: QuestionGroup


class Ask(Protocol):
    """Put one question to a model; `step` names it for the ledger, and `room` is how many tokens its answer may take.

    Raises ModelError if there is no object to read.
    """

    async def __call__(
        self, step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int
    ) -> ModelAnswer: ...


class Interview:
    """All questions of a template about one document.

    `context_tokens` says how much the model takes in one call, as far as that
    is known by then: the first call may teach it.
    """

    def __init__(
        self,
        template: Template,
        pages: Sequence[str],
        ask: Ask,
        *,
        context_tokens: Callable[[], int | None] = lambda: None,
        context: str = "",
        earlier: Earlier | None = None,
    ) -> None:
        self._template = template
        self._pages = pages
        self._ask = ask
        self._context_tokens = context_tokens
        self._sizes = call_sizes_for(context_tokens())
        self._context = context
        self._earlier = earlier
        self._rows: tuple[list[Row], list[Flag]] | None = None
        self._answers: dict[tuple[str, str], list[Answer]] = {}
        self._closed = set(earlier.settled if earlier else ())
        self._last_error: ModelError | None = None
        self._last_read: Opening | None = None

    async def run(self) -> InterviewResult:
        """Rows and answers. A document that is too long for the model is sent in smaller parts."""
        while True:
            try:
                return await self._run()
            except ModelError as error:
                if error.kind is not ErrorKind.TOO_LONG or not self._shrink():
                    raise

    def _shrink(self) -> bool:
        """Make the parts of the document smaller: as the context says that was found out, or half as long."""
        before = self._sizes.document
        self._sizes = call_sizes_for(self._context_tokens())
        if self._sizes.document >= before:
            # Half of the actual length: half of a larger budget could repeat the same call.
            self._sizes = self._sizes.smaller(min(before, estimate_tokens(self._pages)) // 2)
        return self._sizes.document >= SMALLEST_DOCUMENT // 2

    async def _run(self) -> InterviewResult:
        openings: list[tuple[Opening, str]] = []
        for part in document_parts(self._pages, self._sizes.document):
            text = "\n".join(passage.text for passage in part)
            openings.append(((Message(role="system", content=prompt.SYSTEM), prompt.document_prompt(part)), text))
        if self._rows is None:
            self._rows = await self._find_rows(openings)
        rows, flags = self._rows
        await self._put_all(
            openings, [*study_question_groups(self._template), *row_question_groups(self._template, rows)]
        )
        prose_fields = {field.id for field in self._template.fields if TRAITS[field.type].is_free_text}
        answers = merged_answers(list(self._answers.values()), prose_fields)
        if self._last_error is not None and all(answer.state is State.FAILED for answer in self._put_to_model(answers)):
            raise self._last_error
        rows, answers = self._without_empty(rows, answers)
        return InterviewResult(rows=rows, answers=answers, flags=flags)

    def _put_to_model(self, answers: Iterable[Answer]) -> Iterable[Answer]:
        """The answers to fields that were asked; those that name rows came with the list."""
        names = {field.id for scope in LISTED if (field := identity_questions(self._template, scope))}
        return (answer for answer in answers if answer.field not in names)

    def _question(self, group: QuestionGroup, problems: Sequence[str] = ()) -> Message:
        return prompt.fields_prompt(group, self._context, problems=problems)

    # --- rows --------------------------------------------------------------------------------------------------------

    async def _find_rows(self, openings: Sequence[tuple[Opening, str]]) -> tuple[list[Row], list[Flag]]:
        """The rows of the study, as the model lists them or as they were found before, and what is left out."""
        known = list(self._earlier.rows) if self._earlier else []
        have = self._earlier.scopes if self._earlier else frozenset()
        scopes = tuple(scope for scope in scopes_to_list_before_questions(self._template) if scope not in have)
        found = RowList(entries=[], is_cut=False)
        order = [opening for opening, _ in openings] if self._sizes.is_read_whole else ranked_rows_first(openings)
        for opening in order if scopes else ():
            self._last_read = opening
            more = await list_rows(self._ask_once, opening, scopes, self._context)
            found = RowList(entries=[*found.entries, *more.entries], is_cut=found.is_cut or more.is_cut)
            listed = {entry.scope for entry in found.entries}
            if not self._sizes.is_read_whole and not (scopes := tuple(one for one in scopes if one not in listed)):
                break
        before = [Listed(scope=Scope(row.scope), label=row.label) for row in known if row.scope in LISTED]
        entries = distinct_when_merged([*before, *found.entries])
        rows, left_out = rows_to_question_from(entries, self._template)
        new = [row for row in rows if row.scope not in have]
        self._name(entries, new)
        left_out = {scope: count for scope, count in left_out.items() if scope not in have}
        return [*known, *new], rows_left_out_of_listing(self._template, left_out, is_cut=found.is_cut)

    def _name(self, entries: Iterable[Listed], rows: Sequence[Row]) -> None:
        """Listing the rows has answered the field that names them."""
        by_label = {(str(entry.scope), entry.label): entry for entry in entries}
        for row in rows:
            field = identity_questions(self._template, Scope(row.scope)) if row.scope in LISTED else None
            if field is None or (row.key, field.id) in self._closed:
                continue
            entry = by_label.get((row.scope, row.label))
            answer = Answer(field=field.id, row=row.key, state=State.NOT_REPORTED)
            if entry is not None:
                answer = Answer(
                    field=field.id,
                    row=row.key,
                    state=State.REPORTED,
                    value=row.label,
                    quote=entry.quote,
                    page=entry.page,
                )
            self._answers[row.key, field.id] = [answer]

    def _without_empty(self, rows: list[Row], answers: list[Answer]) -> tuple[list[Row], list[Answer]]:
        """Leave out combinations of outcome, time and arm about which the paper says nothing."""
        silent = {State.NOT_REPORTED, State.NOT_APPLICABLE}
        spoken = {answer.row for answer in answers if answer.state not in silent}
        kept = {row.key for row in self._earlier.rows} if self._earlier else set()
        dropped = {row.key for row in rows if row.scope in MADE and row.key not in spoken | kept}
        return [row for row in rows if row.key not in dropped], [a for a in answers if a.row not in dropped]

    # --- fields ------------------------------------------------------------------------------------------------------

    async def _put_all(self, openings: Sequence[tuple[Opening, str]], groups: Iterable[QuestionGroup]) -> None:
        """Put the questions of all groups about the document, part by part.

        In small parts, those that speak most of a group's questions come first,
        and the next part is asked only what is open. A group that wants the
        part that was read last comes before the others: a server keeps what it
        read last, and reading is most of what a slow one does.
        """
        is_fitting = partial(fits_call_size, sizes=self._sizes, context=self._context)
        wanted = [one for group in groups if (left := group.without(self._closed)) for one in left.fitting(is_fitting)]
        plans = [_Plan(group, self._order(openings, group), left=group) for group in wanted]
        while plans:
            plan = next((one for one in plans if one.parts[0] is self._last_read), plans[0])
            left = await self._put(plan.parts.pop(0), plan.left)
            if left is None or not plan.parts:
                self._closed |= set(plan.group.places)
                plans.remove(plan)
            else:
                plan.left = left

    def _order(self, openings: Sequence[tuple[Opening, str]], group: QuestionGroup) -> list[Opening]:
        """The parts of the document in the order in which a group is put about them."""
        if self._sizes.is_read_whole:
            return [opening for opening, _ in openings]
        return ranked_nearest_first(openings, group.fields)

    async def _put(self, opening: Opening, group: QuestionGroup) -> QuestionGroup | None:
        """Put the questions of a group about one part of the document. Returns what the next part is asked."""
        self._last_read = opening
        answers, error = await self._ask_group(opening, group)
        self._last_error = error or self._last_error
        for answer in answers:
            place = answer.row, answer.field
            self._answers.setdefault(place, []).append(answer)
            if not self._sizes.is_read_whole and answer.state in _SETTLED:
                self._closed.add(place)
        return group.without(self._closed)

    async def _ask_group(
        self, opening: Opening, group: QuestionGroup, *, halvings: int = 0
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """The answers to a group, after repair and halving; and the error, if nothing in them could be read."""
        answer, problems = await self._ask_for(opening, group, group.name)
        understood = answers_read(answer.object, group) if answer else Understood(answers=(), problems=tuple(problems))
        if answer and answer.is_cut:
            return await self._in_halves(opening, group, understood, halvings)
        left = group.without((one.row, one.field) for one in understood.answers)
        if left is None or not understood.problems:
            return understood.answers, None
        again, still = await self._ask_for(opening, left, f"{group.name}{AGAIN}", understood.problems)
        if again:
            repaired = answers_read(again.object, left)
            understood = Understood(answers=(*understood.answers, *repaired.answers), problems=repaired.problems)
            if again.is_cut:
                return await self._in_halves(opening, group, understood, halvings)
        error = None if answer or again else ModelError(ErrorKind.SCHEMA, (still or problems)[0])
        unusable = notice(
            "model.model_gave_no_usable_answer", "The model gave no usable answer, also when asked again."
        )
        return failed_answer(group, understood, str(error or unusable)), error

    async def _in_halves(
        self, opening: Opening, group: QuestionGroup, understood: Understood, halvings: int
    ) -> tuple[tuple[Answer, ...], ModelError | None]:
        """Handle an answer that was cut off: its whole entries are kept, and two calls put the remaining questions."""
        rest = group.without((answer.row, answer.field) for answer in understood.answers)
        halves = rest.halves() if rest else ()
        if len(halves) == 1 or halvings == MOST_HALVINGS:
            why = notice(
                "model.model_answer_cut_off_raise",
                "The model's answer was cut off. Raise its output limit or ask fewer fields.",
            )
            return failed_answer(group, Understood(answers=understood.answers, problems=()), why), None
        answers = list(understood.answers)
        last: ModelError | None = None
        for half in halves:
            more, error = await self._ask_group(opening, half, halvings=halvings + 1)
            answers += more
            last = error or last
        return tuple({(answer.row, answer.field): answer for answer in answers}.values()), last

    async def _ask_for(
        self, opening: Opening, group: QuestionGroup, step: str, problems: Sequence[str] = ()
    ) -> tuple[ModelAnswer | None, list[str]]:
        messages = (*opening, self._question(group, problems))
        return await self._ask_once(step, messages, prompt.fields_prompt_schema(group), answer_size_in_call(group))

    async def _ask_once(
        self, step: str, messages: tuple[Message, ...], form: dict[str, Any], room: int
    ) -> tuple[ModelAnswer | None, list[str]]:
        """The model's answer, or what is wrong with it. Raises only errors that a second call cannot mend."""
        try:
            return await self._ask(step, messages, form, room), []
        except ModelError as error:
            if error.kind is ErrorKind.TRUNCATED and error.reply is not None:
                return ModelAnswer(object=salvage(error.reply.text) or {}, text="", is_cut=True), []
            if error.kind in MALFORMED:
                return None, [error.sentence]
            raise
