"""What the environment says. Only this module and the command line read it."""

import os
import re
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from ingather.engine.errors import UsageError

# A name or an address as it stands in a Host header, IPv6 in brackets.
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]")
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The environment, checked. See docs/operations.md for what each variable means."""

    database_url: str | None = field(repr=False)  # it may hold a password
    home: Path
    postgres: Path | None
    lease_s: float
    max_payload: int
    keep: timedelta | None
    files: str
    model_url: str | None
    model: str | None
    model_key: str | None = field(repr=False)
    model_context: int | None
    model_at_once: int
    layout_url: str | None
    host: str
    port: int
    hosts: tuple[str, ...]

    @classmethod
    def from_environment(cls) -> "Settings":
        keep_days = _number_setting("INGATHER_KEEP", most=36_500)
        lease_s, max_payload = _number_setting("INGATHER_LEASE"), _whole_setting("INGATHER_MAX_PAYLOAD")
        at_once = _whole_setting("INGATHER_MODEL_AT_ONCE", least=1, most=1_000)
        port = _whole_setting("INGATHER_PORT", most=65_535)
        model_url, model, model_key = _model()
        home = _folder_setting("INGATHER_HOME", os.environ.get("INGATHER_HOME") or str(_default_home()))
        postgres = _text_setting("INGATHER_POSTGRES")
        return cls(
            database_url=_text_setting("DATABASE_URL"),
            home=home,
            postgres=None if postgres is None else _folder_setting("INGATHER_POSTGRES", postgres).absolute(),
            lease_s=30.0 if lease_s is None else lease_s,
            max_payload=1024 if max_payload is None else max_payload,
            keep=None if keep_days is None else timedelta(days=keep_days),
            files=_text_setting("INGATHER_BLOBS") or str(home / "files"),
            model_url=model_url,
            model=model,
            model_key=model_key,
            model_context=_whole_setting("INGATHER_MODEL_CONTEXT", least=1_000),
            model_at_once=10 if at_once is None else at_once,
            layout_url=_layout(),
            host=_text_setting("INGATHER_HOST") or "127.0.0.1",
            port=8400 if port is None else port,
            hosts=_hosts_setting(),
        )


def _model() -> tuple[str | None, str | None, str | None]:
    """Address, name and key of the model."""
    name = _text_setting("INGATHER_LLM_MODEL")
    url = _text_setting("INGATHER_LLM_BASE_URL")
    key = _text_setting("INGATHER_LLM_API_KEY")
    if name is not None and url is None:
        # Other programs set these two for themselves, so they say nothing without a model of ours; and that key goes
        # to that address and to no other.
        key = key or _text_setting("OPENAI_API_KEY")
        url = _text_setting("OPENAI_BASE_URL") or (OPENAI_URL if key else None)
    return url, name, key


def _layout() -> str | None:
    """The address of a layout parser's server."""
    url = _text_setting("INGATHER_LAYOUT_URL")
    if url is not None and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", url):
        raise UsageError(f"INGATHER_LAYOUT_URL is an address such as http://127.0.0.1:8000, not {url!r}.")
    return url


def _hosts_setting() -> tuple[str, ...]:
    hosts = tuple((_text_setting("INGATHER_HOSTS") or "").replace(",", " ").split())
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise UsageError(
                f"INGATHER_HOSTS lists names as review.example.org, without https:// and without a port, not {host!r}."
            )
    return hosts


def _text_setting(name: str) -> str | None:
    text = os.environ.get(name) or None
    try:
        (text or "").encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name} holds bytes that are not UTF-8.") from None
    return text


def _folder_setting(setting: str, name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise UsageError(f"{setting} names the folder of a user who is not there: {name!r}.") from None


def _whole_setting(name: str, *, least: int = 0, most: int = 10**9) -> int | None:
    number = _number_setting(name, least=least, most=most)
    if number is not None and not number.is_integer():
        raise UsageError(f"{name} must be a whole number, not {os.environ[name]!r}.")
    return None if number is None else int(number)


def _number_setting(name: str, *, least: float = 0, most: float = 1e9) -> float | None:
    text = os.environ.get(name)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise UsageError(f"{name} must be a number from {least:,.0f} to {most:,.0f}, not {text!r}.")
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
