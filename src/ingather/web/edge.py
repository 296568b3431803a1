"""The edge: what every request must pass before any route sees it, and what every answer carries."""

import logging
import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ingather.notice import notice
from ingather.web.bodies import SAFE, Bodies
from ingather.web.problems import Refused, problem_response
from ingather.web.ranges import without_ranges

log = logging.getLogger("ingather.web")

SESSION_COOKIE = "ingather_session"

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; "
        "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Edge:
    """Host, origin, size and form of requests; headers of answers, also where something went wrong."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str], bodies: Bodies) -> None:
        self._app = app
        self._bodies = bodies
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def answer(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                _add_edge_headers(MutableHeaders(scope=message), scope["path"])
            await send(message)

        headers = Headers(scope=scope)
        if not scope["path"].startswith("/api/"):
            scope = without_ranges(scope)
        try:
            self._check(scope["method"], headers)
            admitted = await self._bodies.admit(scope, headers, receive)
        except Refused as error:
            await problem_response(error.status, str(error), error.headers)(scope, receive, answer)
            return
        try:
            await self._app(scope, admitted, answer)
        except Exception:  # every client gets an answer, and never a traceback
            number = secrets.token_hex(4)
            log.exception("unexpected error %s", number)
            if has_begun:
                raise
            await problem_response(
                500,
                notice(
                    "web.fault_ours_written_down", "This is a fault of ours, written down as {number}.", number=number
                ),
            )(scope, receive, answer)

    def _check(self, method: str, headers: Headers) -> None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or _name_of_host_at_edge(host) not in self._hosts:
            # DNS rebinding: a foreign page whose name resolves to this machine sends its own name.
            raise Refused(421, "This server does not answer under that name. See INGATHER_HOSTS in docs/operations.md.")
        if method in SAFE or "authorization" in headers:
            # A foreign page cannot send one of our tokens, and a request with a token ignores cookies.
            return
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        is_ours = origin in {f"http://{host}", f"https://{host}"} if origin else site == "same-origin"
        has_cookie = any(SESSION_COOKIE in cookie for cookie in headers.getlist("cookie"))
        # A request without a cookie carries no rights that a foreign page could misuse; the route refuses it.
        if not is_ours and (origin is not None or site is not None or has_cookie):
            raise Refused(403, "This request comes from another page. Scripts should use an API token.")


def _name_of_host_at_edge(host: str) -> str:
    """The name in a Host header, without the port. `[::1]:8000` has colons of its own."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def _add_edge_headers(headers: MutableHeaders, path: str) -> None:
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if not path.startswith("/assets/"):
        headers.setdefault("cache-control", "no-store")
