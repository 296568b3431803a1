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
import time
from pathlib import Path
from typing import NotRequired, TypedDict

# The number of Linux for a new user namespace, see unshare(2).
CLONE_NEWUSER = 0x10000000
# EX_OSERR of sysexits.h: PostgreSQL itself never ends with it.
EXIT_REFUSED = 71


class Order(TypedDict):
    parent: int  # the caller's process
    way: str  # self, namespace or user
    uid: int
    gid: int
    argv: NotRequired[list[str]]  # run this; else
    reach: NotRequired[str]  # only say whether this folder can be entered
    lock: NotRequired[str]  # let the command and its children hold this lock for as long as they live
    leave: NotRequired[bool]  # do not wait for the command


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


def take(lock: str) -> None:
    """Takes the lock until the process ends. A launcher whose caller was killed may still hold it for a moment."""
    fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    os.set_inheritable(fd, True)  # noqa: FBT003
    for _ in range(100):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return
    sys.stderr.write(f"{lock} is held by another process\n")
    sys.exit(EXIT_REFUSED)


def main(order: Order) -> None:
    if "lock" in order:
        take(order["lock"])
        # A caller killed before we had the lock has been followed by another one, which saw the lock free.
        if os.getppid() != order["parent"]:
            sys.exit(EXIT_REFUSED)
    try:
        become(order["way"], order["uid"], order["gid"])
    except (OSError, AttributeError) as refused:
        sys.stderr.write(f"cannot become user {order['uid']}: {refused}\n")
        sys.exit(EXIT_REFUSED)
    if "reach" in order:
        sys.exit(0 if os.access(order["reach"], os.X_OK) else 1)
    # An orphan from the start: the server is nobody's child, so no caller gets its SIGCHLD or keeps it as a zombie.
    if order.get("leave") and os.fork() != 0:
        return
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(order["argv"][0], order["argv"])  # noqa: S606


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
