"""What the environment says. Only this module and the command line read it."""

import os
import sys
from dataclasses import dataclass
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

    @classmethod
    def from_environment(cls) -> "Settings":
        keep_days = _number("INGATHER_KEEP", None)
        return cls(
            database_url=os.environ.get("DATABASE_URL") or None,
            home=Path(os.environ.get("INGATHER_HOME") or _default_home()).expanduser(),
            lease_s=_number("INGATHER_LEASE", 30.0) or 30.0,
            max_payload=int(_number("INGATHER_MAX_PAYLOAD", 1024) or 1024),
            keep=None if keep_days is None else timedelta(days=keep_days),
        )


def _number(name: str, default: float | None) -> float | None:
    text = os.environ.get(name)
    if not text:
        return default
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name} must be a number, not {text!r}.") from None


def _default_home() -> Path:
    """Where a program keeps its data for one user, by the customs of the system."""
    try:
        home = Path.home()
    except RuntimeError:
        raise UsageError("There is no home folder to keep the database in: set INGATHER_HOME to a folder.") from None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "ingather"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "ingather"
