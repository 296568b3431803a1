"""An answerer that has read the paper, by the embedded extractor's rules: the demonstration model.

So a task against it goes the whole way a real model's would: prompts, JSON,
quotes that are looked for. `python -m tests.provider --answerer tests.provider.reader:answer`.
"""

import json
import re
from functools import lru_cache
from typing import Any

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template import Field, load_builtin_template
from tests.provider.answerer import answer as nothing_reported
from tests.provider.answerer import schema_of

_LISTS = {"arms": "arm", "outcomes": "outcome", "results": "domain"}


def answer(body: dict[str, Any]) -> dict[str, Any] | str:
    schema = schema_of(body)
    document = next(
        (message["content"] for message in body["messages"] if message["content"].startswith("=== paper ")), None
    )
    if schema is None or document is None:
        return nothing_reported(body)
    pages = tuple(re.split(r"⟦p\d+⟧\n", document.partition("\n")[2].rpartition("\n")[0])[1:])
    question = next(message["content"] for message in reversed(body["messages"]) if "JSON Schema" in message["content"])
    rows, found = _read(pages)
    properties = schema["properties"]
    if "answers" in properties:
        return {"answers": _cells(properties["answers"]["items"]["properties"], rows, found, question)}
    if "rows" in properties:
        return {"rows": _rows(properties["rows"]["items"]["properties"], rows, found, question)}
    return {name: [_listed(name, row, found) for row in rows if row.scope == _LISTS[name]] for name in properties}


@lru_cache(maxsize=500)
def _read(pages: tuple[str, ...]) -> tuple[list[Row], dict[tuple[str, str], Answer]]:
    # Asked together, trials and cohorts would be taken for one study that is neither.
    rows, answers = _extracted(pages, "rct", "qc")
    if not any(row.scope == "arm" for row in rows):
        rows, more = _extracted(pages, "cohort", "qc")
        answers = [*more, *(answer for answer in answers if not answer.row)]
    return rows, {(answer.row, answer.field): answer for answer in answers}


def _extracted(pages: tuple[str, ...], *templates: str) -> tuple[list[Row], list[Answer]]:
    fields: dict[str, Field] = {
        field.id: field for name in templates for field in load_builtin_template(name).fields if field.is_askable
    }
    return extract_by_rules(fields.values(), list(pages))


def _listed(name: str, row: Row, found: dict[tuple[str, str], Answer]) -> dict[str, Any]:
    first = next((answer for (key, _), answer in found.items() if key == row.key and answer.quote), None)
    row_answer: dict[str, Any] = {"label": row.label, "quote": first.quote if first else "", "page": _page(first)}
    if name == "arms":
        row_answer["is_reference"] = False
    if name == "outcomes":
        row_answer["timepoints"] = []
    return row_answer


def _cells(
    form: dict[str, Any], rows: list[Row], found: dict[tuple[str, str], Answer], question: str
) -> list[dict[str, Any]]:
    requested = _requested_rows(question, rows) if "row" in form else {"": ""}
    return [
        ({"row": theirs} if theirs else {}) | _cell(found.get((mine, field)), field)
        for theirs, mine in requested.items()
        for field in form["field"]["enum"]
    ]


def _rows(
    form: dict[str, Any], rows: list[Row], found: dict[tuple[str, str], Answer], question: str
) -> list[dict[str, Any]]:
    row_answer = []
    for theirs, mine in _requested_rows(question, rows).items():
        cells = [
            _cell(found.get((mine, field)), field) for field in form["answers"]["items"]["properties"]["field"]["enum"]
        ]
        proof = next((cell for cell in cells if cell["quote"]), {"quote": "", "page": None})
        row_answer.append({"row": theirs, "quote": proof["quote"], "page": proof["page"], "answers": cells})
    return row_answer


def _requested_rows(question: str, rows: list[Row]) -> dict[str, str]:
    """The row keys of the question, and our own rows of the same name."""
    ours = {row.label: row.key for row in rows}
    requested = re.findall(r"(?m)^- `([a-z_]+/\d+)`: (\".*\")$", question)
    return {key: ours.get(json.loads(label), "?") for key, label in requested}


def _cell(answer: Answer | None, field: str) -> dict[str, Any]:
    if answer is None or answer.state is not State.REPORTED:
        return {"field": field, "state": "not_reported", "value": None, "quote": "", "page": None}
    value = "; ".join(answer.value) if isinstance(answer.value, list) else str(answer.value)
    return {"field": field, "state": "reported", "value": value, "quote": answer.quote, "page": _page(answer)}


def _page(answer: Answer | None) -> int | None:
    return None if answer is None or answer.page is None else answer.page + 1
