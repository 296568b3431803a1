"""The limit: the engine's own SQL in the plainest loop, with nothing around it and the results made beforehand."""

import sys
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
        results = "\n".join(['{"i": 1}'] * K)
        while True:
            token += K + 1
            # Settle and the next claim in one round trip; each commits by itself.
            with conn.pipeline() as pipe:
                if settle is not None:
                    conn.cursor().execute(sql.SETTLE_FRESH, settle)
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
            settle = settle_params(worker_id, row, results)


def claim_params(worker_id: int, token: int) -> dict[str, Any]:
    return {
        "worker_id": worker_id, "queue": "default", "kinds": ["noop"], "k": K, "free": K, "kw": 0, "after": 0,
        "token": token, "is_locked": False,
    }  # fmt: skip


def settle_params(worker_id: int, row: tuple[Any, ...], results: str) -> dict[str, Any]:
    token, first, last = row[:3]
    n = last - first + 1
    return {
        "worker_id": worker_id,
        "tokens": [token],
        "token_of": f"{{{','.join([str(token)] * n)}}}",
        "ids": f"{{{','.join(map(str, range(first, last + 1)))}}}",
        "states": f"{{{','.join('c' * n)}}}",
        "took_ms": f"{{{','.join('0' * n)}}}",
        "results": results if n == K else "\n".join(['{"i": 1}'] * n),
        "errors": "\n" * (n - 1),
        "items": n,
    }


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
