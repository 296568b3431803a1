"""Errors on the wire: problem details (RFC 9457), a sentence each, and never a traceback."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg import DataError
from starlette.exceptions import HTTPException

from ingather.engine.errors import (
    BatchClosed,
    DatabaseUnavailable,
    IngatherError,
    KeyReused,
    NotReady,
    SchemaMismatch,
    UnknownBatch,
    UsageError,
)
from ingather.extraction.errors import ModelUnusable, NotFound, Outrun
from ingather.library.errors import FileDamaged, FileMissing, FileTooBig, NameTaken, NotInLibrary, StoreUnavailable
from ingather.notice import Notice, edited, notice, notice_to_json

log = logging.getLogger("ingather.web")

MEDIA_TYPE = "application/problem+json"
# Longer sentences are cut: an error may quote what the client sent, up to a megabyte.
LONGEST_DETAIL = 1_000
TITLES = {
    400: "The request cannot be understood",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible here",
    408: "Too slow",
    409: "In conflict with something else",
    413: "Too big",
    415: "Not a form this can read",
    416: "Not a part of the file",
    421: "Not the right host",
    422: "The request makes no sense",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not available just now",
}
# The first entry that fits decides. An exception that is no IngatherError is a bug: 500.
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotFound, 404),
    (NotInLibrary, 404),
    (UnknownBatch, 404),
    (KeyReused, 409),
    (Outrun, 409),
    (ModelUnusable, 503),
    (NameTaken, 409),
    (BatchClosed, 409),
    (NotReady, 409),
    (FileTooBig, 413),
    (UsageError, 422),
    (DatabaseUnavailable, 503),
    (StoreUnavailable, 503),
    (SchemaMismatch, 503),
)


class Refused(Exception):
    """A route refuses a request: the status and the sentence of the answer."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


def problem_response(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> JSONResponse:
    body = {"type": "about:blank", "title": TITLES.get(status, "Error"), "status": status, "detail": detail} | more
    if isinstance(detail, Notice):
        body["notice"] = notice_to_json(detail)
    return JSONResponse(body, status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def _bounded_problem_detail(text: str) -> str:
    return text[:LONGEST_DETAIL]


def status_of_problem(error: Exception) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def install_problems(app: FastAPI) -> None:
    """Turn every exception of a route into problem details."""
    _install_problems_for_our_errors(app)
    _install_problems_for_requests(app)


def _install_problems_for_our_errors(app: FastAPI) -> None:
    @app.exception_handler(Refused)
    def refused(_: Request, error: Refused) -> JSONResponse:
        return problem_response(error.status, str(error), error.headers)

    @app.exception_handler(IngatherError)
    def known_error(_: Request, error: IngatherError) -> JSONResponse:
        status = status_of_problem(error)
        if status < 500 or isinstance(error, FileMissing | FileDamaged):
            return problem_response(status, edited(str(error), _bounded_problem_detail))
        # The reason may name hosts and paths, so only the log holds it; the number connects the two.
        number = secrets.token_hex(4)
        log.error("%s: %s", number, error)
        if status == 503:
            sentence = notice(
                "web.something_server_needs_not_available",
                "Something this server needs is not available just now, written down as {number}. Try again.",
                number=number,
            )
            return problem_response(status, sentence, {"Retry-After": "5"})
        return problem_response(
            status,
            notice("web.fault_ours_written_down", "This is a fault of ours, written down as {number}.", number=number),
        )


def _install_problems_for_requests(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        found = [
            {"in": ".".join(map(str, one["loc"]))[:200], "detail": str(one["msg"])[:200]} for one in error.errors()[:20]
        ]
        first = f"{found[0]['in']}: {found[0]['detail']}." if found else "The request does not fit."
        return problem_response(422, first, errors=found)

    @app.exception_handler(HTTPException)
    def http(_: Request, error: HTTPException) -> JSONResponse:
        return problem_response(error.status_code, edited(error.detail, _bounded_problem_detail), error.headers)

    @app.exception_handler(DataError)
    def unstorable(_: Request, __: DataError) -> JSONResponse:
        return problem_response(
            422,
            notice(
                "web.something_request_cannot_stored_character",
                "Something in the request cannot be stored: a character or a number out of range.",
            ),
        )
