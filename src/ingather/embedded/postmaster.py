"""One server process over one data folder: making the folder, starting, waiting, stopping."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import psycopg

from ingather.embedded import locks
from ingather.embedded.binaries import Binaries
from ingather.embedded.errors import EmbeddedError, from_log
from ingather.embedded.identity import LAUNCH_SECONDS, Identity, name_of
from ingather.embedded.places import PORT, ROLE, SUPERUSER, Places, made_whole

# initdb needs a second. Two minutes allow for a slow disk; after that the error helps more than waiting.
INITDB_SECONDS = 120.0
# A start after a crash replays the log first. Longer keeps callers waiting without a word; shorter gives up too early.
READY_SECONDS = 60.0
# A fast shutdown writes a checkpoint. After this time an immediate one follows, which the next start must recover.
STOP_SECONDS = 30.0
# The log is moved aside when it is larger than this, so that log files never fill a disk.
BIGGEST_LOG = 10_000_000
# Above every possible process id, so no process has it.
NO_PID = 2**31 - 1

DEFAULTS = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    # The promises need both: with either off, a crash may lose what was reported as stored.
    "fsync": "on",
    "synchronous_commit": "on",
}


def connect(places: Places) -> psycopg.Connection:
    """A connection to the server of this home, if it is there and accepts one."""
    if not places.has_own_sockets():
        raise psycopg.OperationalError(f"{places.sockets} does not exist or belongs to somebody else")
    return psycopg.connect(places.url(SUPERUSER, "postgres"), autocommit=True, connect_timeout=5)


def is_ready(places: Places) -> bool:
    try:
        connect(places).close()
    except psycopg.OperationalError:
        return False
    return True


def make_data(places: Places, binaries: Binaries, identity: Identity) -> None:
    """Makes a data folder with an empty cluster in it."""
    if binaries.major >= 17:
        locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    else:
        locale = ["--locale=C", f"--lc-ctype={'UTF-8' if sys.platform == 'darwin' else 'C.UTF-8'}"]
    trust = [f"--username={SUPERUSER}", "--auth-local=peer", "--auth-host=reject"]
    with made_whole(places.data) as new, _server_log(places, identity) as log:
        identity.give(new)
        argv = [str(binaries.folder / "initdb"), "-D", str(new), "--encoding=UTF8", *locale, *trust]
        offset = log.tell()
        # Held by initdb too: it outlives a caller that is killed, and the next one must not clear away under its hands.
        if identity.run(argv, lock=places.server_lock, output=log, seconds=INITDB_SECONDS) != 0:
            raise from_log(f"A new database could not be made in {places.data}", places.log, offset)


def _admit(data: Path, identity: Identity, binaries: Binaries) -> None:
    """Lets in whoever runs the server, whoever started it, and root, as the kernel names them at the socket.

    They may take any role of the database, and make copies of it. Written at
    every start: homes of before let in everybody who reached the socket.

    Only they can enter its folder, too; but a folder can be opened by mistake.
    In a namespace of our own the server sees us as the user it runs as, and
    everybody else as `nobody`.
    """
    # The files are there: written in place, they keep the owner that the server needs.
    local = "".join(f"local {what} all peer map=ingather\n" for what in ("all", "replication"))
    (data / "pg_hba.conf").write_text(f"{local}host all all all reject\n")
    names = dict.fromkeys(name_of(uid) for uid in (identity.uid, os.geteuid(), 0))
    roles = ["all"] if binaries.major >= 16 else [SUPERUSER, ROLE]  # older servers know no word for every role
    lines = [f'ingather "{name}" {role}\n' for name in names if name for role in roles]
    (data / "pg_ident.conf").write_text("".join(lines))


def launch(places: Places, binaries: Binaries, identity: Identity, settings: Mapping[str, str]) -> None:
    """Starts the server and waits until it answers; the caller has the right to start."""
    _clear_stale_pid(places)
    _make_sockets(places, identity)
    places.kept.unlink(missing_ok=True)
    places.stopped.unlink(missing_ok=True)
    sockets = str(places.sockets).replace('"', '""')
    # These override `settings`: the server must listen where other processes look for it.
    ours = {"port": str(PORT), "unix_socket_directories": f'"{sockets}"', "unix_socket_permissions": "0700"}
    options = [f"-c{name}={value}" for name, value in {"listen_addresses": "", **DEFAULTS, **settings, **ours}.items()]
    argv = [str(binaries.folder / "postgres"), "-D", str(places.data), *options]
    _admit(places.data, identity, binaries)
    with _server_log(places, identity) as log:
        offset = log.tell()
        code = identity.run(argv, lock=places.server_lock, output=log, seconds=LAUNCH_SECONDS, leave=True)
    if code != 0:
        raise from_log("PostgreSQL could not be started", places.log, offset)
    _wait_until_ready(places, offset)


def _wait_until_ready(places: Places, offset: int) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not is_ready(places):
        if not locks.is_held(places.server_lock):
            raise from_log("PostgreSQL stopped while it was starting", places.log, offset)
        if time.monotonic() > deadline:
            raise from_log(
                f"PostgreSQL is still starting after {READY_SECONDS:.0f} s, maybe it recovers a big database: "
                "try again in a moment",
                places.log,
                offset,
            )
        time.sleep(0.02)


def wait_for_remains(places: Places) -> bool:
    """Waits until a server that may be starting or dying is one or the other: True if it answers, False if it is gone.

    After a `kill -9` of the postmaster alone its children notice and end, but until then they use the data.
    """
    deadline = time.monotonic() + READY_SECONDS
    while True:
        if is_ready(places):
            return True
        if not locks.is_held(places.server_lock):
            return False
        if time.monotonic() > deadline:
            raise from_log(
                f"A PostgreSQL on {places.data} is alive but has not answered for {READY_SECONDS:.0f} s: if it is "
                "recovering, try again in a moment, else end its processes",
                places.log,
            )
        time.sleep(0.02)


def halt(places: Places) -> bool:
    """Stops the server, breaking off its connections; False if there was none to stop."""
    pid = _listener(places)
    if pid is None or pid != _pid_on_file(places):
        return False
    # Fast shutdown first. An immediate one loses nothing either, but the next start has to recover.
    for kind, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, 10.0)):
        os.kill(pid, kind)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not locks.is_held(places.server_lock):
                return True
            time.sleep(0.01)
    raise from_log(f"PostgreSQL (process {pid}) does not stop: end it by hand", places.log)


def _listener(places: Places) -> int | None:
    """The process that listens on our socket. The kernel knows it: unlike a pid file, it cannot be out of date."""
    if not places.has_own_sockets():
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(5)
        try:
            probe.connect(str(places.socket))
        except OSError:
            return None
        if sys.platform == "darwin":
            sol_local, local_peerpid = 0, 2
            return int(probe.getsockopt(sol_local, local_peerpid))
        pid, _, _ = struct.unpack("3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        return int(pid)


def _pid_on_file(places: Places) -> int | None:
    try:
        return int((places.data / "postmaster.pid").read_text().partition("\n")[0])
    except (FileNotFoundError, ValueError):
        return None


def _clear_stale_pid(places: Places) -> None:
    """Keeps an old postmaster.pid from stopping the start: nobody holds the server's lock, so that server is dead.

    PostgreSQL only asks whether that process id exists, so it is fooled by a stranger who has it now, and by a zombie.
    The rest of the file stays, because PostgreSQL finds in it the shared memory of backends that might still live.
    """
    file = places.data / "postmaster.pid"
    if not file.exists():
        return
    pid = _pid_on_file(places)
    if pid is None:
        file.unlink()
    elif _is_server_on(pid, places.data):
        raise EmbeddedError(
            f"A PostgreSQL that was started by other means (process {pid}) uses {places.data}: stop it first, "
            "for example with pg_ctl."
        )
    else:
        _, newline, rest = file.read_text().partition("\n")
        file.write_text(f"{NO_PID}{newline}{rest}")
    places.socket.unlink(missing_ok=True)
    places.socket.with_name(f"{places.socket.name}.lock").unlink(missing_ok=True)


def _is_server_on(pid: int, data: Path) -> bool:
    """Whether a process is a PostgreSQL that works in this folder. Only its owner and root can ask, which we are."""
    if sys.platform == "darwin":
        listed = subprocess.run(["/bin/ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return listed.stdout.strip().endswith("postgres")
    process = Path("/proc") / str(pid)
    try:
        return (process / "comm").read_text().strip() == "postgres" and (process / "cwd").samefile(data)
    except OSError:
        return False


def _make_sockets(places: Places, identity: Identity) -> None:
    places.sockets.mkdir(mode=0o700, exist_ok=True)
    if not places.has_own_sockets():
        raise EmbeddedError(f"{places.sockets} belongs to somebody else: remove it, or choose a shorter INGATHER_HOME.")
    identity.give(places.sockets)


def _server_log(places: Places, identity: Identity) -> BinaryIO:
    if places.log.exists() and places.log.stat().st_size > BIGGEST_LOG:
        places.log.replace(places.log.with_suffix(".log.1"))
    places.log.touch(mode=0o600)
    identity.give(places.log)
    return places.log.open("ab")
