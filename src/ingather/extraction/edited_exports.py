"""Exports that were edited elsewhere: read back as proposals, accepted by people. The part of `Extraction` for them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ingather.engine.errors import NotReady, UsageError
from ingather.extraction.export import reviewed_part
from ingather.extraction.exports import ExtractionExports
from ingather.extraction.read_back.proposals import ReadBack, documents_of_upload, proposals_of_upload
from ingather.extraction.read_back.uploaded import sheets_of_upload
from ingather.extraction.results import check_no_list_of_arms
from ingather.extraction.reviewing import reviews
from ingather.extraction.reviewing.deciding import Decision, Judged, decided_review
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.task import Task
from ingather.notice import notice

# Decisions of one file that are written at once. Each is a row in one transaction; a file with more is of another task
# or was sorted apart.
MOST_PROPOSALS = 2_000
# Characters of a file's name in a note.
LONGEST_NAME = 200


class ExtractionEditedExports(ExtractionExports):
    """What people change in a spreadsheet comes in as proposed reviews, and never by itself."""

    def read_back(self, task_id: int, name: str, content: bytes, by: Reviewer) -> ReadBack:
        """What an edited export of this task proposes, and what cannot be placed. Nothing is written."""
        task = self._task_of_one_reviewer(task_id)
        template = self.template_of(task)
        sheets = sheets_of_upload(name, content)
        named = documents_of_upload(sheets, template, task.id)
        documents = [one for one in self.all_results(task_id) if one.ordinal in named] if named else []
        extracted = cache(lambda ordinal: (self._document(task, ordinal), self.reviews(task_id, ordinal)))

        def check(ordinal: int, decision: Decision) -> None:
            check_no_list_of_arms(decision)
            decided_review(template, *extracted(ordinal), _with_note(decision, name), by=by.name)

        variants = [variant for one in documents for variant in (one, reviewed_part(one))]
        return proposals_of_upload(sheets, template, task.id, variants, check)

    def accept_proposals(self, task_id: int, name: str, decisions: Sequence[tuple[int, Decision]], by: Reviewer) -> int:
        """Write the decisions that a person accepted of a file: all of them or, where one cannot be, none."""
        if not 1 <= len(decisions) <= MOST_PROPOSALS:
            raise UsageError(
                notice("read_back.how_many", "Accept 1 to {most} changes at once.", most=f"{MOST_PROPOSALS:,}")
            )
        task = self._task_of_one_reviewer(task_id)
        template = self.template_of(task)
        by_document: dict[int, list[Decision]] = {}
        for ordinal, decision in decisions:
            by_document.setdefault(ordinal, []).append(decision)
        judged: list[Judged] = []
        for ordinal, wanted in by_document.items():
            found, known = self._document(task, ordinal), self.reviews(task_id, ordinal)
            for decision in wanted:
                check_no_list_of_arms(decision)
            noted = (_with_note(decision, name) for decision in wanted)
            judged += [
                one for decision in noted if (one := decided_review(template, found, known, decision, by=by.name))
            ]
        return self.engine.database.run(reviews.add_all(task.id, judged, by)) if judged else 0

    def _task_of_one_reviewer(self, task_id: int) -> Task:
        """Two people who review independently vote cell by cell; a file would speak for one of them, or for both."""
        task = self.task(task_id)
        if self.review_settings(task.project_id).is_independent:
            raise NotReady(
                notice(
                    "read_back.independent",
                    "Two people review this project independently of each other, so files are not read back into it.",
                )
            )
        return task


def _with_note(decision: Decision, name: str) -> Decision:
    """Whoever looks at a review later wants to know that it came with a file."""
    return decision if decision.note else replace(decision, note=f"From an edited export: {name[:LONGEST_NAME]}")
