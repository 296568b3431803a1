"""Whose turn it is in a queue: callers and families share it evenly, however many batches each of them has."""

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from ingather.engine import verbs
from ingather.engine.claiming import MOST_SHARES, KnownQueue
from ingather.engine.engine import Engine
from ingather.engine.holdings import Holdings
from ingather.engine.item import Item, Offspring
from ingather.engine.model import Handler
from ingather.engine.parameters import parameters_to_claim
from ingather.engine.script import Rows, Script, Statement
from tests.engine.actors import Actor, enlist, lines, request, scatter, settle, stage
from tests.engine.actors import claim as claim_items


@pytest.fixture
def ann(url: str) -> Iterator[Actor]:
    with stage(url) as enter:
        yield enter()


class Claimer:
    """Claims as a worker does, and remembers between claims what a worker remembers."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._view = KnownQueue("default")
        self._worker = actor.run(enlist(lease_s=3600))
        self._token = 0

    def batches(self, k: int) -> list[int]:
        """The batch of each item of one claim."""
        rows = self._actor.run(self._claim(k))
        is_full = sum(last - first + 1 for _, first, last, *_ in rows) >= k
        handler = Handler(kind="read", function=print, queue="default", max_attempts=1, timeout_s=1, is_async=True)
        holdings = Holdings(lambda _: None)
        self._view.served(holdings.receive(rows, "default", {"read": handler}, 0.0, goes_first=False), is_full=is_full)
        return [lease.batch_id for lease, *_ in holdings.buffer]

    def _claim(self, k: int) -> Script[Rows]:
        self._token += 10_000
        return (
            yield parameters_to_claim(
                self._worker,
                queue="default",
                kinds=["read"],
                k=k,
                token=self._token,
                after_share=self._view.after_share,
                afters=self._view.afters,
                is_of_one_share=not self._view.needs_all_shares,
            )
        )


def test_one_batch_of_another_caller_has_half_of_the_claims_against_many(ann: Actor) -> None:
    for _ in range(30):
        ann.run(scatter(50, share="many"))
    claimer = Claimer(ann)
    for _ in range(5):
        claimer.batches(10)
    lonely = ann.run(scatter(60, share="lonely"))
    assert [claimer.batches(10).count(lonely) for _ in range(6)] in ([10, 0] * 3, [0, 10] * 3)


def test_within_a_share_a_small_batch_starts_in_its_next_claim(ann: Actor) -> None:
    large = ann.run(scatter(1_000, share="a"))
    claimer = Claimer(ann)
    assert set(claimer.batches(10)) == {large}
    small = ann.run(scatter(5, share="a"))
    other = ann.run(scatter(1_000, share="b"))
    seen = [set(claimer.batches(5)) for _ in range(4)]
    assert seen == [{other}, {small}, {other}, {large}]


def test_a_claim_takes_from_all_shares_once_one_of_them_had_too_few(ann: Actor) -> None:
    for share in "cabd":
        ann.run(scatter(3, share=share))
    claimer = Claimer(ann)
    assert [len(claimer.batches(8)) for _ in range(3)] == [3, 8, 1]


def test_a_claim_takes_from_one_share_again_once_that_was_enough(ann: Actor) -> None:
    few, many = ann.run(scatter(1, share="a")), ann.run(scatter(100, share="b"))
    claimer = Claimer(ann)
    assert claimer.batches(4) == [few]
    assert claimer.batches(4) == [many] * 4
    other = ann.run(scatter(2, share="c"))
    assert [set(claimer.batches(4)) for _ in range(2)] == [{other}, {many}]


def test_where_others_hold_the_share_whose_turn_it_is_the_next_claim_takes_from_all() -> None:
    view = KnownQueue("default")
    view.nap((False, None, True), now=0.0)
    assert view.needs_all_shares
    view.nap((False, None, False), now=0.0)
    assert not view.needs_all_shares


def test_a_higher_priority_goes_before_every_share(ann: Actor) -> None:
    ann.run(scatter(3, share="a"))
    urgent = ann.run(scatter(3, share="z", priority=1))
    claimer = Claimer(ann)
    assert [set(claimer.batches(1)) for _ in range(3)] == [{urgent}] * 3
    assert urgent not in claimer.batches(1)


def test_shares_are_even_over_many_claims_whatever_the_sizes(ann: Actor) -> None:
    sizes = {"a": [400], "b": [40] * 10, "c": [4] * 100}
    share_of = {ann.run(scatter(size, share=share)): share for share, some in sizes.items() for size in some}
    claimer = Claimer(ann)
    taken = Counter(share_of[batch_id] for _ in range(60) for batch_id in claimer.batches(4))
    assert taken == {"a": 80, "b": 80, "c": 80}


def test_many_shares_are_all_served_though_only_some_are_remembered(ann: Actor) -> None:
    ids = {ann.run(scatter(2, share=f"{n:03}")) for n in range(2 * MOST_SHARES)}
    claimer = Claimer(ann)
    assert {claimer.batches(1)[0] for _ in range(len(ids))} == ids


def test_children_take_their_turns_with_their_parent(ann: Actor) -> None:
    worker = ann.run(enlist(lease_s=3600))
    parent = ann.run(scatter(1, share="team"))
    [lease] = ann.run(claim_items(worker))
    settling = next(settle(worker, lease.pairs))
    assert isinstance(settling, Statement)
    ann.run(verbs.settle_with_offspring(parent, settling, [Offspring(request(parent_id=parent), lines(1))]))
    rows = ann.conn.execute("select share from ingather.segment order by id").fetchall()
    assert rows == [("team",), ("team",)]


def test_two_applications_are_two_shares_and_a_name_makes_one(url: str, ann: Actor) -> None:
    one, two = Engine(url), Engine(url)
    for app in (one, two):

        @app.handler("read")
        async def read(item: Item) -> None: ...

    for share in (None, "team"):
        one.scatter("read", [1], share=share)
        two.scatter("read", [1], share=share)
    shares = [share for (share,) in ann.conn.execute("select share from ingather.batch order by id").fetchall()]
    assert len(set(shares[:2])) == 2
    assert shares[2:] == ["team", "team"]
    one.close()
    two.close()


def test_a_small_batch_of_another_caller_is_done_while_a_hundred_and_fifty_of_one_are_not(url: str) -> None:
    """As it was found: after 8 s 1,623 items of the one and none of the other."""
    many, other = Engine(url), Engine(url)
    for app in (many, other):

        @app.handler("read")
        async def read(item: Item) -> None:
            await asyncio.sleep(0.01)

    crowd = [many.scatter("read", range(200)) for _ in range(150)]

    async def work() -> None:
        async with many.worker(concurrency=10):
            while (await crowd[0].aprogress()).finished == 0:
                await asyncio.sleep(0.01)
            small = await other.ascatter("read", range(100))
            await small.await_(60)

    asyncio.run(work())
    done = sum(batch.progress().finished for batch in crowd)
    # Half of the claims are the other's: while its 100 ran, about as many of the crowd did.
    assert done < 1_500
    many.close()
    other.close()


def test_what_is_paused_is_out_of_the_way_and_comes_back(ann: Actor) -> None:
    paused, open_ = ann.run(scatter(3)), ann.run(scatter(3))
    ann.run(verbs.pause(paused, paused=True))
    claimer = Claimer(ann)
    assert set(claimer.batches(10)) == {open_}
    ann.run(verbs.add(paused, lines(2)))
    assert claimer.batches(10) == []
    ann.run(verbs.pause(paused, paused=False))
    assert claimer.batches(10) == [paused] * 5
