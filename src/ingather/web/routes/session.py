"""Signing in and out, and tokens for scripts."""

import math
from datetime import timedelta

from fastapi import APIRouter, Request, Response

from ingather.notice import notice
from ingather.web import accounts
from ingather.web.access import Here, Who, need_access
from ingather.web.accounts import Account, Role, TokenScope
from ingather.web.edge import SESSION_COOKIE
from ingather.web.limits import Limiting
from ingather.web.problems import Refused
from ingather.web.schemas.accounts import MadeToken, Me, NewToken, SignIn, Tokens, TokenView
from ingather.web.schemas.forms import Cursor, Id, Limit

router = APIRouter(tags=["session"])


@router.post("/session", status_code=204)
def sign_in_route(body: SignIn, request: Request, here: Here, limiters: Limiting) -> Response:
    """Turn the secret of a sign-in link into a session of this browser. A link works once."""
    session = here.engine.database.run(
        accounts.sign_in_account(body.secret, instead_of=request.cookies.get(SESSION_COOKIE, ""))
    )
    if session is None:
        # The secret comes first. Behind a proxy everybody has one address, and somebody who guesses must not lock the
        # others out.
        address = request.client.host if request.client else ""
        if (wait_s := limiters.failed_sign_ins.wait_s(address)) > 0:
            raise Refused(
                429,
                notice("web.too_many_attempts_sign_wait", "Too many attempts to sign in. Wait a minute."),
                {"Retry-After": str(math.ceil(wait_s))},
            )
        limiters.failed_sign_ins.count(address)
        raise Refused(
            401,
            notice(
                "web.link_used_already_too_old",
                "This link was used already, or is too old. Ask for a new one with `ingather link`.",
            ),
        )
    response = Response(status_code=204)
    keep_session(response, request, session)
    return response


def keep_session(response: Response, request: Request, session: str) -> None:
    """Give a browser the cookie of its session."""
    response.set_cookie(
        SESSION_COOKIE,
        session,
        max_age=int(accounts.SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="strict",
        # Behind a proxy that ends TLS, only the Origin header shows that the browser used https.
        secure=request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://"),
        path="/",
    )


@router.delete("/session", status_code=204)
def sign_out_route(request: Request, here: Here, _: Who) -> Response:
    if session := request.cookies.get(SESSION_COOKIE):
        here.engine.database.run(accounts.sign_out_account(session))
    response = Response(status_code=204)
    response.delete_cookie(SESSION_COOKIE, path="/")
    return response


@router.get("/me")
def me_route(who: Who) -> Me:
    return Me(
        account_id=who.account_id,
        name=who.name,
        is_operator=who.is_operator,
        scope=who.scope.value,
        roles={project_id: role.value for project_id, role in who.roles.items()},
    )


@router.get("/tokens")
def list_tokens_route(here: Here, who: Who, after: Cursor = 0, limit: Limit = 500) -> Tokens:
    """Your own tokens, without the tokens. A token for one project sees those for that project."""
    found = here.engine.database.run(accounts.list_tokens(who.account_id, who.only_project, after=after, limit=limit))
    page = [
        TokenView(
            token_id=token.id,
            name=token.name,
            hint=token.hint,
            scope=token.scope.value,
            project_id=token.project_id,
            created_at=token.created_at,
            expires_at=token.expires_at,
            last_used_at=token.last_used_at,
            revoked_at=token.revoked_at,
        )
        for token in found
    ]
    return Tokens(tokens=page, next=page[-1].token_id if len(page) == limit else None)


@router.post("/tokens", status_code=201)
def create_token_route(body: NewToken, here: Here, who: Who) -> MadeToken:
    """A token that may do no more than you may, and that ends no later than the one you made it with, if any.

    It is shown here and never again.
    """
    scope = TokenScope(body.scope)
    if (
        not who.may_write
        or (scope is TokenScope.OPERATE and not who.may_operate)
        or who.only_project not in {None, body.project_id}
    ):
        raise Refused(403, "A token cannot make a token that may do more than itself.")
    if body.project_id is not None:
        need_access(who, Role.READER, body.project_id)
    account = Account(id=who.account_id, name=who.name, is_operator=who.is_operator)
    token, token_id, expires_at = here.engine.database.run(
        accounts.create_token(
            account,
            body.name,
            scope=scope,
            lasts=timedelta(days=body.days),
            project_id=body.project_id,
            no_later_than=who.expires_at,
        )
    )
    return MadeToken(token_id=token_id, token=token, expires_at=expires_at)


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token_route(token_id: Id, here: Here, who: Who) -> Response:
    if not who.may_write:
        raise Refused(403, "A token that may only read cannot revoke tokens.")
    if not here.engine.database.run(accounts.revoke_token(token_id, who.account_id, who.only_project)):
        raise Refused(404, f"There is no token {token_id} of yours that could be revoked.")
    return Response(status_code=204)
