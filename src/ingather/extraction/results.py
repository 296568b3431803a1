"""Results of tasks and the reviews of them: the part of `Extraction` that reads what was extracted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingather.engine.batch import Batch
from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction.arguments import MOST_DOCUMENTS, known_id_argument, page_arguments
from ingather.extraction.errors import NotFound
from ingather.extraction.findings import Action, DocumentArm, DocumentResult, Reread, Review
from ingather.extraction.numbers.as_findings import arm_lines_as_finding
from ingather.extraction.numbers.inventory import checked_inventory
from ingather.extraction.projects import ExtractionProjects
from ingather.extraction.proof.assess import RECOGNISED, assessed_with_doubt
from ingather.extraction.reviewing import reviews
from ingather.extraction.reviewing.deciding import Decision, decide_on_verified, decided_review, decision_outrun
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.reviewing.standing import reviewed
from ingather.extraction.studies.filled import with_study
from ingather.extraction.studies.shown import StudyNames
from ingather.extraction.task import Status, Task
from ingather.extraction.tasks import stored_result, tasks
from ingather.extraction.tasks.numbers import read_numbers
from ingather.extraction.template import ARMS_FIELD, Template
from ingather.library.port import LibraryPort, Rect, Table
from ingather.names import visible
from ingather.notice import notice

# Documents that one call of `accept_verified` may name. Each is read whole, so more would hold more memory.
MOST_AT_ONCE = 500
# Characters of a task's name. The column has no room for more.
LONGEST_NAME = 200
# Documents that are read together. A large one has a megabyte of findings.
PAGE = 50


class ExtractionResults(ExtractionProjects):
    """Findings as they stand after their reviews, page by page and as files."""

    def __init__(self, engine: Engine, library: LibraryPort) -> None:
        super().__init__(engine)
        self.library = library
        self.study_names = StudyNames(engine.database)

    def task(self, task_id: int) -> Task:
        return self.engine.database.run(tasks.find_task(known_id_argument(task_id, "task")))

    def template_of(self, task: Task) -> Template:
        """What the task asks: the template as it was when it started."""
        return self.engine.database.run(tasks.template_version(task.template_sha256))

    def status(self, task_id: int) -> Status:
        return self.engine.database.run(tasks.status(known_id_argument(task_id, "task")))

    async def astatus(self, task_id: int) -> Status:
        """`status`, for a caller with an event loop: asked so often that every round trip counts."""
        return await self.engine.database.aplay(tasks.status(known_id_argument(task_id, "task")))

    def list_tasks(self, project_id: int, *, before: int | None = None, limit: int = PAGE) -> list[Task]:
        """The project's tasks, newest first; `before` takes the last id of the page before."""
        return self.engine.database.run(
            tasks.list_tasks(known_id_argument(project_id, "project"), **page_arguments(before, limit))
        )

    def statuses(
        self,
        project_id: int,
        *,
        state: str | None = None,
        is_archived: bool | None = None,
        search: str = "",
        before: int | None = None,
        limit: int = PAGE,
    ) -> tuple[list[Status], int | None]:
        """`list_tasks` with counts and costs, also only those open or closed, and what `before` takes for the next."""
        return self.engine.database.run(
            tasks.statuses(
                known_id_argument(project_id, "project"),
                state=state,
                is_archived=is_archived,
                search=visible(search),
                **page_arguments(before, limit),
            )
        )

    def name_task(self, task_id: int, name: str | None) -> None:
        """What people call a task; None for no name of its own."""
        task = self.task(task_id)
        name = None if name is None else visible(name)[:LONGEST_NAME] or None
        self.engine.database.run(tasks.name_task(task.id, name))

    def archive_task(self, task_id: int, *, is_archived: bool) -> None:
        """Put a task away, or take it out again. Nothing of it changes."""
        self.engine.database.run(tasks.archive_task(self.task(task_id).id, is_archived=is_archived))

    def results(self, task_id: int, *, after: int = 0, limit: int = PAGE) -> tuple[list[DocumentResult], int | None]:
        """A page of documents with what stands, and what `after` takes for the next one: None at the end."""
        task = self.task(task_id)
        page, following = self._extracted(task, after=after, limit=limit)
        return self._shown(task, self._reviewed(task, page)), following

    def result(self, task_id: int, ordinal: int) -> DocumentResult:
        """One document with what stands."""
        task = self.task(task_id)
        return self._shown(task, self._reviewed(task, [self._document(task, ordinal)]))[0]

    def _extracted(self, task: Task, *, after: int, limit: int) -> tuple[list[DocumentResult], int | None]:
        items = self._batch(task).page(after=after, limit=limit)
        known = self.engine.database.run(tasks.documents(task.id, [item.ordinal for item in items]))
        page = [
            stored_result.document_result(item.ordinal, known[item.ordinal], item.state, item.result, item.error)
            for item in items
        ]
        names = self.study_names.of_files(task.project_id, {found.sha256 for found in page})
        page = [with_study(found, names.get(found.sha256)) for found in page]
        return page, items[-1].id if len(items) == limit else None

    def rectangles(self, task_id: int, ordinal: int, page: int, start: int, end: int) -> list[Rect]:
        """Where characters of a document stand, in the text that its findings were found in.

        From what was read already: whoever shows a result reads no files of strangers.
        """
        task = self.task(task_id)
        document = self.engine.database.run(tasks.find_document(task.id, ordinal))
        parser = self.engine.database.run(tasks.find_parser(task, ordinal))
        return self.library.rectangles(document.sha256, page, start, end, parser=parser)

    def tables(self, task_id: int, ordinal: int) -> list[Table]:
        """The tables of a document that its findings were found in; none of a paper that was deleted."""
        task = self.task(task_id)
        document = self.engine.database.run(tasks.find_document(task.id, ordinal))
        parser = self.engine.database.run(tasks.find_parser(task, ordinal))
        if parser is None or not self.library.present({document.sha256}, project_id=task.project_id):
            return []
        return self.library.tables(document.sha256, parser=parser)

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
        ordinals = [found.ordinal for found in page]
        reviews_of = self.engine.database.run(
            reviews.reviews_of_documents(task.id, ordinals, stored_result.reread_from_json)
        )
        if not reviews_of:
            return page
        template = self.template_of(task)
        return [
            reviewed(template, found, reviews_of[found.ordinal]) if found.ordinal in reviews_of else found
            for found in page
        ]

    def _shown(self, task: Task, page: list[DocumentResult]) -> list[DocumentResult]:
        """Without the words of papers that were deleted meanwhile. Uploaded again, they are shown again."""
        present = self.library.present({found.sha256 for found in page}, project_id=task.project_id)
        return [found if found.sha256 in present else stored_result.without_quotes(found) for found in page]

    # --- reviews ---------------------------------------------------------------------------------------------------

    def review(self, task_id: int, ordinal: int, decision: Decision, by: Reviewer) -> DocumentResult:
        """Judge one cell of a finished document. Returns the document as it stands then: more may follow from it."""
        check_no_list_of_arms(decision)
        return self._decide(task_id, ordinal, decision, by)

    def mend_arms(
        self, task_id: int, ordinal: int, arms: Sequence[DocumentArm], by: Reviewer, *, note: str = "", seen: int = 0
    ) -> DocumentResult:
        """Put a person's list of arms in the place of the one that was read, and hang the numbers on it.

        They are read anew from the same cells; no model is asked. The review
        of the list keeps what was read, so that taking it back brings back
        what stood before.
        """
        task = self.task(task_id)
        questions = self.template_of(task).questions
        stored = self.engine.database.run(tasks.find_result(task, ordinal)) if questions else None
        if questions is None or stored is None:
            raise UsageError(
                notice("arms.no_questions", "The review's questions were not asked of this document: it has no arms.")
            )
        arms = checked_inventory(arms)
        document = self.engine.database.run(tasks.find_document(task.id, ordinal))
        parser = stored["parser"]
        reading = read_numbers(
            questions,
            self.library.pages(document.sha256, parser=parser),
            self.library.tables(document.sha256, parser=parser),
            stored.get("named", {}),
            model=task.model,
            known_arms=arms,
        )
        found = [one for one in reading.findings if one.field != ARMS_FIELD]
        if any(flag["rule"] == RECOGNISED.rule for flag in stored["flags"]):
            found = list(map(assessed_with_doubt, found))
        reread = stored_result.reread_to_json(Reread(arms=arms, findings=tuple(found), parser=parser))
        lines: list[str] = arm_lines_as_finding(arms)
        decision = Decision(row="", field=ARMS_FIELD, action=Action.EDITED, value=lines, note=note, seen=seen)
        return self._decide(task_id, ordinal, decision, by, reread=reread)

    def _decide(
        self,
        task_id: int,
        ordinal: int,
        decision: Decision,
        by: Reviewer,
        *,
        reread: Mapping[str, Any] | None = None,
    ) -> DocumentResult:
        task = self.task(task_id)
        found = self._document(task, ordinal)
        reviews_of = self.reviews(task_id, ordinal)
        template = self.template_of(task)
        judged = decided_review(template, found, reviews_of, decision, by=by.name)
        if judged is not None and judged.action is Action.EDITED:
            judged = replace(judged, reread=reread)
        if judged is not None and not self.engine.database.run(reviews.add_review(task.id, [judged], by)):
            place = judged.row, judged.field
            raise decision_outrun([one for one in self.reviews(task_id, ordinal) if (one.row, one.field) == place])
        return self._shown(task, [reviewed(template, found, self.reviews(task_id, ordinal))])[0]

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
                judged, others = decide_on_verified(found, field_ids, None if rows is None else rows[found.ordinal])
                accepted += self.engine.database.run(reviews.add_review(task.id, judged, by)) if judged else 0
                left += others
        return accepted, left

    def reviews(self, task_id: int, ordinal: int) -> list[Review]:
        """All reviews of a document there ever were, oldest first."""
        self.engine.database.run(tasks.find_document(known_id_argument(task_id, "task"), ordinal))
        script = reviews.reviews_of_documents(task_id, [ordinal], stored_result.reread_from_json)
        return self.engine.database.run(script).get(ordinal, [])

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
        self.engine.database.run(tasks.find_document(known_id_argument(task_id, "task"), ordinal))
        askable_fields = reviews.page_of_reviews(task_id, ordinal, field=field, row=row, after=after, limit=limit)
        return self.engine.database.run(askable_fields)

    def all_results(self, task_id: int) -> Iterator[DocumentResult]:
        """Every document with what stands, read a page at a time."""
        after: int | None = 0
        while after is not None:
            page, after = self.results(task_id, after=after)
            yield from page

    def _batch(self, task: Task) -> Batch:
        return self.engine.batch(task.batch_id)


def check_no_list_of_arms(decision: Decision) -> None:
    """Refuse a list of arms as a value: the numbers of the review's questions would not follow it."""
    if decision.field == ARMS_FIELD and decision.action is Action.EDITED:
        raise UsageError(
            notice(
                "arms.mended_elsewhere",
                "Arms are mended as a list, each with its names and its role, so that the numbers follow.",
            )
        )


def _runs(ordinals: Sequence[int], *, longest: int) -> Iterator[Sequence[int]]:
    """Neighbours together, so many at most: each run is read by one look, and nothing between two runs."""
    start = 0
    for at in range(1, len(ordinals) + 1):
        if at == len(ordinals) or ordinals[at] != ordinals[at - 1] + 1 or at - start == longest:
            yield ordinals[start:at]
            start = at
