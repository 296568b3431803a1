"""Statements stay on their indexes: with fresh, stale and no statistics, with custom and generic plans."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from ingather.engine import statements as sql
from ingather.engine.engine import Engine
from ingather.engine.script import Script, Statement, run_script
from tests.engine.workshop import build

JOBS = 20_000
K = 100
HOT = ("segment", "payload", "waiting", "lease", "outcome", "tally")


@pytest.fixture
def shop(url: str) -> Iterator[Engine]:
    engine = build(url)
    yield engine
    engine.close()


def _register() -> Script[int]:
    who = {"host": "here", "pid": 1, "kinds": ["echo"], "lease": timedelta(seconds=60)}
    [(worker_id,)] = yield Statement(sql.REGISTER, who)
    return int(worker_id)


def _fill(shop: Engine, db: psycopg.Connection) -> None:
    """Many jobs of one item, a large batch in the middle, and many items that wait for their moment."""
    shop.scatter("echo", [{"n": 0}])
    db.execute(
        """insert into ingather.batch (kind, queue, total, max_attempts, timeout_s, gathers)
           select 'echo', 'default', 1, 4, 60, false from generate_series(1, %s)""",
        [JOBS],
    )
    db.execute(
        """with born as (select b.id as batch_id, nextval('ingather.segment_id') as id from ingather.batch b
                          where not exists (select from ingather.segment s where s.batch_id = b.id)),
                runs as (insert into ingather.segment (id, batch_id, first_ordinal, next_id, last_id, priority, queue)
                         select id, batch_id, 0, id << 20, id << 20, 0, 'default' from born returning id)
           insert into ingather.payload select id << 20, '{}' from runs"""
    )
    shop.scatter("echo", ({"n": n} for n in range(50_000)))
    shop.scatter("echo", ({"n": n} for n in range(5_000)), delay=3600)


def _scanned(plan: dict[str, Any], found: dict[str, int]) -> dict[str, int]:
    """Rows that each hot table's scans touched, the filtered ones included."""
    table = plan.get("Relation Name")
    if table in HOT and plan["Node Type"].endswith("Scan"):
        touched = (
            plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
        )
        found[table] = found.get(table, 0) + int(touched * plan["Actual Loops"])
    for inner in plan.get("Plans", []):
        _scanned(inner, found)
    return found


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("statistics", ["fresh", "stale", "none"])
def test_a_claim_reads_no_more_than_it_takes(shop: Engine, db: psycopg.Connection, statistics: str, mode: str) -> None:
    for table in (*HOT, "batch"):
        db.execute(f"alter table ingather.{table} set (autovacuum_enabled = off)")
    if statistics == "stale":
        db.execute("analyze")
    _fill(shop, db)
    if statistics == "fresh":
        db.execute("analyze")
    worker_id = run_script(db, _register())
    db.execute(f"set plan_cache_mode = {mode}")
    queries = {
        "worker_id": worker_id, "queue": "default", "kinds": ["echo"], "k": K, "kw": K // 2, "free": 10,
        "after_share": "", "shares": [""], "afters": [5_000], "token": 1, "is_locked": False,
    }  # fmt: skip
    # Prepared as the driver does it, then explained as executed.
    names = list(queries)
    text = sql.CLAIM
    for number, name in enumerate(names, 1):
        text = text.replace(f"%({name})s", f"${number}")
    db.execute(f"prepare claim (bigint, text, text[], int, int, int, text, text[], bigint[], bigint, bool) as {text}")
    values = f"{worker_id}, 'default', array['echo'], {K}, {K // 2}, 10, '', array[''], array[5000], 1000, false"
    [[plan]] = db.execute(f"explain (analyze, format json) execute claim({values})").fetchone() or [[]]
    touched = _scanned(plan["Plan"], {})
    assert touched["payload"] == K
    assert touched["segment"] <= 6 * K
    assert all(rows <= 6 * K for rows in touched.values()), touched


@pytest.mark.parametrize("has_statistics", [True, False], ids=["fresh", "none"])
def test_cancelling_a_job_does_not_read_what_others_have_ended(
    shop: Engine, db: psycopg.Connection, has_statistics: bool
) -> None:
    shop.scatter("echo", ({"n": n} for n in range(5_000))).cancel()
    if has_statistics:
        db.execute("analyze")
    job = shop.submit("echo", {"n": 0})
    queries = "explain (analyze, format json) " + sql.CANCEL_THE_REST
    [([query_plan],)] = db.execute(queries, {"batch_ids": [job.id]}).fetchall()
    assert max(_scanned(query_plan["Plan"], {}).values()) < 100
