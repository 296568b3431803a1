"""JSON out of what a model wrote: strict about the JSON, patient about what stands around it."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from ingather.extraction.provider.errors import ErrorKind, ModelError
from ingather.extraction.provider.wire import ChatReply
from ingather.notice import notice

# Characters of an answer that are looked through. MAX_TOKENS allow far fewer; this bounds a broken server.
LONGEST_TEXT = 4_000_000
# Nesting of JSON. Our forms have five levels; Python's parser would run out of stack at about a thousand.
DEEPEST = 64
# Places where an object may begin that are tried. A text of nothing but braces would take quadratic time.
_MOST_STARTS = 64
_FENCED = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_CUT_THOUGHT = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_BLANK = re.compile(r"[ \t\r\n]*")
_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


class _Refused(ValueError):
    """JSON by its grammar, but not to be believed."""


def parse_object(text: str) -> dict[str, Any]:
    """The one JSON object in a model's answer, or a `ModelError` of kind `bad_json` that says what is wrong.

    Fences, thoughts and chatter around it are dropped. A key given twice is
    refused, since either value may be the wrong one; so are NaN, infinities
    and numbers too large to be numbers. NUL and lone surrogates, which no
    database keeps, become U+FFFD.
    """
    if len(text) > LONGEST_TEXT:
        _refuse_json(
            notice("provider.longer_characters", "it is longer than {most} characters", most=f"{LONGEST_TEXT:,}")
        )
    text = text.removeprefix("\ufeff").strip()
    whole, problem = None, ""
    try:
        whole = _DECODER.decode(text)
    except _Refused as refusal:
        _refuse_json(str(refusal))
    except (ValueError, RecursionError) as error:
        problem = _what_json_lacks(error)
    if isinstance(whole, dict):
        return _clean_json(_arguments(whole))
    if not problem:
        _refuse_json(notice("provider.json_but_not_object", "it is JSON, but not an object"))
    found = _outermost_objects(text)
    if len(found) != 1:
        _refuse_json(notice("provider.holds_several_objects", "it holds several objects") if found else problem)
    return _clean_json(_arguments(found[0]))


def _arguments(found: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool call that a model wrote out as text; anything else as it is."""
    for name in ("arguments", "parameters"):
        if set(found) == {"name", name} and isinstance(found[name], dict):
            inner: dict[str, Any] = found[name]
            return inner
    return found


def parse_reply(reply: ChatReply) -> dict[str, Any]:
    """`parse_object` of a reply. The error keeps the reply: it was billed."""
    try:
        return parse_object(reply.text)
    except ModelError as error:
        raise ModelError(error.kind, error.sentence, reply=reply) from None


def salvage(text: str) -> dict[str, Any] | None:
    """What is whole in an answer that was cut off, or None where nothing is.

    Kept are the finished members of the outer object and the finished
    elements of a cut array. A cut object inside is dropped with all it has,
    unless everything it has is itself an object or an array: then it is a
    folder of entries, and its finished entries are kept. A number at the very
    end counts as cut: more digits may have been meant.
    """
    text = _CUT_THOUGHT.sub("", _THOUGHT.sub("", text[:LONGEST_TEXT]))
    start = text.find("{")
    if start < 0:
        return None
    try:
        kept, _ = _members(text, start, depth=1)
        return _clean_json(kept) or None
    except (_Refused, RecursionError, ModelError):
        return None


def _outermost_objects(text: str) -> list[dict[str, Any]]:
    """The objects in a text of more than one object, each not inside another. Fenced ones hide all others."""
    text = _THOUGHT.sub("", text)
    fenced = [found for block in _FENCED.findall(text) for found in _json_objects(block)]
    return fenced or list(_json_objects(text))


def _json_objects(text: str) -> Iterator[dict[str, Any]]:
    place = text.find("{")
    # Each start may cost a read to the end, so there is an end to trying.
    for _ in range(_MOST_STARTS):
        if place < 0:
            return
        try:
            found, place = _DECODER.raw_decode(text, place)
            yield found
        except _Refused as refusal:
            _refuse_json(str(refusal))
        except (ValueError, RecursionError):
            place += 1
        place = text.find("{", place)


def _members(text: str, place: int, *, depth: int) -> tuple[dict[str, Any], bool]:
    """The finished members of the object that opens at `place`, and whether the object itself was finished."""
    kept: dict[str, Any] = {}
    place = _skip_blanks(text, place + 1)
    while text[place : place + 1] == '"':
        try:
            key, place = _DECODER.raw_decode(text, place)
        except ValueError:
            return kept, False
        place = _skip_blanks(text, place)
        if text[place : place + 1] != ":":
            return kept, False
        if key in kept:
            raise _Refused(
                notice(
                    "provider.key_stands_twice_object", "the key {key} stands twice in one object", key=f"{key[:40]!r}"
                )
            )
        place = _skip_blanks(text, place + 1)
        value, place, is_whole = _salvaged_value(text, place, depth=depth)
        if is_whole or value:
            kept[key] = value
        if not is_whole:
            return kept, False
        place = _skip_blanks(text, place)
        if text[place : place + 1] != ",":
            break
        place = _skip_blanks(text, place + 1)
    return kept, text[place : place + 1] == "}"


def _salvaged_elements(text: str, place: int, *, depth: int) -> list[Any]:
    kept: list[Any] = []
    place = _skip_blanks(text, place + 1)
    while place < len(text):
        value, place, is_whole = _salvaged_value(text, place, depth=depth)
        if not is_whole:
            break
        kept.append(value)
        place = _skip_blanks(text, place)
        if text[place : place + 1] != ",":
            break
        place = _skip_blanks(text, place + 1)
    return kept


def _salvaged_value(text: str, place: int, *, depth: int) -> tuple[Any, int, bool]:
    """The value at `place`, where it ends, and whether it is whole; of a cut one, what is worth keeping."""
    try:
        value, end = _DECODER.raw_decode(text, place)
    except _Refused:
        raise
    except ValueError:
        pass
    else:
        return (value, end, True) if end < len(text) or isinstance(value, str | dict | list) else (None, end, False)
    if depth < DEEPEST and text.startswith("[", place):
        return _salvaged_elements(text, place, depth=depth + 1), len(text), False
    if depth < DEEPEST and text.startswith("{", place):
        kept, _ = _members(text, place, depth=depth + 1)
        if all(isinstance(member, dict | list) for member in kept.values()):
            return kept, len(text), False
    return None, len(text), False


def _skip_blanks(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return place if blank is None else blank.end()


def _pairs_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(
            notice(
                "provider.key_stands_twice_object", "the key {key} stands twice in one object", key=f"{twice[:40]!r}"
            )
        )
    return made


def _finite_json_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(notice("provider.not_finite_number", "{text} is not a finite number", text=text[:20]))
    return number


def _whole_json_number(text: str) -> int:
    if len(text) > 400:
        raise _Refused(notice("provider.number_400_digits", "a number has more than 400 digits"))
    return int(text)


def _no_constant(name: str) -> NoReturn:
    raise _Refused(notice("provider.not_number_json", "{name} is not a number in JSON", name=name))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs_once,
    parse_float=_finite_json_number,
    parse_int=_whole_json_number,
    parse_constant=_no_constant,
)


def _clean_json(found: dict[str, Any]) -> dict[str, Any]:
    cleaned: dict[str, Any] = _cleaned_json(found, 1)
    return cleaned


def _cleaned_json(value: Any, depth: int) -> Any:
    if depth > DEEPEST + 1:
        _refuse_json(notice("provider.nested_deeper", "it is nested deeper than {most}", most=DEEPEST))
    match value:
        case str():
            return _UNKEEPABLE.sub("\ufffd", value)
        case list():
            return [_cleaned_json(element, depth + 1) for element in value]
        case dict():
            made = {_cleaned_json(key, depth): _cleaned_json(member, depth + 1) for key, member in value.items()}
            if len(made) < len(value):
                _refuse_json(
                    notice(
                        "provider.two_keys_object_same_once",
                        "two keys of one object are the same once characters that cannot be kept are replaced",
                    )
                )
            return made
        case _:
            return value


def _what_json_lacks(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return notice(
            "provider.line_column",
            "{why} at line {line}, column {column}",
            why=error.msg,
            line=error.lineno,
            column=error.colno,
        )
    return (
        notice("provider.nested_deeper", "it is nested deeper than {most}", most=DEEPEST)
        if isinstance(error, RecursionError)
        else notice("provider.cannot_read", "it cannot be read")
    )


def _refuse_json(problem: str) -> NoReturn:
    raise ModelError(
        ErrorKind.BAD_JSON,
        notice(
            "provider.model_answer_not_json_object",
            "The model's answer is not the JSON object that was asked for: {why}.",
            why=problem,
        ),
    ) from None
