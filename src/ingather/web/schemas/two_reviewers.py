"""How a project reviews, who looks at what, conflicts, and how far two people agree."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from ingather.web.schemas.forms import BodyId, FieldId, Wire
from ingather.web.schemas.results import CellView, GivenValue, ReviewAction, Value

ModeName = Literal["single", "checked", "independent"]
SideNumber = Annotated[int, Field(ge=1, le=2, strict=True)]
Ordinal = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]


class ReviewModeView(Wire):
    """`shows_extractor`: whether two independent reviewers see what was extracted; without it, cells start empty."""

    mode: ModeName
    shows_extractor: bool = True


class AssignmentView(Wire):
    """A person on a side of a document: the cells they have judged, and how many of them both sides have judged."""

    ordinal: int
    side: int
    account_id: int
    name: str
    cells: int
    paired: int


class Assignments(Wire):
    assignments: list[AssignmentView]


class NewAssignments(Wire):
    """Puts a person on a side of documents; without a person the side is free again."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"ordinals": [0, 1], "side": 1, "account_id": 2}]}
    )

    ordinals: Annotated[list[Ordinal], Field(min_length=1, max_length=5_000)]
    side: SideNumber
    account_id: BodyId | None = None


class GivenShare(Wire):
    account_id: BodyId
    share: Annotated[int, Field(ge=0, le=1_000, strict=True)]


class Shares(Wire):
    """Who takes which part of the documents that nobody has, such as 60 and 40."""

    people: Annotated[list[GivenShare], Field(min_length=1, max_length=50)]


class VoteView(Wire):
    """What one of two reviewers has decided. `state` and `answer` are what the cell says after it."""

    side: int
    action: ReviewAction
    value: Value
    state: str
    answer: Value
    note: str
    by: str
    account_id: int
    at: datetime
    cell: CellView | None


class ConflictView(Wire):
    """A cell about which two reviewers differ. Nobody has settled it as long as `settled_by` is null."""

    conflict_id: int
    ordinal: int
    file_name: str
    row: str
    field: str
    first: VoteView
    second: VoteView
    settled_by: str | None
    settled_at: datetime | None


class Conflicts(Wire):
    conflicts: list[ConflictView]
    open: int
    next: int | None


class Settlement(Wire):
    """What is right in a cell about which two reviewers differ, and why."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"field": "n_randomised", "action": "edited", "value": 61, "note": "Figure 1 counts everybody."}
            ]
        },
    )

    field: FieldId
    row: Annotated[str, StringConstraints(max_length=500)] = ""
    action: ReviewAction
    value: Annotated[GivenValue, Field(description="With `edited` only; read by the type of the field.")] = None
    note: Annotated[str, StringConstraints(max_length=2_000)] = ""


class IntervalView(Wire):
    """A number with its 95 % interval; without ends where the data give none."""

    value: float
    low: float | None
    high: float | None


class AgreementView(Wire):
    """Of a field or a section by its id. `kappa` is null where both said one and the same of every cell."""

    name: str
    cells: int
    agreed: int
    share: IntervalView | None
    kappa: IntervalView | None


class AgreementTableView(Wire):
    fields: list[AgreementView]
    sections: list[AgreementView]
    whole: AgreementView
