"""An answer as it comes: its deadlines, the loop it may run into, and what is whole of it when it breaks off."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from ingather.extraction.provider.pace import CHARACTERS_A_TOKEN, AnswerPace
from ingather.extraction.provider.repetition import loop_start
from ingather.extraction.provider.stream import StreamedCompletion

# Characters between two looks for a loop. Fewer cost time in every answer; more let a loop run on.
_LOOK_EVERY = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How far an answer is while it is being written: characters so far, seconds since the request was sent."""

    characters: int
    took_s: float

    @property
    def tokens(self) -> int:
        """As far as can be told before the provider says it."""
        return self.characters // CHARACTERS_A_TOKEN


class LoopFound(Exception):
    """The model writes the same thing again and again. `start`: up to where its answer is of use."""

    def __init__(self, start: int) -> None:
        self.start = start
        super().__init__(f"The answer repeats itself from character {start}.")


class Listening:
    """Takes the pieces of one answer. Used within `asyncio.timeout`, whose deadline it moves."""

    def __init__(self, pace: AnswerPace, on_writing: Callable[[Writing], None]) -> None:
        self.stream = StreamedCompletion()
        self._pace = pace
        self._on_writing = on_writing
        self._sent_at = time.monotonic()
        self._first_at_s: float | None = None
        self._looked_at = 0
        self._timer: asyncio.Timeout | None = None

    @property
    def took_s(self) -> float:
        return time.monotonic() - self._sent_at

    def deadline(self) -> asyncio.Timeout:
        """The timer of this answer, to be entered once."""
        self._timer = asyncio.timeout(self._pace.deadline_s(0.0, first_at_s=None, last_at_s=0.0, written=0))
        return self._timer

    def take(self, chunk: bytes) -> None:
        """One piece of the body. Only what the model writes counts as a sign of life."""
        before = self.stream.written
        self.stream.feed(chunk)
        written = self.stream.written
        if written == before:
            return
        now_s = self.took_s
        if self._first_at_s is None:
            self._first_at_s = now_s
        self._postpone(now_s, written)
        self._on_writing(Writing(characters=written, took_s=now_s))
        if len(self.stream.answer) >= self._looked_at + _LOOK_EVERY:
            self._looked_at = len(self.stream.answer)
            start = loop_start(self.stream.answer)
            if start is not None:
                raise LoopFound(start)

    def _postpone(self, now_s: float, written: int) -> None:
        until_s = self._pace.deadline_s(now_s, first_at_s=self._first_at_s, last_at_s=now_s, written=written)
        if self._timer is not None and not self._timer.expired():
            self._timer.reschedule(asyncio.get_running_loop().time() + until_s - now_s)
