"""What is answered to a question about numbers: the numbers of both arms as printed, and the cells that hold them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ingather.extraction.findings import CellPlace
from ingather.library.port import Box


class AnswerState(StrEnum):
    """Whether the numbers were found. Only `reported` carries any."""

    REPORTED = "reported"
    UNCLEAR = "unclear"  # something was found, and it could not be established that it is the answer
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmNumbers:
    """The numbers of one arm as printed, but for the sign, which is `-`, and the decimal mark, which is a dot."""

    events: str | None = None
    n: str | None = None
    mean: str | None = None
    sd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersEvidence:
    """Where a number stands: a cell with its row label and its column header, or a piece of a sentence.

    `page` counts from 0. `table` is the table's label as printed; row and
    column are the paths of labels. For a sentence these three are none.
    """

    page: int
    table: str | None = None
    row: str | None = None
    column: str | None = None
    quote: str
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPlace:
    """Where one number of one arm stands: a cell, or characters `start` to `end` of a page.

    `is_printed`: the number itself stands there. One that was worked out from
    a percentage does not.
    """

    side: str
    name: str
    quote: str
    page: int
    cell: CellPlace | None = None
    start: int = 0
    end: int = 0
    is_printed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersAnswer:
    """One answer. `why` says what is missing where the state is not `reported`, or how a number came about.

    `places` says of each number where it stands. A number that the paper
    gives elsewhere, such as the size of an arm, may have none. `is_by_model`:
    a model named the cells. `is_named`: the labels name the outcome as
    clearly as the rules want it.
    """

    id: str
    state: AnswerState
    why: str = ""
    intervention: ArmNumbers = ArmNumbers()
    comparator: ArmNumbers = ArmNumbers()
    evidence: tuple[NumbersEvidence, ...] = ()
    places: tuple[NumberPlace, ...] = ()
    is_by_model: bool = False
    is_named: bool = True


def answer_as_object(answer: NumbersAnswer) -> Mapping[str, Any]:
    """An answer in the form in which `ingather numbers --json` prints it."""
    return {
        "id": answer.id,
        "state": answer.state.value,
        "why": answer.why,
        "intervention": _arm_of_answer_as_object(answer.intervention),
        "comparator": _arm_of_answer_as_object(answer.comparator),
        "evidence": [
            {
                "page": one.page,
                "table": one.table,
                "row": one.row,
                "column": one.column,
                "quote": one.quote,
                "boxes": [list(box) for box in one.boxes],
            }
            for one in answer.evidence
        ],
    }


def _arm_of_answer_as_object(arm: ArmNumbers) -> dict[str, str | None]:
    return {"events": arm.events, "n": arm.n, "mean": arm.mean, "sd": arm.sd}
