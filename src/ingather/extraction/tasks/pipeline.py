"""Where extraction meets the engine: one item, one document, from its pages to its findings."""

import asyncio
import random
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import orjson

from ingather.engine.engine import Engine
from ingather.engine.errors import Reject, RetryLater, UsageError
from ingather.engine.item import Item
from ingather.extraction.conversation.desk import PAUSED_S, Desk
from ingather.extraction.conversation.interview import Earlier, Interview, InterviewResult, ModelAnswer
from ingather.extraction.conversation.questions import askable_question_fields
from ingather.extraction.findings import EMBEDDED
from ingather.extraction.proof.assess import assess
from ingather.extraction.provider import Endpoint, ErrorKind, Message, ModelError, PauseTask, route
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.studies.identifying import identify
from ingather.extraction.task import Task
from ingather.extraction.tasks import stored_result, tasks
from ingather.extraction.tasks.follow_up import TakenOver, as_answer, beside, joined_findings, taken_over
from ingather.extraction.tasks.numbers import NO_QUESTIONS, Named, NumbersReading, ask_for_cells, read_numbers
from ingather.extraction.template import Template
from ingather.library.port import LibraryPort, ReadingSummary, Table
from ingather.notice import notice

KIND = "extract_document"
QUEUE = "extraction"
# Attempts of a document. One that makes progress uses up none, so these are five failures without a new answer.
MAX_ATTEMPTS = 5
# A large paper takes some hundred calls of a model with a small context, and such a model may write two tokens a
# second. Nothing gets stuck for that long: each call has deadlines of its own.
TIMEOUT_S = 24 * 3600
# How soon a document comes back that a worker without the key took: a worker with the key may take it then.
NO_KEY_S = 30.0
# How soon a document goes on after a bad moment of the provider, spread out so that not all go on at once.
SOON_S = (0.5, 3.0)


class Pipeline:
    """The handler's state: the library, the endpoint of this process, and the tasks it has met."""

    def __init__(self, engine: Engine, library: LibraryPort, endpoint: Endpoint | None) -> None:
        self._engine = engine
        self._library = library
        self._endpoint = endpoint
        self._desks: dict[asyncio.AbstractEventLoop, Desk] = {}
        # Both never change while a batch is open, except for what the desk looks up anew before each call.
        self._tasks = lru_cache(maxsize=100)(lambda batch_id: engine.database.run(tasks.task_of_batch(batch_id)))
        self._templates = lru_cache(maxsize=100)(lambda sha256: engine.database.run(tasks.template_version(sha256)))

    async def extract_document(self, item: Item) -> dict[str, Any]:
        try:
            return await self._extract(item)
        except UsageError as error:
            # A missing document or a wrong request would fail in the same way at the next attempt.
            raise Reject(str(error)) from error

    async def _extract(self, item: Item) -> dict[str, Any]:
        task, template, reading, pages = await asyncio.to_thread(self._open, item)
        source = task.model or EMBEDDED
        taken = await asyncio.to_thread(self._taken_over, task, template, item)
        tables = await asyncio.to_thread(self._tables, template, reading, taken)
        named: dict[str, dict[str, Any]] = {}
        if taken is not None and not taken.has_questions:
            result = InterviewResult(rows=list(taken.earlier.rows), answers=[], flags=[])
        elif task.model is None:
            printed = await asyncio.to_thread(self._library.printed_lines, reading.sha256, 0, parser=reading.parser)
            rows, answers = await asyncio.to_thread(
                extract_by_rules, askable_question_fields(template), pages, first_page=printed
            )
            result = InterviewResult(rows=rows, answers=answers, flags=[])
            result = result if taken is None else beside(result, taken)
        else:
            result, named = await self._ask(task, template, item, pages, tables, taken.earlier if taken else None)
        numbers = await asyncio.to_thread(self._numbers, task, template, pages, tables, named, taken)
        rows = [*result.rows, *numbers.rows]
        findings, flags = await asyncio.to_thread(
            partial(
                assess,
                template,
                pages,
                rows,
                [*(map(as_answer, taken.findings) if taken else ()), *result.answers],
                source=source,
                is_recognised=reading.is_recognised,
                has_unread_signs=reading.has_unread_signs,
                from_cells=numbers.findings,
            )
        )
        if taken is not None:
            findings, flags = joined_findings(findings, taken, parser=reading.parser), [*flags, *taken.flags]
        return stored_result.to_json(
            rows,
            findings,
            [*flags, *result.flags],
            parser=reading.parser,
            source=source,
            arms=numbers.arms,
            named=numbers.named,
        )

    def _tables(self, template: Template, reading: ReadingSummary, taken: TakenOver | None) -> list[Table] | None:
        """The tables in which the review's questions are to be answered; None where nothing is to be asked of them."""
        if template.questions is None:
            return None
        if taken is not None and (taken.parser == reading.parser or not taken.has_questions):
            return None
        return self._library.tables(reading.sha256, parser=reading.parser)

    def _numbers(
        self,
        task: Task,
        template: Template,
        pages: list[str],
        tables: list[Table] | None,
        named: Named,
        taken: TakenOver | None,
    ) -> NumbersReading:
        """The answers to the review's questions: read now, or as the task has them that this one follows."""
        if template.questions is not None and tables is not None:
            return read_numbers(template.questions, pages, tables, named, model=task.model)
        if taken is None:
            return NO_QUESTIONS
        return NumbersReading(rows=taken.question_rows, findings=taken.from_cells, arms=taken.arms, named=taken.named)

    def _taken_over(self, task: Task, template: Template, item: Item) -> TakenOver | None:
        """What the earlier task of a follow-up has left of this document; None where there is nothing."""
        if task.follows_id is None:
            if task.again is not None:
                # Everything would be asked, and paid for, once more.
                raise Reject(notice("follow_up.earlier_gone", "The task that this one follows was deleted."))
            return None
        before = self._engine.database.run(tasks.find_task(task.follows_id))
        stored = self._engine.database.run(tasks.find_result(before, item.ordinal))
        if stored is None:
            return None
        rows, findings, flags = stored_result.from_json(stored)
        taken = taken_over(
            self._templates(before.template_sha256),
            template,
            (rows, findings, flags),
            again=orjson.loads(task.again or "{}"),
            parser=stored.get("parser", ""),
            is_kept=bool(item.payload.get("is_kept")),
        )
        arms = stored_result.arms_from_json(stored.get("arms", ()))
        return replace(taken, arms=arms, named=stored.get("named", {}))

    def _open(self, item: Item) -> tuple[Task, Template, ReadingSummary, list[str]]:
        """Task, template, reading and pages of a document, read in one thread."""
        task = self._tasks(item.batch_id)
        template = self._templates(task.template_sha256)
        document = self._engine.database.run(tasks.find_document(task.id, item.ordinal))
        reading = self._library.read(document.sha256, document.file_name)
        if reading.problem is not None:
            raise Reject(reading.sentence)
        identify(self._engine.database, self._library, task.project_id, document.sha256, document.file_name)
        return task, template, reading, self._library.pages(document.sha256, parser=reading.parser)

    async def _ask(
        self,
        task: Task,
        template: Template,
        item: Item,
        pages: list[str],
        tables: list[Table] | None,
        earlier: Earlier | None,
    ) -> tuple[InterviewResult, dict[str, dict[str, Any]]]:
        """The interview of the model, and the cells that it names for the review's questions.

        Its errors become the exceptions that the engine understands.
        """
        desk = self._desk(task)
        await desk.find_context()
        new = 0

        async def ask(step: str, messages: tuple[Message, ...], schema: dict[str, Any], room: int) -> ModelAnswer:
            nonlocal new
            answer = await desk.ask(task, item.ordinal, step, messages, schema, room)
            new += not answer.is_known
            return answer

        try:
            interview = Interview(
                template,
                pages,
                ask,
                context_tokens=lambda: desk.context_tokens,
                context=task.context,
                earlier=earlier,
            )
            result = await interview.run()
            if template.questions is None or tables is None:
                return result, {}
            return result, await ask_for_cells(template.questions, pages, tables, ask, lambda: desk.context_tokens)
        except (ModelError, PauseTask) as error:
            ruling = await self._ruling(task, item, error, has_progress=new > 0)
        raise ruling

    async def _ruling(
        self, task: Task, item: Item, error: ModelError | PauseTask, *, has_progress: bool
    ) -> BaseException:
        """The exception by which the engine understands what a model's error, or a reason to pause, asks for."""
        ruling: BaseException = error
        if isinstance(error, ModelError):
            ruling = route(error, item.attempt)
            if error.kind is ErrorKind.RETRY_AFTER and isinstance(ruling, RetryLater):
                # The desk has held the queue already, at the moment of the refusal.
                ruling = RetryLater(ruling.delay, error.sentence)
            elif ruling is error and has_progress:
                # There are new answers, so this attempt made progress and does not count: a paper takes many calls,
                # and each may fail once.
                ruling = RetryLater(random.uniform(*SOON_S), error.sentence)
        if isinstance(ruling, PauseTask):
            await self._engine.database.arun(tasks.pause(task, ruling.reason))
            ruling = RetryLater(PAUSED_S, ruling.reason)
        return ruling

    def _desk(self, task: Task) -> Desk:
        mine = self._endpoint
        if mine is None or (mine.base_url, mine.model) != (task.base_url, task.model):
            raise RetryLater(
                NO_KEY_S,
                notice(
                    "task.worker_took_not_set_up",
                    "The worker that took it is not set up for the model {model} at {address}. Start one with "
                    "that model and its key in its environment.",
                    model=f"{task.model}",
                    address=f"{task.base_url}",
                ),
            )
        # A desk keeps connections of its event loop. Desks of closed loops are removed.
        for over in [known for known in self._desks if known.is_closed()]:
            del self._desks[over]
        loop = asyncio.get_running_loop()
        if loop not in self._desks:
            self._desks[loop] = Desk(self._engine, mine)
        return self._desks[loop]

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        desk = self._desks.pop(asyncio.get_running_loop(), None)
        if desk is not None:
            await desk.close()


def register(engine: Engine, pipeline: Pipeline) -> None:
    engine.handler(KIND, queue=QUEUE, max_attempts=MAX_ATTEMPTS, timeout=TIMEOUT_S)(pipeline.extract_document)
