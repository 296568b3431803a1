"""What handlers need and what takes long to make: a model, a client, a pool. Made once per process, when first used."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from multiprocessing import util
from typing import Any, Final, Generic, TypeVar

from ingather.engine.errors import UsageError

log: Final = logging.getLogger("ingather.worker")

T = TypeVar("T")

# Finalizers of multiprocessing with a higher number run first. The order among resources is that of their making,
# backwards, which we keep ourselves.
EXIT_PRIORITY: Final = 10


class ProcessResource(Generic[T]):
    """Something that each process has one of: made by `@app.resource`, used by calling it.

    The function makes it, yields it, and goes on when the process lets go of
    it. A child process makes its own: what was made before a fork belongs to
    the parent.
    """

    def __init__(self, make: Callable[[], Iterator[T]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._pid = 0
        self._under_way: Iterator[T] | None = None
        self._made: Any = None
        # A child that is forked while another thread makes the resource would wait for that thread for ever.
        os.register_at_fork(after_in_child=self._forget)

    def __call__(self) -> T:
        """The resource of this process; the first call makes it."""
        if self._pid != os.getpid():
            with self._lock:
                if self._pid != os.getpid():
                    self._begin()
        made: T = self._made
        return made

    def _begin(self) -> None:
        under_way = self._make()
        try:
            self._made = next(under_way)
        except StopIteration:
            raise UsageError(f"The resource {self._name} yielded nothing: it makes one thing and yields it.") from None
        self._under_way, self._pid = under_way, os.getpid()
        # It runs when a child process ends in order; a worker closes its own earlier.
        util.Finalize(None, self.close, exitpriority=EXIT_PRIORITY)

    def close(self) -> None:
        """Let go of what this process has made, if it has. The next use makes it anew."""
        with self._lock:
            under_way, self._under_way, self._made = self._under_way, None, None
            if under_way is None or self._pid != os.getpid():
                return
            self._pid = 0
            try:
                next(under_way, None)
            except Exception:
                log.exception("the resource %s could not be let go", self._name)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        # The parent's generator must not be collected here: its `finally` would run.
        self._parents = self._under_way
        self._pid, self._under_way, self._made = 0, None, None

    @property
    def _name(self) -> str:
        return getattr(self._make, "__qualname__", repr(self._make))
