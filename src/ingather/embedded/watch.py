"""Starting a server again when it died, by a thread of every process that holds it.

PostgreSQL's own parent process restarts what dies below it. It ends itself when the disk is full while it recovers, or
when somebody kills it: then nobody is left to start it but us.
"""

import logging
import threading
import time
from collections.abc import Callable

from ingather.embedded.errors import EmbeddedError

log = logging.getLogger(__name__)

# How often a look is taken, which opens a file and asks for its lock. Longer keeps requests waiting for that long.
LOOK_S = 0.5
# The pause before another try doubles from the first to the longest. A disk that is full stays full for a while; half a
# minute after there is room again, the server is back.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# A server that lived for so long did not die of what the start before met: the pauses begin again.
SETTLED_AFTER_S = 60.0


def keep_alive(revive: Callable[[], bool], is_over: threading.Event) -> None:
    """Calls `revive` for as long as it is not over, less often while it starts the server or fails."""
    pause_s, tried_at = 0.0, -SETTLED_AFTER_S
    while not is_over.wait(max(LOOK_S, pause_s)):
        try:
            if not revive():
                pause_s = 0.0 if time.monotonic() - tried_at > SETTLED_AFTER_S else pause_s
                continue
            log.warning("the embedded database had ended and was started again")
        except EmbeddedError as error:
            log.warning("the embedded database has ended and cannot be started: %s", str(error).partition("\n")[0])
        pause_s, tried_at = longer(pause_s), time.monotonic()


def longer(pause_s: float) -> float:
    return min(max(2 * pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
