"""An edited export, read back: what it proposes, and what cannot be placed."""

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from ingather.web.schemas.forms import FieldId, NoticeView, Wire
from ingather.web.schemas.results import GivenValue, ReviewAction, RowKey


class ProposedReview(Wire):
    """A decision on a cell: what a changed cell of the file proposes, or a person accepts.

    `seen` is the revision of the review that stood there when the file was
    read, 0 for none.
    """

    model_config = ConfigDict(extra="forbid")

    ordinal: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
    row: RowKey = ""
    field: FieldId
    action: ReviewAction
    value: GivenValue = None
    note: Annotated[str, StringConstraints(max_length=2_000)] = ""
    seen: Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)] = 0


class ProposalView(Wire):
    """A proposed review beside what stands. `line` is the row of the sheet, from 1."""

    proposed: ProposedReview
    file_name: str
    row_label: str
    was: GivenValue
    was_state: str | None
    sheet: str
    line: int


class UnplacedView(Wire):
    """A row that nothing is done about, with the reason; a whole sheet where `line` is 0."""

    sheet: str
    line: int
    column: str
    text: str
    why: NoticeView


class ReadBackView(Wire):
    """`unchanged` counts the rows that say what they said when the file was written."""

    file_name: str
    proposals: list[ProposalView]
    unplaced: list[UnplacedView]
    unchanged: int


class AcceptProposals(Wire):
    """The proposals that a person accepted of one file: all of them are written, or none."""

    model_config = ConfigDict(extra="forbid")

    file_name: Annotated[str, StringConstraints(max_length=500)] = ""
    proposals: Annotated[list[ProposedReview], Field(min_length=1, max_length=2_000)]
