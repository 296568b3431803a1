"""The short forms of what befalls databases, and proof that they can fail. The long ones are commands of dev.py."""

import pytest

from tests.chaos.failover import campaign
from tests.chaos.outages import CannotTry

# Several times what each takes on two quiet cores.
LONG_ENOUGH_S = 400


@pytest.mark.timeout(LONG_ENOUGH_S)
def test_a_synchronous_replica_takes_over_and_nothing_acknowledged_is_lost() -> None:
    report = campaign("sync", times=2, seed=1)
    assert report["broken"] == {}
    assert report["faults"] == {"promotion": 2}
    assert report["deeds"]["acknowledged batches lost, and sent again"] == 0
    assert report["deeds"]["items"] > 100


@pytest.mark.timeout(LONG_ENOUGH_S)
def test_a_replica_that_missed_the_last_commits_takes_over_and_what_is_left_is_consistent() -> None:
    report = campaign("async", times=1, seed=1)
    assert report["broken"] == {}
    assert report["deeds"]["acknowledged batches lost, and sent again"] > 0, "it missed nothing"


@pytest.mark.timeout(LONG_ENOUGH_S)
def test_after_a_database_was_set_back_no_item_runs_round_and_every_batch_closes() -> None:
    report = campaign("set-back", times=1, seed=1)
    assert report["broken"] == {}
    assert report["deeds"]["acknowledged batches lost, and sent again"] > 0, "it did not go back"


@pytest.mark.timeout(LONG_ENOUGH_S)
@pytest.mark.parametrize("outage", ["pooler", "disk-full"])
def test_an_outage_loses_nothing(outage: str) -> None:
    try:
        report = campaign(outage, times=1, seed=1)
    except CannotTry as reason:
        pytest.skip(str(reason))
    assert report["broken"] == {}


@pytest.mark.timeout(LONG_ENOUGH_S)
@pytest.mark.parametrize("seed", [1, 2], ids=["LATIN1", "EUC_CN"])
def test_encodings_and_settings_of_operators_stop_nobody(seed: int) -> None:
    report = campaign("settings", times=1, seed=seed)
    assert report["broken"] == {}
    assert report["faults"]["hostile settings"] == 1


@pytest.mark.long
@pytest.mark.timeout(LONG_ENOUGH_S)
@pytest.mark.parametrize(
    ("scene", "twin", "rule"),
    [
        ("set-back", "worker_ids_from_a_sequence", "no item runs round"),
        ("set-back", "item_keys_are_ids", "no key is given to two items"),
        ("settings", "refused_data_is_tried_again", "every batch closes"),
        ("settings", "connection_states_nothing", "all closes soon after the last fault"),
    ],
)
def test_an_engine_without_its_mend_is_found_out(scene: str, twin: str, rule: str) -> None:
    assert any(rule in campaign(scene, times=1, seed=seed, broken=twin)["broken"] for seed in (1, 2, 4))
