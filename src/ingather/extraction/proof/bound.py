"""What binding a value to its quote gives: where the value stands, where its subject stands, or why it is unbound."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ingather.extraction.findings import Reason
from ingather.extraction.proof.arm_labels import Labels

Stretch = tuple[int, int]  # characters of a passage's text


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A value's own characters and the words that make it this value; `reason` where they do not.

    The places are of the passage's text. A value that is unbound may still
    have a place: where its figure stands beside another subject.
    """

    values: tuple[Stretch, ...] = ()
    subjects: tuple[Stretch, ...] = ()
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a row of a repeated scope stands for. All empty for the study itself.

    `arms` are the keys of its arms: one for a result, two for a comparison.
    `time` is in days from the start. `outcomes` are the labels of all
    outcomes by key.
    """

    arms: tuple[str, ...] = ()
    arm_labels: Labels | None = None
    outcome: str = ""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    time: float | None = None
    is_baseline: bool = False
    is_contrast: bool = False
    spread: str = ""  # `sd` or `se`: what the paper says stands behind its `±`
    columns: tuple[str, ...] = ()  # the groups of the table's columns, where the quote is a row of a table
    is_row: bool = False
    header: str = ""  # the header of that table, folded
    trusts_symbols: bool = True


def unbound(reason: Reason, *values: Stretch) -> Bound:
    return Bound(values=values, reason=reason)
