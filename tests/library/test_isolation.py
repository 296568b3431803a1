"""A file whose code has taken the reader over: what that code tries, and what it finds.

The hostile code runs where the reading of a file would: in the real child,
after it has confined itself. Run without the isolation, the same code gets in.
"""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ingather.library.parse import protections_missing_in_jail
from ingather.library.parse.limits import Limits
from ingather.library.parse.wire import unpack_reading_from_wire

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can close a process in")

# The attempts of the code. Each raises, or ends and is counted as a way in.
HOSTILE = r"""
import ctypes, json, os, socket, subprocess, sys, threading
from ingather.library.parse import child
from ingather.library.reading import Page, Reading

target = json.loads(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")

def connect(family, address):
    with socket.socket(family) as line:
        line.connect(address)

def fork():
    if os.fork() == 0:
        os._exit(0)

ATTEMPTS = {
    "environment of the worker": lambda: open(f"/proc/{target['parent']}/environ", "rb").read(),
    "memory of the worker": lambda: open(f"/proc/{target['parent']}/maps").read(),
    "list of processes": lambda: os.listdir("/proc"),
    "a key in a file": lambda: open(target["secret"]).read(),
    "list of stored files": lambda: os.listdir(target["folder"]),
    "the database's socket": lambda: connect(socket.AF_UNIX, target["socket"]),
    "the network": lambda: connect(socket.AF_INET, ("127.0.0.1", target["port"])),
    "a new file": lambda: open(target["folder"] + "/new", "w"),
    "changing a file": lambda: open(target["secret"], "a"),
    "cutting a file": lambda: os.truncate(target["secret"], 0),
    "rights of a file": lambda: os.chmod(target["secret"], 0o644),
    "a name for a file": lambda: os.link(target["secret"], target["folder"] + "/other"),
    "removing a file": lambda: os.unlink(target["spare"]),
    "a daemon": fork,
    "another program": lambda: subprocess.run(["/bin/true"], check=True),
    "a signal to the worker": lambda: os.kill(target["parent"], 0),
    "tracing the worker": lambda: call(101, 0x4206, target["parent"], 0, 0),
    "memory for a program": lambda: os.memfd_create("program"),
    "queues around the filter": lambda: call(425, 4, (ctypes.c_char * 120)()),
    "other namespaces": lambda: call(272, 0x10000000),
}

def read(data, limits, *, suffix, manner):
    found = []
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except (OSError, subprocess.SubprocessError):
            continue
        found.append(name)
    import decimal  # a module that is needed late is still found
    # A thread is no process, and libraries start some.
    thread = threading.Thread(target=found.sort)
    thread.start()
    thread.join()
    text = json.dumps({"found": found, "data": data.decode()})
    return Reading(parser="hostile", pages=(Page(text=text, width=1.0, height=1.0, boxes=b"\0" * 8 * len(text)),))

child.read_in_its_format = read
if target["is_open"]:
    child.isolate = lambda: ()
code = child.main(sys.argv[1])
os._exit(code)
"""


def attack(tmp_path: Path, *, is_open: bool) -> dict[str, object]:
    folder = tmp_path / "blobs"
    folder.mkdir(mode=0o777)
    for name in ("secret", "spare"):
        (folder / name).write_text("sk-not-a-real-key")
    paper = tmp_path / "paper"
    paper.write_text("the paper")
    at = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as database, socket.socket() as service, paper.open("rb") as file:
        database.bind(at)
        database.listen()
        service.bind(("127.0.0.1", 0))
        service.listen()
        target = {
            "parent": os.getpid(), "secret": str(folder / "secret"), "spare": str(folder / "spare"),
            "folder": str(folder), "socket": at, "port": service.getsockname()[1], "is_open": is_open,
        }  # fmt: skip
        order = {"limits": {}, "suffix": ".txt", "manner": "drawn", "parent": os.getpid()}
        command = [sys.executable, "-P", "-c", HOSTILE, json.dumps(order), json.dumps(target)]
        done = subprocess.run(command, stdin=file, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    [page] = unpack_reading_from_wire(done.stdout, "hostile").pages
    found: dict[str, object] = json.loads(page.text)
    return found


@pytest.mark.skipif("files" in protections_missing_in_jail(), reason="this kernel has no Landlock")
@pytest.mark.skipif("system calls" in protections_missing_in_jail(), reason="this system has no seccomp filter of ours")
def test_code_in_a_file_reaches_no_other_file_process_or_machine(tmp_path: Path) -> None:
    assert attack(tmp_path, is_open=False) == {"found": [], "data": "the paper"}


def test_the_same_code_gets_in_where_nothing_is_closed(tmp_path: Path) -> None:
    found = attack(tmp_path, is_open=True)["found"]
    assert isinstance(found, list)
    assert {
        "a daemon", "a key in a file", "a signal to the worker", "another program", "environment of the worker",
        "list of processes", "list of stored files", "removing a file", "the database's socket", "the network",
    } <= set(found)  # fmt: skip


def test_the_limits_hold_a_second_time_inside() -> None:
    """Closing a process in must not lift what was set before."""
    script = (
        "import resource; from ingather.library.parse.child import confine_child;"
        "from ingather.library.parse.isolation import isolate; from ingather.library.parse.limits import Limits;"
        "confine_child(Limits(seconds=5)); isolate();"
        "print(resource.getrlimit(resource.RLIMIT_FSIZE)[0], resource.getrlimit(resource.RLIMIT_CPU)[0])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", str(int(Limits(seconds=5).seconds) + 1)]
