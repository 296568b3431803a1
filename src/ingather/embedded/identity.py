"""As whom the server runs: PostgreSQL refuses to run as root."""

import json
import os
import pwd
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from ingather.embedded import launcher
from ingather.embedded.errors import EmbeddedError
from ingather.embedded.places import Places

# How long the launcher may take to become another user and start the server. It needs milliseconds; longer hides a
# machine that is out of memory, shorter fails on a busy one.
LAUNCH_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One of three ways: as ourselves, under another name in a user namespace of our own, or as `nobody` for good."""

    way: Literal["self", "namespace", "user"]
    uid: int
    gid: int

    def run(self, argv: list[str], *, lock: Path, output: IO[bytes], seconds: float, leave: bool = False) -> int:
        """Runs a command, which holds the lock, to its end or with `leave` on its own; the answer is the exit code."""
        order = launcher.Order(
            parent=os.getpid(), way=self.way, uid=self.uid, gid=self.gid, argv=argv, lock=str(lock), leave=leave
        )
        return self._launch(order, output=output, seconds=seconds)

    def can_enter(self, folder: Path) -> bool:
        """False also where this way of running does not work at all."""
        order = launcher.Order(parent=os.getpid(), way=self.way, uid=self.uid, gid=self.gid, reach=str(folder))
        return self._launch(order, output=subprocess.DEVNULL, seconds=LAUNCH_SECONDS) == 0

    def give(self, path: Path) -> None:
        """Makes the server's user the owner. In a namespace that is us already."""
        if self.way == "user":
            os.chown(path, self.uid, self.gid)

    def _launch(self, order: launcher.Order, *, output: int | IO[bytes], seconds: float) -> int:
        # The caller's PG* variables (PGDATA, PGPORT, PGOPTIONS) are meant for other servers.
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        try:
            return subprocess.run(
                [sys.executable, "-I", "-S", launcher.__file__, json.dumps(order)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**env, "LC_ALL": "C", "TZ": "UTC"},
                cwd="/",
                start_new_session=True,
                timeout=seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            name = Path(order.get("argv", ["the launcher"])[0]).name
            raise EmbeddedError(f"{name} did not end within {seconds:.0f} s: is the machine overloaded?") from None


def choose(places: Places) -> Identity:
    """The owner of the data runs the server (for new data, the owner of its folder), but `nobody` in place of root."""
    uid, gid = os.geteuid(), os.getegid()
    folder = places.data if places.data.exists() else places.root
    owner = folder.stat()
    if uid != 0:
        if owner.st_uid != uid:
            raise EmbeddedError(
                f"{folder} belongs to {_name_of_user(owner.st_uid)}: run as that user, or choose another INGATHER_HOME."
            )
        # initdb wants a name for its user, which arbitrary user ids in containers do not have.
        if not _has_name(uid) and (in_namespace := _unprivileged_identity("namespace")).can_enter(places.root):
            return in_namespace
        return Identity(way="self", uid=uid, gid=gid)
    if owner.st_uid != 0:
        return Identity(way="user", uid=owner.st_uid, gid=owner.st_gid)
    # Preferred for root, since nothing changes its owner; but containers often forbid it, and a chroot always does.
    if (in_namespace := _unprivileged_identity("namespace")).can_enter(places.root):
        return in_namespace
    if folder == places.data:
        raise EmbeddedError(
            f"{places.data} belongs to root, as whom PostgreSQL does not run, and user namespaces do not work here: "
            f"allow them, or `chown -R nobody {places.data}` if nobody may reach it."
        )
    return _unprivileged_identity("user")


# Within a namespace every user of the machine but us appears as `nobody`, so we appear as somebody else: only then can
# the server tell us from them.
_NAMES = {"namespace": ("daemon", "nobody"), "user": ("nobody",)}


def _unprivileged_identity(way: Literal["namespace", "user"]) -> Identity:
    for name in _NAMES[way]:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Identity(way=way, uid=entry.pw_uid, gid=entry.pw_gid)
    raise EmbeddedError("There is no user `nobody` to run PostgreSQL as: add one, or do not run as root.")


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _name_of_user(uid: int) -> str:
    return name_of(uid) or f"user {uid}"


def name_of(uid: int) -> str:
    """As the system knows it; empty where it has none."""
    return pwd.getpwuid(uid).pw_name if _has_name(uid) else ""
