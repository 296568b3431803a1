"""`Extraction`: projects, templates, tasks and results, for the command line and for the web."""

import re
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from typing import BinaryIO

from psycopg.errors import UniqueViolation

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction import pipeline, results, tasks
from ingather.extraction.desk import queue_of
from ingather.extraction.errors import EmptySelection, NotFound
from ingather.extraction.export import export
from ingather.extraction.findings import DocumentResult, TaskSummary
from ingather.extraction.limits import LARGEST_ID, checked_cap, cleaned, known_id
from ingather.extraction.provider import Endpoint
from ingather.extraction.questions import asked
from ingather.extraction.tasks import Project, Status, Task
from ingather.extraction.template import BUILTIN_IDS, Label, Template, Tier, builtin, clone, load_builtin, select
from ingather.library.port import LibraryPort

AT_ONCE = 10
MOST_DOCUMENTS = 10_000
LONGEST_CONTEXT = 4_000
LONGEST_KEY = 200
MOST_TASKS = 1_000
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
        self._at_once = at_once
        self._pipeline = pipeline.Pipeline(engine, library, endpoint)
        pipeline.register(engine, self._pipeline)

    async def aclose(self) -> None:
        """Close the connections to the model that this event loop has opened."""
        await self._pipeline.aclose()

    # --- projects --------------------------------------------------------------------------------------------------

    def create_project(self, name: str) -> Project:
        name = " ".join(cleaned(name).split())
        if not 1 <= len(name) <= 200:
            raise UsageError("A project has a name of 1 to 200 characters.")
        try:
            return self.engine.run(tasks.create_project(name))
        except UniqueViolation:
            raise UsageError(f"There is a project {name!r} already. Give this one another name.") from None

    def list_projects(self) -> list[Project]:
        return self.engine.run(tasks.list_projects())

    def project(self, project_id: int) -> Project:
        return self.engine.run(tasks.find_project(known_id(project_id, "project")))

    # --- templates -------------------------------------------------------------------------------------------------

    def list_templates(self, project_id: int | None = None) -> list[Template]:
        """The built-in ones, then the project's own."""
        own = [] if project_id is None else self.engine.run(tasks.list_templates(known_id(project_id, "project")))
        return [*builtin(), *own]

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
        found = self.engine.run(tasks.find_template(template_id)) if _TEMPLATE_ID.fullmatch(str(template_id)) else None
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
            if self.engine.run(tasks.add_template(project_id, copy)):
                return copy

    def change_template(self, project_id: int, template_id: str, change: Callable[[Template], Template]) -> Template:
        """Store what `change` makes of a template as its next version. Tasks keep the version they started with."""
        before = self.template(template_id, project_id)
        after = change(before).with_version(before.version + 1)
        if not self.engine.run(tasks.change_template(before, after)):
            raise UsageError(
                "Somebody else has changed this template meanwhile. Look at it again, then repeat the change."
            )
        return after

    def remove_template(self, project_id: int, template_id: str) -> None:
        """Tasks that used it keep their version."""
        self.template(template_id, project_id)
        if template_id in BUILTIN_IDS:
            raise UsageError(f"The template {template_id!r} comes with the program and stays.")
        self.engine.run(tasks.remove_template(template_id))

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

        The documents must be in the project's own space of the library.
        Without `field_ids` the core fields are asked. `spend_cap` is in the
        currency of the model's price; calls that are under way when it is
        reached are still paid for. False beside the task: it had been started
        with this key before.
        """
        if not document_ids:
            raise EmptySelection("No documents are selected. Choose at least one.")
        if len(document_ids) > MOST_DOCUMENTS:
            raise UsageError(f"A task takes at most {MOST_DOCUMENTS:,} documents; {len(document_ids):,} are selected.")
        if len(context) > LONGEST_CONTEXT:
            raise UsageError(f"The context is at most {LONGEST_CONTEXT:,} characters long.")
        if idempotency_key is not None and not (0 < len(idempotency_key) <= LONGEST_KEY):
            raise UsageError(f"An idempotency key is 1 to {LONGEST_KEY} printable characters.")
        model = self.endpoint.model if self.endpoint else None
        cap = checked_cap(spend_cap, model)
        self.project(project_id)
        whole = self.template(template_id, project_id)
        core = [field.id for field in whole.fields if field.tier is Tier.CORE]
        chosen = select(whole, core if field_ids is None else list(dict.fromkeys(field_ids)))
        if not asked(chosen):
            raise UsageError("None of the chosen fields is asked of a paper: people or rules answer them. Choose more.")
        request = tasks.Request(
            project_id=project_id,
            template=chosen,
            documents=tuple(self.library.snapshots(list(dict.fromkeys(document_ids)), space=project_id)),
            base_url=self.endpoint.base_url if self.endpoint else None,
            model=model,
            context=cleaned(context),
            spend_cap=cap,
        )
        queue = pipeline.QUEUE
        if self.endpoint:
            queue = queue_of(self.endpoint)
            self.engine.set_queue(queue, max_running=self._at_once)
        work = self.engine.plan(
            pipeline.KIND,
            [{"document_id": document.document_id} for document in request.documents],
            queue=queue,
            idempotency_key=None if idempotency_key is None else f"task/{project_id}/{idempotency_key}",
        )
        task_id, is_new = self.engine.run(tasks.start(request, work), rings=True)
        return self.task(task_id), is_new

    def task(self, task_id: int) -> Task:
        return self.engine.run(tasks.find_task(known_id(task_id, "task")))

    def template_of(self, task: Task) -> Template:
        """What the task asks: the template as it was when it started."""
        return self.engine.run(tasks.template_version(task.template_sha256))

    def list_tasks(self, project_id: int, *, before: int | None = None, limit: int = PAGE) -> list[Task]:
        """The project's tasks, newest first; `before` takes the last id of the page before."""
        return self.engine.run(tasks.list_tasks(known_id(project_id, "project"), **_page(before, limit)))

    def statuses(
        self, project_id: int, *, before: int | None = None, limit: int = PAGE
    ) -> tuple[list[Status], int | None]:
        """`list_tasks` with counts and costs, and what `before` takes for the next page."""
        return self.engine.run(tasks.statuses(known_id(project_id, "project"), **_page(before, limit)))

    def status(self, task_id: int) -> Status:
        return self.engine.run(tasks.status(known_id(task_id, "task")))

    def projects_of_batch(self, batch_id: int) -> list[int]:
        """The project whose task this batch is, if it is one."""
        return self.engine.run(tasks.projects_of_batch(batch_id))

    def cancel(self, task_id: int) -> bool:
        return self._batch(self.task(task_id)).cancel()

    def pause(self, task_id: int) -> None:
        self.engine.run(tasks.pause(self.task(task_id), "Paused by a person."))

    def resume(self, task_id: int) -> None:
        self.engine.run(tasks.resume(self.task(task_id)), rings=True)

    def retry(self, task_id: int) -> int:
        """Send the documents that failed back; answers that were paid for are used again. Returns how many."""
        return self._batch(self.task(task_id)).retry_failed()

    def set_spend_cap(self, task_id: int, spend_cap: Decimal | None) -> None:
        task = self.task(task_id)
        self.engine.run(tasks.set_spend_cap(task.id, checked_cap(spend_cap, task.model)))

    # --- results ---------------------------------------------------------------------------------------------------

    def results(self, task_id: int, *, after: int = 0, limit: int = PAGE) -> tuple[list[DocumentResult], int | None]:
        """A page of documents with their findings, and what `after` takes for the next one: None at the end."""
        task = self.task(task_id)
        items = self._batch(task).page(after=after, limit=limit)
        known = self.engine.run(tasks.documents(task.id, [item.ordinal for item in items]))
        page = [
            results.document_result(item.ordinal, known[item.ordinal], item.state, item.result, item.error)
            for item in items
        ]
        return page, items[-1].id if len(items) == limit else None

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


def _page(before: int | None, limit: int) -> dict[str, int]:
    if not 1 <= limit <= MOST_TASKS:
        raise UsageError(f"A page holds 1 to {MOST_TASKS:,} tasks, not {limit!r}.")
    return {"before": LARGEST_ID if before is None else min(before, LARGEST_ID), "limit": limit}


def _no_template(template_id: str) -> NotFound:
    return NotFound(f"There is no template {template_id!r}.")
