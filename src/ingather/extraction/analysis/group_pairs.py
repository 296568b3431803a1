"""The results of single groups, paired to comparisons: who is compared with whom, combined and as change. Pure."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from ingather.extraction.analysis.cells import Figure
from ingather.extraction.analysis.choices import Choices, SharedGroups
from ingather.extraction.analysis.comparisons import (
    NUMBERS_OF_KIND,
    ComparisonKind,
    Found,
    RefusedComparison,
    StudyRows,
    effects_of,
)
from ingather.extraction.analysis.conversions import Unusable
from ingather.extraction.analysis.group_changes import read_change
from ingather.extraction.analysis.groups import (
    EVENTS,
    MEAN,
    MEDIAN,
    PERCENT,
    GroupNumbers,
    MissingFigure,
    combined_numbers,
    read_events,
    read_mean,
)
from ingather.extraction.analysis.printed_tests import with_sd_of_test
from ingather.notice import notice

# Roles of arms, as the templates have them. A group of the first kind is compared with each of the second.
INTERVENTIONS: Final = frozenset({"experimental", "dose_variant"})
CONTROLS: Final = frozenset({"active_comparator", "placebo", "sham", "usual_care", "no_treatment", "waitlist"})
BASELINE, CHANGE, ADJUSTED = "baseline", "change_from_baseline", "adjusted_endpoint"
# Between the names of groups that count as one.
AND: Final = " + "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """The result of one arm for one outcome at one time; of several arms where these are combined.

    `baselines` are the rows of the same arms before treatment, where the
    numbers are to be the change from there.
    """

    rows: tuple[str, ...]
    arms: tuple[str, ...]
    role: str
    baselines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """What the groups that are paired have in common."""

    outcome: str  # the key of its row
    when: str
    kind: str


def comparisons_of_groups(rows: StudyRows, choices: Choices) -> Iterator[Found]:
    """Baseline values are no result of a treatment: they are used for change scores, and compared nowhere."""
    settings: defaultdict[_Setting, list[_Group]] = defaultdict(list)
    for row in rows.rows("arm_result"):
        kind = rows.cells.text(row.key, "r_value_kind")
        if kind == BASELINE:
            continue
        refused = rows.unsound(row, "r_timepoint", needs_arm=True)
        if refused:
            yield refused
            continue
        arm = row.parts["arm"]
        role = rows.cells.text(arm, "arm_role")
        if not role:
            why = notice("analysis.no_role", "Nothing says whether this group is compared, or compared to.")
            yield rows.refused(row.label, arm, "arm_role", why)
            continue
        setting = _Setting(outcome=row.parts["outcome"], when=rows.cells.text(row.key, "r_timepoint"), kind=kind)
        settings[setting].append(_Group(rows=(row.key,), arms=(arm,), role=role))
    for setting, groups in (settings | _changes(rows, settings, choices)).items():
        yield from _paired(rows, setting, groups, choices)


def _changes(rows: StudyRows, settings: dict[_Setting, list[_Group]], choices: Choices) -> dict[_Setting, list[_Group]]:
    """The same groups as change from baseline, where the analyst gives a correlation and the paper prints no change."""
    if choices.correlation is None:
        return {}
    before = {
        (row.parts.get("outcome"), row.parts.get("arm")): row.key
        for row in rows.rows("arm_result")
        if rows.cells.text(row.key, "r_value_kind") == BASELINE
    }
    changes: dict[_Setting, list[_Group]] = {}
    for setting, groups in settings.items():
        change = replace(setting, kind=CHANGE)
        if setting.kind in {CHANGE, ADJUSTED} or change in settings:
            continue
        if all((setting.outcome, group.arms[0]) in before for group in groups):
            changes[change] = [replace(group, baselines=(before[setting.outcome, group.arms[0]],)) for group in groups]
    return changes


def _paired(rows: StudyRows, setting: _Setting, groups: list[_Group], choices: Choices) -> Iterator[Found]:
    interventions = [group for group in groups if group.role in INTERVENTIONS]
    controls = [group for group in groups if group.role in CONTROLS]
    if not interventions or not controls:
        yield _without_partner(rows, setting, groups, has_interventions=bool(interventions))
    if choices.shared is SharedGroups.COMBINE and len(interventions) > 1 and controls:
        interventions = [_as_one(interventions)]
    for one, two in product(interventions, controls):
        yield _comparison(rows, setting, one, two, choices)


def _comparison(rows: StudyRows, setting: _Setting, one: _Group, two: _Group, choices: Choices) -> Found:
    names = [AND.join(map(rows.label, group.arms)) for group in (one, two)]
    kind = _kind_of_groups(rows, one, two)
    figures = _numbers_of_pair(rows, setting, kind, one, two, choices)
    if not isinstance(figures, MissingFigure):
        try:
            return rows.comparison(
                outcome=rows.label(setting.outcome),
                timepoint=setting.when,
                intervention=names[0],
                comparator=names[1],
                kind=kind,
                figures=figures,
                effects=effects_of(kind, figures),
                is_change=setting.kind == CHANGE and kind is ComparisonKind.CONTINUOUS,
                is_adjusted=setting.kind == ADJUSTED,
            )
        except Unusable as why:
            figures = MissingFigure(row=one.rows[0], field="", why=str(why))
    about = f"{rows.label(setting.outcome)}, {setting.when}: {' vs '.join(names)}"
    return rows.refused(about, figures.row, figures.field, figures.why)


def _numbers_of_pair(
    rows: StudyRows, setting: _Setting, kind: ComparisonKind, one: _Group, two: _Group, choices: Choices
) -> dict[str, Figure] | MissingFigure:
    """The numbers of both groups by their column, or the first that is not there."""
    sides = [_numbers_of_group(rows, kind, group, choices) for group in (one, two)]
    if kind is ComparisonKind.CONTINUOUS and len(one.rows) == 1 and not one.baselines:
        arms = rows.label(one.arms[0]), rows.label(two.arms[0])
        sides = with_sd_of_test(rows, setting.outcome, setting.when, arms, sides)
    figures: dict[str, Figure] = {}
    for side, numbers in zip("12", sides, strict=True):
        for name in NUMBERS_OF_KIND[kind]:
            figure = numbers[name]
            if isinstance(figure, MissingFigure):
                return figure
            figures[name + side] = figure
    return figures


def _numbers_of_group(rows: StudyRows, kind: ComparisonKind, group: _Group, choices: Choices) -> GroupNumbers:
    if kind is ComparisonKind.BINARY:
        return combined_numbers([read_events(rows.cells, row) for row in group.rows])
    if group.baselines and choices.correlation is not None:
        pairs = zip(group.rows, group.baselines, strict=True)
        return combined_numbers([read_change(rows.cells, row, base, choices.correlation) for row, base in pairs])
    return combined_numbers([read_mean(rows.cells, row) for row in group.rows])


def _kind_of_groups(rows: StudyRows, one: _Group, two: _Group) -> ComparisonKind:
    keys = [*one.rows, *two.rows]
    has_means = any(rows.cells.figure(row, field) for row in keys for field in (MEAN, MEDIAN))
    has_events = any(rows.cells.figure(row, field) for row in keys for field in (EVENTS, PERCENT))
    return ComparisonKind.CONTINUOUS if has_means and not has_events else ComparisonKind.BINARY


def _as_one(groups: list[_Group]) -> _Group:
    return _Group(
        rows=tuple(row for group in groups for row in group.rows),
        arms=tuple(arm for group in groups for arm in group.arms),
        role=groups[0].role,
        baselines=tuple(row for group in groups for row in group.baselines),
    )


def _without_partner(
    rows: StudyRows, setting: _Setting, groups: list[_Group], *, has_interventions: bool
) -> RefusedComparison:
    about = f"{rows.label(setting.outcome)}, {setting.when}: {', '.join(rows.label(one.arms[0]) for one in groups)}"
    why = (
        notice("analysis.no_control", "There is no group to compare with.")
        if has_interventions
        else notice("analysis.no_intervention", "There is no group that is compared.")
    )
    return rows.refused(about, groups[0].rows[0], "", why)
