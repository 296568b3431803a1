"""A provider's own report of an error, read from the body of its answer. Pure."""

import json
import re
from dataclasses import dataclass
from typing import Final

_HTML: Final = re.compile(r"(?i)^\s*(<!doctype html|<html|<\?xml|<head|<body|<center)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """A provider's report of an error: its code, type, parameter and message, whatever envelope they came in."""

    message: str = ""
    code: str = ""
    is_html: bool = False

    @property
    def code_and_message(self) -> str:
        return f"{self.code} {self.message}"


def error_report(body: str | bytes | None) -> ErrorReport:
    """Read the envelopes that providers use, a web page, or plain text. It never fails."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""
    if _HTML.match(text):
        title = re.search(r"(?is)<title>(.{0,200}?)</title>", text[:5000])
        return ErrorReport(message=title[1] if title else "", is_html=True)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorReport(message=text[:2000])
    if isinstance(found, list) and found:
        found = found[0]
    envelope = found if isinstance(found, dict) else {}
    error = next((envelope[name] for name in ("error", "errors", "detail") if envelope.get(name)), envelope)
    if isinstance(error, str):
        return ErrorReport(message=error[:2000], code=str(envelope.get("code") or "")[:100])
    if not isinstance(error, dict):
        return ErrorReport(message=str(error)[:2000])
    codes = [str(error[name]) for name in ("code", "type", "param", "status") if error.get(name) is not None]
    message = error.get("message") or error.get("msg") or envelope.get("message") or ""
    return ErrorReport(message=str(message)[:2000], code=" ".join(codes)[:200])
