"""The claiming policy: which queue to claim from next, how many items, and when to look again. Pure.

The caller brings the clock and the counts; nothing here waits or sends.
"""

import random
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from ingather.engine.holdings import Assignment
from ingather.engine.script import Row

# Items in one claim. A larger claim holds its segment's cursor, and its payloads in memory, for longer; a smaller one
# pays the round trip more often, which quick handlers feel first.
MOST_PER_CLAIM: Final = 2_000
# Items in the buffer. Two full claims, so that one can travel while the other is worked on. More would be given back
# unworked when the worker stops, and wait here while another worker has free slots.
MOST_AHEAD: Final = 4_000
# How far ahead to claim: what the busy slots finish in this time. It must cover a slow round trip; whatever is longer
# keeps work from other workers.
AHEAD_S: Final = 0.25
# How often an idle worker tries to claim when nobody rings, as behind a pooler. Shorter costs the server a query per
# queue and worker; longer delays the pick-up of work that came without a ring.
POLL_S: Final = 0.5
# The pause when other workers hold the only candidates, which they do for the milliseconds of a claim. Longer would be
# noticed; shorter would hammer the server. It is random, so that two workers do not meet again.
HELD_NAP_S: Final = (0.001, 0.005)
# The claim comes this much after the moment at which the next item is due, so that a rounding does not make it early.
DUE_MARGIN_S: Final = 0.001
# While all slots are busy, the buffer is filled up once it holds less than this part of its aim. Higher means smaller
# and more claims; lower means that a slow round trip finds the slots idle.
LOW_PART: Final = 0.75
# A nap is shortened by up to a fifth, so that the polls of a fleet do not fall together.
JITTER: Final = (0.8, 1.0)
# A rest takes at least this long: one of no length would be a busy loop, and a longer one delays work that is due.
SHORTEST_REST_S: Final = 0.001
# Before the first item has ended, an item is taken to last this long. Shorter would make the first claims too large.
FIRST_GUESS_S: Final = 1.0
# Each item that ends leaves this much of what was known before. Nearer to 1 follows a change of pace too slowly.
MEMORY: Final = 0.95
# Shares of which a worker remembers the batch it served last. Where more are busy, those it forgets begin with their
# oldest batch again; each travels with every claim.
MOST_SHARES: Final = 64
# Keeps the division finite where handlers take no measurable time.
SHORTEST_S: Final = 1e-6


class KnownQueue:
    """What this worker remembers of a queue between claims."""

    __slots__ = (
        "after_share", "afters", "is_dozing", "is_limited", "is_odd", "is_thirsty", "name", "nap_until",
        "needs_all_shares",
    )  # fmt: skip

    def __init__(self, name: str, *, is_limited: bool = False) -> None:
        self.name = name
        self.is_limited = is_limited
        self.nap_until = 0.0
        self.after_share = ""  # the share that was claimed from last: the next claim goes on behind it
        self.afters: dict[str, int] = {}  # and of each share, the batch
        self.is_dozing = False  # the last claim brought nothing
        self.is_odd = False
        self.is_thirsty = False  # the last claim came back empty because others held the candidates
        self.needs_all_shares = False  # a claim from one share would bring too few

    def waiting_share(self, k: int) -> int:
        """How many of k items may come from `waiting`: all after a claim in vain, else half, rounded up every other
        time so that a single slot is served too."""
        self.is_odd = not self.is_odd
        return k if self.is_thirsty else (k + self.is_odd) // 2

    def served(self, claimed: Iterable[tuple[str, int]], *, is_full: bool) -> None:
        """A claim brought fresh items of these shares and batches, in this order, and all that was wanted or less."""
        shares: set[str] = set()
        for share, batch_id in claimed:
            shares.add(share)
            self.after_share = share
            self.afters.pop(share, None)
            self.afters[share] = batch_id
        while len(self.afters) > MOST_SHARES:
            del self.afters[next(iter(self.afters))]
        self.needs_all_shares = not is_full or len(shares) > 1

    def nap(self, outlook: Row | None, now: float, jitter: Callable[[float, float], float] = random.uniform) -> None:
        """A claim came back empty. `outlook` is what OUTLOOK says of this queue: is it limited, in how many seconds is
        the next item due, is there something to claim. None: there is no such queue."""
        self.is_dozing = True
        self.needs_all_shares = False
        nap_s = POLL_S * jitter(*JITTER)
        if outlook is not None:
            is_limited, due_in_s, has_candidates = outlook
            if is_limited != self.is_limited:
                self.is_limited, nap_s = is_limited, 0.0
            elif has_candidates and not is_limited:
                # Others merely hold them, or it was not this claim's turn.
                self.is_thirsty, self.needs_all_shares, self.is_dozing = True, True, False
                nap_s = jitter(*HELD_NAP_S)
            elif due_in_s is not None:
                nap_s = min(nap_s, max(due_in_s, 0.0) + DUE_MARGIN_S)
        self.nap_until = now + nap_s

    def look(self, outlook: Row | None, now: float, jitter: Callable[[float, float], float] = random.uniform) -> None:
        """What OUTLOOK says before a claim: wake up for it, or go on dozing."""
        if outlook is not None and outlook[2]:
            self.is_limited, self.is_dozing, self.nap_until = outlook[0], False, 0.0
        else:
            self.nap(outlook, now, jitter)


class ClaimPace:
    """How long an item takes, of late."""

    __slots__ = ("_samples", "took_s")

    def __init__(self) -> None:
        self.took_s = FIRST_GUESS_S
        self._samples = 0

    def learn(self, ended: int, spent_s: float) -> None:
        """So many items ended and took so long together. At first the mean of all; later one that forgets."""
        if ended:
            self._samples += ended
            weight = max(1 - MEMORY**ended, ended / self._samples)
            self.took_s += weight * (spent_s / ended - self.took_s)

    def at_least(self, took_s: float) -> None:
        """The items under way have run for this long on average, and none of them has ended."""
        self.took_s = max(self.took_s, took_s)


class Choice(NamedTuple):
    """The queue to claim from, and how many items."""

    view: KnownQueue
    k: int


class Claiming:
    """The queues of one worker, in turn."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._views: deque[KnownQueue] = deque()
        self.pace = ClaimPace()

    def set_queues(self, queues: Iterable[tuple[str, bool]]) -> bool:
        """The queues to claim from, and which of them are limited. Returns whether these are others than before."""
        known = {view.name: view for view in self._views}
        views = []
        for name, is_limited in queues:
            view = known.get(name) or KnownQueue(name)
            view.is_limited = is_limited
            views.append(view)
        has_changed = [view.name for view in views] != sorted(known)
        if has_changed:  # otherwise the turns go on where they were
            self._views = deque(views)
        return has_changed

    def end_naps(self, *, only_limited: bool = False) -> None:
        """There may be work: let the next choice look at these queues at once."""
        for view in self._views:
            if view.is_limited or not only_limited:
                view.nap_until = 0.0

    def free_slots(self, busy: int, buffered: int) -> int:
        """Slots with nothing to do, and nothing in the buffer for them either. Negative when the buffer holds more."""
        return self._slots - busy - buffered

    def dozing(self, now: float) -> list[KnownQueue]:
        """Queues that are worth a look together, but not a claim each: the last one brought nothing. All are looked at
        once the first nap is over, or each would be looked at by itself. A single one is claimed from at once."""
        dozing = [view for view in self._views if view.is_dozing]
        is_due = len(dozing) > 1 and any(view.nap_until <= now for view in dozing)
        return dozing if is_due else []

    def choose(self, busy: int, buffer: Collection[Assignment], now: float) -> Choice | None:
        """The next queue whose turn it is and from which items are wanted: free slots, plus what ends in a moment."""
        free = self.free_slots(busy, len(buffer))
        # Handlers that compute keep one slot busy, not all: on one event loop they run one after the other.
        ahead = min(MOST_AHEAD, int(AHEAD_S * max(busy, 1) / max(self.pace.took_s, SHORTEST_S)))
        for _ in range(len(self._views)):
            view = self._views[0]
            self._views.rotate(-1)
            if view.nap_until > now:
                continue
            k = (
                self._limited(free, ahead, buffer)
                if view.is_limited
                else _room_to_claim_without_limit(free, ahead, len(buffer))
            )
            if k > 0:
                return Choice(view, min(k, MOST_PER_CLAIM))
        return None

    def _limited(self, free: int, ahead: int, buffer: Collection[Assignment]) -> int:
        """Items in the buffer use up the limit, so nothing is claimed ahead. Where the slots are never free, one item
        is, to go into the next slot: otherwise other queues would keep this one out for ever."""
        return max(free, int(ahead > 0 and not self._has_limited(buffer)))

    def _has_limited(self, buffer: Collection[Assignment]) -> bool:
        limited = {view.name for view in self._views if view.is_limited}
        return any(lease.queue in limited for lease, *_ in buffer)

    def rest_s(self, now: float) -> float:
        """How long until the first nap ends; at most until the next poll."""
        nap_s = min([POLL_S, *(view.nap_until - now for view in self._views if view.nap_until > now)])
        return max(nap_s, SHORTEST_REST_S)


def _room_to_claim_without_limit(free: int, ahead: int, buffered: int) -> int:
    # Without a free slot there is no hurry: wait until a quarter of what may lie in the buffer is used up.
    is_low = free > 0 or (ahead > 0 and buffered <= int(LOW_PART * ahead))
    return max(free, 0) + max(ahead - buffered, 0) if is_low else 0
