"""The short form of the campaign, and proof that it can fail."""

import pytest

from tests.chaos.__main__ import campaign
from tests.chaos.oracle import Findings, follow

LONG_ENOUGH_S = 180


@pytest.mark.timeout(LONG_ENOUGH_S)
def test_under_fire_nothing_is_lost_nothing_happens_twice_and_nothing_is_stuck() -> None:
    report = campaign(seconds=20, seed=1)
    assert report["broken"] == {}
    # It was a fire.
    assert report["faults"]["kill -9 of a worker"] > 5
    assert report["faults"]["reply dropped"] > 3
    assert report["deeds"]["items"] > 300


@pytest.mark.timeout(LONG_ENOUGH_S)
@pytest.mark.parametrize("twin", ["settle_without_lease", "sweep_forgets_items", "limit_before_lock"])
def test_a_broken_engine_is_found_out(twin: str) -> None:
    """Within a few short fires: on a machine that is busy with other things, one may be too small to show it."""
    assert any(campaign(seconds=8, seed=seed, broken=twin)["broken"] for seed in (3, 4, 5, 6, 7))


OLD, NEW = 7, 8
PUT_BACK = [(1, "claim", OLD), (2, "returned", OLD), (2, "wait", None)]


def test_a_lease_that_goes_while_its_former_item_is_claimed_is_no_mistake() -> None:
    found = Findings()
    follow(
        1, [*PUT_BACK, (3, "claim", NEW), (4, "free", OLD), (3, "unwait", None), (5, "end", NEW)], found, is_fresh=True
    )
    assert found.broken == {}


def test_an_end_by_the_lease_that_went_is_one() -> None:
    found = Findings()
    follow(1, [*PUT_BACK, (3, "claim", NEW), (3, "unwait", None), (5, "end", OLD)], found, is_fresh=True)
    assert list(found.broken) == ["only the holder of the lease ends an item"]
