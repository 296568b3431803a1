"""What the model found, played on a real database."""

from collections.abc import Iterator

import pytest

from ingather.engine import statements as sql
from ingather.engine import verbs
from tests.engine.actors import Actor, assert_sound, claim, enlist, scatter, settle, stage


@pytest.fixture
def actors(url: str) -> Iterator[tuple[Actor, Actor]]:
    with stage(url) as enter:
        yield enter(), enter()


def test_a_retry_takes_a_lease_that_came_late_before_the_outcomes_in_it(actors: tuple[Actor, Actor]) -> None:
    """A settle whose reply was lost holds the lease and comes for the outcome; the retry must not hold that already."""
    ann, operator = actors
    worker_id = ann.run(enlist())
    batch_id = ann.run(scatter(2))
    retry = operator.play(verbs.retry_failed(batch_id)).until(sql.RETRY_FAILED)
    [lease] = ann.run(claim(worker_id))
    pair = lease.pairs[:1]
    assert ann.run(settle(worker_id, pair, "e")) == 1

    ann.conn.execute("begin")
    ann.conn.execute("select from ingather.lease where token = %s for no key update", [lease.token])
    retried = operator.has_to_wait(retry.commit)
    assert ann.run(settle(worker_id, pair, "e")) == 0
    ann.conn.execute("commit")

    assert retried.result(10) == 1
    assert ann.run(settle(worker_id, pair, "e")) == 0
    assert_sound(ann.conn)
