"""Where a model is and how it is spoken to: address, name, key."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ingather.engine.errors import UsageError
from ingather.extraction.provider import redaction

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class ApiKey:
    """A key and the one address it may be sent to. It is never shown: not by `str`, `repr`, `asdict` or pickle."""

    __slots__ = ("_base_url", "_value")

    def __init__(self, value: str, *, base_url: str) -> None:
        value = value.strip()
        # Not left to the HTTP library: it would quote the whole header in its error.
        if not value or not value.isascii() or not value.isprintable() or " " in value:
            raise UsageError("The key is empty, or holds characters that no key has. Paste it once more.")
        self._value = value
        self._base_url = base_url
        redaction.remember(value)

    def reveal(self, *, base_url: str) -> str:
        """The key itself, for the address it was given for and no other."""
        if base_url != self._base_url:
            raise UsageError("This key was given for another address. Enter the key that belongs to the new one.")
        return self._value

    @property
    def base_url(self) -> str:
        return self._base_url

    @property
    def fingerprint(self) -> str:
        """Tells keys apart without telling them."""
        return hashlib.sha256(self._value.encode()).hexdigest()[:12]

    def __repr__(self) -> str:
        # Four characters of a short key would be too much of it.
        return f"ApiKey(…{self._value[-4:]})" if len(self._value) >= 16 else "ApiKey(…)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ApiKey):
            return NotImplemented
        return self._base_url == other._base_url and hmac.compare_digest(self._value, other._value)

    def __hash__(self) -> int:
        return hash((self._base_url, self.fingerprint))

    def __copy__(self) -> "ApiKey":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "ApiKey":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not pickled: it would lie readable wherever the pickle goes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model at one address. The address is taken as it is: `check_base_url` is for whoever configures it.

    `headers` and `body` are added to every call, such as
    `{"thinking": {"type": "disabled"}}` for DeepSeek. `proxy` is given here
    or not used: the variables of the environment are not read, since a proxy
    sees where the key goes, and over http the key itself.
    """

    base_url: str
    model: str
    api_key: ApiKey | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    body: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    proxy: str | None = field(default=None, repr=False)
    context_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.api_key is not None and self.api_key.base_url != self.base_url:
            raise UsageError("This key was given for another address. Enter the key that belongs to the new one.")
        if not self.model or len(self.model) > 200 or not self.model.isprintable():
            raise UsageError("A model has a name of at most 200 printable characters.")
        for name, value in self.headers.items():
            if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
                raise UsageError(f"The header {name[:40]!r} has a name or a value that HTTP cannot carry.")
            if name.lower() in {"host", "content-length", "transfer-encoding", "connection"}:
                raise UsageError(f"The header {name!r} belongs to the connection and cannot be set.")
            redaction.remember(value)

    @classmethod
    def of(cls, base_url: str, model: str, key: str | None = None, **more: Any) -> "Endpoint":
        """The endpoint with its key bound to its address."""
        api_key = None if key is None else ApiKey(key, base_url=base_url)
        return cls(base_url=base_url, model=model, api_key=api_key, **more)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be seen: the key, and whatever the headers hold."""
        key = () if self.api_key is None else (self.api_key.reveal(base_url=self.base_url),)
        return (*key, *self.headers.values())
