"""Study information, arms and results under the headings of RevMan, made of sound comparisons alone. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from ingather.extraction.analysis.cells import Cells, Figure, study_of
from ingather.extraction.analysis.comparisons import Comparison, ComparisonKind
from ingather.extraction.analysis.conversions import FORMULA_TEXTS
from ingather.extraction.analysis.effects import Measure
from ingather.extraction.export.form import TemplateLike
from ingather.extraction.findings import DocumentResult

# RevMan's own characteristics of a study, and the sections of the templates that fill them.
CHARACTERISTICS: Final = {
    "Methods": ("design", "allocation", "analysis"),
    "Participants": ("participants",),
    "Interventions": ("arms",),
    "Outcomes": ("outcomes",),
    "Notes": ("report",),
}
INFORMATION: Final = ("Study", *(f"Char: {name}" for name in CHARACTERISTICS))
ARMS: Final = ("Study", "Arm", "Description", "Intervention")
RESULTS: Final = (
    *(
        "Study",
        "Outcome",
        "Data type",
        "Effect measure",
        "Arm",
        "ReportReference arm",
        "Sample size",
        "Cases",
        "Mean",
        "SD",
    ),
    *("SE", "Variance", "CI level", "CI start", "CI end", "Exp mean", "Exp CI start", "Exp CI end", "t-test"),
    *("z-test", "P value", "Covariance method", "Covariance", "Other arm 1", "Other arm 2", "Correlation arm 1"),
    *("Correlation arm 2", "Correlation", "Other mean", "Other SE", "Other variance", "Other CI level"),
    *("Other CI start", "Other CI end", "Other exp mean", "Other exp CI start", "Other exp CI end", "Other t-test"),
    *("Other z-test", "Other P value", "Footnotes"),
)
_OF_GROUP: Final = {"events": "Cases", "n": "Sample size", "mean": "Mean", "sd": "SD"}
# Where a printed effect stands: a ratio as it is printed, a difference as it is.
_OF_RATIO: Final = {"estimate": "Exp mean", "ci_low": "Exp CI start", "ci_high": "Exp CI end"}
_OF_DIFFERENCE: Final = {"estimate": "Mean", "ci_low": "CI start", "ci_high": "CI end"}
_OF_BOTH: Final = {"ci_level": "CI level", "se": "SE", "t": "t-test", "p": "P value"}
RevmanRow = dict[str, str]


def information_row(document: DocumentResult, template: TemplateLike) -> RevmanRow:
    """What is reported of a study as a whole, section by section: `Label: value`."""
    cells = Cells(document)
    row = {"Study": study_of(document, cells)}
    for name, sections in CHARACTERISTICS.items():
        fields = (one for one in template.fields if one.section in sections)
        texts = (
            f"{one.label.en}: {text}" for one in fields if one.scope == "study" and (text := cells.text("", one.id))
        )
        row[f"Char: {name}"] = "\n".join(texts)
    return row


def arm_rows(comparisons: Iterable[Comparison]) -> Iterator[RevmanRow]:
    """Each group once for each study. The intervention is named where the review itself asks for it by name."""
    arms: dict[tuple[str, str], RevmanRow] = {}
    for one in comparisons:
        for name in (one.intervention, one.comparator):
            known = {"Study": one.study, "Arm": name, "Description": "", "Intervention": name if one.question else ""}
            arms.setdefault((one.study, name), known)
    yield from arms.values()


def result_rows(comparisons: Iterable[Comparison]) -> Iterator[RevmanRow]:
    """One row for each group of an outcome; one for a printed effect, with the group it is compared with."""
    found = list(comparisons)
    times: defaultdict[str, set[str]] = defaultdict(set)
    for one in found:
        times[one.outcome].add(one.timepoint)
    written: set[tuple[str, str, str]] = set()
    for one in found:
        outcome = f"{one.outcome}, {one.timepoint}" if len(times[one.outcome]) > 1 else one.outcome
        if one.kind is ComparisonKind.REPORTED:
            yield _effect_row(one, outcome)
            continue
        for side, arm in (("1", one.intervention), ("2", one.comparator)):
            if (one.study, outcome, arm) not in written:
                written.add((one.study, outcome, arm))
                yield _group_row(one, outcome, side, arm)


def _group_row(one: Comparison, outcome: str, side: str, arm: str) -> RevmanRow:
    figures = {name: one.figures[name + side] for name in _OF_GROUP if name + side in one.figures}
    kind = "Dichotomous" if one.kind is ComparisonKind.BINARY else "Continuous"
    numbers = {_OF_GROUP[name]: figure.printed for name, figure in figures.items()}
    footnotes = _footnotes(one, figures)
    return {"Study": one.study, "Outcome": outcome, "Data type": kind, "Arm": arm, "Footnotes": footnotes} | numbers


def _effect_row(one: Comparison, outcome: str) -> RevmanRow:
    (measure,) = one.effects
    columns = (_OF_RATIO if measure.is_ratio else _OF_DIFFERENCE) | _OF_BOTH
    numbers = {columns[name]: figure.printed for name, figure in one.figures.items()}
    return {
        "Study": one.study,
        "Outcome": outcome,
        "Data type": "Continuous" if measure in {Measure.MD, Measure.SMD} else "Dichotomous",
        "Effect measure": measure.value,
        "Arm": one.intervention,
        "ReportReference arm": one.comparator,
        "Footnotes": _footnotes(one, one.figures),
    } | numbers


def _footnotes(one: Comparison, figures: dict[str, Figure]) -> str:
    """When it was measured, what is a change, what was computed, and what nobody has reviewed."""
    notes = [one.timepoint, "change from baseline" if one.is_change else ""]
    notes += [f"{name}: {FORMULA_TEXTS[figure.formula][0]}" for name, figure in figures.items() if figure.formula]
    notes.append("" if one.is_reviewed else "not reviewed")
    return "; ".join(note for note in notes if note)
