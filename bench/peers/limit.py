"""The limit: the engine's own SQL in the plainest loop, with nothing around it and the results made beforehand."""

import sys
from functools import cache
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from bench.peers import ingather
from bench.stage import Stage
from ingather.engine import statements as sql
from ingather.engine.connection import connect
from ingather.engine.feeder import CHUNK as K
from ingather.engine.script import commit


def work(url: str, folder: str) -> None:
    stage = Stage(folder)
    with connect(url) as conn:
        who = {"host": "limit", "pid": 0, "kinds": ["noop"], "lease": "1 hour"}
        [(worker_id,)] = conn.execute(sql.REGISTER, who).fetchall()
        stage.wait_for_go()
        token = worker_id << 40
        settle: dict[str, Any] | None = None
        while True:
            token += K + 1
            # Settle and the next claim in one round trip; each commits by itself.
            with conn.pipeline() as pipe:
                if settle is not None:
                    conn.cursor().execute(sql.SETTLE_RUN, settle)
                    commit(conn, pipe)
                claim = conn.cursor(row_factory=tuple_row)
                claim.execute(sql.CLAIM, claim_params(worker_id, token))
            if settle is not None:
                stage.add(settle["items"])
            rows = claim.fetchall()
            if not rows:
                if settle is None:
                    continue  # the other process holds the segment just now
                settle = None
                continue
            [row] = rows
            stage.add(0)
            settle = settle_params(worker_id, row)


def claim_params(worker_id: int, token: int) -> dict[str, Any]:
    return {
        "worker_id": worker_id, "queue": "default", "kinds": ["noop"], "k": K, "free": K, "kw": 0, "after": 0,
        "token": token, "is_locked": False,
    }  # fmt: skip


def settle_params(worker_id: int, row: tuple[Any, ...]) -> dict[str, Any]:
    token, first_id, last_id = row[:3]
    items = last_id - first_id + 1
    return {
        "worker_id": worker_id,
        "token": token,
        "first_id": first_id,
        "items": items,
        "took_ms": "{}",
        "results": results(items),
    }


@cache
def results(items: int) -> str:
    return "\n".join(['{"i": 1}'] * items)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", url]:
            ingather.prepare(url)
        case ["enqueue", url, n]:
            ingather.enqueue(url, int(n))
        case ["work", url, folder, _]:
            try:
                work(url, folder)
            except psycopg.OperationalError:
                sys.exit(1)
