"""Limits on what one person or one address may do at a time. The counts are kept in the memory of this process."""

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
class RequestLimits:
    """The limits of one process."""

    # A link has 192 random bits, so this only tells people who guess to stop; a right one is let in whatever was tried
    # before. Fewer would keep a person who pastes an old link a few times from reading that it is old.
    failed_sign_ins: int = 10
    failed_sign_ins_window_s: float = 60.0
    # A browser sends its headers at once; a bad mobile connection takes a few seconds. Longer lets a stranger keep a
    # connection, and a descriptor, for longer without a request.
    headers_s: float = 15.0
    # A body may take so long, and a second more for every `slowest` bytes that came. Less cuts off people with a slow
    # line, more lets a stranger hold the memory of a body for longer.
    body_s: float = 30.0
    slowest: float = 10_000.0
    # A browser opens six connections to one server: three windows of one person. Each view polls the database.
    live_views: int = 20
    # Each upload may write 60 MB to the disk before it is refused.
    uploads: int = 8
    # Each export holds a file on the disk until the client has taken it.
    exports: int = 4
    # Each test makes a few paid calls. More would let one person spend the owner's money by a loop.
    model_tests: int = 5
    model_tests_window_s: float = 60.0
    # How often a live view looks for changes. Shorter costs the database a query per view; longer is seen as a delay.
    poll_s: float = 0.5
    # A silent stream gets a comment this often. Proxies commonly close a connection that is silent for 30 to 60 s.
    keep_alive_s: float = 15.0
    # An open live view goes on for this long after its session ended or its token was revoked.
    recheck_rights_s: float = 20.0


# Above this many keys, those without a recent use are removed. A larger number keeps more memory; a smaller one
# spends more time on removing.
KEYS_BEFORE_CLEANING = 10_000


class RateLimit:
    """A limit on uses in a sliding window, for each key. Keys without a recent use are removed in time."""

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
            if len(self._seen) > KEYS_BEFORE_CLEANING:
                self._seen = {name: times for name in list(self._seen) if (times := self._recent(name))}
            times = self._recent(key)
            times.append(time.monotonic())
            self._seen[key] = times

    def _recent(self, key: str) -> deque[float]:
        times = self._seen.get(key, deque())
        while times and times[0] <= time.monotonic() - self._seconds:
            times.popleft()
        return times


class ConcurrencyLimit:
    """A limit on simultaneous uses, for each key."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._held: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def held(self, key: Hashable) -> int:
        with self._lock:
            return self._held[key]

    def acquire(self, key: Hashable) -> None:
        with self._lock:
            if self._held[key] >= self._most:
                sentence = notice(
                    "web.under_way_already_wait_end",
                    "You have {most} {seats} under way already. Wait for one to end.",
                    most=self._most,
                    seats=self._what,
                )
                raise Refused(429, sentence, {"Retry-After": "5"})
            self._held[key] += 1

    def release(self, key: Hashable) -> None:
        with self._lock:
            self._held[key] -= 1
            if self._held[key] <= 0:
                del self._held[key]

    @contextmanager
    def holding(self, key: Hashable) -> Iterator[None]:
        self.acquire(key)
        try:
            yield
        finally:
            self.release(key)


class Limiters:
    """The limiters of one application: what each person or address is using at this moment."""

    def __init__(self, limits: RequestLimits) -> None:
        self.limits = limits
        self.failed_sign_ins = RateLimit(limits.failed_sign_ins, limits.failed_sign_ins_window_s)
        self.model_tests = RateLimit(limits.model_tests, limits.model_tests_window_s)
        self.live_views = ConcurrencyLimit(limits.live_views, notice("web.live_views", "live views"))
        self.uploads = ConcurrencyLimit(limits.uploads, notice("web.uploads", "uploads"))
        self.exports = ConcurrencyLimit(limits.exports, notice("web.exports", "exports"))


async def limiters(request: Request) -> Limiters:
    found = request.app.state.limiters
    assert isinstance(found, Limiters)
    return found


Limiting = Annotated[Limiters, Depends(limiters)]
