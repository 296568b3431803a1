"""What a worker shows: its counts are the database's, it says whether it is ready, and the files name what exists."""

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from ingather.engine.engine import Engine
from ingather.engine.errors import Reject, RetryLater, UsageError
from ingather.engine.item import Item
from ingather.engine.reports import report_oldest_due
from ingather.telemetry import serve_telemetry
from ingather.telemetry.counts import MOST_QUEUES, WorkerCounts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "telemetry"


def ask(port: int, path: str) -> tuple[int, str]:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Every sample, by its name and the values of its labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def shop(app: Engine) -> Engine:
    tries: Counter[int] = Counter()

    @app.handler("work", max_attempts=2)
    async def work(item: Item) -> str:
        tries[item.id] += 1
        if item.payload == "bad":
            raise Reject("never")
        if item.payload == "busy" and tries[item.id] == 1:
            raise RetryLater(0)
        return "done"

    @app.handler("slow")
    def slow(item: Item) -> str:
        if item.payload == "parent":
            item.scatter("work", ["child"])
        return "done"

    @app.gather("work")
    async def count(batch: Any) -> int:
        return 1

    return app


async def drained(app: Engine) -> dict[tuple[str, ...], float]:
    worker = app.worker()
    with serve_telemetry(worker, 20_000, host="127.0.0.1", ports=5_000) as port:
        assert ask(port, "/readyz")[0] == 503
        await worker.adrain()
        status, text = await asyncio.to_thread(ask, port, "/metrics")
        assert status == 200
        assert ask(port, "/healthz") == (200, "ok\n")
        assert ask(port, "/else")[0] == 404
    return samples(text)


def test_the_counts_of_a_worker_are_the_database_s_own_sums(shop: Engine, db: psycopg.Connection) -> None:
    shop.scatter("work", ["good"] * 300 + ["bad"] * 3 + ["busy"] * 5)
    shop.scatter("slow", ["parent", "alone"], queue="night")
    seen = asyncio.run(drained(shop))
    stored = db.execute(
        "select b.queue, b.kind, o.state::text, count(*) from ingather.outcome o"
        " join ingather.segment s on o.item_id between s.id << 20 and s.last_id"
        " join ingather.batch b on b.id = s.batch_id"
        " group by 1, 2, 3"
    ).fetchall()
    states = {"c": "completed", "e": "error"}
    expected = {(queue, kind, states[state]): n for queue, kind, state, n in stored}
    counted = {tuple(labels): n for (name, *labels), n in seen.items() if name == "ingather_worker_items_total"}
    assert {labels: n for labels, n in counted.items() if "gather" not in labels[1]} == expected
    assert sum(n for labels, n in counted.items() if labels[1] == "work (gather)") == 2
    assert seen["ingather_worker_errors_total", "default", "work", "rejected"] == 3
    assert seen["ingather_worker_returned_total", "default", "work", "retry_later"] == 5
    assert seen["ingather_worker_run_seconds_count", "work"] == 309
    assert seen["ingather_worker_run_seconds_bucket", "work", "+Inf"] == 309
    assert seen["ingather_worker_refused_total",] == 0


def test_a_worker_is_ready_while_its_database_answers(shop: Engine) -> None:
    async def story() -> tuple[int, int]:
        worker = shop.worker(concurrency=3)
        status = 0
        with serve_telemetry(worker, 20_000, host="127.0.0.1", ports=5_000) as port:
            async with worker:
                shop.submit("work", "good")
                for _ in range(1_000):
                    if (status := (await asyncio.to_thread(ask, port, "/readyz"))[0]) == 200:
                        break
                    await asyncio.sleep(0.02)
                slots = samples((await asyncio.to_thread(ask, port, "/metrics"))[1])["ingather_worker_slots",]
        return status, int(slots)

    assert asyncio.run(story()) == (200, 3)


def test_a_port_that_is_taken_is_a_sentence_and_the_next_one_is_used(shop: Engine) -> None:
    with serve_telemetry(shop.worker(), 20_000, host="127.0.0.1", ports=5_000) as port:
        with pytest.raises(UsageError, match=str(port)), serve_telemetry(shop.worker(), port, host="127.0.0.1"):
            pass
        with serve_telemetry(shop.worker(), port, host="127.0.0.1", ports=100) as other:
            assert other > port


def test_labels_have_an_end() -> None:
    counts = WorkerCounts()
    labels = {counts._queue_label(f"queue_{n}") for n in range(MOST_QUEUES * 3)}
    assert len(labels) == MOST_QUEUES + 1


def test_what_is_off_is_not_loaded() -> None:
    code = "import ingather.cli.work, ingather.engine.worker, sys; sys.exit('ingather.telemetry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_view_says_what_waits_in_each_queue(shop: Engine, db: psycopg.Connection) -> None:
    shop.scatter("work", ["good"] * 7)
    shop.scatter("work", ["good"] * 2, delay=3600)
    shop.scatter("work", ["good"], queue="held").pause()
    shop.pause_queue("held")
    db.execute("update ingather.batch set created_at = created_at - interval '1 hour'")
    rows = db.execute(
        "select queue, due, running, oldest_due_s > 3500, is_held from ingather.queue_load order by queue"
    )
    assert rows.fetchall() == [("default", 7, 0, True, False), ("held", 0, 0, False, True)]
    assert [queue for queue, age_s in shop.database.run(report_oldest_due()) if age_s > 3500] == ["default"]


NAMED = re.compile(r"\bingather_\w+")


def names_in(text: str) -> set[str]:
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in NAMED.findall(text)}


def test_dashboard_and_alerts_name_metrics_that_there_are(shop: Engine) -> None:
    shop.scatter("work", ["good", "bad", "busy"])
    shown = {name for name, *_ in asyncio.run(drained(shop))}
    web = (Path(__file__).resolve().parents[2] / "src/ingather/web/routes/health.py").read_text("utf-8")
    known = names_in(" ".join(shown)) | names_in(web)
    dashboard = json.loads((EXAMPLES / "grafana.json").read_text("utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    [group] = yaml.safe_load((EXAMPLES / "alerts.yaml").read_text("utf-8"))["groups"]
    queries += [rule["expr"] for rule in group["rules"]]
    assert all({"alert", "expr", "for", "labels", "annotations"} == set(rule) for rule in group["rules"])
    assert queries
    for query in queries:
        assert names_in(query), query
        assert names_in(query) <= known, query
        assert query.count("(") == query.count(")"), query
