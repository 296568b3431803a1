"""Invitations, presence, and comments."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from ingather.web.schemas.forms import BodyId, FieldId, Name, Wire
from ingather.web.schemas.projects import RoleName
from ingather.web.schemas.results import RowKey
from ingather.web.schemas.two_reviewers import Ordinal

Secret = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class NewInvitation(Wire):
    role: RoleName = "reviewer"


class MadeInvitation(Wire):
    """The secret stands behind the # of the link. It is shown here and never again."""

    invitation_id: int
    secret: str
    expires_at: datetime


class InvitationView(Wire):
    invitation_id: int
    role: RoleName
    made_by: str
    created_at: datetime
    expires_at: datetime


class Invitations(Wire):
    invitations: list[InvitationView]


class ShownInvitation(Wire):
    """What somebody is invited to, before they accept."""

    project: str
    role: RoleName
    made_by: str
    expires_at: datetime


class LookAtInvitation(Wire):
    secret: Secret


class AcceptInvitation(Wire):
    """`name`: for somebody who is not signed in, the name of the account that is made for them."""

    secret: Secret
    name: Name | None = None


class Joined(Wire):
    project_id: int


class MadeLink(Wire):
    """A link for another browser of the same person. The secret stands behind the #."""

    secret: str


class HandOver(Wire):
    account_id: BodyId


class GivenPlace(Wire):
    """Where somebody is: a cell as pages write it in their address, or nowhere in particular."""

    place: Annotated[str, StringConstraints(max_length=800)] = ""


class PresentView(Wire):
    account_id: int
    name: str
    place: str


class PresentPeople(Wire):
    present: list[PresentView]


class NewComment(Wire):
    """`mentions` are accounts of members, who find the comment on their list until somebody has resolved it."""

    row: RowKey = ""
    field: FieldId
    text: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    mentions: Annotated[list[BodyId], Field(max_length=20)] = []  # noqa: RUF012  # pydantic copies a default


class CommentView(Wire):
    comment_id: int
    task_id: int
    ordinal: Ordinal
    file_name: str
    row: str
    field: str
    account_id: int
    author: str
    text: str
    mentions: list[int]
    made_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None


class Comments(Wire):
    comments: list[CommentView]
    next: int | None


class ResolveComment(Wire):
    is_resolved: bool
