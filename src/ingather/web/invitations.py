"""Invitations: links that make whoever opens them a member of a project, once. As scripts; nothing here knows HTTP."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString

from ingather.engine.errors import UsageError
from ingather.engine.script import Script, Statement
from ingather.extraction.tasks.statements import PROJECTS
from ingather.notice import notice
from ingather.web import accounts
from ingather.web.accounts import Account, Role, digest_of_token

# An invitation waits in somebody's mail over a week's leave. A longer life leaves a usable link in more mailboxes.
INVITATION_LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation without its secret. Only one that is neither used, revoked nor over is open."""

    id: int
    project_id: int
    project: str
    role: Role
    made_by: str
    created_at: datetime
    expires_at: datetime


_INVITATION: Final[LiteralString] = (
    """
select i.id, i.project_id, p.name, i.role, i.made_by, i.created_at, i.expires_at
  from ingather.invitation i join """
    + PROJECTS
    + """ p on p.id = i.project_id
 where i.used_at is null and i.revoked_at is null and i.expires_at > clock_timestamp()
"""
)

OPEN_INVITATIONS: Final[LiteralString] = _INVITATION + " and i.project_id = %(project_id)s order by i.id"

FIND_INVITATION: Final[LiteralString] = _INVITATION + " and i.sha256 = %(sha256)s"

ADD_INVITATION: Final[LiteralString] = """
insert into ingather.invitation (project_id, role, sha256, made_by, expires_at)
values (%(project_id)s, %(role)s, %(sha256)s, %(made_by)s, clock_timestamp() + %(lasts)s)
returning id, expires_at
"""

# Once: of two who open the link at the same moment, the second finds it used.
USE_INVITATION: Final[LiteralString] = """
update ingather.invitation set used_at = clock_timestamp(), used_by = %(account_id)s
 where sha256 = %(sha256)s and used_at is null and revoked_at is null and expires_at > clock_timestamp()
returning project_id, role
"""

REVOKE_INVITATION: Final[LiteralString] = """
update ingather.invitation set revoked_at = clock_timestamp()
 where id = %(id)s and project_id = %(project_id)s and used_at is null and revoked_at is null
returning id
"""

IS_MEMBER: Final[LiteralString] = """
select 1 from ingather.membership where project_id = %(project_id)s and account_id = %(account_id)s
"""

# A name that only differs in case from another's would pass for it beside a decision.
IS_NAME_TAKEN: Final[LiteralString] = """
select 1 from ingather.account where lower(name) = lower(%(name)s)
"""


def create_invitation(project_id: int, role: Role, made_by: str) -> Script[tuple[str, int, datetime]]:
    """The secret, which is given here and never again, the id, and when it ends."""
    secret = secrets.token_urlsafe(24)
    params = {"project_id": project_id, "role": role.value, "sha256": digest_of_token(secret), "made_by": made_by}
    [(invitation_id, expires_at)] = yield Statement(ADD_INVITATION, params | {"lasts": INVITATION_LASTS})
    return secret, invitation_id, expires_at


def open_invitations(project_id: int) -> Script[list[Invitation]]:
    return [_of_row(row) for row in (yield Statement(OPEN_INVITATIONS, {"project_id": project_id}))]


def find_invitation(secret: str) -> Script[Invitation | None]:
    rows = yield Statement(FIND_INVITATION, {"sha256": digest_of_token(secret)})
    return _of_row(rows[0]) if rows else None


def revoke_invitation(project_id: int, invitation_id: int) -> Script[bool]:
    return bool((yield Statement(REVOKE_INVITATION, {"id": invitation_id, "project_id": project_id})))


def accept_invitation(secret: str, account_id: int) -> Script[int | None]:
    """Make an account a member; the project, or None where the link is of no use. Members keep role and link."""
    found = yield from find_invitation(secret)
    if found is None:
        return None
    if (yield Statement(IS_MEMBER, {"project_id": found.project_id, "account_id": account_id})):
        raise UsageError(notice("web.member_already", "You are in this project already."))
    used = yield Statement(USE_INVITATION, {"sha256": digest_of_token(secret), "account_id": account_id})
    if not used:
        return None
    yield from accounts.set_role_of_account(found.project_id, account_id, found.role)
    return found.project_id


def accept_as_new(secret: str, name: str) -> Script[tuple[str, int] | None]:
    """Make an account for somebody who has none: its session and the project, or None where the link is of no use."""
    if (yield from find_invitation(secret)) is None:
        return None
    if (yield Statement(IS_NAME_TAKEN, {"name": " ".join(name.split())})):
        raise UsageError(
            notice("web.name_taken", "Somebody has the name {name} already. Choose another one.", name=name)
        )
    account: Account = yield from accounts.add_account(name)
    project_id = yield from accept_invitation(secret, account.id)
    if project_id is None:
        raise UsageError(notice("web.invitation_used", "Somebody has used this invitation a moment ago."))
    return (yield from accounts.add_session(account.id)), project_id


def _of_row(row: Sequence[Any]) -> Invitation:
    names = ("id", "project_id", "project", "role", "made_by", "created_at", "expires_at")
    return Invitation(**dict(zip(names, row, strict=True)) | {"role": Role(row[3])})
