"""Everything works through a transaction pooler: no statement, lock, setting or ear outlives its transaction."""

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import psycopg.sql
import pytest

from ingather.engine.batch import Batch
from ingather.engine.connection import connect, is_direct_connection
from ingather.engine.engine import Engine
from ingather.engine.errors import BatchClosed, DatabaseUnavailable, KeyReused, Reject
from ingather.engine.item import Item
from tests.engine.actors import assert_sound
from tests.engine.pooler import Pooler, relay


class Shop:
    """An app with a handler of each sort, that counts what ran."""

    def __init__(self, url: str) -> None:
        self.app = app = Engine(url, lease=5)
        self.ran: Counter[str] = Counter()
        self.running = self.most_running = 0

        @app.handler("shout")
        async def shout(item: Item) -> str:
            self.ran["shout"] += 1
            if item.payload == "fail" and self.ran["fail"] == 0:
                self.ran["fail"] += 1
                raise Reject("not today")
            if item.payload == "child":
                item.scatter("count", [1, 2])
                item.add(["added"])
            return str(item.payload).upper()

        @app.gather("shout")
        async def join(batch: Batch) -> list[Any]:
            self.ran["gather"] += 1
            return sorted([result async for result in batch.results()])

        @app.handler("aside")
        def aside(item: Item) -> int:
            return os.getpid()

        @app.handler("count", queue="narrow")
        async def count(item: Item) -> None:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            await asyncio.sleep(0.01)
            self.running -= 1


async def live(shop: Shop) -> None:
    """Two workers, and an operator who tries everything."""
    app = shop.app
    async with app.worker(concurrency=4), app.worker(concurrency=4):
        batch = await app.ascatter("shout", [f"word {n}" for n in range(300)], idempotency_key="once")
        assert await app.ascatter("shout", [f"word {n}" for n in range(300)], idempotency_key="once") == batch
        with pytest.raises(KeyReused):
            await app.ascatter("shout", ["other"], idempotency_key="once")
        seen = await batch.await_(timeout=30)
        assert (seen.completed, seen.version, seen.gather) == (300, 1, "completed")
        assert await batch.aresult() == sorted(f"WORD {n}" for n in range(300))
        assert shop.ran["gather"] == 1

        family = await app.ascatter("shout", ["child", "fail"])
        seen = await family.await_(timeout=30)
        assert (seen.total, seen.completed, seen.error) == (3, 2, 1)
        assert await family.aretry_failed() == 1
        seen = await family.await_(timeout=30)
        assert (seen.completed, seen.version) == (3, 2)
        assert await family.aresult() == ["ADDED", "CHILD", "FAIL"]
        with pytest.raises(BatchClosed):
            await family.aadd(["late"])

        apart = await app.ascatter("aside", range(5))
        assert (await apart.await_(timeout=30)).completed == 5
        assert os.getpid() not in [pid async for pid in apart.results()]

        await asyncio.to_thread(app.set_queue, "narrow", max_running=2)
        narrow = await app.ascatter("count", range(30))
        assert (await narrow.await_(timeout=30)).completed == 30
        assert shop.most_running <= 2

        paused = await app.ascatter("shout", ["a", "b"], delay=1)
        await paused.apause()
        await paused.aadd(["c"])
        assert (await paused.aprogress()).pending == 3
        await paused.aresume()
        await paused.acancel()
        assert (await paused.await_(timeout=30)).cancelled >= 2
    await app.aclose()


def operate(shop: Shop, url: str) -> None:
    """The same from a caller without a loop, and in a transaction of the caller's own."""
    app = shop.app
    with psycopg.connect(url, prepare_threshold=None) as conn:
        app.scatter("shout", ["never"], conn=conn)
        conn.rollback()
        mine = app.scatter("shout", ["mine"], conn=conn)
        conn.commit()
    many = app.scatter("shout", (f"{n:06}" for n in range(20_000)), delay=3600)
    assert many.progress().pending == 20_000
    assert many.cancel()
    app.worker().drain()
    assert mine.result() == ["MINE"]
    app.close()


@pytest.mark.parametrize("servers", [1, 3])
def test_a_batch_lives_through_a_pooler_that_changes_servers_at_every_transaction(
    url: str, db: psycopg.Connection[Any], servers: int
) -> None:
    with Pooler(url, servers=servers) as pooler:
        shop = Shop(pooler.url)
        asyncio.run(live(shop))
        operate(shop, pooler.url)
        assert pooler.transactions > 100
        assert (pooler.handovers > 100) == (servers > 1)
        assert pooler.named == []
        assert any("ingather.lease" in text for text in pooler.texts)
        assert [text for text in pooler.texts if text.lower().lstrip().startswith(("listen", "prepare", "set "))] == []
        assert_nothing_clings(pooler.url, servers)
    assert db.execute("select count(*) from ingather.worker").fetchone() == (0,)
    assert db.execute("select count(*) from ingather.batch where state = 'open'").fetchone() == (0,)
    assert_sound(db)


def assert_nothing_clings(url: str, servers: int) -> None:
    """Each server connection is as it was when it was opened."""
    pids = set()
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as conn:
        for _ in range(20 * servers):
            row = conn.execute(
                """
                select pg_backend_pid(),
                       (select count(*) from pg_prepared_statements),
                       (select count(*) from pg_listening_channels()),
                       (select count(*) from pg_locks where locktype = 'advisory'),
                       current_setting('synchronous_commit'),
                       current_setting('transaction_isolation')
                """
            ).fetchone()
            assert row is not None
            pids.add(row[0])
            assert row[1:] == (0, 0, 0, "on", "read committed")
    assert len(pids) == servers


def test_a_pooled_connection_is_told_from_a_direct_one(url: str) -> None:
    with connect(url) as direct:
        assert is_direct_connection(direct)
    with Pooler(url, servers=2) as pooler, connect(pooler.url) as pooled:
        assert not is_direct_connection(pooled)
        pids = {pooled.execute("select pg_backend_pid()").fetchall()[0][0] for _ in range(4)}
        assert len(pids) == 2
        with pooled.transaction():
            inside = {pooled.execute("select pg_backend_pid()").fetchall()[0][0] for _ in range(4)}
        assert len(inside) == 1


def test_a_pooled_database_whose_transactions_keep_their_first_snapshot_is_refused(
    url: str, db: psycopg.Connection[Any]
) -> None:
    """A direct connection is set right by itself; behind a pooler that would be somebody else's setting."""
    name = psycopg.sql.Identifier(db.info.dbname)
    db.execute(psycopg.sql.SQL("alter database {} set default_transaction_isolation = 'serializable'").format(name))
    with connect(url) as direct:
        assert direct.execute("show transaction_isolation").fetchone() == ("read committed",)
    with Pooler(url, servers=1) as pooler, pytest.raises(DatabaseUnavailable, match="default_transaction_isolation"):
        connect(pooler.url)


def test_the_pooler_keeps_no_session_and_cuts_pipelines(url: str) -> None:
    """The tool itself is as harsh as it says; else the tests above would prove little."""
    with Pooler(url, servers=2) as pooler, psycopg.connect(pooler.url, autocommit=True) as conn:
        conn.prepare_threshold = 0
        # Prepared on one server, executed on the next.
        with pytest.raises(psycopg.errors.InvalidSqlStatementName):
            conn.execute("select 1 + %s", [1])
        assert pooler.named != []
        conn.prepare_threshold = None
        with conn.pipeline() as pipe:
            cursors = []
            for _ in range(4):
                cursors.append(conn.execute("select pg_backend_pid()"))
                pipe.sync()
        assert len({cursor.fetchall()[0][0] for cursor in cursors}) == 2
        with conn.cursor() as cursor, cursor.copy("copy (select generate_series(1, 1000)) to stdout") as copy:
            assert len(list(copy)) == 1000


def test_a_client_that_leaves_in_the_middle_leaves_nothing_open(url: str, db: psycopg.Connection[Any]) -> None:
    with Pooler(url, servers=1) as pooler:
        conn = psycopg.connect(pooler.url)
        conn.execute("insert into ingather.queue (name) values ('never')")
        conn.pgconn.finish()
        with psycopg.connect(pooler.url, autocommit=True) as other:
            assert other.execute("select count(*) from ingather.queue").fetchone() == (0,)


# --- PgBouncer itself ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def pgbouncer(url: str, pool_size: int) -> Iterator[str]:
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip("pgbouncer is not on PATH: install it (on Debian: apt install pgbouncer) to run this test")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, relay(url) as server_port:
        Path(folder).chmod(0o755)  # it will not run as root, and nobody must be able to read its settings
        settings = Path(folder) / "pgbouncer.ini"
        settings.write_text(
            f"""
            [databases]
            * = host=127.0.0.1 port={server_port} user=postgres
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {port}
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = {pool_size}
            """.replace("            ", "")
        )
        settings.chmod(0o644)
        identity = ["-u", "nobody"] if os.geteuid() == 0 else []
        process = subprocess.Popen(
            [program, "-q", *identity, str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        pooled = f"postgresql://postgres@127.0.0.1:{port}/{psycopg.conninfo.conninfo_to_dict(url)['dbname']}"
        try:
            until_it_answers(pooled, process)
            yield pooled
        finally:
            process.terminate()
            process.wait(10)


def until_it_answers(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, f"pgbouncer ended with {process.returncode}"
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "pgbouncer does not answer"
            time.sleep(0.02)
        else:
            return


@pytest.mark.parametrize("pool_size", [1, 3])
def test_a_batch_lives_through_pgbouncer_in_transaction_mode(new_database: Callable[[], str], pool_size: int) -> None:
    url = new_database()
    with pgbouncer(url, pool_size) as pooled:
        shop = Shop(pooled)
        asyncio.run(live(shop))
        operate(shop, pooled)
    with psycopg.connect(url, autocommit=True) as conn:
        assert conn.execute("select count(*) from ingather.batch where state = 'open'").fetchone() == (0,)
        assert_sound(conn)
