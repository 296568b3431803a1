"""Runs the child that reads a file, within limits, and says what became of it if it dies.

The child is confined by itself, before it looks at the file: setting limits
between fork and exec would be unsafe beside the caller's threads. It gets the
file as its standard input, an environment without secrets, an empty folder,
and a session of its own that ends with it. Files, network and processes are
closed to it (`isolation`).
"""

import contextlib
import dataclasses
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ingather.library.parse.failure import RecogniserDied
from ingather.library.parse.limits import (
    EXIT_OUT_OF_MEMORY,
    MEGABYTE,
    PARSER,
    RECOGNISED,
    TO_RECOGNISE,
    Limits,
    Manner,
)
from ingather.library.parse.wire import Garbled, unpack_reading_from_wire
from ingather.library.reading import Problem, Reading
from ingather.notice import notice

log = logging.getLogger(__name__)

# The answer is read in pieces of this size; a pipe of Linux holds 64 kB.
_CHUNK = 1 << 20
# How often a waiting thread looks whether its reader is still wanted. Longer lets the child run on for longer.
_POLL_S = 0.5

stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)
"""Set by a caller that no longer waits for the reading. Its child is then stopped."""


class Stopped(Exception):
    """The caller no longer waits for this reading. It says nothing about the file."""


# glibc ends a process with this code when it has no memory left for thread-local data.
EXIT_OF_LIBC = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What is left of a child: what it wrote, how it ended (a negative code is a signal), and its peak memory.

    The peak is never less than what the caller itself used when it started the child: so Linux counts.
    """

    answer: bytes
    code: int
    peak_bytes: int
    is_late: bool = False
    is_too_long: bool = False

    @property
    def is_out_of_memory(self) -> bool:
        """Python says so by its exit code, PDFium by an abort, the C library by 127; the kernel kills."""
        if self.code == -signal.SIGKILL:
            return not self.is_late and not self.is_too_long
        return self.code in {EXIT_OUT_OF_MEMORY, EXIT_OF_LIBC, -signal.SIGABRT}


def parse_in_jail(path: Path, limits: Limits | None = None, *, name: str = "") -> Reading:
    """Reads a file. Whatever is in it, the answer is a Reading; only a file that cannot be opened is an error.

    `name` is the name the file once had, for a blob stored without one; only
    its ending counts, and only where the content leaves a choice.
    """
    limits = limits or Limits()
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limits.file_bytes:
            return _problem_reading_from_jail(
                Problem.TOO_BIG,
                notice(
                    "file.file_mb_most_mb_read",
                    "This file has {size} MB; at most {most} MB are read. Compress its images or split it.",
                    size=f"{size / MEGABYTE:,.1f}",
                    most=f"{limits.file_bytes / MEGABYTE:,.0f}",
                ),
            )
        suffix = Path(name or path.name).suffix.lower()
        ending = run_in_jail(file.fileno(), limits, suffix=suffix, manner=Manner.DRAWN)
        reading = _reading_from_jail(ending, limits)
        if reading is None:
            # Drawing pages is where readers of PDF die most, and text can be read without it.
            log.info("the reader of a file died (code %d); trying again without drawing", ending.code)
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            ending = run_in_jail(file.fileno(), limits, suffix=suffix, manner=Manner.UNDRAWN)
            reading = _reading_from_jail(ending, limits)
    return reading or _problem_of_death_in_jail(ending, limits)


def can_recognise_in_jail() -> bool:
    """Whether the extra that recognises text in pictures is installed."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


def recognise_in_jail(path: Path, limits: Limits | None = None, *, name: str = "") -> Reading:
    """Reads the pictures of a PDF that `parse_in_jail` found to be without text. Takes seconds for every page.

    A recogniser that dies (half installed, short of memory) raises
    `RecogniserDied`: of the file, nothing is known for good because of that.
    """
    limits = limits or TO_RECOGNISE
    with path.open("rb") as file:
        ending = run_in_jail(
            file.fileno(), limits, suffix=Path(name or path.name).suffix.lower(), manner=Manner.RECOGNISED
        )
    reading = _reading_from_jail(ending, limits)
    if reading is None:
        raise RecogniserDied(f"code {ending.code}, {ending.peak_bytes:,} bytes at its peak")
    return dataclasses.replace(reading, parser=RECOGNISED)


def protections_missing_in_jail() -> list[str]:
    """What this system cannot put between a file's reader and everything else: `user`, `files`, `system calls`."""
    command = [sys.executable, "-P", "-B", "-m", "ingather.library.parse.isolation"]
    done = subprocess.run(
        command, env=_environment_of_jail(), capture_output=True, stdin=subprocess.DEVNULL, check=True
    )
    missing: list[str] = json.loads(done.stdout)
    return missing


def _environment_of_jail() -> dict[str, str]:
    """Nothing of ours but where modules are found."""
    environment = {"LC_ALL": "C.UTF-8"}
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return environment


def run_in_jail(file: int, limits: Limits, *, suffix: str, manner: Manner) -> Ending:
    """One child, from start to end. It is gone when this returns."""
    order = {"limits": dataclasses.asdict(limits), "suffix": suffix, "manner": manner, "parent": os.getpid()}
    argument = json.dumps(order)
    command = [sys.executable, "-P", "-B", "-m", "ingather.library.parse.child", argument]
    with tempfile.TemporaryDirectory(prefix="ingather-parse-", ignore_cleanup_errors=True) as folder:
        child = subprocess.Popen(
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_environment_of_jail(),
            start_new_session=True,
        )
        try:
            answer, is_late = _listen_to_jailed_child(child, limits)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            assert child.stdout is not None
            child.stdout.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
    return Ending(
        answer=answer,
        code=child.returncode,
        peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        is_late=is_late or child.returncode == -signal.SIGXCPU,
        is_too_long=len(answer) > limits.answer_bytes,
    )


def _listen_to_jailed_child(child: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, bool]:
    """The bytes that the child writes, until it ends, is out of time, or writes more than it may."""
    assert child.stdout is not None
    deadline = time.monotonic() + limits.seconds
    is_unwanted = stop.get()
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while len(received) <= limits.answer_bytes:
            if is_unwanted is not None and is_unwanted.is_set():
                raise Stopped
            left = deadline - time.monotonic()
            if left <= 0:
                return bytes(received), True
            if not selector.select(min(left, _POLL_S)):
                continue
            chunk = os.read(child.stdout.fileno(), _CHUNK)
            if not chunk:
                break
            received += chunk
    return bytes(received), False


def _reading_from_jail(ending: Ending, limits: Limits) -> Reading | None:
    """The child's answer, or a problem that trying again cannot change, or None for an unexplained death."""
    if ending.is_late or ending.is_too_long:
        return _problem_of_death_in_jail(ending, limits)
    if ending.code == 0:
        with contextlib.suppress(Garbled):
            return unpack_reading_from_wire(ending.answer, PARSER)
    return None


def _problem_of_death_in_jail(ending: Ending, limits: Limits) -> Reading:
    if ending.is_late:
        return _problem_reading_from_jail(
            Problem.TOO_SLOW,
            notice(
                "file.file_not_read_within_seconds",
                "This file could not be read within {seconds} seconds. Print it to a new PDF, or split it, and "
                "try again.",
                seconds=f"{limits.seconds:g}",
            ),
        )
    if ending.is_out_of_memory:
        return _problem_reading_from_jail(
            Problem.DECOMPRESSION_LIMIT,
            notice(
                "file.unpacked_file_needs_mb_memory",
                "Unpacked, this file needs more than {most} MB of memory. Print it to a new PDF, or split it, "
                "and try again.",
                most=f"{limits.memory_bytes / MEGABYTE:,.0f}",
            ),
        )
    if ending.is_too_long:
        return _problem_reading_from_jail(
            Problem.TOO_BIG,
            notice("file.file_gives_text_read_split", "This file gives more text than is read. Split it into parts."),
        )
    log.warning("the reader of a file died (code %d, %d bytes at its peak)", ending.code, ending.peak_bytes)
    return _problem_reading_from_jail(
        Problem.UNREADABLE,
        notice(
            "file.file_damaged_way_stops_reader",
            "This file is damaged in a way that stops the reader. Print it to a new PDF and try again.",
        ),
    )


def _problem_reading_from_jail(problem: Problem, sentence: str) -> Reading:
    return Reading(parser=PARSER, problem=problem, sentence=sentence)
