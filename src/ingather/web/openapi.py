"""The description of the API that clients are generated from: every answer with its form, errors included."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ingather.web import schemas as wire
from ingather.web.edge import SESSION_COOKIE
from ingather.web.problems import MEDIA_TYPE, TITLES

PUBLIC = {("get", "/healthz"), ("get", "/readyz"), ("post", "/api/v1/session")}
ALWAYS = (400, 401, 403, 404, 413, 415, 421, 422, 429, 503)
CHANGING = (409,)


def describe(app: FastAPI) -> dict[str, Any]:
    """Made once, then kept by the app."""
    if app.openapi_schema is None:
        told = get_openapi(
            title="Ingather",
            version=app.version,
            summary="Extraction of data from papers, with the words that prove each value.",
            routes=app.routes,
        )
        parts = told.setdefault("components", {})
        schemas = parts.setdefault("schemas", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        schemas["Problem"] = wire.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas["Problem"].pop("$defs", None)
        schemas["ProblemPart"] = wire.ProblemPart.model_json_schema()
        parts["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": SESSION_COOKIE},
        }
        for path, methods in told["paths"].items():
            for method, operation in methods.items():
                _complete(operation, method, is_public=(method, path) in PUBLIC)
        app.openapi_schema = told
    return app.openapi_schema


def _complete(operation: dict[str, Any], method: str, *, is_public: bool) -> None:
    operation["security"] = [] if is_public else [{"token": []}, {"session": []}]
    for status in (*ALWAYS, *(() if method == "get" else CHANGING)):
        operation["responses"][str(status)] = {
            "description": TITLES[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
