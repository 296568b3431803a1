"""Ctrl-C while modules are loaded: raised once they are, never in their midst."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupted_afterwards() -> Iterator[None]:
    """Notes Ctrl-C and raises KeyboardInterrupt at the end of the block.

    A KeyboardInterrupt in the midst of an import can be lost in a callback of
    the import system, turn into another error while a class is made, or
    crash Python where an extension module is being initialised.
    """
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    is_interrupted = False

    def note(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_interrupted
        is_interrupted = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if is_interrupted:
        raise KeyboardInterrupt
