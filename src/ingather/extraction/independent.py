"""Reviews by one or by two people: what each of them sees, decides and settles, as the project's mode has it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ingather.engine.errors import NotReady
from ingather.extraction.analysis.agreement import AgreementTable, RatedCell, agreement_table
from ingather.extraction.arguments import known_id_argument
from ingather.extraction.errors import NotFound
from ingather.extraction.findings import Action, DocumentArm, DocumentResult
from ingather.extraction.numbers.taken import taken_from_cell, taken_from_passage
from ingather.extraction.results import PAGE
from ingather.extraction.review_studies import ExtractionStudies
from ingather.extraction.reviewing import assignments, comments, review_mode, reviews, votes
from ingather.extraction.reviewing.assignments import SIDES, Assignment, ReviewerShare
from ingather.extraction.reviewing.blinding import own_view, seen_document, without_extractor
from ingather.extraction.reviewing.casting import Choose, cast, chosen_cell, chosen_verified, settle
from ingather.extraction.reviewing.comments import Comment
from ingather.extraction.reviewing.deciding import Decision, decide_on_verified
from ingather.extraction.reviewing.review_mode import ReviewMode, ReviewSettings
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.reviewing.same_answer import rating_of
from ingather.extraction.reviewing.standing import by_cell, standing
from ingather.extraction.reviewing.votes import VotePair, VotesCast
from ingather.extraction.task import Task
from ingather.extraction.tasks import stored_result, tasks
from ingather.extraction.template import ARMS_FIELD, Template
from ingather.library.port import PageArea
from ingather.notice import notice


class IndependentReviews(ExtractionStudies):
    """Results as one person sees them. What is inherited shows only what everybody may see."""

    def review_settings(self, project_id: int) -> ReviewSettings:
        return self.engine.database.run(review_mode.find_mode(known_id_argument(project_id, "project")))

    def change_review_settings(self, project_id: int, wanted: ReviewSettings) -> None:
        """Change how a project reviews. Refused while votes wait for the other side, since it would disclose them."""
        self.project(project_id)
        self.engine.database.run(review_mode.change_mode(project_id, wanted))

    def check_extractor_shown(self, task: Task) -> None:
        """Refuse what compares answers of extractors where cells start empty."""
        if self.review_settings(task.project_id).hides_extractor:
            raise NotReady(
                notice(
                    "review.extractor_hidden", "Cells start empty in this project: what was extracted is shown later."
                )
            )

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _reviewed(self, task: Task, page: list[DocumentResult]) -> list[DocumentResult]:
        """What everybody may see: no votes; and nothing of the extractor where cells are to start empty."""
        settings = self.review_settings(task.project_id)
        found = super()._reviewed(task, page)
        if not settings.is_independent:
            return found
        pairs = self._pairs(task, page)
        return [self._for_everybody(one, pairs.get(one.ordinal, []), settings) for one in found]

    @staticmethod
    def _for_everybody(found: DocumentResult, pairs: list[VotePair], settings: ReviewSettings) -> DocumentResult:
        found = replace(found, conflicts=tuple(pair.place for pair in pairs if pair.is_open))
        if not settings.hides_extractor:
            return found
        settled = {place for place, history in by_cell(found.reviews).items() if standing(history)}
        return without_extractor(found, settled | {pair.place for pair in pairs})

    def _pairs(self, task: Task, page: Sequence[DocumentResult]) -> dict[int, list[VotePair]]:
        found: dict[int, list[VotePair]] = {}
        for pair in self.engine.database.run(votes.pairs(task.id, ordinals=[one.ordinal for one in page])):
            found.setdefault(pair.ordinal, []).append(pair)
        return found

    def seen_results(
        self, task_id: int, viewer: int, *, after: int = 0, limit: int = PAGE
    ) -> tuple[list[DocumentResult], int | None]:
        """`results` as one account sees them: with its own votes, and never with those of the other side."""
        task = self.task(task_id)
        page, following = self._extracted(task, after=after, limit=limit)
        return self._shown(task, self._seen(task, page, viewer)), following

    def seen_result(self, task_id: int, ordinal: int, viewer: int) -> DocumentResult:
        task = self.task(task_id)
        return self._shown(task, self._seen(task, [self._document(task, ordinal)], viewer))[0]

    def _seen(self, task: Task, page: list[DocumentResult], viewer: int) -> list[DocumentResult]:
        settings = self.review_settings(task.project_id)
        if not settings.is_independent or not page:
            return self._reviewed(task, page)
        ordinals = [found.ordinal for found in page]
        shared = self.engine.database.run(
            reviews.reviews_of_documents(task.id, ordinals, stored_result.reread_from_json)
        )
        mine = self.engine.database.run(votes.of_documents(task.id, ordinals, viewer))
        pairs, template = self._pairs(task, page), self.template_of(task)
        return [
            seen_document(
                template,
                found,
                own_view(
                    shared.get(found.ordinal, []),
                    [vote.review for vote in mine.get(found.ordinal, [])],
                    pairs.get(found.ordinal, []),
                ),
                pairs.get(found.ordinal, []),
                hides_extractor=settings.hides_extractor,
            )
            for found in page
        ]

    # --- what is decided ---------------------------------------------------------------------------------------------

    def decide(
        self, task_id: int, ordinal: int, decision: Decision, by: Reviewer, *, overrules: bool = False
    ) -> DocumentResult:
        """Judge one cell, as the project's mode has it. Returns the document as this person sees it then.

        `overrules`: this person may judge what two others have settled.
        """
        task = self.task(task_id)
        if not self.review_settings(task.project_id).is_independent:
            return self.review(task_id, ordinal, decision, by)
        if decision.field == ARMS_FIELD and decision.action is Action.EDITED:
            raise NotReady(_arms_stay())
        place = decision.row, decision.field
        if standing([one for one in self.reviews(task_id, ordinal) if (one.row, one.field) == place]):
            if not overrules:
                raise NotReady(
                    notice("review.settled", "Two people have settled this value. An adjudicator may change it.")
                )
            return self.review(task_id, ordinal, decision, by)
        found, template = self._document(task, ordinal), self.template_of(task)
        self._cast(task, template, found, by, chosen_cell(template, found, decision, by), claims=True)
        return self._seen_by(task, ordinal, by)

    def _cast(
        self, task: Task, template: Template, found: DocumentResult, by: Reviewer, choose: Choose, *, claims: bool
    ) -> int:
        script = cast(task, template, found, by, choose, stored_result.reread_from_json, claims=claims)
        return self.engine.database.run(script)

    def _seen_by(self, task: Task, ordinal: int, by: Reviewer) -> DocumentResult:
        assert by.account_id is not None
        return self.seen_result(task.id, ordinal, by.account_id)

    def take_cell(
        self,
        task_id: int,
        ordinal: int,
        decision: Decision,
        at: tuple[int, int, int],
        by: Reviewer,
        *,
        overrules: bool = False,
    ) -> DocumentResult:
        """Take what stands at a table, row and column of the document as the right value, with the cell as evidence."""
        field = self.template_of(self.task(task_id)).field(decision.field)
        cell, value = taken_from_cell(field, self.tables(task_id, ordinal), *at)
        return self.decide(task_id, ordinal, replace(decision, value=value, cell=cell), by, overrules=overrules)

    def take_passage(
        self,
        task_id: int,
        ordinal: int,
        decision: Decision,
        area: PageArea,
        by: Reviewer,
        *,
        overrules: bool = False,
    ) -> DocumentResult:
        """Take the words that stand in an area of a page as the right value, with their place as evidence."""
        task = self.task(task_id)
        document = self.engine.database.run(tasks.find_document(task.id, ordinal))
        parser = self.engine.database.run(tasks.find_parser(task, ordinal))
        present = parser is not None and self.library.present({document.sha256}, project_id=task.project_id)
        passage = self.library.passage(document.sha256, area, parser=parser) if present else None
        value = taken_from_passage(self.template_of(task).field(decision.field), passage)
        return self.decide(task_id, ordinal, replace(decision, value=value, passage=passage), by, overrules=overrules)

    def decide_arms(
        self, task_id: int, ordinal: int, arms: Sequence[DocumentArm], by: Reviewer, *, note: str, seen: int
    ) -> DocumentResult:
        """Mend the arms for everybody. Not while two people review the document: the numbers of both hang on them."""
        task = self.task(task_id)
        if self.review_settings(task.project_id).is_independent:
            raise NotReady(_arms_stay())
        return self.mend_arms(task_id, ordinal, arms, by, note=note, seen=seen)

    def decide_verified(
        self,
        task_id: int,
        ordinals: Collection[int],
        by: Reviewer,
        *,
        rows: Mapping[int, Collection[str]] | None = None,
        field_ids: Collection[str] | None = None,
    ) -> tuple[int, int]:
        """`accept_verified` as the project's mode has it: of two people, each for the documents that they have."""
        task = self.task(task_id)
        if not self.review_settings(task.project_id).is_independent:
            return self.accept_verified(task_id, ordinals, by, rows=rows, field_ids=field_ids)
        template, accepted, left = self.template_of(task), 0, 0
        for ordinal in sorted(set(ordinals)):
            found = self._document(task, ordinal)
            wanted = None if rows is None else rows[ordinal]
            choose = chosen_verified(template, found, field_ids, wanted)
            accepted += self._cast(task, template, found, by, choose, claims=False)
            left += decide_on_verified(self._seen_by(task, ordinal, by), field_ids, wanted)[1]
        return accepted, left

    # --- conflicts and agreement -------------------------------------------------------------------------------------

    def conflicts(
        self, task_id: int, *, open_only: bool = True, after: int = 0, limit: int = PAGE
    ) -> tuple[list[VotePair], int | None]:
        """Cells about which two people differ, the earliest first, and the `after` of the next page."""
        task = self.task(task_id)
        script = votes.pairs(task.id, open_only=open_only, conflicts_only=True, after=after, limit=limit)
        page = self.engine.database.run(script)
        return page, page[-1].id if len(page) == limit else None

    def open_conflicts(self, task_id: int) -> int:
        return self.engine.database.run(votes.count_open_conflicts(self.task(task_id).id))

    def settle(
        self, task_id: int, ordinal: int, decision: Decision, by: Reviewer, *, overrules: bool = False
    ) -> DocumentResult:
        """Settle a conflict with a reason. `overrules`: this person may decide otherwise than both."""
        task = self.task(task_id)
        found, template = self._document(task, ordinal), self.template_of(task)
        self.engine.database.run(
            settle(task, template, found, by, decision, stored_result.reread_from_json, overrules=overrules)
        )
        return self._seen_by(task, ordinal, by)

    def agreement(self, task_id: int) -> AgreementTable:
        """How far two people agreed, of all cells that both have judged."""
        task = self.task(task_id)
        by_field: dict[str, list[RatedCell]] = {}
        for pair in self.engine.database.run(votes.pairs(task.id)):
            by_field.setdefault(pair.field, []).append((pair.ordinal, rating_of(pair)))
        return agreement_table(self.template_of(task), by_field)

    # --- who looks at what -------------------------------------------------------------------------------------------

    def assignments(self, task_id: int) -> list[Assignment]:
        return self.engine.database.run(assignments.assignments(self.task(task_id).id))

    def assign(self, task_id: int, ordinals: Sequence[int], side: int, account_id: int, name: str) -> None:
        """Put a person on a side of documents, in the place of whoever was there."""
        self._check_ordinals(task_id, ordinals)
        self.engine.database.run(assignments.assign(task_id, sorted(set(ordinals)), side, account_id, name))

    def unassign(self, task_id: int, ordinals: Sequence[int], side: int) -> None:
        self._check_ordinals(task_id, ordinals)
        self.engine.database.run(assignments.unassign(task_id, sorted(set(ordinals)), side))

    def assign_by_share(self, task_id: int, people: Sequence[ReviewerShare]) -> int:
        """Share out what nobody has, one person or two for each document, as the mode wants; reports of one study to
        the same people. Returns how many sides."""
        task = self.task(task_id)
        sides = 1 if self.review_settings(task.project_id).mode is ReviewMode.SINGLE else len(SIDES)
        known = self.engine.database.run(tasks.all_documents(task.id))
        names = self.study_names.of_files(task.project_id, {one.sha256 for one in known})
        groups = {ordinal: names[one.sha256].id for ordinal, one in enumerate(known) if one.sha256 in names}
        return self.engine.database.run(assignments.assign_by_share(task.id, people, sides, groups))

    def votes_cast(self, task_id: int) -> list[VotesCast]:
        """How many cells each person has judged in each document, without a word of what."""
        return self.engine.database.run(votes.count_votes(self.task(task_id).id))

    # --- comments ----------------------------------------------------------------------------------------------------

    def comment(
        self, task_id: int, ordinal: int, row: str, field: str, text: str, mentioned: Collection[int], by: Reviewer
    ) -> None:
        """Say something about a cell of a document."""
        template = self.template_of(self.task(task_id))
        self._check_ordinals(task_id, [ordinal])
        if field not in {one.id for one in template.fields}:
            raise NotFound(notice("review.task_no_field", "This task has no field {field}.", field=f"{field[:100]!r}"))
        self.engine.database.run(comments.add_comment(task_id, ordinal, row, field, text, mentioned, by))

    def comments(
        self,
        task_id: int,
        viewer: int,
        overrules: Collection[int],
        *,
        ordinal: int | None = None,
        after: int = 0,
        limit: int = PAGE,
    ) -> list[Comment]:
        """What was said about cells, as far as a person may see it: nothing that gives a vote away."""
        script = comments.comments(self.task(task_id).id, viewer, overrules, ordinal=ordinal, after=after, limit=limit)
        return self.engine.database.run(script)

    def mentions(
        self, viewer: int, project_ids: Collection[int], overrules: Collection[int], *, after: int, limit: int
    ) -> list[Comment]:
        script = comments.mentions(viewer, project_ids, overrules, after=after, limit=limit)
        return self.engine.database.run(script)

    def resolve_comment(
        self, task_id: int, comment_id: int, by: Reviewer, overrules: Collection[int], *, is_resolved: bool
    ) -> None:
        script = comments.resolve_comment(self.task(task_id).id, comment_id, by, overrules, is_resolved=is_resolved)
        self.engine.database.run(script)

    def _check_ordinals(self, task_id: int, ordinals: Sequence[int]) -> None:
        total = self._batch(self.task(task_id)).progress().total
        wrong = [one for one in ordinals if not 0 <= one < total]
        if wrong:
            raise NotFound(
                notice(
                    "extraction.no_document_task",
                    "There is no document {ordinal} in task {id}.",
                    ordinal=wrong[0],
                    id=task_id,
                )
            )


def _arms_stay() -> str:
    return notice(
        "review.arms_independent",
        "Two people review this project independently, and the arms are the same for both. "
        "Mend them before, while one person reviews.",
    )
