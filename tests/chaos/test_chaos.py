"""The short form of the campaign, and proof that it can fail."""

import pytest

from tests.chaos.__main__ import campaign

LONG_ENOUGH_S = 180


@pytest.mark.timeout(LONG_ENOUGH_S)
def test_under_fire_nothing_is_lost_nothing_happens_twice_and_nothing_is_stuck() -> None:
    report = campaign(seconds=60, seed=1)
    assert report["broken"] == {}
    # It was a fire.
    assert report["faults"]["kill -9 of a worker"] > 20
    assert report["faults"]["reply dropped"] > 5
    assert report["deeds"]["items"] > 500


@pytest.mark.timeout(LONG_ENOUGH_S)
@pytest.mark.parametrize("twin", ["settle_without_lease", "sweep_forgets_items"])
def test_a_broken_engine_is_found_out(twin: str) -> None:
    assert campaign(seconds=12, seed=3, broken=twin)["broken"]
