"""Sentences for people, each with an id and its parameters, so that another language is another catalogue.

A notice is its English sentence: who writes a log, a file or a database needs
nothing else. Who shows it in another language takes the sentence of that
language by the id, and fills in the parameters.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

Param = str | int | float

_PLACE: Final = re.compile(r"\{(\w+)\}")


class Notice(str):
    """An English sentence with the id of its text and what fills its places. A parameter may be a notice as well.

    `str()` gives the notice itself, so that an exception made with one still
    has it: `str(error)` is a notice.
    """

    __slots__ = ("id", "params")

    id: str
    params: Mapping[str, Param]

    def __new__(cls, id: str, params: Mapping[str, Param], message: str) -> Self:
        made = super().__new__(cls, message)
        made.id = id
        made.params = params
        return made

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Notice, (self.id, dict(self.params), "".join(self))


def notice(id: str, english: str, /, **params: Param) -> Notice:
    """The notice of that id. Every `{place}` of the English text is filled with the parameter of that name."""
    return Notice(id, params, _PLACE.sub(lambda place: f"{params[place[1]]}", english))


def joined(first: str, rest: str) -> str:
    """Two notices, one after the other, as one. One of them may be empty."""
    if not first or not rest:
        return first or rest
    return notice("joined", "{first} {rest}", first=first, rest=rest)


def edited(text: str, edit: Callable[[str], str]) -> str:
    """The same notice with its text and its parameters edited, such as without the marks meant for a model."""
    if not isinstance(text, Notice):
        return edit(text)
    params = {name: edited(value, edit) if isinstance(value, str) else value for name, value in text.params.items()}
    return Notice(text.id, params, edit("".join(text)))


def notice_to_json(text: str) -> dict[str, Any] | None:
    """The notice as it is stored and sent. A sentence without an id has an empty one; no sentence is None."""
    if not text:
        return None
    if not isinstance(text, Notice):
        return {"id": "", "params": {}, "message": text}
    return {"id": text.id, "params": _params_of_notice(text), "message": text}


def _params_of_notice(text: Notice) -> dict[str, Any]:
    return {name: notice_to_json(value) if isinstance(value, Notice) else value for name, value in text.params.items()}


def error_fields(message: str, longest: int) -> dict[str, Any]:
    """The message of an item's error as it is stored. One that must be cut is no longer that of its id."""
    fields: dict[str, Any] = {"message": message[:longest]}
    if isinstance(message, Notice) and len(message) <= longest:
        fields["notice"] = notice_fields(message)
    return fields


def notice_fields(text: str) -> dict[str, Any] | None:
    """The id and the parameters, for where the sentence itself is stored beside them; None where it has no id."""
    return {"id": text.id, "params": _params_of_notice(text)} if isinstance(text, Notice) else None


def noticed(text: str, fields: Mapping[str, Any] | None) -> str:
    """The sentence that was stored with `notice_fields` of it, as it was."""
    return text if fields is None else notice_from_json({**fields, "message": text})


def error_notice(error: Mapping[str, Any] | None) -> str:
    """The sentence of a stored error of an item, a notice if it was raised with one. Without an error it is empty."""
    if not error:
        return ""
    message = str(error.get("message", ""))
    return noticed(message, error.get("notice"))


def notice_from_json(stored: Mapping[str, Any] | str | None) -> str:
    """What was stored, as it was. What is stored as text alone has no id."""
    if isinstance(stored, str):
        return stored
    if stored is None:
        return ""
    if not stored["id"]:
        return str(stored["message"])
    params = {
        name: notice_from_json(value) if isinstance(value, Mapping) else value
        for name, value in stored["params"].items()
    }
    return Notice(stored["id"], params, stored["message"])
