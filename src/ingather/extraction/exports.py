"""What leaves a task: files, and the analysis of its numbers. The part of `Extraction` that writes for others."""

from dataclasses import replace
from typing import BinaryIO

from ingather.extraction.analysis.agreement import agreement_lines
from ingather.extraction.analysis.choices import Choices
from ingather.extraction.analysis.flow import FlowCounts
from ingather.extraction.analysis.review import Analysis, analyse
from ingather.extraction.analysis.study_numbers import USUAL
from ingather.extraction.export import FORMATS, ReportReference, export, reviewed_part
from ingather.extraction.export.methods import MethodsTally, methods_paragraph
from ingather.extraction.findings import TaskSummary
from ingather.extraction.independent import IndependentReviews
from ingather.extraction.studies.study_names import surname_first
from ingather.extraction.task import Status
from ingather.extraction.template import ReviewQuestions
from ingather.extraction.template.review_questions import lines_of_review_questions

# The parts of a reference that a report's clues have.
PARTS = ("title", "year", "journal", "doi", "pmid")
EMBEDDED_NAME = "embedded extractor (rules, no model)"


class ExtractionExports(IndependentReviews):
    """Results as files, and as an analysis."""

    def export(
        self,
        task_id: int,
        format: str,
        out: BinaryIO,
        *,
        language: str = "en",
        only_reviewed: bool = False,
        choices: Choices = USUAL,
    ) -> None:
        """Write all of a task's results, or those that people have looked at; what is not finished yet says so."""
        status = self.status(task_id)
        template = self.template_of(status.task)
        results = self.all_results(task_id)
        needs = FORMATS[format].needs_extras if format in FORMATS else False
        about = summary(status, template.questions)
        if self.review_settings(status.task.project_id).is_independent:
            about = replace(about, settings=about.settings | dict(agreement_lines(self.agreement(task_id))))
        export(
            format,
            out,
            about,
            template,
            results,
            language=language,
            only_reviewed=only_reviewed,
            choices=choices,
            references=self._references(status.task.project_id) if needs else None,
            recorded=self._recorded_flow(status.task.project_id) if format == "analysis" else None,
        )

    def _references(self, project_id: int) -> dict[str, ReportReference]:
        """What the reports of a project's studies say of themselves, by the hash of their file."""
        return {
            report.sha256: ReportReference(
                study=study.name,
                authors=tuple(map(surname_first, report.clues.authors)),
                parts={name: str(value or "") for name in PARTS if (value := getattr(report.clues, name)) is not None},
                registrations=report.clues.registrations,
                is_excluded=report.excluded_at is not None or report.same_as is not None,
            )
            for study in self.studies(project_id)
            for report in study.reports
            if report.sha256
        }

    def analysis(
        self, task_id: int, *, language: str = "en", only_reviewed: bool = False, choices: Choices = USUAL
    ) -> tuple[Analysis, str]:
        """Comparisons, pools and judgements of bias of all documents or of what people saw; and the methods used."""
        status = self.status(task_id)
        template = self.template_of(status.task)
        results = self.all_results(task_id)
        tally = MethodsTally()
        recorded = self._recorded_flow(status.task.project_id)
        found = analyse(tally.passing(map(reviewed_part, results) if only_reviewed else results), choices, recorded)
        about = summary(status, template.questions), template, tally, found
        return found, methods_paragraph(*about, language=language, only_reviewed=only_reviewed)

    def _recorded_flow(self, project_id: int) -> FlowCounts | None:
        """The counts of the review's flow, where it has recorded what was found in its searches."""
        flow, sources = self.review_flow(project_id)
        return flow.counts if sources else None


def summary(status: Status, questions: ReviewQuestions | None = None) -> TaskSummary:
    """What a reader of the table must know of how it came about, with the review's questions where there are some."""
    task, progress, spent = status.task, status.progress, status.spent
    settings = {"context": task.context} if task.context else {}
    settings |= dict(lines_of_review_questions(questions)) if questions else {}
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
