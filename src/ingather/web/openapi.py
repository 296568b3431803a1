"""The description of the API that clients are generated from: every answer with its form, errors included."""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from ingather.web.edge import SESSION_COOKIE
from ingather.web.problems import MEDIA_TYPE, TITLES
from ingather.web.schemas.forms import ProblemPart, ProblemView

PUBLIC = {("get", "/healthz"), ("get", "/readyz"), ("post", "/api/v1/session")}
# The statuses that every route may answer with, and the ones of routes that change something.
ALWAYS = (400, 401, 403, 404, 413, 415, 421, 422, 429, 503)
CHANGING = (408, 409)
# The name of a model, alone as a key or a title, or at the end of a reference.
_NAME = re.compile(r"^((?:#/components/schemas/)?[A-Z][A-Za-z]+)View$")


def describe_openapi(app: FastAPI) -> dict[str, Any]:
    """The description, made at the first call and then kept by the app."""
    if app.openapi_schema is None:
        document = get_openapi(
            title="Ingather",
            version=app.version,
            summary="Extraction of data from papers, with the words that prove each value.",
            routes=app.routes,
        )
        parts = document.setdefault("components", {})
        _complete_openapi_schemas(parts.setdefault("schemas", {}))
        parts["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": SESSION_COOKIE},
        }
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                _complete_openapi_operation(operation, method, is_public=(method, path) in PUBLIC)
        app.openapi_schema = _renamed_in_openapi(document)
    return app.openapi_schema


def _complete_openapi_schemas(schemas: dict[str, Any]) -> None:
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for model in (ProblemView, ProblemPart):
        schemas[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas[model.__name__].pop("$defs", None)


def _renamed_in_openapi(part: Any) -> Any:
    """The same with `TaskView` as `Task`: the ending keeps the class apart from the noun, which clients never see."""
    match part:
        case dict():
            return {_NAME.sub(r"\1", key): _renamed_in_openapi(value) for key, value in part.items()}
        case list():
            return [_renamed_in_openapi(one) for one in part]
        case str():
            return _NAME.sub(r"\1", part)
        case _:
            return part


def _complete_openapi_operation(operation: dict[str, Any], method: str, *, is_public: bool) -> None:
    operation["security"] = [] if is_public else [{"token": []}, {"session": []}]
    for status in (*ALWAYS, *(() if method == "get" else CHANGING)):
        operation["responses"][str(status)] = {
            "description": TITLES[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemView"}}},
        }
