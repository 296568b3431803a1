"""What can go wrong with a model, sorted by what is to be done about it.

ModelError.kind      billed   what the engine is told
├── retry_after      no       hold the whole queue until then; no attempt is used
├── quota            no       pause the task: somebody has to pay
├── auth             no       pause the task: somebody has to mend the key
├── content_filter   maybe    give this document up
├── too_long         no       give it up, unless the caller can ask for less
├── bad_request      no       give it up: the same request would be refused again
├── overloaded       no       try again with backoff
├── timeout          maybe    try again with backoff
├── network          maybe    try again with backoff
├── truncated        yes      try again, or ask for less; whole entries can be salvaged
├── blank            yes      try again
├── bad_json         yes      ask for a repair once, then try again
├── schema           yes      ask for a repair once, then try again
└── bug              no       ours; try again, and tell us
"""

import unicodedata
from enum import StrEnum
from functools import partial

from ingather.extraction.provider.redaction import redact
from ingather.extraction.provider.wire import ChatReply, Usage

# Characters of a sentence that is stored with every call and shown on a page.
LONGEST_SENTENCE = 600


class ErrorKind(StrEnum):
    RETRY_AFTER = "retry_after"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    NETWORK = "network"
    AUTH = "auth"
    QUOTA = "quota"
    TOO_LONG = "too_long"
    CONTENT_FILTER = "content_filter"
    TRUNCATED = "truncated"
    BLANK = "blank"
    BAD_JSON = "bad_json"
    SCHEMA = "schema"
    BAD_REQUEST = "bad_request"
    BUG = "bug"


class ModelError(Exception):
    """No usable answer was had. `sentence` says what happened and what to do, and holds no secret.

    `reply` is what came back where something did: it was billed, and whole
    entries of it may be worth keeping.
    """

    def __init__(
        self, kind: ErrorKind, sentence: str, *, retry_after_s: float | None = None, reply: ChatReply | None = None
    ) -> None:
        self.kind = kind
        self.sentence = bounded(redact(sentence), LONGEST_SENTENCE)
        self.retry_after_s = retry_after_s
        self.reply = reply
        # How long a call took that brought no reply: it was waited for all the same.
        self.took_s = 0.0 if reply is None else reply.took_s
        super().__init__(self.sentence)

    @property
    def usage(self) -> Usage | None:
        """The tokens that were billed for nothing, where the provider told."""
        return None if self.reply is None else self.reply.usage

    def __repr__(self) -> str:
        return f"ModelError({self.kind.value}: {self.sentence})"

    def __reduce__(self) -> tuple[object, ...]:
        rebuild = partial(ModelError, retry_after_s=self.retry_after_s, reply=self.reply)
        return rebuild, (self.kind, self.sentence)


class NotSent(Exception):
    """The request's own `may_send` said no at the last moment. Nothing reached the provider."""


class PauseTask(Exception):
    """No document of this task can go on until a person has done something. `reason` says what."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def bounded(text: str, longest: int) -> str:
    """The text on one line, without control characters, cut to a length."""
    line = " ".join("".join(" " if unicodedata.category(char)[0] == "C" else char for char in text[:4000]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
