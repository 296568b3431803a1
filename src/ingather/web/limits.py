"""How much of something one person or one address may have at a time; counted in the memory of this process."""

import threading
import time
from collections import Counter, deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from ingather.notice import notice
from ingather.web.problems import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Numbers that hold for one process."""

    wrong_words: int = 10
    wrong_words_window_s: float = 60.0
    live_views: int = 20
    uploads: int = 8
    exports: int = 4
    model_tests: int = 5
    model_tests_window_s: float = 60.0
    look_s: float = 0.5
    still_there_s: float = 15.0
    rights_s: float = 20.0
    """How long an open live view may go on before it is asked again whether it may."""


class Turnstile:
    """So many in so many seconds, by key. Keys that nobody uses are forgotten."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._seen: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait_s(self, key: str) -> float:
        """How long this key has to wait; 0 when it need not."""
        with self._lock:
            times = self._recent(key)
            return times[0] + self._seconds - time.monotonic() if len(times) >= self._most else 0.0

    def count(self, key: str) -> None:
        with self._lock:
            if len(self._seen) > 10_000:
                self._seen = {name: times for name in list(self._seen) if (times := self._recent(name))}
            times = self._recent(key)
            times.append(time.monotonic())
            self._seen[key] = times

    def _recent(self, key: str) -> deque[float]:
        times = self._seen.get(key, deque())
        while times and times[0] <= time.monotonic() - self._seconds:
            times.popleft()
        return times


class Seats:
    """So many at once, by key."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._taken: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def taken(self, key: Hashable) -> int:
        with self._lock:
            return self._taken[key]

    def take(self, key: Hashable) -> None:
        with self._lock:
            if self._taken[key] >= self._most:
                sentence = notice(
                    "web.under_way_already_wait_end",
                    "You have {most} {seats} under way already. Wait for one to end.",
                    most=self._most,
                    seats=self._what,
                )
                raise Refused(429, sentence, {"Retry-After": "5"})
            self._taken[key] += 1

    def leave(self, key: Hashable) -> None:
        with self._lock:
            self._taken[key] -= 1
            if self._taken[key] <= 0:
                del self._taken[key]

    @contextmanager
    def taking(self, key: Hashable) -> Iterator[None]:
        self.take(key)
        try:
            yield
        finally:
            self.leave(key)


class Porter:
    """Knows who is in."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.wrong_words = Turnstile(limits.wrong_words, limits.wrong_words_window_s)
        self.model_tests = Turnstile(limits.model_tests, limits.model_tests_window_s)
        self.live_views = Seats(limits.live_views, notice("web.live_views", "live views"))
        self.uploads = Seats(limits.uploads, notice("web.uploads", "uploads"))
        self.exports = Seats(limits.exports, notice("web.exports", "exports"))


async def porter(request: Request) -> Porter:
    found = request.app.state.porter
    assert isinstance(found, Porter)
    return found


Door = Annotated[Porter, Depends(porter)]
