"""What the environment says. Only this module and the command line read it."""

import os
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from ingather.engine.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The environment, checked. See docs/operations.md for what each variable means."""

    database_url: str | None
    home: Path
    lease_s: float
    max_payload: int
    keep: timedelta | None
    files: str
    model_url: str | None
    model: str | None
    model_key: str | None = field(repr=False)
    model_context: int | None
    model_at_once: int
    hosts: tuple[str, ...]

    @classmethod
    def from_environment(cls) -> "Settings":
        keep_days = _number("INGATHER_KEEP")
        lease_s, max_payload = _number("INGATHER_LEASE"), _number("INGATHER_MAX_PAYLOAD")
        context, at_once = _number("INGATHER_MODEL_CONTEXT"), _number("INGATHER_MODEL_AT_ONCE")
        home = Path(os.environ.get("INGATHER_HOME") or _default_home()).expanduser()
        return cls(
            database_url=os.environ.get("DATABASE_URL") or None,
            home=home,
            lease_s=30.0 if lease_s is None else lease_s,
            max_payload=1024 if max_payload is None else int(max_payload),
            keep=None if keep_days is None else timedelta(days=keep_days),
            files=os.environ.get("INGATHER_FILES") or str(home / "files"),
            model_url=os.environ.get("INGATHER_MODEL_URL") or None,
            model=os.environ.get("INGATHER_MODEL") or None,
            model_key=os.environ.get("INGATHER_MODEL_KEY") or None,
            model_context=None if context is None else int(context),
            model_at_once=10 if at_once is None else max(1, int(at_once)),
            hosts=tuple(os.environ.get("INGATHER_HOSTS", "").replace(",", " ").split()),
        )


def _number(name: str) -> float | None:
    text = os.environ.get(name)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e9:
        raise UsageError(f"{name} must be a number, 0 or more, not {text!r}.")
    return number


def _default_home() -> Path:
    """Where a program keeps its data for one user, by the customs of the system."""
    try:
        home = Path.home()
    except RuntimeError:
        raise UsageError("There is no home folder to keep the database in: set INGATHER_HOME to a folder.") from None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "ingather"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "ingather"
