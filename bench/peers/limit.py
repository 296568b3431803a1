"""The limit: the engine's own SQL in the plainest loop, with nothing around it and the results made beforehand."""

import sys
from functools import cache
from secrets import randbits

import psycopg
from psycopg.rows import tuple_row

from bench.peers import ingather
from bench.stage import Stage
from ingather.engine import parameters
from ingather.engine import statements as sql
from ingather.engine.claiming import MOST_PER_CLAIM
from ingather.engine.connection import connect
from ingather.engine.driver import commit_with_driver
from ingather.engine.script import Row, Statement


def work(url: str, folder: str) -> None:
    stage = Stage(folder)
    with connect(url) as conn:
        who = {"host": "limit", "pid": 0, "kinds": ["noop"], "lease": "1 hour"}
        [(worker_id,)] = conn.execute(sql.REGISTER, who).fetchall()
        stage.wait_for_go()
        token = randbits(62)
        settle: Statement | None = None
        items = 0
        while True:
            token += MOST_PER_CLAIM + 1
            # Settle and the next claim in one round trip; each commits by itself.
            with conn.pipeline() as pipe:
                if settle is not None:
                    conn.cursor().execute(settle.sql, settle.params)
                    commit_with_driver(conn, pipe)
                claim = parameters.parameters_to_claim(
                    worker_id,
                    queue="default",
                    kinds=["noop"],
                    k=MOST_PER_CLAIM,
                    free=MOST_PER_CLAIM,
                    token=token,
                    is_of_one_share=True,
                )
                cursor = conn.cursor(row_factory=tuple_row)
                cursor.execute(claim.sql, claim.params)
            if settle is not None:
                stage.add(items)
            rows = cursor.fetchall()
            if not rows:
                if settle is None:
                    continue  # the other process holds the segment just now
                settle = None
                continue
            [row] = rows
            stage.add(0)
            settle, items = settle_of(worker_id, row), row[2] - row[1] + 1


def settle_of(worker_id: int, row: Row) -> Statement:
    token, first_id, last_id = row[:3]
    items = last_id - first_id + 1
    return parameters.parameters_to_settle_range(worker_id, token, first_id, items, "{}", results(items))


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
