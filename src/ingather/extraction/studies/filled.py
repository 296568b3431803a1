"""A document's result as a report of its study: with the study's name, also where the template asks for it. Pure."""

from dataclasses import replace
from typing import Final

from ingather.extraction.findings import DocumentResult, Finding, State, Verdict
from ingather.extraction.studies.report import StudyName

STUDY_ID: Final = "study_id"


def with_study(found: DocumentResult, study: StudyName | None) -> DocumentResult:
    """The extracted result under the name of its study. The field for it is filled; reviews are laid over that."""
    if study is None:
        return found
    findings = tuple(_named_finding(one, study) if one.field == STUDY_ID else one for one in found.findings)
    return replace(found, findings=findings, study=study.name, study_id=study.id)


def _named_finding(finding: Finding, study: StudyName) -> Finding:
    """The name as a value that follows from other answers: nobody printed it, so it has no quote of its own."""
    return Finding(
        field=STUDY_ID,
        row=finding.row,
        state=State.REPORTED,
        value=study.name,
        quote="",
        verdict=Verdict.NO_QUOTE,
        spans=(),
        source="computed",
    )
