"""Runs one command as somebody PostgreSQL accepts; a script of its own, because what it does cannot be undone.

Changing the user or the namespace between fork and exec inside the caller would be unsafe beside its threads. Started
by path with `python -I -S`, so it imports nothing of ours and needs no site-packages.
"""

import ctypes
import fcntl
import json
import os
import signal
import sys
from pathlib import Path
from typing import NotRequired, TypedDict

CLONE_NEWUSER = 0x10000000
EXIT_REFUSED = 71
EXIT_LOCKED = 75


class Order(TypedDict):
    way: str  # self, namespace or user
    uid: int
    gid: int
    argv: NotRequired[list[str]]  # run this; else
    reach: NotRequired[str]  # only say whether this folder can be entered
    lock: NotRequired[str]  # leave the caller, and let the command hold this lock for as long as it lives


def become(way: str, uid: int, gid: int) -> None:
    if way == "namespace":
        enter_namespace(uid, gid)
    elif way == "user":
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)


def enter_namespace(uid: int, gid: int) -> None:
    """Seen from inside we are `uid`, seen by the kernel we stay who we are: no file needs another owner."""
    outside_uid, outside_gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "no user namespace")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {outside_uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {outside_gid} 1")


def main(order: Order) -> None:
    if "lock" in order:
        fd = os.open(order["lock"], os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(EXIT_LOCKED)
        os.set_inheritable(fd, True)  # noqa: FBT003
    try:
        become(order["way"], order["uid"], order["gid"])
    except (OSError, AttributeError) as refused:
        sys.stderr.write(f"cannot become user {order['uid']}: {refused}\n")
        sys.exit(EXIT_REFUSED)
    if "reach" in order:
        sys.exit(0 if os.access(order["reach"], os.X_OK) else 1)
    # An orphan from the start: the server is nobody's child, so no caller gets its SIGCHLD or keeps it as a zombie.
    if "lock" in order and os.fork() != 0:
        return
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(order["argv"][0], order["argv"])  # noqa: S606


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
