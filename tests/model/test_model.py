"""Every interleaving of the engine's state machine, within bounds; and the same of designs that must fail.

python -m tests.model.test_model          the scenarios and twins that the tests run, with their numbers
python -m tests.model.test_model --large  larger scenarios: 3.5 million states, five to ten minutes
"""

import sys
import time
from typing import Any, Final

import pytest

from tests.model.explorer import Report, explore
from tests.model.machine import BUDGETS, Machine
from tests.model.verbs import TWINS, Bounds, Design

ANYTHING: Final[dict[str, Any]] = dict.fromkeys(BUDGETS, 1)

SCENARIOS: Final = {
    "everybody, any one event": Bounds(**ANYTHING | {"events": 1}, unlucky=2),
    "everybody with a gather, any one event": Bounds(**ANYTHING | {"events": 1}, items=1, gathers=True),
    "a crash and a zombie": Bounds(crashes=1, silences=1),
    "a lost connection and a zombie": Bounds(breaks=1, silences=1),
    "a lost connection, a put back": Bounds(breaks=1, backs=1),
    "a lost connection, a retry": Bounds(breaks=1, failures=1, retries=1, aggregators=1),
    "a zombie, a retry": Bounds(silences=1, failures=1, retries=1, aggregators=1),
    "a retry and an add": Bounds(failures=1, retries=1, adds=1),
    "a cancel of items on the move": Bounds(backs=1, cancels=1),
    "a dismissal with a lost connection": Bounds(workers=1, aggregators=1, breaks=1, dismissals=1),
    "a cancel of several leases": Bounds(workers=1, aggregators=1, chunk=1, hands=2, cancels=1),
    "a limit": Bounds(max_running=1, crashes=1, silences=1),
    "a gather and a retry": Bounds(items=1, gathers=True, failures=1, retries=1, backs=1, aggregators=1),
    "scatter until answered": Bounds(items=1, workers=1, aggregators=1, scatters=True, breaks=2),
}

LARGE: Final = {
    "everybody, any two events": Bounds(**ANYTHING | {"events": 2}, unlucky=2),
    "everybody with a gather, any two events": Bounds(**ANYTHING | {"events": 2}, items=1, gathers=True),
    "three items, a crash, a zombie, a put back": Bounds(items=3, crashes=1, silences=1, backs=1),
    "two lost connections, a put back": Bounds(breaks=2, backs=1, failures=1),
    "a zombie, a retry and an add": Bounds(silences=1, failures=1, retries=1, adds=1),
    "a zombie, a cancel of items on the move": Bounds(silences=1, backs=1, cancels=1),
    "a dismissal, a cancel, a lost connection": Bounds(breaks=1, dismissals=1, cancels=1),
    "a zombie, a cancel of several leases": Bounds(chunk=1, hands=2, silences=1, cancels=1),
    "a limit for two workers in trouble": Bounds(max_running=1, unlucky=2, crashes=1, silences=1, breaks=1),
    "a gather, a retry and a zombie": Bounds(
        items=1, gathers=True, failures=1, retries=1, backs=1, silences=1, aggregators=1
    ),
}

# Where each mistake shows. The bounds are the smallest that were found to do.
ZOMBIE: Final = Bounds(silences=1, aggregators=1)
SHOWN_BY: Final = {
    "settles_without_lease": ZOMBIE,
    "sweeps_without_locking_leases": ZOMBIE,
    "sweep_forgets_unfinished": ZOMBIE,
    "sweep_returns_finished": ZOMBIE,
    "fences_by_attempt": ZOMBIE,
    "counts_then_closes": Bounds(),
    "closes_in_one_statement": Bounds(failures=1, retries=1),
    "closes_without_total": Bounds(adds=1),
    "moves_cursor_unlocked": Bounds(),
    "counts_before_lock": Bounds(max_running=1),
    "never_sweeps": Bounds(crashes=1),
    "puts_back_without_returned": Bounds(backs=1),
    "scatters_without_key": SCENARIOS["scatter until answered"],
    "cancels_in_one_pass": Bounds(backs=1, cancels=1),
    "retry_leaves_item_in_lease": Bounds(failures=1, retries=1),
    "frees_by_old_count": Bounds(breaks=1),
    "dismisses_without_lock": SCENARIOS["a dismissal with a lost connection"],
    "cancel_locks_out_of_order": SCENARIOS["a cancel of several leases"],
    "retry_locks_outcomes_first": Bounds(workers=1, aggregators=1, breaks=1, failures=1, retries=1),
    "retry_drops_gather_in_one_pass": SCENARIOS["a gather and a retry"],
}


def twin(name: str) -> Report:
    return explore(Machine(SHOWN_BY[name], Design(**{name: True})))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_design_keeps_its_promises(name: str) -> None:
    report = explore(Machine(SCENARIOS[name]))
    assert not report.violation, str(report)
    assert report.is_complete


@pytest.mark.parametrize("name", TWINS)
def test_a_broken_twin_is_caught(name: str) -> None:
    report = twin(name)
    print(report)
    assert report.violation, f"{name} passed: {report}"


def main() -> None:
    for name, bounds in LARGE.items() if "--large" in sys.argv else SCENARIOS.items():
        began = time.monotonic()
        report = explore(Machine(bounds), most=20_000_000)
        print(f"{name}: {report} ({time.monotonic() - began:.1f} s)", flush=True)
    if "--large" not in sys.argv:
        for name in TWINS:
            print(f"\n{name}: {twin(name)}", flush=True)


if __name__ == "__main__":
    main()
