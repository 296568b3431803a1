"""`Extraction`: projects, templates, tasks and results, for the command line and for the web."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction import arguments
from ingather.extraction.conversation import estimate as estimates
from ingather.extraction.conversation.desk import queue_of_desk
from ingather.extraction.conversation.interview import Earlier
from ingather.extraction.conversation.questions import askable_question_fields
from ingather.extraction.conversation.sizes import call_sizes_for
from ingather.extraction.edited_exports import ExtractionEditedExports
from ingather.extraction.errors import ModelUnusable
from ingather.extraction.numbers.calls import estimate_with_question_calls
from ingather.extraction.provider import Capabilities, ChatClient, Endpoint, ModelError
from ingather.extraction.results import PAGE
from ingather.extraction.task import Task
from ingather.extraction.tasks import pipeline, tasks
from ingather.extraction.tasks.differences import DocumentDifferences, differences
from ingather.extraction.tasks.follow_up import FollowUp, check_ended, follow_up_template
from ingather.extraction.tasks.foreseen import FollowUpEstimate, foreseen, left_to_ask
from ingather.extraction.tasks.request import FrozenRequest, TaskRequest, follow_up_request
from ingather.extraction.template import Template, Tier, template_with_fields_selected, template_with_question_fields
from ingather.library.port import LibraryPort, Snapshot
from ingather.names import visible_lines
from ingather.notice import notice

# Calls to one model at the same time, on all machines together, unless the settings give another number. Providers
# give new accounts a few requests per second; more would only be refused.
AT_ONCE = 10


class Extraction(ExtractionEditedExports):
    """Extraction on an engine and a library. With an endpoint, its model answers; without, our own rules do."""

    def __init__(
        self, engine: Engine, library: LibraryPort, endpoint: Endpoint | None = None, *, at_once: int = AT_ONCE
    ) -> None:
        super().__init__(engine, library)
        self.endpoint = endpoint
        self.at_once = at_once
        self._pipeline = pipeline.Pipeline(engine, library, endpoint)
        pipeline.register(engine, self._pipeline)

    async def aclose(self) -> None:
        """Close the connections to the model that this event loop has opened."""
        await self._pipeline.aclose()

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
        checks_model: bool = False,
    ) -> tuple[Task, bool]:
        """Freeze the template and the documents, and scatter one item per document, in one transaction.

        The documents must be in knowledge bases of the project.
        Without `field_ids` the core fields are asked. `spend_cap` is in the
        currency of the model's price; calls that are under way when it is
        reached are still paid for. False beside the task: it had been started
        with this key before. `checks_model`: a model that cannot be used at
        all is found out first, in seconds.
        """
        arguments.check_new_task_arguments(document_ids, context, idempotency_key)
        model = self.endpoint.model if self.endpoint else None
        self.project(project_id)
        request = TaskRequest(
            project_id=project_id,
            template_id=template_id,
            document_ids=tuple(dict.fromkeys(document_ids)),
            field_ids=None if field_ids is None else tuple(dict.fromkeys(field_ids)),
            context=visible_lines(context),
            spend_cap=arguments.checked_cap_argument(spend_cap, model),
        )
        key = None if idempotency_key is None else f"task/{project_id}/{idempotency_key}"
        known = None if key is None else self.engine.database.run(tasks.started(request, key))
        if known is not None:
            return self.task(known), False
        if checks_model:
            self.check_model()
        return self._scattered(self._frozen(request), key)

    def _scattered(self, frozen: FrozenRequest, key: str | None) -> tuple[Task, bool]:
        """The task with its batch, one item per document; False if it was there."""
        queue = pipeline.QUEUE
        if self.endpoint:
            queue = queue_of_desk(self.endpoint)
            self.engine.set_queue(queue, max_running=self.at_once)
        payloads = [
            {"document_id": one.document_id} | ({"is_kept": True} if one.document_id in frozen.kept_ids else {})
            for one in frozen.documents
        ]
        work = self.engine.registry.offspring(pipeline.KIND, payloads, queue=queue, idempotency_key=key)
        task_id, is_new = self.engine.database.run(tasks.start(frozen, work), rings=True)
        return self.task(task_id), is_new

    def start_follow_up(
        self,
        wanted: FollowUp,
        *,
        spend_cap: Decimal | None = None,
        idempotency_key: str | None = None,
        checks_model: bool = False,
    ) -> tuple[Task, bool]:
        """A task that begins with the results and reviews of one that has ended, and asks what is wanted.

        The model is that of this process; context and template are those of
        the earlier task, with the fields and instructions that are wanted.
        Documents that the earlier task does not have join it and are asked
        everything; of the others, only what is wanted is asked and paid for.
        """
        before = self.task(wanted.task_id)
        template = self.template_of(before)
        known = self.documents_of(before.id)
        cap = arguments.checked_cap_argument(spend_cap, self.endpoint.model if self.endpoint else None)
        request = follow_up_request(wanted, before, known, cap)
        arguments.check_new_task_arguments(
            {*request.document_ids, *(one.document_id for one in known)}, before.context, idempotency_key
        )
        key = None if idempotency_key is None else f"task/{before.project_id}/{idempotency_key}"
        found = None if key is None else self.engine.database.run(tasks.started(request, key))
        if found is not None:
            return self.task(found), False
        check_ended(self._batch(before).progress().state, before.id)
        if checks_model:
            self.check_model()
        return self._scattered(self._followed(before, template, known, request), key)

    def _followed(
        self, before: Task, template: Template, known: Sequence[Snapshot], request: TaskRequest
    ) -> FrozenRequest:
        """What a follow-up will keep to: all documents of the earlier task in their order, then those that join."""
        assert request.follow_up is not None
        whole = self.template(before.template_id, before.project_id) if request.follow_up.field_ids else template
        have = {one.document_id for one in known}
        meant = request.document_ids
        joining = self.library.snapshots([one for one in meant if one not in have], project_id=before.project_id)
        return FrozenRequest(
            request=request,
            template=follow_up_template(template, whole, request.follow_up),
            documents=(*known, *joining),
            base_url=self.endpoint.base_url if self.endpoint else None,
            model=self.endpoint.model if self.endpoint else None,
            kept_ids=frozenset(have - set(meant)),
        )

    def documents_of(self, task_id: int) -> list[Snapshot]:
        """The documents of a task as they were when it started, in their order."""
        return self.engine.database.run(tasks.all_documents(arguments.known_id_argument(task_id, "task")))

    def differences(
        self, task_id: int, *, after: int = 0, limit: int = PAGE
    ) -> tuple[list[DocumentDifferences], int | None]:
        """What a follow-up says otherwise than the task it follows, by document; reviews are not part of it."""
        task = self.task(task_id)
        if task.follows_id is None:
            raise UsageError(notice("follow_up.is_none", "Task {id} follows no other task.", id=task_id))
        self.check_extractor_shown(task)
        before = self.task(task.follows_id)
        page, following = self._extracted(task, after=after, limit=limit)
        total = self._batch(before).progress().total
        return [
            differences(self._document(before, one.ordinal) if one.ordinal < total else None, one) for one in page
        ], following

    def _frozen(self, request: TaskRequest) -> FrozenRequest:
        """What a task will keep to, as things stand now."""
        return FrozenRequest(
            request=request,
            template=template_with_question_fields(
                self._chosen(request.project_id, request.template_id, request.field_ids),
                self.questions(request.project_id)[0],
            ),
            documents=tuple(self.library.snapshots(request.document_ids, project_id=request.project_id)),
            base_url=self.endpoint.base_url if self.endpoint else None,
            model=self.endpoint.model if self.endpoint else None,
        )

    def _chosen(self, project_id: int, template_id: str, field_ids: Collection[str] | None) -> Template:
        """The template with the chosen fields only."""
        whole = self.template(template_id, project_id)
        core = [field.id for field in whole.fields if field.tier is Tier.CORE]
        chosen = template_with_fields_selected(whole, core if field_ids is None else list(dict.fromkeys(field_ids)))
        if not askable_question_fields(chosen):
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
    ) -> tuple[estimates.Estimate, int, int]:
        """What a task would take, and how many of its documents were not read yet and give no pages.

        Those not read are taken to be like the others; those without pages
        cost nothing. Of many documents a part is looked at.
        """
        chosen = self._chosen(project_id, template_id, field_ids)
        documents = self.library.snapshots(
            list(dict.fromkeys(document_ids))[: arguments.MOST_DOCUMENTS], project_id=project_id
        )
        return self._foreseen(project_id, chosen, documents, context)

    def estimate_follow_up(self, wanted: FollowUp) -> FollowUpEstimate:
        """What a follow-up would take: for the cells that it asks again, and for the documents that join."""
        before = self.task(wanted.task_id)
        template, known = self.template_of(before), self.documents_of(before.id)
        frozen = self._followed(before, template, known, follow_up_request(wanted, before, known))
        meant = [ordinal for ordinal, one in enumerate(known) if one.document_id not in frozen.kept_ids]
        looked_at = meant[:: max(1, -(-len(meant) // estimates.MOST_LOOKED_AT))]
        left = self.engine.database.run(left_to_ask(before, template, frozen, looked_at))
        project_id, context = before.project_id, before.context
        earlier = {known[ordinal].document_id: one.earlier for ordinal, one in left.items()}
        again = self._foreseen(project_id, frozen.template, [known[one] for one in left], context, earlier)
        joining = self._foreseen(project_id, frozen.template, frozen.documents[len(known) :], context)
        return foreseen(again, joining, left, share=len(meant) / max(1, len(looked_at)))

    def _foreseen(
        self,
        project_id: int,
        template: Template,
        documents: Sequence[Snapshot],
        context: str,
        earlier: Mapping[int, Earlier] | None = None,
    ) -> tuple[estimates.Estimate, int, int]:
        """As `estimate`; `earlier` is what is known of the documents, by their ids."""
        looked_at = documents[:: max(1, -(-len(documents) // estimates.MOST_LOOKED_AT))]
        known = self.library.lengths({document.sha256 for document in looked_at})
        read = [document for document in looked_at if document.sha256 in known]
        readable = [document for document in read if known[document.sha256].characters]
        lengths = [known[document.sha256] for document in readable]
        share = len(documents) / max(1, len(looked_at))
        unread = round(share * (len(looked_at) - len(read)))
        unreadable = round(share * (len(read) - len(readable)))
        if self.endpoint is None:
            found = estimates.estimate_by_rules(lengths, workers=self._workers())
        else:
            sizes, model = call_sizes_for(self.endpoint.context_tokens), self.endpoint.model
            call_s = self.engine.database.run(tasks.call_seconds(project_id, model))
            found = estimates.estimate_by_model(
                template,
                lengths,
                context=context,
                sizes=sizes,
                at_once=self.at_once,
                model=model,
                call_s=call_s,
                earlier=None if earlier is None else [earlier[document.document_id] for document in readable],
            )
            if earlier is None:
                # The review's questions are asked of a document once.
                asking, _ = self.questions(project_id)
                found = estimate_with_question_calls(
                    found, lengths, asking, at_once=self.at_once, model=model, call_s=call_s
                )
        return estimates.scaled_estimate(found, len(documents) - unreadable if lengths else 0), unread, unreadable

    def _workers(self) -> int:
        return sum(pipeline.KIND in worker.kinds for worker in self.engine.workers())

    def check_model(self) -> None:
        """Return where the model may be used, or none is configured; else raise `ModelUnusable`. It takes seconds."""

        async def check(endpoint: Endpoint) -> None:
            async with ChatClient(endpoint) as client:
                await client.check()

        if self.endpoint is not None:
            try:
                asyncio.run(check(self.endpoint))
            except ModelError as error:
                raise ModelUnusable(error.sentence) from error

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

    def delete(self, task_id: int) -> None:
        """Remove a task that has ended, with all that was found and judged."""
        task = self.task(task_id)
        self.engine.database.run(tasks.delete(task.id, task.batch_id))

    def set_spend_cap(self, task_id: int, spend_cap: Decimal | None) -> None:
        task = self.task(task_id)
        self.engine.database.run(tasks.set_spend_cap(task.id, arguments.checked_cap_argument(spend_cap, task.model)))
