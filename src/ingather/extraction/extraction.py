"""`Extraction`: projects, templates, tasks and results, for the command line and for the web."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import BinaryIO

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction.conversation.desk import queue_of
from ingather.extraction.conversation.estimate import Estimate, by_model, by_rules, scaled
from ingather.extraction.conversation.parts import budget_for
from ingather.extraction.conversation.questions import asked
from ingather.extraction.errors import EmptySelection, NotFound
from ingather.extraction.export import export
from ingather.extraction.findings import DocumentResult, Review, TaskSummary
from ingather.extraction.limits import LARGEST_ID, checked_cap, cleaned, known_id
from ingather.extraction.provider import Capabilities, ChatClient, Endpoint
from ingather.extraction.reviewing import reviews
from ingather.extraction.reviewing.reviewing import Decision, decided, outrun, reviewed, verified
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.tasks import pipeline, results, tasks
from ingather.extraction.tasks.tasks import Project, Status, Task
from ingather.extraction.template import BUILTIN_IDS, Label, Template, Tier, builtin, clone, load_builtin, select
from ingather.library.port import LibraryPort, Rect
from ingather.notice import notice

AT_ONCE = 10
MOST_DOCUMENTS = 10_000
MOST_LOOKED_AT = 300  # documents, for an estimate
LONGEST_CONTEXT = 4_000
LONGEST_KEY = 200
MOST_TASKS = 1_000
MOST_AT_ONCE = 500
PAGE = 50
EMBEDDED_NAME = "embedded extractor (rules, no model)"
_TEMPLATE_ID = re.compile(r"[a-z][a-z0-9_]{0,62}")


class Extraction:
    """Extraction on an engine and a library. With an endpoint, its model answers; without, our own rules do."""

    def __init__(
        self, engine: Engine, library: LibraryPort, endpoint: Endpoint | None = None, *, at_once: int = AT_ONCE
    ) -> None:
        self.engine = engine
        self.library = library
        self.endpoint = endpoint
        self.at_once = at_once
        self._pipeline = pipeline.Pipeline(engine, library, endpoint)
        pipeline.register(engine, self._pipeline)

    async def aclose(self) -> None:
        """Close the connections to the model that this event loop has opened."""
        await self._pipeline.aclose()

    # --- projects --------------------------------------------------------------------------------------------------

    def create_project(self, name: str) -> Project:
        """A project. Several may have one name: who is in which is decided elsewhere, and so is what is in the way."""
        name = " ".join(cleaned(name).split())
        if not 1 <= len(name) <= 200:
            raise UsageError(
                notice("extraction.project_name_1_200_characters", "A project has a name of 1 to 200 characters.")
            )
        return self.engine.database.run(tasks.create_project(name))

    def own_project(self, made_for: str, name: str) -> Project:
        """The project that a program has for itself, made when it is first asked for."""
        return self.engine.database.run(tasks.own_project(made_for, name))

    def list_projects(
        self, ids: Collection[int] | None = None, *, after: int = 0, limit: int | None = None
    ) -> list[Project]:
        """All, or those of these ids; `after` takes the last id of the page before."""
        return self.engine.database.run(
            tasks.list_projects(None if ids is None else list(ids), after=after, limit=limit)
        )

    def project(self, project_id: int) -> Project:
        return self.engine.database.run(tasks.find_project(known_id(project_id, "project")))

    # --- templates -------------------------------------------------------------------------------------------------

    def list_templates(
        self, project_id: int | None = None, *, after: str = "", limit: int | None = None
    ) -> list[Template]:
        """The built-in ones, then the project's own; `after` takes the last id of the page before."""
        seen = BUILTIN_IDS.index(after) + 1 if after in BUILTIN_IDS else len(BUILTIN_IDS) if after else 0
        found = builtin()[seen:]
        if project_id is not None:
            last = "" if after in BUILTIN_IDS else after
            found += self.engine.database.run(
                tasks.list_templates(known_id(project_id, "project"), after=last, limit=limit)
            )
        return found[:limit]

    def template(self, template_id: str, project_id: int | None = None) -> Template:
        """A template as it stands now; one of another project is not there."""
        found, owner = self.template_and_project(template_id)
        if owner and project_id not in {None, owner}:
            raise _no_template(template_id)
        return found

    def template_and_project(self, template_id: str) -> tuple[Template, int]:
        """A template and the project it belongs to; 0 for a built-in one, which belongs to all."""
        if template_id in BUILTIN_IDS:
            return load_builtin(template_id), 0
        found = (
            self.engine.database.run(tasks.find_template(template_id))
            if _TEMPLATE_ID.fullmatch(str(template_id))
            else None
        )
        if found is None:
            raise _no_template(template_id)
        return found

    def clone_template(self, project_id: int, template_id: str, label: Label) -> Template:
        """A copy of a template for a project to change."""
        base = self.template(template_id, project_id)
        stem = re.sub(r"_\d+$", "", template_id)[:50]
        number = 1
        while True:
            number += 1
            if f"{stem}_{number}" == template_id:
                continue
            copy = clone(base, f"{stem}_{number}", label)
            if self.engine.database.run(tasks.add_template(project_id, copy)):
                return copy

    def change_template(self, project_id: int, template_id: str, change: Callable[[Template], Template]) -> Template:
        """Store what `change` makes of a template as its next version. Tasks keep the version they started with."""
        before = self.template(template_id, project_id)
        after = change(before).with_version(before.version + 1)
        if not self.engine.database.run(tasks.change_template(before, after)):
            raise UsageError(
                notice(
                    "extraction.somebody_else_changed_template_meanwhile",
                    "Somebody else has changed this template meanwhile. Look at it again, then repeat the change.",
                )
            )
        return after

    def remove_template(self, project_id: int, template_id: str) -> None:
        """Tasks that used it keep their version."""
        self.template(template_id, project_id)
        if template_id in BUILTIN_IDS:
            raise UsageError(f"The template {template_id!r} comes with the program and stays.")
        self.engine.database.run(tasks.remove_template(template_id))

    # --- tasks -----------------------------------------------------------------------------------------------------

    def start_task(
        self,
        project_id: int,
        template_id: str,
        document_ids: Collection[int],
        *,
        field_ids: Collection[str] | None = None,
        context: str = "",
        spend_cap: Decimal | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[Task, bool]:
        """Freeze the template and the documents, and scatter one item per document, in one transaction.

        The documents must be in knowledge bases of the project.
        Without `field_ids` the core fields are asked. `spend_cap` is in the
        currency of the model's price; calls that are under way when it is
        reached are still paid for. False beside the task: it had been started
        with this key before.
        """
        if not document_ids:
            raise EmptySelection(
                notice(
                    "extraction.no_documents_selected_choose_least", "No documents are selected. Choose at least one."
                )
            )
        if len(document_ids) > MOST_DOCUMENTS:
            raise UsageError(
                notice(
                    "extraction.task_takes_most_documents_selected",
                    "A task takes at most {most} documents; {count} are selected.",
                    most=f"{MOST_DOCUMENTS:,}",
                    count=f"{len(document_ids):,}",
                )
            )
        if len(context) > LONGEST_CONTEXT:
            raise UsageError(
                notice(
                    "extraction.context_most_characters_long",
                    "The context is at most {most} characters long.",
                    most=f"{LONGEST_CONTEXT:,}",
                )
            )
        if idempotency_key is not None and not _is_key(idempotency_key):
            raise UsageError(f"An idempotency key is 1 to {LONGEST_KEY} printable characters.")
        model = self.endpoint.model if self.endpoint else None
        self.project(project_id)
        wish = tasks.Wish(
            project_id=project_id,
            template_id=template_id,
            document_ids=tuple(dict.fromkeys(document_ids)),
            field_ids=None if field_ids is None else tuple(dict.fromkeys(field_ids)),
            context=cleaned(context),
            spend_cap=checked_cap(spend_cap, model),
        )
        key = None if idempotency_key is None else f"task/{project_id}/{idempotency_key}"
        known = None if key is None else self.engine.database.run(tasks.started(wish, key))
        if known is not None:
            return self.task(known), False
        request = self._frozen(wish)
        queue = pipeline.QUEUE
        if self.endpoint:
            queue = queue_of(self.endpoint)
            self.engine.set_queue(queue, max_running=self.at_once)
        payloads = [{"document_id": document.document_id} for document in request.documents]
        work = self.engine.registry.offspring(pipeline.KIND, payloads, queue=queue, idempotency_key=key)
        task_id, is_new = self.engine.database.run(tasks.start(request, work), rings=True)
        return self.task(task_id), is_new

    def _frozen(self, wish: tasks.Wish) -> tasks.Request:
        """What a task will keep to, as things stand now."""
        return tasks.Request(
            wish=wish,
            template=self._chosen(wish.project_id, wish.template_id, wish.field_ids),
            documents=tuple(self.library.snapshots(wish.document_ids, project_id=wish.project_id)),
            base_url=self.endpoint.base_url if self.endpoint else None,
            model=self.endpoint.model if self.endpoint else None,
        )

    def _chosen(self, project_id: int, template_id: str, field_ids: Collection[str] | None) -> Template:
        whole = self.template(template_id, project_id)
        core = [field.id for field in whole.fields if field.tier is Tier.CORE]
        chosen = select(whole, core if field_ids is None else list(dict.fromkeys(field_ids)))
        if not asked(chosen):
            raise UsageError(
                notice(
                    "extraction.none_chosen_fields_asked_paper",
                    "None of the chosen fields is asked of a paper: people or rules answer them. Choose more.",
                )
            )
        return chosen

    def estimate(
        self,
        project_id: int,
        template_id: str,
        document_ids: Collection[int],
        *,
        field_ids: Collection[str] | None = None,
        context: str = "",
    ) -> tuple[Estimate, int, int]:
        """What a task would take, and how many of its documents were not read yet and give no pages.

        Those not read are taken to be like the others; those without pages
        cost nothing. Of many documents a part is looked at.
        """
        chosen = self._chosen(project_id, template_id, field_ids)
        documents = self.library.snapshots(list(dict.fromkeys(document_ids))[:MOST_DOCUMENTS], project_id=project_id)
        looked_at = documents[:: max(1, -(-len(documents) // MOST_LOOKED_AT))]
        known = self.library.lengths({document.sha256 for document in looked_at})
        lengths = [known[document.sha256] for document in looked_at if document.sha256 in known]
        readable = [length for length in lengths if length.characters]
        share = len(documents) / max(1, len(looked_at))
        unread = round(share * (len(looked_at) - len(lengths)))
        unreadable = round(share * (len(lengths) - len(readable)))
        if self.endpoint is None:
            found = by_rules(readable, workers=self._workers())
        else:
            budget, model = budget_for(self.endpoint.context_tokens), self.endpoint.model
            found = by_model(
                chosen,
                readable,
                context=context,
                budget=budget,
                at_once=self.at_once,
                model=model,
                call_s=self.engine.database.run(tasks.call_seconds(project_id, model)),
            )
        return scaled(found, len(documents) - unreadable if readable else 0), unread, unreadable

    def _workers(self) -> int:
        return sum(pipeline.KIND in worker.kinds for worker in self.engine.workers())

    async def probe(self) -> Capabilities:
        """What the model can do, by a few tiny calls. Raises `ModelError` where it cannot be used."""
        if self.endpoint is None:
            raise UsageError(
                notice(
                    "extraction.no_model_configured_embedded_extractor",
                    "No model is configured: the embedded extractor answers, and there is nothing to test.",
                )
            )
        async with ChatClient(self.endpoint) as client:
            return await client.probe()

    def task(self, task_id: int) -> Task:
        return self.engine.database.run(tasks.find_task(known_id(task_id, "task")))

    def template_of(self, task: Task) -> Template:
        """What the task asks: the template as it was when it started."""
        return self.engine.database.run(tasks.template_version(task.template_sha256))

    def list_tasks(self, project_id: int, *, before: int | None = None, limit: int = PAGE) -> list[Task]:
        """The project's tasks, newest first; `before` takes the last id of the page before."""
        return self.engine.database.run(tasks.list_tasks(known_id(project_id, "project"), **_page(before, limit)))

    def statuses(
        self, project_id: int, *, state: str | None = None, before: int | None = None, limit: int = PAGE
    ) -> tuple[list[Status], int | None]:
        """`list_tasks` with counts and costs, also only those open or closed, and what `before` takes for the next."""
        return self.engine.database.run(
            tasks.statuses(known_id(project_id, "project"), state=state, **_page(before, limit))
        )

    def status(self, task_id: int) -> Status:
        return self.engine.database.run(tasks.status(known_id(task_id, "task")))

    async def astatus(self, task_id: int) -> Status:
        """`status`, for a caller with an event loop: asked so often that every round trip counts."""
        return await self.engine.database.aplay(tasks.status(known_id(task_id, "task")))

    def projects_of_batch(self, batch_id: int) -> list[int]:
        """The project whose task this batch is, if it is one."""
        return self.engine.database.run(tasks.projects_of_batch(batch_id))

    def cancel(self, task_id: int) -> bool:
        return self._batch(self.task(task_id)).cancel()

    def pause(self, task_id: int) -> None:
        self.engine.database.run(
            tasks.pause(self.task(task_id), notice("task.paused_by_a_person", "Paused by a person."))
        )

    def resume(self, task_id: int) -> None:
        self.engine.database.run(tasks.resume(self.task(task_id)), rings=True)

    def retry(self, task_id: int) -> int:
        """Send the documents that failed back; answers that were paid for are used again. Returns how many."""
        return self._batch(self.task(task_id)).retry_failed()

    def set_spend_cap(self, task_id: int, spend_cap: Decimal | None) -> None:
        task = self.task(task_id)
        self.engine.database.run(tasks.set_spend_cap(task.id, checked_cap(spend_cap, task.model)))

    # --- results ---------------------------------------------------------------------------------------------------

    def results(self, task_id: int, *, after: int = 0, limit: int = PAGE) -> tuple[list[DocumentResult], int | None]:
        """A page of documents with what stands, and what `after` takes for the next one: None at the end."""
        task = self.task(task_id)
        page, following = self._extracted(task, after=after, limit=limit)
        return self._reviewed(task, page), following

    def result(self, task_id: int, ordinal: int) -> DocumentResult:
        """One document with what stands."""
        task = self.task(task_id)
        return self._reviewed(task, [self._document(task, ordinal)])[0]

    def _extracted(self, task: Task, *, after: int, limit: int) -> tuple[list[DocumentResult], int | None]:
        items = self._batch(task).page(after=after, limit=limit)
        known = self.engine.database.run(tasks.documents(task.id, [item.ordinal for item in items]))
        page = [
            results.document_result(item.ordinal, known[item.ordinal], item.state, item.result, item.error)
            for item in items
        ]
        return page, items[-1].id if len(items) == limit else None

    def rectangles(self, task_id: int, ordinal: int, page: int, start: int, end: int) -> list[Rect]:
        """Where characters of a document stand, in the text that its findings were found in.

        From what was read already: whoever shows a result reads no files of strangers.
        """
        task = self.task(task_id)
        document = self.engine.database.run(tasks.find_document(task.id, ordinal))
        parser = self.engine.database.run(tasks.find_parser(task, ordinal))
        return self.library.rectangles(document.sha256, page, start, end, parser=parser)

    def _document(self, task: Task, ordinal: int) -> DocumentResult:
        """As it was extracted."""
        if 0 <= ordinal < MOST_DOCUMENTS:
            page, _ = self._extracted(task, after=self._before(task, ordinal), limit=1)
            if page and page[0].ordinal == ordinal:
                return page[0]
        raise NotFound(
            notice(
                "extraction.no_document_task",
                "There is no document {ordinal} in task {id}.",
                ordinal=ordinal,
                id=task.id,
            )
        )

    def _before(self, task: Task, ordinal: int) -> int:
        """What `after` takes for a page that begins with this document: scattered at once, their ids are a run."""
        first = self._batch(task).page(limit=1)
        return first[0].id + ordinal - 1 if first else 0

    def _reviewed(self, task: Task, page: list[DocumentResult]) -> list[DocumentResult]:
        said = self.engine.database.run(reviews.of_documents(task.id, [found.ordinal for found in page]))
        if not said:
            return page
        template = self.template_of(task)
        return [reviewed(template, found, said[found.ordinal]) if found.ordinal in said else found for found in page]

    # --- reviews ---------------------------------------------------------------------------------------------------

    def review(self, task_id: int, ordinal: int, decision: Decision, by: Reviewer) -> DocumentResult:
        """Judge one cell of a finished document. Returns the document as it stands then: more may follow from it."""
        task = self.task(task_id)
        found = self._document(task, ordinal)
        said = self.reviews(task_id, ordinal)
        template = self.template_of(task)
        judged = decided(template, found, said, decision, by=by.name)
        if judged is not None and not self.engine.database.run(reviews.add(task.id, [judged], by)):
            place = judged.row, judged.field
            raise outrun([one for one in self.reviews(task_id, ordinal) if (one.row, one.field) == place])
        return reviewed(template, found, self.reviews(task_id, ordinal))

    def accept_verified(
        self,
        task_id: int,
        ordinals: Collection[int],
        by: Reviewer,
        *,
        rows: Mapping[int, Collection[str]] | None = None,
        field_ids: Collection[str] | None = None,
    ) -> tuple[int, int]:
        """Accept what nobody need look at one by one. `rows` are those that are meant of each document; without, all.

        Returns how many, and how many answers are left for a look.
        """
        if not 1 <= len(ordinals) <= MOST_AT_ONCE:
            raise UsageError(
                notice(
                    "extraction.accept_values_1_documents_once",
                    "Accept the values of 1 to {most} documents at once.",
                    most=f"{MOST_AT_ONCE:,}",
                )
            )
        task = self.task(task_id)
        before, wanted = self._before(task, 0), sorted(set(ordinals))
        if not 0 <= wanted[0] <= wanted[-1] < self._batch(task).progress().total:
            raise NotFound(
                notice(
                    "extraction.no_document_task",
                    "There is no document {ordinal} in task {id}.",
                    ordinal=wanted[-1],
                    id=task.id,
                )
            )
        accepted, left = 0, 0
        for run in _runs(wanted, longest=PAGE):
            page, _ = self._extracted(task, after=before + run[0], limit=len(run))
            for found in self._reviewed(task, page):
                judged, others = verified(found, field_ids, None if rows is None else rows[found.ordinal])
                accepted += self.engine.database.run(reviews.add(task.id, judged, by)) if judged else 0
                left += others
        return accepted, left

    def reviews(self, task_id: int, ordinal: int) -> list[Review]:
        """All reviews of a document there ever were, oldest first."""
        self.engine.database.run(tasks.find_document(known_id(task_id, "task"), ordinal))
        return self.engine.database.run(reviews.of_documents(task_id, [ordinal])).get(ordinal, [])

    def review_page(
        self,
        task_id: int,
        ordinal: int,
        *,
        field: str | None = None,
        row: str | None = None,
        after: int = 0,
        limit: int = PAGE,
    ) -> tuple[list[Review], int | None]:
        """A page of `reviews`, also only those of a field or a cell, and what `after` takes for the next one."""
        self.engine.database.run(tasks.find_document(known_id(task_id, "task"), ordinal))
        asked = reviews.page(task_id, ordinal, field=field, row=row, after=after, limit=limit)
        return self.engine.database.run(asked)

    def export(self, task_id: int, format: str, out: BinaryIO, *, language: str = "en") -> None:
        """Write all of a task's results; what is not finished yet says so."""
        status = self.status(task_id)
        export(format, out, summary(status), self.template_of(status.task), self._all(task_id), language=language)

    def _all(self, task_id: int) -> Iterator[DocumentResult]:
        after: int | None = 0
        while after is not None:
            page, after = self.results(task_id, after=after)
            yield from page

    def _batch(self, task: Task) -> Batch:
        return self.engine.batch(task.batch_id)


def summary(status: Status) -> TaskSummary:
    """What a reader of the table must know of how it came about."""
    task, progress, spent = status.task, status.progress, status.spent
    settings = {"context": task.context} if task.context else {}
    if task.model:
        settings |= {"model": task.model, "address": task.base_url or "", "calls": str(spent.calls)}
        settings["tokens in"] = f"{spent.prompt_tokens:,} ({spent.cached_tokens:,} from the cache)"
        settings["tokens out"] = f"{spent.completion_tokens:,}"
        if spent.cost is not None:
            settings["cost"] = f"{spent.cost:.4f} {spent.currency}"
            if spent.unpriced:
                settings["cost"] += f", and {spent.unpriced:,} calls of unknown cost"
    counts = {name: getattr(progress, name) for name in ("pending", "running", "completed", "error", "cancelled")}
    return TaskSummary(
        task_id=task.id,
        project=task.project,
        template_id=task.template_id,
        template_version=task.template_version,
        extractor=task.model or EMBEDDED_NAME,
        settings=settings,
        created_at=task.created_at.isoformat(),
        closed_at=progress.closed_at.isoformat() if progress.closed_at else None,
        counts=counts,
    )


def _runs(ordinals: Sequence[int], *, longest: int) -> Iterator[Sequence[int]]:
    """Neighbours together, so many at most: each run is read by one look, and nothing between two runs."""
    start = 0
    for at in range(1, len(ordinals) + 1):
        if at == len(ordinals) or ordinals[at] != ordinals[at - 1] + 1 or at - start == longest:
            yield ordinals[start:at]
            start = at


def _page(before: int | None, limit: int) -> dict[str, int]:
    if not 1 <= limit <= MOST_TASKS:
        raise UsageError(f"A page holds 1 to {MOST_TASKS:,} tasks, not {limit!r}.")
    return {"before": LARGEST_ID if before is None else min(before, LARGEST_ID), "limit": limit}


def _is_key(key: str) -> bool:
    return 0 < len(key) <= LONGEST_KEY and key.isprintable()


def _no_template(template_id: str) -> NotFound:
    return NotFound(
        notice(
            "extraction.no_template_those_come_program",
            "There is no template {id}. Those that come with the program: {ids}.",
            id=f"{template_id!r}",
            ids=", ".join(BUILTIN_IDS),
        )
    )
