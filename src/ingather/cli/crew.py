"""Several worker processes under a small parent that starts them, restarts what dies, and passes signals on."""

import logging
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from contextlib import suppress

from ingather.engine.errors import UsageError

log = logging.getLogger("ingather.crew")

# Each process holds a few connections; a server usually allows 100 to 500 in all.
MOST_PROCESSES = 256
# How often the parent looks for dead members and for signals. Longer delays a stop, shorter wakes it more often.
POLL_S = 0.1
# The pause before a restart doubles from the first to the longest. Without it a worker that dies at once would use a
# whole core; a longer first pause would delay the recovery from a single crash.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# A process that lived this long did not die of a wrong argument: it is restarted after the first pause again.
SETTLED_AFTER_S = 30.0
# How long after their grace the members may still need to stop. Then they are killed.
LAST_RESORT_S = 20.0


class CrewMember:
    """One member of the crew: a command, and the process that runs it now."""

    def __init__(self, argv: list[str]) -> None:
        self._argv = argv
        self._pause_s = 0.0
        self.starts = 0
        self.start()

    def start(self) -> None:
        # A session of its own: Ctrl-C reaches only the parent, which passes it on once. A second signal means "hurry".
        self.process = subprocess.Popen(self._argv, stdin=subprocess.DEVNULL, start_new_session=True)
        self.started = time.monotonic()
        self.restart_at: float | None = None
        self.starts += 1

    @property
    def has_lived(self) -> bool:
        return time.monotonic() - self.started > SETTLED_AFTER_S

    def plan_restart(self) -> None:
        """Set the time of the restart: soon, but later each time that the process died early."""
        self._pause_s = FIRST_PAUSE_S if self.has_lived else min(max(2 * self._pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self.restart_at = time.monotonic() + self._pause_s
        code = self.process.returncode
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        log.warning("worker process %s %s; starting another in %g s", self.process.pid, how, self._pause_s)

    def restart_if_dead(self) -> int | None:
        """Restart a dead process when its pause is over.

        Returns the exit code, and plans nothing, where a restart would only repeat the same error message.
        """
        if self.restart_at is not None:
            if time.monotonic() >= self.restart_at:
                self.start()
            return None
        code = self.process.poll()
        if code is None:
            return None
        if code in (1, 2) and self.starts == 1 and not self.has_lived:
            return code
        self.plan_restart()
        return None


class _Crew:
    def __init__(self, argv: list[str], size: int, grace_s: float) -> None:
        self._grace_s = grace_s
        self._signals: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: self._signals.append(number))
        self._members = [CrewMember(argv) for _ in range(size)]

    def watch(self) -> int:
        while not self._signals:
            for member in self._members:
                code = member.restart_if_dead()
                if code is not None:
                    self._stop()
                    return code
            time.sleep(POLL_S)
        log.info("stopping %s workers", len(self._members))
        return self._stop()

    def _stop(self) -> int:
        """Pass this signal and later ones on to the members and wait for them. 0 if all of them stopped gracefully."""
        running = [member.process for member in self._members if member.restart_at is None]
        deadline = time.monotonic() + self._grace_s + LAST_RESORT_S
        self._signals = self._signals[:1] or [signal.SIGTERM]
        has_killed = False
        while True:
            if self._signals:
                self._signals.pop()
                for process in running:
                    with suppress(ProcessLookupError):
                        process.send_signal(signal.SIGTERM)
            running = [process for process in running if process.poll() is None]
            if not running:
                break
            if time.monotonic() > deadline and not has_killed:
                log.warning("%s workers did not stop in time and are killed", len(running))
                has_killed = True
                for process in running:
                    process.kill()
            time.sleep(POLL_S)
        return 1 if has_killed else 0


def run_crew(arguments: Namespace) -> int:
    if arguments.processes > MOST_PROCESSES:
        raise UsageError(f"A crew has {MOST_PROCESSES} processes at most, not {arguments.processes:,}.")
    logging.basicConfig(format="%(asctime)s %(levelname)s [%(process)d] %(message)s", level=logging.INFO)
    return _Crew(_argv_of_crew_member(arguments), arguments.processes, arguments.grace).watch()


def _argv_of_crew_member(arguments: Namespace) -> list[str]:
    """The same command for one process, which stops when this one is gone."""
    options = ["--concurrency", str(arguments.concurrency), "--grace", str(arguments.grace)]
    queues = ["--queue", *arguments.queue] if arguments.queue else []
    for name, value in (("--child-items", arguments.child_items), ("--child-memory", arguments.child_memory)):
        options += [] if value is None else [name, str(value)]
    if arguments.metrics is not None:
        options += ["--metrics", str(arguments.metrics), "--metrics-ports", str(arguments.processes)]
    parent = ["--parent", str(os.getpid())]
    return [sys.executable, "-m", "ingather.cli", "work", arguments.app, *options, *parent, *queues]
