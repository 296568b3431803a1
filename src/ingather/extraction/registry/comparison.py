"""A record of a registry beside what a paper says: field by field, and outcomes that were switched. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from ingather.extraction.findings import DocumentResult, Finding, State
from ingather.extraction.registry.trial import RegisteredOutcome, RegisteredTrial

# Names of outcomes that agree by this much, of 100, speak of one outcome: `pain at 12 weeks`, `change in pain`.
SAME_OUTCOME: Final = 60.0
# Names of arms that agree by this much, of 100, are of one arm.
SAME_ARM: Final = 75.0


class RegistryVerdict(StrEnum):
    """How paper and record stand to each other in one field."""

    SAME = "same"
    DIFFERS = "differs"
    ONLY_REGISTRY = "only_registry"  # the paper says nothing that could be compared
    ONLY_PAPER = "only_paper"


class OutcomeSwitch(StrEnum):
    """What became of an outcome between registry and paper."""

    OMITTED = "omitted"  # registered as primary, not among the paper's outcomes
    DEMOTED = "demoted"  # registered as primary, secondary in the paper
    PROMOTED = "promoted"  # registered as secondary, primary in the paper
    ADDED = "added"  # primary in the paper, not registered


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryLine:
    """One field of a record beside the cell of a paper. `field` and `row` name the cell."""

    field: str
    row: str
    registry: str
    paper: str
    verdict: RegistryVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedOutcome:
    switch: OutcomeSwitch
    registered: str
    time_frame: str
    paper: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryComparison:
    """All that a record and a paper say of the same things, and the outcomes that were switched."""

    registration: str
    lines: tuple[RegistryLine, ...]
    switched: tuple[SwitchedOutcome, ...]
    is_registered_late: bool


# The roles that a paper may mean by each of its cells: its personnel are care providers or investigators.
_MASKED_FIELDS: Final = {
    "blind_participants": {"participant"},
    "blind_personnel": {"care_provider", "investigator"},
    "blind_assessors": {"outcomes_assessor"},
}
# Designs that both a registry and a paper name. A registry has no clusters, so a paper that has is not compared.
_MODELS: Final = {"parallel": "parallel", "crossover": "crossover", "factorial": "factorial"}
_LATE_FROM: Final = re.compile(r"\d{4}-\d{2}")


def compared_with_registry(trial: RegisteredTrial, document: DocumentResult) -> RegistryComparison:
    cells = _Standing(document)
    lines = [*_number_lines(trial, cells), *_masking_lines(trial, cells), *_date_lines(trial, cells)]
    if trial.model in _MODELS:
        lines.append(_line(cells, "design", _MODELS[trial.model], _same_model))
    if trial.arms:
        lines.append(_arm_line(trial, cells))
    start, registered = trial.start[:7], trial.registered[:7]
    is_late = bool(_LATE_FROM.match(start) and _LATE_FROM.match(registered)) and registered > start
    return RegistryComparison(
        registration=trial.id,
        lines=tuple(lines),
        switched=tuple(_switched(trial.outcomes, cells)),
        is_registered_late=is_late,
    )


class _Standing:
    """What stands in the cells of a document."""

    def __init__(self, document: DocumentResult) -> None:
        self.document = document
        self._cells = {(one.row, one.field): one for one in document.findings if one.state is State.REPORTED}

    def cell(self, field: str, row: str = "") -> Finding | None:
        return self._cells.get((row, field))

    def text(self, field: str, row: str = "") -> str:
        found = self.cell(field, row)
        if found is None or found.value is None:
            return ""
        return "; ".join(found.value) if isinstance(found.value, list) else str(found.value)

    def rows(self, scope: str) -> list[str]:
        return [one.key for one in self.document.rows if one.scope == scope]


Same = Callable[[str, str], bool | None]


def _line(cells: _Standing, field: str, registry: str, same: Same) -> RegistryLine:
    """A field beside its cell. `same` says None where the two cannot be compared."""
    paper = cells.text(field)
    verdict = RegistryVerdict.ONLY_REGISTRY
    if paper and (answer := same(registry, paper)) is not None:
        verdict = RegistryVerdict.SAME if answer else RegistryVerdict.DIFFERS
    return RegistryLine(field=field, row="", registry=registry, paper=paper, verdict=verdict)


def _number_lines(trial: RegisteredTrial, cells: _Standing) -> Iterator[RegistryLine]:
    yield _line(cells, "registration_id", trial.id, _is_among)
    if trial.enrolment is not None:
        # A number that was only planned is compared with the plan of the paper.
        field = "n_randomised" if trial.is_enrolment_final else "sample_size_planned"
        yield _line(cells, field, str(trial.enrolment), str.__eq__)


def _is_among(registry: str, paper: str) -> bool | None:
    """Whether a paper names the number; one that names numbers of other registries alone says nothing of this one."""
    bare = re.sub(r"[\s:-]", "", paper).upper()
    kind = re.match(r"[A-Z]+", registry.upper())
    if registry.upper() in bare:
        return True
    return False if kind and kind[0] in bare else None


def _masking_lines(trial: RegisteredTrial, cells: _Standing) -> Iterator[RegistryLine]:
    if trial.masked is None:
        return
    for field, roles in _MASKED_FIELDS.items():
        masked = roles & set(trial.masked)
        if masked == roles or not masked:
            yield _line(cells, field, "yes" if masked else "no", _same_masking)


def _same_masking(registry: str, paper: str) -> bool | None:
    return registry == paper if paper in {"yes", "no"} else None


def _same_model(registry: str, paper: str) -> bool | None:
    return registry == paper if paper in _MODELS.values() else None


def _date_lines(trial: RegisteredTrial, cells: _Standing) -> Iterator[RegistryLine]:
    if trial.start:
        yield _line(cells, "recruit_start", trial.start, _same_date)


def _same_date(registry: str, paper: str) -> bool | None:
    """Whether two dates are one, as far as the coarser one says."""
    length = min(len(registry), len(paper), 7)
    return registry[:length] == paper[:length] if paper[:4].isdigit() else None


def _arm_line(trial: RegisteredTrial, cells: _Standing) -> RegistryLine:
    rows = cells.rows("arm")
    labels = [cells.text("arm_label", row) for row in rows]
    registry = "; ".join(arm.label for arm in trial.arms)
    verdict = RegistryVerdict.ONLY_REGISTRY
    if len(rows) == len(trial.arms) and _are_same_arms([arm.label for arm in trial.arms], labels):
        verdict = RegistryVerdict.SAME
    elif rows and len(rows) != len(trial.arms):
        verdict = RegistryVerdict.DIFFERS
    return RegistryLine(
        field="arm_label", row="", registry=registry, paper="; ".join(filter(None, labels)), verdict=verdict
    )


def _are_same_arms(registered: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether every arm has one of its own on the other side; arms under other names are not compared."""
    left = list(printed)
    for label in registered:
        best = max(left, key=lambda one: fuzz.token_set_ratio(label.casefold(), one.casefold()), default="")
        if fuzz.token_set_ratio(label.casefold(), best.casefold()) < SAME_ARM:
            return False
        left.remove(best)
    return True


def _switched(registered: Sequence[RegisteredOutcome], cells: _Standing) -> Iterator[SwitchedOutcome]:
    """Outcomes whose role changed. Where the paper names no primary outcome, nothing is said."""
    named = [(cells.text("outcome_name", row), cells.text("outcome_role", row)) for row in cells.rows("outcome")]
    paper = [(name, role) for name, role in named if name]
    primary = [name for name, role in paper if role == "primary"]
    if not primary or not registered:
        return
    for one in registered:
        if one.role != "primary" or any(_is_same_outcome(one.measure, name) for name in primary):
            continue
        other = next((name for name, _ in paper if _is_same_outcome(one.measure, name)), "")
        switch = OutcomeSwitch.DEMOTED if other else OutcomeSwitch.OMITTED
        yield SwitchedOutcome(switch=switch, registered=one.measure, time_frame=one.time_frame, paper=other)
    for name in primary:
        same = sorted(
            (one for one in registered if _is_same_outcome(one.measure, name)), key=lambda one: one.role != "primary"
        )
        if same and same[0].role == "primary":
            continue
        switch = OutcomeSwitch.PROMOTED if same else OutcomeSwitch.ADDED
        first = same[0] if same else None
        yield SwitchedOutcome(
            switch=switch,
            registered=first.measure if first else "",
            time_frame=first.time_frame if first else "",
            paper=name,
        )


_FILLERS: Final = re.compile(
    r"\b(?:the|a|an|of|in|at|to|from|and|or|change|changes|mean|number|percentage|proportion|time|rate|score|scores|measured|by|baseline|weeks?"
    r"|months?|days?|years?|patients|participants|with|using|assessed|level|levels|primary|outcome|\d+)\b"
)


def _is_same_outcome(one: str, other: str) -> bool:
    """Whether two names may be of one outcome. A doubt says yes: what is listed as switched must be worth a look."""
    first, second = _bare_outcome(one), _bare_outcome(other)
    return bool(first and second) and fuzz.token_set_ratio(first, second) >= SAME_OUTCOME


def _bare_outcome(text: str) -> str:
    return " ".join(_FILLERS.sub(" ", " ".join(re.findall(r"[^\W_]+", text.casefold()))).split())
