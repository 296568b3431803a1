"""Findings, and the reviews of them."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from ingather.extraction.cell_marks import Attention, CellMark
from ingather.names import LARGEST_ID
from ingather.web.schemas.forms import FieldId, NoticeView, Wire


class SpanView(Wire):
    page: int
    start: int
    end: int


Value = str | int | float | list[str] | None
ReviewAction = Literal["accepted", "edited", "not_reported", "not_applicable", "unclear", "rejected", "withdrawn"]


def _no_bool_in_result(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are no values of a field")  # noqa: TRY004  pydantic's way of refusing
    return value


GivenValue = Annotated[Value, BeforeValidator(_no_bool_in_result)]


class PassageView(Wire):
    """The words of a page that a person has selected as the evidence of a value."""

    page: int
    start: int
    end: int
    text: str


class StandingReview(Wire):
    """The review that counts in a cell. One that is outdated judged something else, and nothing follows from it.

    `checked_by` is who made it where somebody else had judged the cell before them.
    """

    revision: int
    action: ReviewAction
    value: Value
    note: str
    by: str
    at: datetime
    is_outdated: bool
    has_cell: bool
    checked_by: str | None
    passage: PassageView | None


class ReviewView(Wire):
    """One of all reviews of a document; revisions of a cell count from 1."""

    row: str
    field: str
    revision: int
    action: ReviewAction
    value: Value
    note: str
    by: str
    at: datetime


class Reviews(Wire):
    reviews: list[ReviewView]
    next: int | None


class GivenCell(Wire):
    """A cell of one of the document's tables; all three count from 0."""

    table: Annotated[int, Field(ge=0, le=100_000, strict=True)]
    row: Annotated[int, Field(ge=0, le=100_000, strict=True)]
    column: Annotated[int, Field(ge=0, le=100_000, strict=True)]


Points = Annotated[float, Field(ge=0, le=20_000)]


class GivenArea(Wire):
    """An area of a page, in points from its top left corner; pages count from 0."""

    page: Annotated[int, Field(ge=0, le=100_000, strict=True)]
    left: Points
    top: Points
    right: Points
    bottom: Points


class NewReview(Wire):
    """A judgement of one cell, and what its maker saw there: the revision of the review that stood, 0 for none."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"field": "n_randomised", "action": "accepted", "seen": 0},
                {"field": "arm_n", "row": "arm/1", "action": "edited", "value": 61, "note": "Table 1", "seen": 0},
                {"field": "n_randomised", "action": "withdrawn", "seen": 1},
            ]
        },
    )

    field: FieldId
    row: Annotated[str, StringConstraints(max_length=500)] = ""
    action: ReviewAction
    value: Annotated[GivenValue, Field(description="With `edited` only; read by the type of the field.")] = None
    note: Annotated[str, StringConstraints(max_length=2_000)] = ""
    seen: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 0
    cell: Annotated[
        GivenCell | None,
        Field(description="With `edited` and without a value: what stands in this cell is taken, and is the evidence."),
    ] = None
    area: Annotated[
        GivenArea | None,
        Field(description="As `cell`: the words that stand there are taken, and are the evidence."),
    ] = None
    seen_value: Annotated[
        GivenValue, Field(description="If given, the review counts only where this still stands.")
    ] = None


RowKey = Annotated[str, StringConstraints(max_length=500)]


class AcceptVerified(Wire):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"ordinals": [0, 1, 2]}]})

    ordinals: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_ID, strict=True)]], Field(min_length=1, max_length=500)
    ]
    field_ids: Annotated[list[FieldId], Field(max_length=400)] | None = None
    rows: Annotated[
        list[list[RowKey]] | None,
        Field(max_length=500, description="For each of the documents the rows that are meant; without, all of them."),
    ] = None

    @model_validator(mode="after")
    def _match(self) -> Self:
        if self.rows is not None and len(self.rows) != len(self.ordinals):
            raise ValueError("`rows` has one list for each of the `ordinals`.")
        return self


class Accepted(Wire):
    """How many values were accepted, and how many answers are left that want a look at each."""

    accepted: int
    left: int


class ExtractedView(Wire):
    """What a finding said before a person, or an answer that a person gave, changed it."""

    state: str
    value: Value
    source: str


Edges = tuple[float, float, float, float]


class CellView(Wire):
    """The cell of a table that a value was read from. Tables, rows, columns and pages count from 0.

    Boxes are left, top, right and bottom in points from the top left corner
    of the page: of the cell, of the labels of its row, of its headers.
    """

    table: int
    label: str
    page: int
    row: int
    column: int
    row_path: list[str]
    column_path: list[str]
    box: Edges | None
    row_boxes: list[Edges]
    column_boxes: list[Edges]


ArmRoleName = Literal["intervention", "comparator", "other", "open"]


class ArmView(Wire):
    """An arm under the names that the tables of a document give it. `n` is its size as printed, or nothing."""

    name: Annotated[str, StringConstraints(max_length=200)]
    other_names: Annotated[list[Annotated[str, StringConstraints(max_length=200)]], Field(max_length=20)] = []  # noqa: RUF012
    role: ArmRoleName = "open"
    n: Annotated[str, StringConstraints(max_length=20)] = ""


class MendedArms(Wire):
    """A person's list of arms, and the revision of the review of `question_arms` that they saw, 0 for none."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "arms": [
                        {"name": "Group A", "other_names": ["TG"], "role": "intervention", "n": "45"},
                        {"name": "Group B", "role": "comparator"},
                    ],
                    "seen": 0,
                }
            ]
        },
    )

    arms: Annotated[list[ArmView], Field(min_length=1, max_length=20)]
    note: Annotated[str, StringConstraints(max_length=2_000)] = ""
    seen: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 0


class FindingView(Wire):
    """What stands in a cell. Quote and verdict speak of what was extracted.

    `value_spans` are where the value itself stands within the quote,
    `subject_spans` the words that make it this value. `reason` says why a
    value is `unbound`. `mark` is how the cell stands at a glance, `attention`
    why a person should look. `is_acceptable` says that it may be accepted together
    with others, without a look at each.
    """

    field: str
    row: str
    state: str
    value: Value
    quote: str
    verdict: str
    spans: list[SpanView]
    value_spans: list[SpanView]
    subject_spans: list[SpanView]
    reason: str | None
    source: str
    note: NoticeView | None
    extracted: ExtractedView | None
    review: StandingReview | None
    cell: CellView | None
    mark: CellMark
    attention: Attention | None
    is_acceptable: bool


class RowView(Wire):
    scope: str
    key: str
    label: str
    parts: dict[str, str]


class FlagView(Wire):
    rule: str
    row: str
    fields: list[str]
    message: NoticeView


class ResultView(Wire):
    ordinal: int
    document_id: int
    file_name: str
    sha256: str
    study: str
    study_id: int
    state: str
    problem: NoticeView | None
    rows: list[RowView]
    findings: list[FindingView]
    flags: list[FlagView]
    arms: list[ArmView]
    checks_version: int


class Results(Wire):
    results: list[ResultView]
    next: int | None
