"""The feeder: a worker's one conversation with the database. Outcomes go out and items come in, together.

While a round trip is under way the slots go on working on what is already
here, so neither side waits for the other. Nothing is held back by a timer:
outcomes leave as soon as the line is free, one if there is one, hundreds if
hundreds have gathered meanwhile.
"""

import asyncio
import logging
import random
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

import orjson
import psycopg
from psycopg import AsyncConnection
from psycopg.generators import send
from psycopg.rows import tuple_row

from ingather.engine import statements as sql
from ingather.engine import verbs
from ingather.engine.codec import encode_result
from ingather.engine.connection import PASSING_ERRORS, aconnect, is_about_data, reason_of_refusal
from ingather.engine.errors import DatabaseUnavailable
from ingather.engine.model import Handler, Offspring, Verdict, describe
from ingather.engine.script import Row, Rows, Statement, arun, commit

if TYPE_CHECKING:
    from ingather.engine.engine import Engine

log = logging.getLogger("ingather.worker")

CHUNK = 2_000
MOST_AHEAD = 4_000
MOST_RUNS = 3
SHORTEST_RUN = 50
PARENTS_AT_ONCE = 20
AHEAD_S = 0.25
POLL_S = 0.5
FLUSH_BYTES = 8_000_000
LONGEST_BACKOFF_S = 5.0


class Lease:
    """A run of items in hand, and the token that lets this worker settle them."""

    __slots__ = (
        "attempt", "batch_id", "function", "is_gather", "is_lost", "kind", "lost", "max_attempts", "open", "queue",
        "timeout_s", "token",
    )  # fmt: skip

    def __init__(self, row: tuple[Any, ...], queue: str, handlers: Mapping[str, Handler]) -> None:
        self.token, first, last, self.batch_id, self.attempt, self.lost, self.is_gather = row[:7]
        self.kind, self.max_attempts, self.timeout_s = row[7:10]
        self.open = last - first + 1
        self.queue = queue
        self.is_lost = False
        handler = handlers[self.kind]
        # What the event loop itself may run; gathers, `def`s and what has killed before are not called just so.
        self.function = handler.function if handler.is_async and not (self.is_gather or self.lost) else None


# What every item passes through is a plain tuple: naming its parts would cost more than the rest of the way.

# Lease, item id, ordinal, payload, when it came: an item in hand that has not started yet. The payload is not decoded
# yet: one bad payload must harm nobody else.
Assignment = tuple[Lease, int, int, str | None, float]

# Token, item id, state, seconds it took, result, error.
Done = tuple[int, int, str, float, bytes, bytes]

_TOKEN, _ITEM, _STATE, _TOOK, _RESULT = (itemgetter(place) for place in range(5))


class Back(NamedTuple):
    token: int
    item_id: int
    delay_s: float
    attempt: int
    lost: int
    error: bytes


class Heard(NamedTuple):
    """What came back of one round trip, and what went wrong in it."""

    settled: int
    returned: Rows
    ripe: Rows
    claimed: Rows
    error: Exception | None


class QueueView:
    """What this worker remembers of a queue between claims."""

    __slots__ = ("after", "is_limited", "is_odd", "is_thirsty", "name", "nap_until")

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_limited = False
        self.nap_until = 0.0
        self.after = 0
        self.is_odd = False
        self.is_thirsty = False  # the last claim came back empty although its share was there for others


class Feeder:
    """Claims for a worker's slots and settles what they finished."""

    def __init__(
        self, engine: "Engine", *, slots: int, busy: Callable[[], int], on_lost: Callable[[Lease], None]
    ) -> None:
        self._engine = engine
        self._slots = slots
        self._busy = busy
        self._on_lost = on_lost
        self._conn: AsyncConnection[Any] | None = None
        self._wake = asyncio.Event()
        self._views: deque[QueueView] = deque()
        self._done: list[Done] = []
        self._backs: list[Back] = []
        self._blocks: list[tuple[str, float]] = []
        self._parents: deque[tuple[Lease, Done, list[Offspring]]] = deque()
        self._touched: set[int] = set()  # batches of parents that settled: ripe, perhaps
        self._is_busy = False
        self.worker_id = 0
        self.buffer: deque[Assignment] = deque()
        self.held: dict[int, Lease] = {}
        self.is_claiming = True
        self.is_sending = False
        """Words are on their way to the database: slots should let them pass before they take the next item."""
        self.is_connected = False
        self.took_s = 1.0
        """How long an item takes, of late: decides how far ahead to claim."""
        self._samples = 0
        self._tried_s: list[float] = []  # how long those took that are to be tried again
        self.on_arrival: Callable[[], None] = lambda: None

    # --- what the slots say ----------------------------------------------------------------------------------------

    def completed(
        self, lease: Lease, item_id: int, took_s: float, line: bytes, offspring: list[Offspring] | None
    ) -> None:
        done = (lease.token, item_id, "c", took_s, line, b"")
        if offspring:
            self._parents.append((lease, done, offspring))
        else:
            self._done.append(done)
        if not self._is_busy:
            self._wake.set()

    def failed(self, lease: Lease, item_id: int, took_s: float, verdict: Verdict) -> None:
        error = encode_result(verdict.error)
        if verdict.is_over:
            self._done.append((lease.token, item_id, "e", took_s, b"", error))
        else:
            self._tried_s.append(took_s)
            used = lease.attempt if verdict.counts else lease.attempt - 1
            self._backs.append(Back(lease.token, item_id, verdict.delay_s, used, lease.lost + verdict.lost, error))
        if verdict.blocks_queue:
            self._blocks.append((lease.queue, verdict.delay_s))
        self._wake.set()

    def _learn(self) -> None:
        """From what ended since the last time. A mean at first, so that a few items are enough to know; then one that
        forgets a twentieth with every item. Words that did not go out with the last round trip teach twice."""
        if ended := len(self._done) + len(self._tried_s):
            spent_s = sum(map(_TOOK, self._done)) + sum(self._tried_s)
            self._tried_s.clear()
            self._samples += ended
            weight = max(1 - 0.95**ended, ended / self._samples)
            self.took_s += weight * (spent_s / ended - self.took_s)

    def return_unstarted(self, older_than_s: float) -> None:
        """Give back what has waited here for too long: another worker may have a free slot."""
        limit = time.monotonic() - older_than_s
        while self.buffer and self.buffer[0][4] < limit:
            lease, item_id, *_ = self.buffer.popleft()
            if not lease.is_lost:
                self._backs.append(Back(lease.token, item_id, 0.0, lease.attempt - 1, lease.lost, b""))
                self._wake.set()

    def ring(self) -> None:
        """There may be work: look at once."""
        for view in self._views:
            view.nap_until = 0.0
        self._wake.set()

    def lose(self, token: int) -> None:
        """A lease is gone: its results are no longer wanted and its handlers must stop."""
        if (lease := self.held.pop(token, None)) is not None:
            lease.is_lost = True
            self._on_lost(lease)

    def forget_everything(self) -> None:
        """This worker was declared dead: nothing it holds is its own any more."""
        for token in list(self.held):
            self.lose(token)
        self.buffer.clear()
        for words in (self._done, self._backs, self._parents):
            words.clear()

    # --- the conversation ------------------------------------------------------------------------------------------

    def set_queues(self, names: Iterable[tuple[str, bool]]) -> None:
        """The queues to claim from, and which of them are limited."""
        known = {view.name: view for view in self._views}
        views = []
        for name, is_limited in names:
            view = known.get(name) or QueueView(name)
            view.is_limited = is_limited
            views.append(view)
        if [view.name for view in views] != sorted(known):
            self._views = deque(views)
            self._wake.set()
        # else: the rotation goes on where it was

    async def run(self) -> None:
        """Converse until cancelled. A database that is away is waited for, never left and never hammered."""
        failures = 0
        while True:
            try:
                await self._turn()
                self.is_connected = True
                failures = 0
            except (*PASSING_ERRORS, DatabaseUnavailable) as error:
                self.is_connected = False
                if failures == 0:
                    log.warning("the database does not answer, trying again: %s", str(error).strip())
                failures += 1
                # A session may be past mending though its server is fine: read-only since a failover, for one.
                await self.close()
                await asyncio.sleep(backoff_s(failures))
            except Exception:
                self.is_connected = False
                # A worker that beats but no longer talks would keep its items for ever: never end here.
                log.exception("the conversation with the database failed, trying again")
                failures += 1
                await asyncio.sleep(backoff_s(failures))

    async def _turn(self) -> None:
        self._learn()
        if self._done or self._backs:
            # What ends in a limited queue makes room in it, and the claim travels right behind the settle.
            for limited in (view for view in self._views if view.is_limited):
                limited.nap_until = 0.0
        view, k = self._next_claim()
        if view is None and not self.has_word:
            await self._rest()
            return
        self._wake.clear()
        self._is_busy = True
        try:
            await self._exchange(view, k)
        finally:
            self._is_busy = False

    @property
    def has_word(self) -> bool:
        """Whether something is waiting to be told."""
        return bool(self._done or self._backs or self._blocks or self._parents or self._touched)

    @property
    def is_talking(self) -> bool:
        return self._is_busy or self.has_word

    @property
    def is_idle(self) -> bool:
        return not (self.is_talking or self.buffer or self.held)

    def _next_claim(self) -> tuple[QueueView | None, int]:
        """Whose turn is it, and how many items? Free slots, plus what is finished in a moment."""
        if not self.is_claiming:
            return None, 0
        free = self._free_slots()
        # Handlers that compute keep one slot busy, not all: on one event loop they run one after the other.
        ahead = min(MOST_AHEAD, int(AHEAD_S * max(self._busy(), 1) / max(self.took_s, 1e-6)))
        # With no slot free there is no hurry: wait until a quarter of what may lie here is used up.
        is_low = free > 0 or (ahead > 0 and len(self.buffer) <= 3 * ahead // 4)
        now = time.monotonic()
        for _ in range(len(self._views)):
            view = self._views[0]
            self._views.rotate(-1)
            if view.nap_until > now:
                continue
            if view.is_limited:
                # Not ahead of its time, since what lies here uses up the limit; but where the slots are never idle, one
                # item, to go into the next slot, or other queues would keep this one out for ever.
                k = max(free, int(ahead > 0 and not self._has_limited_waiting()))
            else:
                k = max(free, 0) + max(ahead - len(self.buffer), 0) if is_low else 0
            if k > 0:
                return view, min(k, CHUNK)
        return None, 0

    def _free_slots(self) -> int:
        """Slots with nothing to do, and nothing in the buffer for them either."""
        return self._slots - self._busy() - len(self.buffer)

    def _has_limited_waiting(self) -> bool:
        limited = {view.name for view in self._views if view.is_limited}
        return any(lease.queue in limited for lease, *_ in self.buffer)

    async def _rest(self) -> None:
        now = time.monotonic()
        nap = min([POLL_S, *(view.nap_until - now for view in self._views if view.nap_until > now)])
        try:
            async with asyncio.timeout(max(nap, 0.001)):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _connection(self) -> AsyncConnection[Any]:
        if self._conn is None or self._conn.closed or self._conn.broken:
            self._conn = await aconnect(self._engine.url, application_name="ingather worker")
        return self._conn

    async def close(self) -> None:
        if self._conn is not None:
            await self._conn.close()
            self._conn = None

    async def _exchange(self, view: QueueView | None, k: int) -> None:
        """One round trip: outcomes, returns, blocks, a look for ripe batches, and a claim."""
        conn = await self._connection()
        done, self._done = _cut(self._done)
        backs, self._backs = self._backs, []
        blocks, self._blocks = self._blocks, []
        try:
            heard = await self._converse(conn, done, backs, blocks, view, k)
        except BaseException:
            self._done[:0], self._backs[:0], self._blocks[:0] = done, backs, blocks
            raise
        # First of all, take what was claimed: until it is in hand, it looks like a claim nobody heard of.
        if view is not None and heard.claimed:
            was_dry = not self.buffer
            self._receive(view, heard.claimed)
            if was_dry:
                # The first of these begins before the next question is put together, which takes a while; the others
                # let that pass.
                self.is_sending = True
                await asyncio.sleep(0)
                self.is_sending = False
        if heard.error is not None:
            await self._say_again(conn, heard.error, done, backs, blocks)
            return
        await self._account(conn, done, heard.settled, backs, heard.returned)
        await self._settle_parents(conn)
        if heard.ripe:
            await self._close(conn, [batch_id for (batch_id,) in heard.ripe])
        if view is not None and not heard.claimed:
            await self._look_out(conn, view)

    async def _converse(
        self,
        conn: AsyncConnection[Any],
        done: list[Done],
        backs: list[Back],
        blocks: list[tuple[str, float]],
        view: QueueView | None,
        k: int,
    ) -> Heard:
        if view is not None and not (view.is_limited or done or backs or blocks or self._touched):
            # A question alone needs no pipeline, whose opening and closing take a fifth of a millisecond.
            cursor = conn.cursor(row_factory=tuple_row)
            await cursor.execute(sql.CLAIM, self._claim_params(view, k))
            return Heard(0, [], [], await cursor.fetchall(), None)
        settlings: list[psycopg.AsyncCursor[Row]] = []
        # Made beforehand: a refusal may come while a later one is being sent, whose answer must not be lost with it.
        returning, ripening, claiming = (conn.cursor(row_factory=tuple_row) for _ in range(3))
        runs = _runs(done)
        touched = set(self._touched)
        error = None
        self.is_sending = True
        try:
            async with conn.pipeline() as pipe:

                async def ask(
                    cursor: psycopg.AsyncCursor[Any],
                    statement: LiteralString,
                    params: dict[str, Any],
                    *,
                    commits: bool = True,
                ) -> None:
                    """Each commits by itself, in order, and at once: a claim holds its segment's row until then."""
                    await cursor.execute(statement, params)
                    if commits:
                        commit(conn, pipe)
                    await conn.wait(send(conn.pgconn))

                for run in runs:
                    settlings.append(conn.cursor(row_factory=tuple_row))
                    await ask(settlings[-1], sql.SETTLE_RUN, self._run_params(run))
                if done and not runs:
                    settlings.append(conn.cursor(row_factory=tuple_row))
                    await ask(settlings[-1], sql.SETTLE_FRESH, self._settle_params(done))
                if backs or blocks:
                    for queue, delay_s in sorted(blocks):
                        await ask(conn.cursor(), sql.BLOCK_QUEUE, {"queue": queue, "delay_s": delay_s}, commits=False)
                    await ask(returning, sql.PUT_BACK, _put_back_params(backs))
                if done or self._touched:
                    batch_ids = {self.held[token].batch_id for token in set(map(_TOKEN, done)) if token in self.held}
                    await ask(ripening, sql.RIPE, {"batch_ids": list(batch_ids | self._touched)})
                if view is not None:
                    if view.is_limited:
                        await ask(conn.cursor(), sql.LOCK_QUEUE, {"queue": view.name}, commits=False)
                    await ask(claiming, sql.CLAIM, self._claim_params(view, k))
                self.is_sending = False
        except Exception as refused:
            # One statement was refused, or could not be put together; those sent beside it committed by themselves.
            if not (isinstance(refused, psycopg.Error) or is_about_data(refused)):
                raise
            error = refused
        finally:
            self.is_sending = False
        returned, ripe, claimed, *settled = [
            await cursor.fetchall() if cursor.pgresult is not None else []
            for cursor in (returning, ripening, claiming, *settlings)
        ]
        if error is None:
            self._touched -= touched
        return Heard(sum(rows[0][0] for rows in settled if rows), returned, ripe, claimed, error)

    async def _say_again(
        self,
        conn: AsyncConnection[Any],
        error: Exception,
        done: list[Done],
        backs: list[Back],
        blocks: list[tuple[str, float]],
    ) -> None:
        """Keep what may not have arrived. It is harmless to repeat what did: a token settles an item once, and returns
        it once."""
        self._blocks[:0] = blocks
        if isinstance(error, psycopg.errors.UniqueViolation) or is_about_data(error):
            await self._settle_carefully(conn, done, backs)
        else:
            self._done[:0], self._backs[:0] = done, backs
            raise error

    def _settle_params(self, done: list[Done]) -> dict[str, Any]:
        tokens, ids, states, took_s, results, errors = zip(*done, strict=True)
        return {
            "worker_id": self.worker_id,
            "tokens": _array(set(tokens)),
            "token_of": _array(tokens),
            "ids": _array(ids),
            "states": _array(states),
            "took_ms": _milliseconds(took_s),
            "results": b"\n".join(results).decode(),
            "errors": b"\n".join(errors).decode(),
        }

    def _run_params(self, run: list[Done]) -> dict[str, Any]:
        token, first_id, *_ = run[0]
        return {
            "worker_id": self.worker_id,
            "token": token,
            "first_id": first_id,
            "items": len(run),
            "took_ms": _sparse_milliseconds(list(map(_TOOK, run))),
            "results": b"\n".join(map(_RESULT, run)).decode(),
        }

    def _claim_params(self, view: QueueView, k: int) -> dict[str, Any]:
        view.is_odd = not view.is_odd
        return {
            "worker_id": self.worker_id,
            "queue": view.name,
            "kinds": list(self._engine.registry.handlers),
            "k": k,
            "free": max(0, self._free_slots()),
            "kw": k if view.is_thirsty else (k + view.is_odd) // 2,
            "after": view.after,
            "token": secrets.randbits(62),
            "is_locked": view.is_limited,
        }

    async def _account(
        self, conn: AsyncConnection[Any], done: list[Done], settled: int, backs: list[Back], returned: Rows
    ) -> None:
        """Cross off what was written, and find out about what was not."""
        if settled != len(done):
            cursor = conn.cursor(row_factory=tuple_row)
            mine = {"ids": [item_id for _, item_id, *_ in done], "token_of": [token for token, *_ in done]}
            await cursor.execute(sql.OURS_ALREADY, mine)
            ours = {item_id for (item_id,) in await cursor.fetchall()}
            for token, item_id, *_ in done:
                if item_id not in ours:
                    log.warning("item %s is no longer ours; its outcome is dropped", item_id)
                    self.lose(token)
        gone = {item_id for (item_id,) in returned}
        for back in backs:
            if back.item_id not in gone:
                log.info("item %s was returned already, or is no longer ours", back.item_id)
        for token, items in Counter([*map(_TOKEN, done), *map(_TOKEN, backs)]).items():
            lease = self.held.get(token)
            if lease is not None:
                lease.open -= items
                if lease.open <= 0:
                    del self.held[token]

    async def _close(self, conn: AsyncConnection[Any], batch_ids: list[int]) -> None:
        if await arun(conn, verbs.close(batch_ids)):
            self.ring()
            await conn.execute(sql.RING)

    async def _settle_parents(self, conn: AsyncConnection[Any]) -> None:
        """Items that asked for more work settle one by one, each with its offspring in one commit; a few at a time."""
        for _ in range(min(len(self._parents), PARENTS_AT_ONCE)):
            parent = lease, done, offspring = self._parents.popleft()
            settle = Statement(sql.SETTLE, self._settle_params([done]))
            try:
                is_written = await arun(conn, verbs.settle_with_offspring(lease.batch_id, settle, offspring))
            except psycopg.errors.LockNotAvailable:
                # Somebody holds its batch. Nobody else should have to wait for that.
                self._parents.append(parent)
                return
            except BaseException as error:
                if not (isinstance(error, Exception) and is_about_data(error)):
                    self._parents.appendleft(parent)
                    raise
                refused = Verdict(is_over=True, error=_refusal(error))
                self.failed(lease, done[1], done[3], refused)
                continue
            await self._account(conn, [done], int(is_written), [], [])
            if is_written:
                self._touched.add(lease.batch_id)
                self.ring()
                await conn.execute(sql.RING)

    async def _settle_carefully(self, conn: AsyncConnection[Any], done: list[Done], backs: list[Back]) -> None:
        """Settle and return what was refused together: without what had ended, and by halves where one item is the
        cause, so that it stops nobody but itself."""
        ends, returns = [done] if done else [], [backs] if backs else []
        try:
            while ends:
                ends[-1:] = await self._settle_part(conn, ends[-1])
            while returns:
                returns[-1:] = await self._return_part(conn, returns[-1])
        except BaseException:
            # Only what is left: what was settled by now is accounted for, and twice would be once too often.
            self._done[:0] = [each for part in reversed(ends) for each in part]
            self._backs[:0] = [each for part in reversed(returns) for each in part]
            raise

    async def _settle_part(self, conn: AsyncConnection[Any], done: list[Done]) -> list[list[Done]]:
        """Settle, or return what to try instead, the last first."""
        cursor = conn.cursor(row_factory=tuple_row)
        try:
            await cursor.execute(sql.SETTLE, self._settle_params(done))
        except Exception as error:
            if not is_about_data(error):
                raise
            if len(done) > 1:
                half = len(done) // 2
                return [done[half:], done[:half]]
            log.warning("the outcome of item %s cannot be stored: %s", done[0][1], error)
            return [[_storable_end(done[0], error)]]
        [(settled,)] = await cursor.fetchall()
        self._touched |= {self.held[token].batch_id for token, *_ in done if token in self.held}
        await self._account(conn, done, settled, [], [])
        return []

    async def _return_part(self, conn: AsyncConnection[Any], backs: list[Back]) -> list[list[Back]]:
        """`_settle_part`, for items that go back."""
        cursor = conn.cursor(row_factory=tuple_row)
        try:
            await cursor.execute(sql.PUT_BACK, _put_back_params(backs))
        except Exception as error:
            if not is_about_data(error):
                raise
            if len(backs) > 1:
                half = len(backs) // 2
                return [backs[half:], backs[:half]]
            log.warning("why item %s goes back cannot be stored as it is: %s", backs[0].item_id, error)
            return [[_storable_return(backs[0], error)]]
        await self._account(conn, [], 0, backs, await cursor.fetchall())
        return []

    def _receive(self, view: QueueView, claimed: Rows) -> None:
        now = time.monotonic()
        view.is_thirsty = False
        for row in claimed:
            lease = Lease(row, view.name, self._engine.registry.handlers)
            first, last, ordinal, bodies = row[1], row[2], row[10] or 0, row[11]
            view.after = lease.batch_id
            lines: list[str | None] = [None] if bodies is None else bodies.split("\n")
            if len(lines) != last - first + 1:
                log.error("batch %s has lost payloads between items %s and %s", lease.batch_id, first, last)
                lines = [None] * (last - first + 1)
            self.held[lease.token] = lease
            ordinals = range(ordinal, ordinal + len(lines))
            assignments = zip(repeat(lease), range(first, last + 1), ordinals, lines, repeat(now))
            if view.is_limited:
                self.buffer.extendleft(reversed(list(assignments)))
            else:
                self.buffer.extend(assignments)
        if self.is_claiming:
            self.on_arrival()
        else:
            self.return_unstarted(older_than_s=-1.0)

    async def _look_out(self, conn: AsyncConnection[Any], view: QueueView) -> None:
        """Nothing came: how long may we nap?"""
        cursor = conn.cursor(row_factory=tuple_row)
        await cursor.execute(sql.OUTLOOK, {"queue": view.name, "kinds": list(self._engine.registry.handlers)})
        row = await cursor.fetchone()
        nap = POLL_S * random.uniform(0.8, 1.0)
        if row is not None:
            is_limited, next_moment_s, is_merely_held = row
            if is_limited != view.is_limited:
                view.is_limited, nap = is_limited, 0.0
            elif is_merely_held:
                view.is_thirsty = True
                nap = random.uniform(0.001, 0.005)
            elif next_moment_s is not None:
                nap = min(nap, max(next_moment_s, 0.0) + 0.001)
        view.nap_until = time.monotonic() + nap


def backoff_s(failures: int) -> float:
    """How long to leave a database alone that failed so many times in a row: longer each time, never in step."""
    return random.uniform(0.05, min(LONGEST_BACKOFF_S, 0.1 * 2.0 ** min(failures, 10)))


def _cut(done: list[Done]) -> tuple[list[Done], list[Done]]:
    """As many outcomes as one round trip should carry, and the rest."""
    if len(done) <= 2 * CHUNK and sum(map(len, map(_RESULT, done))) <= FLUSH_BYTES:
        return done, []
    size = 0
    for n, word in enumerate(done):
        size += len(_RESULT(word))
        if n + 1 >= 2 * CHUNK or size > FLUSH_BYTES:
            return done[: n + 1], done[n + 1 :]
    return done, []


def _runs(done: list[Done]) -> list[list[Done]]:
    """What completed in the order of a few leases, a run for each; nothing if it is not all like that, as where
    handlers wait and overtake each other, or if several runs, each a commit, are too short to be worth it."""
    runs = [list(said) for _, said in groupby(done, _TOKEN)]
    is_worth_it = len(runs) <= MOST_RUNS and (len(runs) == 1 or len(done) >= SHORTEST_RUN * len(runs))
    return runs if is_worth_it and all(map(_is_run, runs)) else []


def _is_run(words: list[Done]) -> bool:
    first_id = words[0][1]
    return list(map(_ITEM, words)) == list(range(first_id, first_id + len(words))) and set(map(_STATE, words)) == {"c"}


def _refusal(error: BaseException) -> dict[str, Any]:
    return describe(error, "bad_result") | {"message": reason_of_refusal(error)}


def _storable_end(done: Done, error: Exception) -> Done:
    """What is stored of an end in place of one that was refused. Each try asks less of the database than the one
    before, and the last is nothing but letters and zeros."""
    token, item_id, state, took_s, _, line = done
    if state == "c":
        return (token, item_id, "e", took_s, b"", encode_result(_refusal(error)))
    if took_s == 0.0 and line == _in_ascii(line):
        raise error
    is_refused_for_its_time = line == _in_ascii(line)
    return (token, item_id, "e", 0.0 if is_refused_for_its_time else took_s, b"", _in_ascii(line))


def _storable_return(back: Back, error: Exception) -> Back:
    line = _in_ascii(back.error)
    if line == back.error:
        raise error
    return back._replace(error=line)


def _in_ascii(line: bytes) -> bytes:
    """An error's description in letters that every encoding of a database has: others as Python writes them."""
    if not line or line.isascii():
        return line
    described: dict[str, object] = orjson.loads(line)
    return orjson.dumps(
        {
            name: value.encode("ascii", "backslashreplace").decode() if isinstance(value, str) else value
            for name, value in described.items()
        }
    )


def _put_back_params(backs: list[Back]) -> dict[str, Any]:
    tokens, ids, delays_s, attempts, losses, errors = zip(*backs, strict=True) if backs else ((),) * 6
    return {
        "tokens": _array(set(tokens)),
        "token_of": _array(tokens),
        "ids": _array(ids),
        "delays_s": _array(delays_s),
        "attempts": _array(attempts),
        "losses": _array(losses),
        "errors": b"\n".join(errors).decode(),
    }


def _milliseconds(seconds: Iterable[float]) -> str:
    return _array([int(1000 * each) for each in seconds])


def _sparse_milliseconds(took_s: list[float]) -> str:
    """From the first to the last that took any, counted from 1: `[7:8]={3,1}`. Most runs have none."""
    places = [place for place, seconds in enumerate(took_s) if seconds >= 0.001]
    if not places:
        return "{}"
    first, last = places[0], places[-1]
    return f"[{first + 1}:{last + 1}]={_milliseconds(took_s[first : last + 1])}"


def _array(values: Iterable[Any]) -> str:
    """A PostgreSQL array in its text form: for numbers, quicker to make than the driver's."""
    return f"{{{','.join(map(str, values))}}}"
