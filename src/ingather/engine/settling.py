"""What the database's answers mean for the items in hand: crossed off, settled in another way, or dropped."""

import logging
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson
import psycopg

from ingather.engine import parameters, verbs
from ingather.engine.codec import encode_result
from ingather.engine.errors import BatchTooBig
from ingather.engine.holdings import Holdings
from ingather.engine.outbox import Ended, Outbox, OutboxParcel, PutBack, item_of, token_of, took_of
from ingather.engine.refusals import reason_of_refusal, refusal_is_about_data
from ingather.engine.round_trip import Reply, RoundTripLine
from ingather.engine.script import arun_script
from ingather.engine.verdict import Consequence, describe_raised

if TYPE_CHECKING:
    from ingather.engine.observer import WorkerObserver

log = logging.getLogger("ingather.worker")

E = TypeVar("E", Ended, PutBack)

# Items with offspring that settle between two round trips, each in a transaction of its own. More would keep the other
# slots waiting for their outcomes to be stored.
PARENTS_AT_ONCE: Final = 20


class Settling:
    """Settles for one worker, and keeps its outbox and its holdings in step with what was written."""

    def __init__(self, line: RoundTripLine, outbox: Outbox, holdings: Holdings) -> None:
        self._line = line
        self._outbox = outbox
        self._holdings = holdings
        self.worker_id = 0
        self.observer: WorkerObserver | None = None

    async def account(self, parcel: OutboxParcel, reply: Reply) -> None:
        """Cross off what was written, and find out about what was not."""
        await self._cross_off_ended(parcel.ended, reply.settled)
        self._cross_off_returned(parcel.put_backs, [item_id for (item_id,) in reply.returned])

    async def recover(self, error: Exception, parcel: OutboxParcel) -> None:
        """Keep what may not have arrived. What was refused together, settle in smaller parts."""
        ended, put_backs = parcel.ended, parcel.put_backs
        self._outbox.restore(OutboxParcel([], [], parcel.holds, parcel.touched))
        if isinstance(error, psycopg.errors.UniqueViolation) or refusal_is_about_data(error):
            # SETTLE skips what had ended before. Where one item is the cause, halving finds it, and it stops only
            # itself.
            ended_parts, returned_parts = [ended] if ended else [], [put_backs] if put_backs else []
            try:
                while ended_parts:
                    ended_parts[-1:] = await self._settle_part(ended_parts[-1])
                while returned_parts:
                    returned_parts[-1:] = await self._return_part(returned_parts[-1])
            except BaseException:
                # The parts that were sent are accounted for already; keep the others.
                self._outbox.restore(
                    OutboxParcel(_settling_parts_together(ended_parts), _settling_parts_together(returned_parts))
                )
                raise
        else:
            self._outbox.restore(OutboxParcel(ended, put_backs))
            raise error

    async def settle_parents(self) -> list[int]:
        """Items that add work settle one by one, each with its offspring in one commit; a few at a time.
        Returns the batches that have new work."""
        parents = self._outbox.parents
        batch_ids: list[int] = []
        for _ in range(min(len(parents), PARENTS_AT_ONCE)):
            parent = parents.popleft()
            batch_id = parent.lease.batch_id
            settle = parameters.parameters_to_settle(self.worker_id, [parent.ended])
            try:
                conn = await self._line.connection()
                is_written = await arun_script(conn, verbs.settle_with_offspring(batch_id, settle, parent.offspring))
            except psycopg.errors.LockNotAvailable:
                # Somebody holds its batch. The other items must not wait for that.
                parents.append(parent)
                return batch_ids
            except BaseException as error:
                if not (isinstance(error, Exception) and refusal_is_about_data(error)):
                    parents.appendleft(parent)
                    raise
                refused = Consequence(is_over=True, error=_refusal_of_settled_result(error))
                self._outbox.failed(parent.lease, item_of(parent.ended), took_of(parent.ended), refused)
                continue
            await self._cross_off_ended([parent.ended], int(is_written))
            if is_written:
                self._outbox.touch([batch_id])
                batch_ids.append(batch_id)
        return batch_ids

    async def _settle_part(self, ended: list[Ended]) -> list[list[Ended]]:
        """Settle, or return what to try instead, the last first."""
        try:
            [(settled,)] = await self._line.ask(parameters.parameters_to_settle(self.worker_id, ended))
        except Exception as error:
            if not refusal_is_about_data(error):
                raise
            if len(ended) > 1:
                return _halves_of_settled(ended)
            log.warning("the outcome of item %s cannot be stored: %s", item_of(ended[0]), error)
            return [[_storable_settled_end(ended[0], error)]]
        self._outbox.touch(self._holdings.batch_ids(map(token_of, ended)))
        await self._cross_off_ended(ended, settled)
        return []

    async def _return_part(self, put_backs: list[PutBack]) -> list[list[PutBack]]:
        """`_settle_part`, for items that go back."""
        try:
            rows = await self._line.ask(parameters.parameters_to_put_back(put_backs))
        except Exception as error:
            if not refusal_is_about_data(error):
                raise
            if len(put_backs) > 1:
                return _halves_of_settled(put_backs)
            log.warning("why item %s goes back cannot be stored as it is: %s", put_backs[0].item_id, error)
            return [[_storable_settled_return(put_backs[0], error)]]
        self._cross_off_returned(put_backs, [item_id for (item_id,) in rows])
        return []

    async def _cross_off_ended(self, ended: list[Ended], settled: int) -> None:
        """So many of these outcomes were written. The others were written before, or are no longer ours."""
        if settled != len(ended):
            ours = {item_id for (item_id,) in await self._line.ask(parameters.parameters_for_ours_already(ended))}
            for token, item_id, *_ in ended:
                if item_id not in ours:
                    log.warning("item %s is no longer ours; its outcome is dropped", item_id)
                    self._holdings.lose(token)
            self._observe_ended([one for one in ended if item_of(one) in ours], len(ended))
        else:
            self._observe_ended(ended, len(ended))
        self._holdings.cross_off(map(token_of, ended))

    def _observe_ended(self, ours: list[Ended], sent: int) -> None:
        if self.observer is not None:
            self.observer.ended(self._holdings.leases, ours)
            if sent != len(ours):
                self.observer.refuse(sent - len(ours))

    def _cross_off_returned(self, put_backs: list[PutBack], returned: list[int]) -> None:
        gone = set(returned)
        for back in put_backs:
            if back.item_id not in gone:
                log.info("item %s was returned already, or is no longer ours", back.item_id)
        if self.observer is not None:
            self.observer.put_back(self._holdings.leases, [back for back in put_backs if back.item_id in gone])
        self._holdings.cross_off(map(token_of, put_backs))


def _settling_parts_together(parts: list[list[E]]) -> list[E]:
    """The parts in their own order: the last is tried first."""
    return [entry for part in reversed(parts) for entry in part]


def _halves_of_settled(entries: list[E]) -> list[list[E]]:
    half = len(entries) // 2
    return [entries[half:], entries[:half]]


def _refusal_of_settled_result(error: BaseException) -> dict[str, Any]:
    reason = "batch_full" if isinstance(error, BatchTooBig) else "bad_result"
    return describe_raised(error, reason) | {"message": reason_of_refusal(error)}


def _storable_settled_end(ended: Ended, error: Exception) -> Ended:
    """What is stored of an end in place of one that was refused. Each try asks less of the database than the one
    before, and the last is nothing but letters and zeros."""
    token, item_id, state, took_s, _, line = ended
    if state == "c":
        return (token, item_id, "e", took_s, b"", encode_result(_refusal_of_settled_result(error)))
    is_plain = line == _settled_in_ascii(line)
    if is_plain and took_s == 0.0:
        raise error
    return (token, item_id, "e", 0.0 if is_plain else took_s, b"", _settled_in_ascii(line))


def _storable_settled_return(back: PutBack, error: Exception) -> PutBack:
    line = _settled_in_ascii(back.error)
    if line == back.error:
        raise error
    return back._replace(error=line)


def _settled_in_ascii(line: bytes) -> bytes:
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
