"""Accounts, roles, tokens, sessions and sign-in links, as scripts. Nothing here knows HTTP."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from ingather.engine.errors import UsageError
from ingather.engine.script import Script, Statement
from ingather.extraction.task import Project
from ingather.extraction.tasks.projects import create_project
from ingather.extraction.tasks.statements import LOCK_PROJECT
from ingather.names import is_visible
from ingather.web import statements as sql

TOKEN_PREFIX = "ing_"  # noqa: S105  # tells ours from others, no secret
# A link is printed in a terminal. A longer life leaves a usable secret in more scrollback buffers; a shorter one is
# over before the person has walked to their browser.
LINK_LASTS = timedelta(minutes=15)
# A session survives a holiday weekend. Longer keeps a stolen cookie useful for longer.
SESSION_LASTS = timedelta(days=14)
# The wire allows no more either. A token without an end would never be found in a review of what is still valid.
LONGEST_TOKEN = timedelta(days=3650)
_PAIR = re.compile(r"\((\d+),(owner|adjudicator|reviewer|reader)\)")


class Role(StrEnum):
    """What an account may do in a project. Each role includes the ones below it."""

    OWNER = "owner"
    ADJUDICATOR = "adjudicator"
    REVIEWER = "reviewer"
    READER = "reader"


class TokenScope(StrEnum):
    """What a token may do at most: read, change what its account may change, or operate the engine too."""

    READ = "read"
    WRITE = "write"
    OPERATE = "operate"


_RANK = {Role.READER: 1, Role.REVIEWER: 2, Role.ADJUDICATOR: 3, Role.OWNER: 4}
_REACH = {TokenScope.READ: 1, TokenScope.WRITE: 2, TokenScope.OPERATE: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    id: int
    name: str
    is_operator: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRecord:
    """An account as operators see it."""

    id: int
    name: str
    is_operator: bool
    is_disabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who is asking, as far as their session or token reaches."""

    account_id: int
    name: str
    is_operator: bool
    scope: TokenScope
    roles: dict[int, Role] = field(repr=False)
    only_project: int | None = None
    """Where their token is for one project, that project."""
    expires_at: datetime | None = None
    """When their token ends; None in a session."""

    def may_read(self, project_id: int) -> bool:
        return project_id in self.roles

    def may(self, role: Role, project_id: int) -> bool:
        """Whether they may do in a project what takes this role. Reading takes any."""
        mine = self.roles.get(project_id)
        return mine is not None and _RANK[mine] >= _RANK[role] and (role is Role.READER or self.may_write)

    @property
    def may_write(self) -> bool:
        """Whether they may change anything at all."""
        return _REACH[self.scope] >= _REACH[TokenScope.WRITE]

    @property
    def may_operate(self) -> bool:
        return self.is_operator and self.scope is TokenScope.OPERATE


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """A token, without the token."""

    id: int
    account: str
    name: str
    hint: str
    scope: TokenScope
    project_id: int | None
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


def digest_of_token(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


# --- accounts --------------------------------------------------------------------------------------------------------


def add_account(name: str, *, is_operator: bool = False) -> Script[Account]:
    cleaned = _account_name("An account", name)
    rows = yield Statement(sql.ADD_ACCOUNT, {"name": cleaned, "is_operator": is_operator})
    if not rows:
        raise UsageError(f"There is an account {cleaned!r} already.")
    return Account(id=rows[0][0], name=cleaned, is_operator=is_operator)


def find_account(name: str) -> Script[Account]:
    rows = yield Statement(sql.FIND_ACCOUNT, {"name": name})
    if not rows:
        raise UsageError(f"There is no account {name!r}.")
    account_id, found, is_operator = rows[0]
    return Account(id=account_id, name=found, is_operator=is_operator)


def list_accounts() -> Script[list[AccountRecord]]:
    rows = yield Statement(sql.LIST_ACCOUNTS)
    names = ("id", "name", "is_operator", "is_disabled", "created_at")
    return [AccountRecord(**dict(zip(names, row, strict=True))) for row in rows]


def disable_account(name: str) -> Script[None]:
    """Let an account do nothing any more. Its sessions, links and tokens end for good."""
    account_id = yield from _id_of_account(name)
    yield Statement(sql.SET_DISABLED, {"name": name, "is_disabled": True})
    yield Statement(sql.END_SESSIONS, {"account_id": account_id})
    yield Statement(sql.REVOKE_TOKENS, {"account_id": account_id})


def enable_account(name: str) -> Script[None]:
    yield from _id_of_account(name)
    yield Statement(sql.SET_DISABLED, {"name": name, "is_disabled": False})


def end_sessions(name: str) -> Script[int]:
    """Sign an account out everywhere. Returns how many browsers that were."""
    account_id = yield from _id_of_account(name)
    return len((yield Statement(sql.END_SESSIONS, {"account_id": account_id})))


def delete_account(name: str) -> Script[None]:
    """Remove an account with its sessions, tokens and roles. Its reviews stay, with its name."""
    account_id = yield from _id_of_account(name)
    owned = [project for (project,) in (yield Statement(sql.ONLY_OWNER_OF, {"account_id": account_id}))]
    if owned:
        named = ", ".join(map(repr, owned[:5])) + (" and others" if len(owned) > 5 else "")
        raise UsageError(f"{name!r} is the only owner of {named}. Give each another owner first, or delete it.")
    yield Statement(sql.DELETE_ACCOUNT, {"account_id": account_id})


def _id_of_account(name: str) -> Script[int]:
    """Of an account, also a disabled one."""
    rows = yield Statement(sql.ACCOUNT_NAMED, {"name": name})
    if not rows:
        raise UsageError(f"There is no account {name!r}.")
    return int(rows[0][0])


def laptop_account(name: str) -> Script[Account]:
    """The account of the person who runs this on their own machine: an operator who owns projects without an owner."""
    if not (yield Statement(sql.FIND_ACCOUNT, {"name": name})):
        yield Statement(sql.ADD_ACCOUNT, {"name": name, "is_operator": True})
    account = yield from find_account(name)
    for (project_id,) in (yield Statement(sql.PROJECTS_WITHOUT_OWNER)):
        yield Statement(sql.SET_ROLE, {"project_id": project_id, "account_id": account.id, "role": Role.OWNER.value})
    return account


def set_role_of_account(project_id: int, account_id: int, role: Role) -> Script[None]:
    yield Statement(sql.SET_ROLE, {"project_id": project_id, "account_id": account_id, "role": role.value})


def create_project_of_account(name: str, account_id: int) -> Script[Project | None]:
    """A project and its owner, in one commit. None if the account is already in a project of that name.

    Projects that the account cannot see do not count: a refusal would disclose that they exist.
    """
    yield Statement(sql.LOCK_ACCOUNT, {"account_id": account_id})
    if (yield Statement(sql.IS_IN_PROJECT_NAMED, {"account_id": account_id, "name": name})):
        return None
    project = yield from create_project(name)
    yield from set_role_of_account(project.id, account_id, Role.OWNER)
    return project


def change_member_account(project_id: int, by: int, account_id: int, role: Role | None) -> Script[bool]:
    """Give an account a role, or none. False where `by` is no owner any more, or there was nothing to take.

    Changes of one project take turns: of two owners who remove each other at
    the same moment, one stays.
    """
    yield Statement(LOCK_PROJECT, {"project_id": project_id})
    owners = yield Statement(sql.IS_OWNER, {"project_id": project_id, "account_id": by})
    if not owners:
        return False
    if role is None:
        return bool((yield Statement(sql.REMOVE_ROLE, {"project_id": project_id, "account_id": account_id})))
    yield from set_role_of_account(project_id, account_id, role)
    return True


def member_accounts(
    project_id: int, *, after: str = "", limit: int | None = None
) -> Script[list[tuple[int, str, Role]]]:
    """Who is in, by name; `after` takes the last name of the page before."""
    rows = yield Statement(sql.MEMBERS, {"project_id": project_id, "after": after, "limit": limit})
    return [(account_id, name, Role(role)) for account_id, name, role in rows]


# --- tokens ----------------------------------------------------------------------------------------------------------


def create_token(
    account: Account,
    name: str,
    *,
    scope: TokenScope,
    lasts: timedelta,
    project_id: int | None = None,
    no_later_than: datetime | None = None,
) -> Script[tuple[str, int, datetime]]:
    """A token, its id and its end. The token itself is given here and never again."""
    if not timedelta(minutes=1) <= lasts <= LONGEST_TOKEN:
        raise UsageError("A token lasts between a minute and ten years.")
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    [(token_id, expires_at)] = yield Statement(
        sql.ADD_TOKEN,
        {
            "account_id": account.id,
            "name": _account_name("A token", name),
            "sha256": digest_of_token(token),
            "hint": token[:8],
            "scope": scope.value,
            "project_id": project_id,
            "lasts": lasts,
            "no_later_than": no_later_than,
        },
    )
    return token, token_id, expires_at


def list_tokens(
    account_id: int | None = None, project_id: int | None = None, *, after: int = 0, limit: int | None = None
) -> Script[list[TokenRecord]]:
    """The tokens of one account, or of all; of one project, or of any. `after` takes the last id of the page before."""
    params = {"account_id": account_id, "project_id": project_id, "after": after, "limit": limit}
    rows = yield Statement(sql.LIST_TOKENS, params)
    names = ("id", "account", "name", "hint", "scope", "project_id", "created_at", "expires_at", "last_used_at")
    return [
        TokenRecord(**dict(zip(names, row[:9], strict=True)) | {"scope": TokenScope(row[4])}, revoked_at=row[9])
        for row in rows
    ]


def revoke_token(token_id: int, account_id: int | None = None, project_id: int | None = None) -> Script[bool]:
    """Revoke a token of one account, or of any; of one project, or of any. False where there is no such token."""
    params = {"token_id": token_id, "account_id": account_id, "project_id": project_id}
    return bool((yield Statement(sql.REVOKE_TOKEN, params)))


# --- signing in ------------------------------------------------------------------------------------------------------


def create_account_link(account: Account) -> Script[str]:
    """The secret of a sign-in link. It signs in one browser, once, within `LINK_LASTS`."""
    secret = secrets.token_urlsafe(24)
    yield Statement(sql.ADD_LINK, {"sha256": digest_of_token(secret), "account_id": account.id, "lasts": LINK_LASTS})
    return secret


def sign_in_account(secret: str, *, instead_of: str = "") -> Script[str | None]:
    """A new session for the holder of an unused link; None for others. The session `instead_of` ends."""
    yield Statement(sql.CLEAN_UP)
    rows = yield Statement(sql.USE_LINK, {"sha256": digest_of_token(secret)})
    if not rows:
        return None
    yield from sign_out_account(instead_of)
    return (yield from add_session(rows[0][0]))


def add_session(account_id: int) -> Script[str]:
    session = secrets.token_urlsafe(32)
    yield Statement(
        sql.ADD_SESSION, {"sha256": digest_of_token(session), "account_id": account_id, "lasts": SESSION_LASTS}
    )
    return session


def sign_out_account(session: str) -> Script[None]:
    yield Statement(sql.END_SESSION, {"sha256": digest_of_token(session)})


def caller_of_session(session: str) -> Script[Caller | None]:
    return _caller_of_rows((yield Statement(sql.CALLER_BY_SESSION, {"sha256": digest_of_token(session)})))


def caller_of_token(token: str) -> Script[Caller | None]:
    return _caller_of_rows((yield Statement(sql.CALLER_BY_TOKEN, {"sha256": digest_of_token(token)})))


def _caller_of_rows(rows: Sequence[Sequence[Any]]) -> Caller | None:
    if not rows:
        return None
    account_id, name, is_operator, scope, only, expires_at, pairs = rows[0]
    found = [_PAIR.fullmatch(pair) for pair in pairs]
    roles = {int(pair[1]): Role(pair[2]) for pair in found if pair}
    if only is not None:
        roles = {project_id: role for project_id, role in roles.items() if project_id == only}
    return Caller(
        account_id=account_id,
        name=name,
        is_operator=is_operator and only is None,
        scope=TokenScope(scope),
        roles=roles,
        only_project=only,
        expires_at=expires_at,
    )


def _account_name(what: str, name: str) -> str:
    cleaned = " ".join(name.split())
    if not is_visible(cleaned) or not 1 <= len(cleaned) <= 100:
        raise UsageError(f"{what} has a name of 1 to 100 printable characters.")
    return cleaned
