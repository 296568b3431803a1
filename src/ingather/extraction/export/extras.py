"""What some formats need beside the results: the analyst's choices, what was left out, and references of reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingather.extraction.analysis.choices import Choices
from ingather.extraction.analysis.flow import FlowCounts
from ingather.extraction.analysis.study_numbers import USUAL
from ingather.extraction.export.references import ReportReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """`references` are those of reports, by the hash of their file; `recorded` is the flow that a project has kept."""

    choices: Choices = USUAL
    only_reviewed: bool = False
    references: Mapping[str, ReportReference] = field(default_factory=dict)
    recorded: FlowCounts | None = None
