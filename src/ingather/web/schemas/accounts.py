"""Signing in, the account of the caller, and tokens."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ingather.web.schemas.forms import BodyId, Name, Wire


class SignIn(Wire):
    secret: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Me(Wire):
    account_id: int
    name: str
    is_operator: bool
    scope: str
    roles: dict[int, str]


class NewToken(Wire):
    name: Name
    scope: Literal["read", "write", "operate"] = "write"
    days: Annotated[int, Field(ge=1, le=3650, strict=True)] = 90
    project_id: BodyId | None = None


class TokenView(Wire):
    token_id: int
    name: str
    hint: str
    scope: str
    project_id: int | None
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class Tokens(Wire):
    tokens: list[TokenView]
    next: int | None


class MadeToken(Wire):
    token_id: int
    token: str
    expires_at: datetime
