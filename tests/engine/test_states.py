"""Every state of an item times every verb: where it leads, or that it changes nothing. The table is the spec."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from ingather.engine import verbs
from ingather.engine.errors import BatchClosed
from ingather.engine.script import run_script
from tests.conftest import cloned
from tests.engine.actors import Held, assert_sound, claim, close, enlist, lines, look, ours, put_back, scatter, settle

STATES = (
    "fresh",  # pending, never claimed
    "due",  # pending, came back once and may run now
    "later",  # pending, not before its moment
    "running",
    "completed",  # in a batch that is open: another item still runs
    "error",
    "completed, closed",  # in a batch that has closed since
    "error, closed",
    "cancelled",  # and its batch closed with it
)

SAME = "same"
REFUSED = "refused"

# verb: (what it answers where it does nothing, {state: (state after it, what it answers)}).
TABLE: dict[str, tuple[Any, dict[str, tuple[str, Any]]]] = {
    "claim": (0, {"fresh": ("running", 1), "due": ("running", 1)}),
    "claim while paused": (0, {}),
    "claim from a paused queue": (0, {}),
    "claim of another kind": (0, {}),
    "complete": (0, {"running": ("completed", 1)}),
    "fail": (0, {"running": ("error", 1)}),
    "complete without a lease": (0, {}),
    "put back": (0, {"running": ("pending", 1)}),
    "put back without a lease": (0, {}),
    "release": (0, {"running": ("pending", 1)}),
    "farewell": (0, {"running": ("pending", 1)}),
    "sweep": (0, {"running": ("pending", 1)}),
    "sweep of the living": (None, {}),
    "cancel": (
        True,
        {
            "fresh": ("cancelled", True),
            "due": ("cancelled", True),
            "later": ("cancelled", True),
            "running": ("cancelled", True),
            "completed, closed": (SAME, False),
            "error, closed": (SAME, False),
            "cancelled": (SAME, False),
        },
    ),
    "pause": (None, {}),
    "resume": (None, {}),
    "retry_failed": (0, {"error": ("pending", 1), "error, closed": ("pending", 1)}),
    "add": (1, dict.fromkeys(("completed, closed", "error, closed", "cancelled"), (SAME, REFUSED))),
    "close": ([], {}),
}

# How many attempts and losses an item has after a verb that moved it.
COUNTS: dict[tuple[str, str], tuple[int, int]] = {
    ("claim", "fresh"): (1, 0),
    ("claim", "due"): (2, 0),
    ("complete", "running"): (1, 0),
    ("fail", "running"): (1, 0),
    ("put back", "running"): (1, 0),
    ("release", "running"): (0, 0),
    ("farewell", "running"): (0, 0),
    ("sweep", "running"): (0, 1),
    ("cancel", "fresh"): (0, 0),
    ("cancel", "due"): (0, 0),
    ("cancel", "later"): (0, 0),
    ("cancel", "running"): (0, 0),
    ("retry_failed", "error"): (0, 0),
    ("retry_failed", "error, closed"): (0, 0),
}

_numbers = itertools.count()


@pytest.fixture(scope="module")
def shared(server: str, worker_id: str) -> Iterator[psycopg.Connection[Any]]:
    with cloned(server, worker_id, "states") as url, psycopg.connect(url, autocommit=True) as own:
        yield own


@pytest.fixture
def db(shared: psycopg.Connection[Any]) -> Iterator[psycopg.Connection[Any]]:
    """One database for the whole table, swept clean after each cell."""
    yield shared
    for table in ("segment", "batch", "payload", "outcome", "lease", "waiting", "tally", "worker"):
        shared.execute(f"delete from ingather.{table}")


class Subject:
    """An item brought into a state, beside one that another worker runs, so that its batch stays open."""

    def __init__(self, conn: psycopg.Connection[Any], state: str) -> None:
        self.conn = conn
        self.queue = f"q{next(_numbers)}"
        self.worker, self.other = run_script(conn, enlist(lease_s=3600)), run_script(conn, enlist(lease_s=3600))
        self.batch_id = run_script(conn, scatter(2, queue=self.queue))
        [ballast] = run_script(conn, claim(self.other, 1, queue=self.queue))
        self.item_id = ballast.first_id + 1
        self.held: list[Held] = []
        if state != "fresh":
            self.held = run_script(conn, claim(self.worker, 1, queue=self.queue, free=1))
        match state.removesuffix(", closed"):
            case "due" | "later":
                run_script(conn, put_back(self.pairs, delay_s=60 if state == "later" else 0))
            case "completed":
                run_script(conn, settle(self.worker, self.pairs))
            case "error":
                run_script(conn, settle(self.worker, self.pairs, "e"))
            case "cancelled":
                run_script(conn, verbs.cancel(self.batch_id))
        if state.endswith(", closed"):
            run_script(conn, settle(self.other, ballast.pairs))
            run_script(conn, close([self.batch_id]))
        self.state = self.row[0]
        assert self.state == {"fresh": "pending", "due": "pending", "later": "pending"}.get(
            state, state.removesuffix(", closed")
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """What its last worker would say; one that never held it makes its token up."""
        return [pair for held in self.held for pair in held.pairs] or [(1, self.item_id)]

    @property
    def row(self) -> tuple[str, int, int]:
        query = "select state, attempt, lost from ingather.item where id = %s"
        [(state, attempt, lost)] = self.conn.execute(query, [self.item_id]).fetchall()
        return state, attempt, lost

    def silence(self) -> None:
        self.conn.execute(
            "update ingather.worker set beat_at = beat_at - interval '2 hours' where id = %s", [self.worker]
        )

    def do(self, verb: str) -> Any:
        newcomer = run_script(self.conn, enlist(lease_s=3600))
        actions: dict[str, Callable[[], Any]] = {
            "claim": lambda: len(run_script(self.conn, claim(newcomer, queue=self.queue))),
            "claim while paused": self.claim_while_paused,
            "claim from a paused queue": self.claim_from_a_paused_queue,
            "claim of another kind": lambda: len(
                run_script(self.conn, claim(newcomer, queue=self.queue, kinds=["write", "readings"]))
            ),
            "complete": lambda: run_script(self.conn, settle(self.worker, self.pairs)),
            "fail": lambda: run_script(self.conn, settle(self.worker, self.pairs, "e")),
            "complete without a lease": lambda: run_script(self.conn, settle(newcomer, [(7, self.item_id)])),
            "put back": lambda: len(run_script(self.conn, put_back(self.pairs))),
            "put back without a lease": lambda: len(run_script(self.conn, put_back([(7, self.item_id)]))),
            "release": lambda: run_script(self.conn, verbs.release(self.worker)),
            "farewell": lambda: run_script(self.conn, verbs.dismiss(self.worker)),
            "sweep": self.sweep,
            "sweep of the living": lambda: run_script(self.conn, verbs.take_back(self.worker)),
            "cancel": lambda: run_script(self.conn, verbs.cancel(self.batch_id)),
            "pause": lambda: run_script(self.conn, verbs.pause(self.batch_id, paused=True)),
            "resume": lambda: run_script(self.conn, verbs.pause(self.batch_id, paused=False)),
            "retry_failed": lambda: run_script(self.conn, verbs.retry_failed(self.batch_id)),
            "add": lambda: run_script(self.conn, verbs.add(self.batch_id, lines(1))),
            "close": lambda: run_script(self.conn, close([self.batch_id])),
        }
        try:
            return actions[verb]()
        except BatchClosed:
            return REFUSED

    def claim_while_paused(self) -> int:
        run_script(self.conn, verbs.pause(self.batch_id, paused=True))
        return len(run_script(self.conn, claim(self.other, queue=self.queue)))

    def claim_from_a_paused_queue(self) -> int:
        run_script(self.conn, verbs.pause_queue(self.queue, paused=True))
        return len(run_script(self.conn, claim(self.other, queue=self.queue)))

    def sweep(self) -> int:
        self.silence()
        taken = run_script(self.conn, verbs.take_back(self.worker))
        assert taken is not None
        return taken[0]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", TABLE)
def test_every_verb_leads_every_state_where_the_table_says(db: psycopg.Connection[Any], verb: str, state: str) -> None:
    usual, changes = TABLE[verb]
    after, answer = changes.get(state, (SAME, usual))
    subject = Subject(db, state)
    before = subject.row
    batch = look(db, subject.batch_id)

    assert subject.do(verb) == answer

    if after == SAME:
        assert subject.row == before
    else:
        assert subject.row == (after, *COUNTS[verb, state])
    seen = look(db, subject.batch_id)
    is_reopened = (verb, state) == ("retry_failed", "error, closed")
    assert seen.version == batch.version + is_reopened
    assert seen.is_closed == ((batch.is_closed or verb == "cancel") and not is_reopened)
    assert seen.total == batch.total + (answer == 1 and verb == "add")
    assert seen.paused == (verb in {"pause", "claim while paused"})
    assert_sound(db)


@pytest.mark.parametrize("verb", ["complete", "fail"])
def test_a_worker_that_repeats_itself_finds_its_own_word(db: psycopg.Connection[Any], verb: str) -> None:
    subject = Subject(db, "running")
    assert subject.do(verb) == 1
    assert subject.do(verb) == 0
    assert run_script(db, ours(subject.pairs)) == [subject.item_id]


@pytest.mark.parametrize("verb", TABLE)
def test_what_a_verb_did_it_does_not_do_again(db: psycopg.Connection[Any], verb: str) -> None:
    """Said twice, as after a lost reply, every verb but add leaves the item as once."""
    for state in STATES:
        subject = Subject(db, state)
        subject.do(verb)
        once = subject.row
        if verb != "sweep":
            subject.do(verb)
        assert subject.row == once
    assert_sound(db)
