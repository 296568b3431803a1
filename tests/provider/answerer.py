"""The default answerer: fills the schema that it is sent, or finds in the prompt, with nothing reported."""

import json
import re
from collections.abc import Mapping
from typing import Any

NATURAL = {"fruit": "pear"}


def answer(body: dict[str, Any]) -> dict[str, Any] | str:
    """A schema-valid answer that says nothing; without a schema, the object the prompt asks for; else a pear."""
    schema = schema_of(body)
    if schema is not None:
        filled = fill(schema, schema)
        return filled if isinstance(filled, dict) else {}
    objects = _objects_in_prompt(body)
    return objects[-1] if objects else dict(NATURAL)


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema in force: of the response format, of a tool, or the last one written out in the messages."""
    response_format = body.get("response_format") or {}
    if response_format.get("type") == "json_schema":
        return dict(response_format["json_schema"]["schema"])
    if body.get("tools"):
        return dict(body["tools"][0]["function"]["parameters"])
    schemas = [found for found in _objects_in_prompt(body) if found.get("type") == "object" and "properties" in found]
    return schemas[-1] if schemas else None


def fill(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The emptiest value that the schema takes: `not_reported` where it may be said, null, or nothing."""
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return fill(target, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        for wanted in ("not_reported", None):
            if wanted in schema["enum"]:
                return wanted
        return schema["enum"][0]
    for name in ("anyOf", "oneOf"):
        if name in schema:
            empty = [option for option in schema[name] if option.get("type") == "null"]
            return fill((empty or schema[name])[0], root)
    if "allOf" in schema:
        return fill(schema["allOf"][0], root)
    kinds = schema.get("type", "object")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "null" in kinds:
        return None
    return _emptiest(kinds[0], schema, root)


def _emptiest(kind: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    match kind:
        case "object":
            return {name: fill(inner, root) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return [fill(schema["items"], root) for _ in range(schema.get("minItems", 0))]
        case "string":
            return "x" * schema.get("minLength", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case _:
            return False


def _objects_in_prompt(body: dict[str, Any]) -> list[dict[str, Any]]:
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    for message in body.get("messages", ()):
        text, end = str(message.get("content", "")), 0
        for start in re.finditer(r'\{\s*"', text):
            if start.start() < end:
                continue
            try:
                made, end = decoder.raw_decode(text, start.start())
            except ValueError:
                continue
            found.append(made)
    return found
