"""Studies and their reports: the part of `Extraction` that knows which reports tell of the same study."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ingather.engine.engine import Engine
from ingather.engine.errors import Reject, UsageError
from ingather.engine.item import Item
from ingather.extraction.arguments import known_id_argument
from ingather.extraction.references import Reference, ReferenceFile, read_references
from ingather.extraction.registry.comparison import RegistryComparison, compared_with_registry
from ingather.extraction.registry.reading import read_registry
from ingather.extraction.results import ExtractionResults
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.studies import sources, studies
from ingather.extraction.studies.flow import ReferenceSource, ReviewFlow, SourceKind, review_flow
from ingather.extraction.studies.identifying import identify
from ingather.extraction.studies.report import ReportType, ScreeningStage, Study, StudyEvent
from ingather.extraction.studies.suggestions import Suggestion, suggestions
from ingather.library.port import LibraryPort
from ingather.names import LARGEST_ID, visible
from ingather.notice import notice

KIND = "identify_report"
QUEUE = "studies"
# A scan that nobody has read yet is read first, which takes half an hour on two cores.
TIMEOUT_S = 3600
# Characters of a study's name. The column has no room for more.
LONGEST_NAME = 200
# Characters of the reason for which a report is excluded. The column has no room for more.
LONGEST_REASON = 500
# Lines of the history on one page.
PAGE = 100


class ExtractionStudies(ExtractionResults):
    """The studies of a project: suggested by what their reports say, put together and taken apart by people."""

    def __init__(self, engine: Engine, library: LibraryPort) -> None:
        super().__init__(engine, library)

        @engine.handler(KIND, queue=QUEUE, timeout=TIMEOUT_S)
        async def identify_report(item: Item) -> dict[str, Any]:
            """Look in a file for what tells which study it is of. A file without text has no clues."""
            project_id, sha256, file_name = item.payload
            try:
                is_new = await asyncio.to_thread(identify, engine.database, library, project_id, sha256, file_name)
            except UsageError as error:
                # The file or the project is gone; another attempt would find the same.
                raise Reject(str(error)) from error
            return {"is_new": is_new}

    def add_reports(self, project_id: int, files: Mapping[str, str]) -> int:
        """Make a report of each file, by its content and its name, and have its clues looked for. Returns how many
        were new."""
        if not files:
            return 0
        payloads = [[project_id, sha256, name] for sha256, name in files.items()]
        job = self.engine.registry.offspring(KIND, payloads)
        return len(self.engine.database.run(studies.add_files_and_look(project_id, files, job), rings=True))

    def studies(self, project_id: int) -> list[Study]:
        """All studies of a project. Files that only tasks know of so far become reports as well."""
        known_id_argument(project_id, "project")
        self.add_reports(project_id, self.engine.database.run(studies.files_of_tasks(project_id)))
        return self.engine.database.run(studies.all_studies(project_id))

    def suggestions(self, project_id: int) -> list[Suggestion]:
        """Reports that seem to be of one study, or one report twice, and are not known to be. Nothing is changed."""
        reports = self.engine.database.run(studies.all_reports(known_id_argument(project_id, "project")))
        return suggestions(reports, self.engine.database.run(studies.apart(project_id)))

    def project_of_study(self, study_id: int) -> int:
        return self.engine.database.run(studies.project_of_study(known_id_argument(study_id, "study")))

    def merge_studies(self, project_id: int, study_ids: Sequence[int], by: Reviewer) -> int:
        """Put the reports of several studies under the first of them, and return it."""
        return self.engine.database.run(studies.merge(project_id, study_ids, by))

    def split_study(self, project_id: int, study_id: int, report_ids: Collection[int], by: Reviewer) -> int:
        """Take reports out of a study into one of their own, and return it."""
        return self.engine.database.run(studies.split(project_id, study_id, report_ids, by))

    def keep_apart(self, project_id: int, report_ids: Sequence[int], by: Reviewer) -> None:
        """Say that these reports do not belong together, so that they are not suggested again."""
        self.engine.database.run(studies.keep_apart(project_id, report_ids, by))

    def same_report(self, project_id: int, report_ids: Sequence[int], by: Reviewer) -> int:
        """Say that these are one report; the one that stands for all is returned."""
        return self.engine.database.run(studies.same_reports(project_id, [report_ids], by))[0]

    def same_surely(self, project_id: int, by: Reviewer) -> int:
        """Say so of all reports that share a DOI or a PubMed number, at once. Returns how many groups there were."""
        groups = [one.report_ids for one in self.suggestions(project_id) if one.is_sure]
        return len(self.engine.database.run(studies.same_reports(project_id, groups, by))) if groups else 0

    def import_references(
        self, project_id: int, data: bytes, *, name: str, kind: SourceKind, file_name: str, by: Reviewer
    ) -> tuple[int, ReferenceFile]:
        """Take a file of references in, or of registry records: each is a report with a study of its own.

        Returns the source's number, and what was in the file.
        """
        name = visible(name)[:LONGEST_NAME] or file_name[:LONGEST_NAME] or kind.value
        if trials := read_registry(data):
            script = sources.add_trials(project_id, trials, name=name, kind=kind, file_name=file_name, by=by)
            taken = tuple(Reference(title=one.title, registrations=(one.id,)) for one in trials)
            found = ReferenceFile(format="registry", references=taken, unreadable=())
        else:
            found = read_references(data)
            script = sources.add_source(project_id, found, name=name, kind=kind, file_name=file_name, by=by)
        return self.engine.database.run(script), found

    def registry(self, task_id: int, ordinal: int) -> list[RegistryComparison]:
        """What registries say beside a document's cells: one comparison for each record of its study."""
        task, found = self.task(task_id), self.result(task_id, ordinal)
        if not found.study_id:
            return []
        trials = self.engine.database.run(sources.registry_records(task.project_id, found.study_id))
        return [compared_with_registry(trial, found) for trial in trials]

    def review_flow(self, project_id: int) -> tuple[ReviewFlow, list[ReferenceSource]]:
        """The counts of the review's flow, and the files of references that they begin with."""
        known_id_argument(project_id, "project")
        found = self.engine.database.run(sources.all_sources(project_id))
        return review_flow(self.engine.database.run(studies.all_reports(project_id)), found), found

    def other_report(self, project_id: int, report_id: int, by: Reviewer) -> None:
        """Take back that a report is another one once more."""
        self.engine.database.run(studies.other_report(project_id, report_id, by))

    def name_study(self, project_id: int, study_id: int, name: str | None, by: Reviewer) -> None:
        """Give a study a name; None gives it back the one that its reports give it."""
        name = None if name is None else visible(name)[:LONGEST_NAME] or None
        self.engine.database.run(studies.name_study(project_id, study_id, name, by))

    def set_report_type(self, project_id: int, report_id: int, type: ReportType, by: Reviewer) -> None:
        """Say what kind of a report it is."""
        self.engine.database.run(studies.set_type(project_id, report_id, type, by))

    def exclude_reports(
        self, project_id: int, report_ids: Sequence[int], stage: ScreeningStage | None, reason: str, by: Reviewer
    ) -> None:
        """Exclude reports at a stage of the review, with the reason; without a stage, take them in again."""
        reason = visible(reason)
        if len(reason) > LONGEST_REASON:
            raise UsageError(
                notice("studies.reason_too_long", "A reason is at most {most} characters long.", most=LONGEST_REASON)
            )
        self.engine.database.run(studies.exclude(project_id, report_ids, stage, reason, by))

    def study_history(
        self, project_id: int, *, study_id: int | None = None, before: int | None = None, limit: int = PAGE
    ) -> tuple[list[StudyEvent], int | None]:
        """What people did to the studies of a project, or to one, newest first."""
        before = LARGEST_ID if before is None else before
        return self.engine.database.run(studies.history(project_id, study_id=study_id, before=before, limit=limit))
