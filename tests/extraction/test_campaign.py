"""Two hundred documents, a provider that misbehaves, workers that are killed: nothing is lost, nothing paid twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.extraction.task import Wait, WaitReason
from tests.engine.workshop import until
from tests.extraction.desk import Bench, paper
from tests.extraction.worker import endpoint
from tests.provider.reader import answer
from tests.provider.server import Provider

DOCUMENTS = 200
# A call that was on its way when the provider asked for silence is nobody's fault; a busy machine is slow over it.
ON_ITS_WAY_S = 0.5
LOOK_S = 0.2  # the provider lives in this process and should not be late because we look
SCRIPT = {
    "seed": 5,
    "latency_s": [0.01, 0.05],
    "rules": [
        {"do": "rate_limit", "chance": 0.1, "retry_after": 1},
        {"do": "error_500", "chance": 0.05},
        {"do": "cut", "chance": 0.02},
        {"do": "garbage", "chance": 0.02},
        {"do": "blank", "chance": 0.01},
        {"do": "wrong_types", "chance": 0.01},
        {"do": "truncated", "chance": 0.01},
    ],
}


@contextmanager
def workers(url: str, folder: Path, address: str) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    alive: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "tests.extraction.worker", url, str(folder), address]
        alive.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return alive[-1]

    try:
        yield start
    finally:
        for process in alive:
            process.terminate()
        for process in alive:
            process.wait(30)


def called_in_silence(provider: Provider, db: psycopg.Connection) -> list[str]:
    """Calls that came in a time of silence, although all workers could know of it and none was under way any more."""
    noted = "select extract(epoch from called_at)::float8 from ingather.model_call where outcome = 'retry_after'"
    holds = sorted(at for (at,) in db.execute(noted).fetchall())
    wrong = []
    for call in provider.violations():
        request_at = call.at - call.since_silence_s
        known_at = next((at for at in holds if at >= request_at), call.at)
        if call.at > known_at + ON_ITS_WAY_S:
            wrong.append(
                f"call {call.number} came {call.since_silence_s:.2f} s after silence was asked for, "
                f"{call.at - known_at:.2f} s after all could know, {call.early_s:.2f} s before its end"
            )
    return wrong


@pytest.mark.timeout(300)
def test_a_misbehaving_provider_and_killed_workers_lose_and_repeat_nothing(
    url: str, tmp_path: Path, db: psycopg.Connection
) -> None:
    engine = Engine(url, lease=2)
    with Provider(script=SCRIPT, answerer=answer) as provider:
        bench = Bench(engine, tmp_path, endpoint(provider.base_url)).open()
        documents = bench.add([*(paper(n) for n in range(DOCUMENTS - 1)), "bad"])
        task, _ = bench.extraction.start_task(
            bench.project, "rct", documents, field_ids=["title", "n_randomised", "registration_id", "funding_source"]
        )
        with workers(url, tmp_path, provider.base_url) as start:
            first, second = start(), start()
            for victim, at in ((first, DOCUMENTS // 5), (second, DOCUMENTS // 2)):
                until(lambda at=at: bench.extraction.status(task.id).progress.completed >= at, 120, LOOK_S)  # type: ignore[misc]
                os.kill(victim.pid, signal.SIGKILL)
                start()
            until(lambda: bench.extraction.status(task.id).progress.is_closed, 180, LOOK_S)
    status = bench.extraction.status(task.id)
    assert (status.progress.completed, status.progress.error) == (DOCUMENTS - 1, 1)
    results = list(bench.extraction.all_results(task.id))
    assert [result.problem for result in results if result.state == "error"] == ["This file is locked with a password."]
    for result in results[:-1]:
        size = next(finding for finding in result.findings if finding.field == "n_randomised")
        assert size.value == 2 * (50 + result.ordinal)
    twice = """select request_sha256 from ingather.model_call where outcome = 'ok'
                group by request_sha256 having count(*) > 1"""
    assert db.execute(twice).fetchall() == []
    assert called_in_silence(provider, db) == []
    assert {call.did for call in provider.calls} >= {"rate_limit", "error_500", "ok"}
    assert provider.max_concurrent <= 10, "the gate holds for the fleet"
    engine.close()


def test_a_task_whose_only_worker_went_silent_says_that_there_is_none(url: str, tmp_path: Path) -> None:
    engine = Engine(url, lease=2)
    with Provider(script=[{"do": "hang"}], answerer=answer) as provider:
        bench = Bench(engine, tmp_path, endpoint(provider.base_url)).open()
        task, _ = bench.extraction.start_task(bench.project, "rct", bench.add([paper(1)]))
        with workers(url, tmp_path, provider.base_url) as start:
            only = start()
            until(lambda: provider.calls or None, 30)
            assert bench.extraction.status(task.id).wait is None
            # As if its machine were gone: nobody is there to take its document back.
            os.kill(only.pid, signal.SIGSTOP)
            try:
                until(lambda: bench.extraction.status(task.id).wait, 10)
                status = bench.extraction.status(task.id)
            finally:
                os.kill(only.pid, signal.SIGKILL)
    assert (status.progress.running, status.wait) == (1, Wait(why=WaitReason.NO_WORKER))
    engine.close()
