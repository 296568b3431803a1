"""The feeder: a worker's conversation with the database. Outcomes go out and items come in, in one round trip.

While a round trip is under way the slots go on working on what is already
here, so neither side waits for the other. What is claimed, and when, is decided
in `claiming`; what waits to be sent is kept in `outbox`; how it is written, in
`parameters`; how it travels, in `round_trip`; what the answers mean, in
`settling`.
"""

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from ingather.engine import parameters, verbs
from ingather.engine import statements as sql
from ingather.engine.claiming import Choice, Claiming, KnownQueue
from ingather.engine.holdings import Holdings, Lease
from ingather.engine.model import Handler
from ingather.engine.outbox import Outbox, OutboxParcel
from ingather.engine.refusals import refusal_is_passing
from ingather.engine.round_trip import Reply, RoundTripLine, steps_of_round_trip
from ingather.engine.script import Statement, arun_script
from ingather.engine.settling import Settling

log = logging.getLogger("ingather.worker")

# Random bits of a lease's token. Fewer make two equal tokens likely; more do not fit PostgreSQL's signed bigint.
TOKEN_BITS: Final = 62
# The pause before the next attempt to reach a database that is away: the first, the factor by which it grows is 2, and
# the longest. Longer ones delay the return after a restart; shorter ones burden a server that is coming up.
FIRST_BACKOFF_S: Final = 0.1
LONGEST_BACKOFF_S: Final = 5.0
# Every pause is drawn from here to its upper end, so that a fleet does not come back in step. At 0 some would not wait.
SHORTEST_BACKOFF_S: Final = 0.05
# Beyond this many failures the pause is at its longest anyway, and the power of two would only grow.
MOST_DOUBLINGS: Final = 10


class Feeder:
    """Claims for a worker's slots and settles what they finished."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        *,
        slots: int,
        busy: Callable[[], int],
        on_lost: Callable[[Lease], None],
        on_arrival: Callable[[], None],
        line: RoundTripLine,
    ) -> None:
        self._handlers = handlers
        self._busy = busy
        self._on_arrival = on_arrival
        self._wake = asyncio.Event()
        self._claiming = Claiming(slots)
        self.holdings = Holdings(on_lost)
        self.outbox = Outbox(self._wake)
        self.line = line
        self.settling = Settling(self.line, self.outbox, self.holdings)
        self.pace = self._claiming.pace
        self._skipped: set[int] = set()
        self.is_claiming = True
        self.is_connected = False

    @property
    def worker_id(self) -> int:
        return self.settling.worker_id

    @worker_id.setter
    def worker_id(self, worker_id: int) -> None:
        self.settling.worker_id = worker_id

    # --- what the worker asks for ----------------------------------------------------------------------------------

    def set_queues(self, queues: Iterable[tuple[str, bool]]) -> None:
        """The queues to claim from, and which of them are limited."""
        if self._claiming.set_queues(queues):
            self._wake.set()

    def stop_claiming(self) -> None:
        """Claim no more, and give back what has not started."""
        self.is_claiming = False
        self.return_unstarted(older_than_s=-1.0)

    def ring(self) -> None:
        """There may be work: look at once."""
        self._claiming.end_naps()
        self._wake.set()

    def look_again(self) -> None:
        """Ripe batches that somebody held when this worker came to close them."""
        if self._skipped:
            self.outbox.touch(self._skipped)
            self._skipped.clear()

    def return_unstarted(self, older_than_s: float) -> None:
        """Give back what has waited here for too long: another worker may have a free slot."""
        for lease, item_id in self.holdings.take_unstarted(time.monotonic() - older_than_s):
            self.outbox.give_back(lease, item_id)

    def forget_everything(self) -> None:
        """This worker was declared dead: nothing it holds is its own any more."""
        self.holdings.lose_all()
        self.outbox.clear()

    @property
    def is_talking(self) -> bool:
        return self.outbox.is_under_way or not self.outbox.is_empty

    @property
    def is_idle(self) -> bool:
        return not self.is_talking and self.holdings.is_empty

    # --- the conversation ------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Claim and settle until cancelled. A database that is away is waited for, never given up."""
        failures = 0
        while True:
            try:
                await self._turn()
                self.is_connected = True
                failures = 0
            except Exception as error:
                self.is_connected = False
                # A worker that beats but no longer settles would keep its items for ever: never end here.
                if not refusal_is_passing(error):
                    log.exception("the conversation with the database failed, trying again")
                elif failures == 0:
                    log.warning("the database does not serve this worker, trying again: %s", str(error).strip())
                failures += 1
                # The state of the session is unknown, and it may be useless although its server is fine, for example
                # read-only since a failover.
                await self.line.close()
                await asyncio.sleep(feeder_backoff_s(failures))

    async def _turn(self) -> None:
        """One round trip, or a rest when there is nothing to claim and nothing to send."""
        self.pace.learn(*self.outbox.durations())
        if self.outbox.has_outcomes:
            # An item that ends in a limited queue makes room in it, and the claim travels right behind the settle.
            self._claiming.end_naps(only_limited=True)
        if self.is_claiming and (dozing := self._claiming.dozing(time.monotonic())):
            await self._look(dozing)
        buffer = self.holdings.buffer
        choice = self._claiming.choose(self._busy(), buffer, time.monotonic()) if self.is_claiming else None
        if choice is None and self.outbox.is_empty:
            await self._rest()
            return
        self._wake.clear()
        self.outbox.is_under_way = True
        try:
            await self._exchange(choice)
        finally:
            self.outbox.is_under_way = False

    async def _look(self, views: list[KnownQueue]) -> None:
        """Which of these queues have something to claim? One statement, where a claim of each would be one each."""
        outlooks = await self.line.ask(parameters.parameters_for_outlook([view.name for view in views], self._handlers))
        of_queue = {row[0]: row[1:] for row in outlooks}
        now = time.monotonic()
        for view in views:
            view.look(of_queue.get(view.name), now)

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(self._claiming.rest_s(time.monotonic())):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _exchange(self, choice: Choice | None) -> None:
        """Send what waits, claim, and act on the answers."""
        await self.line.connection()
        parcel = self.outbox.take()
        began = time.monotonic()
        try:
            reply = await self._send(parcel, choice)
        except BaseException:
            self.outbox.restore(parcel)
            raise
        if self.settling.observer is not None:
            self.settling.observer.round_trip(time.monotonic() - began, len(reply.claimed))
        # Take what was claimed before anything else: the rounds give back leases that are not in hand here.
        if choice is not None and reply.claimed:
            await self._receive(choice, reply)
        if reply.error is not None:
            await self.settling.recover(reply.error, parcel)
            return
        gathered = self.holdings.gathered_children(parcel.tokens)
        await self.settling.account(parcel, reply)
        if gathered:
            await self._free_parents(gathered)
        for _ in await self.settling.settle_parents():
            await self._ring_everywhere()
        if reply.ripe:
            await self._close([batch_id for (batch_id,) in reply.ripe])
        if choice is not None and not reply.claimed:
            rows = await self.line.ask(parameters.parameters_for_outlook([choice.view.name], self._handlers))
            choice.view.nap(rows[0][1:] if rows else None, time.monotonic())

    async def _send(self, parcel: OutboxParcel, choice: Choice | None) -> Reply:
        if choice is not None and parcel.is_empty and not choice.view.is_limited:
            return Reply(claimed=await self.line.ask(self._claim(choice)))
        claim, queue = None, None
        if choice is not None:
            claim = partial(self._claim, choice)
            queue = choice.view.name if choice.view.is_limited else None
        of_leases = self.holdings.batch_ids
        return await self.line.exchange(
            steps_of_round_trip(self.worker_id, parcel, of_leases, claim=claim, limited_queue=queue)
        )

    def _claim(self, choice: Choice) -> Statement:
        view, k = choice
        return parameters.parameters_to_claim(
            self.worker_id,
            queue=view.name,
            kinds=self._handlers,
            k=k,
            free=self._claiming.free_slots(self._busy(), len(self.holdings.buffer)),
            from_waiting=view.waiting_share(k),
            after_share=view.after_share,
            afters=view.afters,
            token=secrets.randbits(TOKEN_BITS),
            is_locked=view.is_limited,
            is_of_one_share=not view.needs_all_shares,
        )

    async def _receive(self, choice: Choice, reply: Reply) -> None:
        """Take what was claimed, and let the slots begin."""
        view = choice.view
        was_dry = not self.holdings.buffer
        now = time.monotonic()
        view.is_thirsty = view.is_dozing = False
        # Items of a limited queue use up its limit while they wait here, so they go first.
        served = self.holdings.receive(reply.claimed, view.name, self._handlers, now, goes_first=view.is_limited)
        view.served(served, is_full=sum(last - first + 1 for _, first, last, *_ in reply.claimed) >= choice.k)
        if self.is_claiming:
            self._on_arrival()
        else:
            self.return_unstarted(older_than_s=-1.0)
        if was_dry:
            # The first item begins before the next round trip is put together, which takes a while; the others wait.
            self.line.is_sending = True
            await asyncio.sleep(0)
            self.line.is_sending = False

    async def _close(self, batch_ids: list[int]) -> None:
        try:
            closed = await arun_script(await self.line.connection(), verbs.close(batch_ids))
        except BaseException:
            # The next round trip asks again whether they are ripe.
            self.outbox.touch(batch_ids)
            raise
        self.outbox.touch(closed.parents)
        self._skipped.update(closed.skipped)
        if closed.gathering:
            await self._ring_everywhere()

    async def _free_parents(self, batch_ids: list[int]) -> None:
        """Gathers of children have ended."""
        self.outbox.touch(await arun_script(await self.line.connection(), verbs.free_parents(batch_ids)))

    async def _ring_everywhere(self) -> None:
        self.ring()
        await (await self.line.connection()).execute(sql.RING)


def feeder_backoff_s(failures: int) -> float:
    """How long to leave a database alone that failed so many times in a row: longer each time, never in step."""
    longest_s = min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** min(failures, MOST_DOUBLINGS))
    return random.uniform(SHORTEST_BACKOFF_S, longest_s)
