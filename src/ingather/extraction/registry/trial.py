"""The noun of trial registries: what a record says of a trial, in one form for all registries. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

MASKED_ROLES = ("participant", "care_provider", "investigator", "outcomes_assessor")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredArm:
    label: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredOutcome:
    """An outcome as it was registered: `role` is primary, secondary or other."""

    role: str
    measure: str
    time_frame: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredResult:
    """A figure that the registry itself gives for an outcome and a group."""

    outcome: str
    group: str
    measure: str
    value: str
    spread: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredTrial:
    """A record of a registry. Empty, or None, where it says nothing.

    `masked` are the roles of `MASKED_ROLES` that were masked, none of them in
    an open trial; None where the record does not say who. Dates are as
    precise as the record has them.
    """

    registry: str
    id: str
    title: str = ""
    acronym: str = ""
    enrolment: int | None = None
    is_enrolment_final: bool = False
    allocation: str = ""
    model: str = ""
    masking: str = ""
    masked: tuple[str, ...] | None = None
    arms: tuple[RegisteredArm, ...] = ()
    outcomes: tuple[RegisteredOutcome, ...] = ()
    results: tuple[RegisteredResult, ...] = ()
    start: str = ""
    completion: str = ""
    registered: str = ""
    officials: tuple[str, ...] = ()
    sponsor: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "RegisteredTrial":
        found = dict(stored)
        for name, made in (("arms", RegisteredArm), ("outcomes", RegisteredOutcome), ("results", RegisteredResult)):
            found[name] = tuple(made(**one) for one in found.get(name, ()))
        for name in ("masked", "officials"):
            if found.get(name) is not None:
                found[name] = tuple(found[name])
        return cls(**found)
