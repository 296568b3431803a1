"""The process that reads one file: its standard input. Started by `jail`; imports as little as it can."""

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path

from ingather.library.parse.formats import read_in_its_format
from ingather.library.parse.isolation import isolate
from ingather.library.parse.limits import EXIT_OUT_OF_MEMORY, Limits
from ingather.library.parse.wire import pack_reading_for_wire

# Python, PDFium and the recogniser need about ten. Fewer breaks them; more helps code hidden in a file.
_OPEN_FILES = 32
# The number of Linux for "signal me when my parent dies", see prctl(2).
_PR_SET_PDEATHSIG = 1


def end_child_with_parent(parent: int) -> None:
    """End with the parent, however that ends. Only Linux can say so; elsewhere the limits end what is left behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)


def confine_child(limits: Limits) -> None:
    """No more memory, time, files or core dumps than these, for good."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    seconds = limits.threads * int(limits.seconds) + 1
    # A second between the limits: where they are one, the kernel kills, which looks like too much memory.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for what, most in (
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))
    # Only Linux says how much address space is in use, and only Linux holds a process to its limit.
    statm = Path("/proc/self/statm")
    if statm.exists():
        used = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + limits.memory_bytes,) * 2)


def main(argument: str) -> int:
    order = json.loads(argument)
    limits = Limits(**order["limits"])
    end_child_with_parent(order["parent"])
    confine_child(limits)
    # The answer has the pipe to itself: what a library prints goes where nobody listens.
    pipe = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(0, "rb", closefd=False) as file:
            data = file.read(min(os.fstat(0).st_size, limits.file_bytes))
        isolate()
        answer = pack_reading_for_wire(read_in_its_format(data, limits, suffix=order["suffix"], manner=order["manner"]))
    except MemoryError:
        return EXIT_OUT_OF_MEMORY
    with os.fdopen(pipe, "wb", closefd=False) as out:  # it closes with the process, and not before
        out.write(answer)
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1])
    # Nothing is worth tidying up, and a damaged library might crash while doing so.
    os._exit(code)
