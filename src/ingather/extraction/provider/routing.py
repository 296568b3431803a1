"""What the engine does about an error of a model."""

from ingather.engine.errors import Reject, RetryLater
from ingather.extraction.provider.errors import ErrorKind, ModelError, PauseTask

# A provider that names a shorter wait, such as 0, would otherwise be called in a loop.
SHORTEST_HOLD_S = 1.0
# The first wait where the provider names none, and the longest: it doubles with each attempt.
UNNAMED_HOLD_S = 10.0
LONGEST_UNNAMED_HOLD_S = 120.0


def route(error: ModelError, attempt: int) -> Reject | RetryLater | PauseTask | ModelError:
    """What to raise. Pure: the table in its test is the spec.

    A `ModelError` comes back as it is where trying again may help: the engine
    counts the attempt and backs off. `attempt` counts from 1 and lengthens
    the hold of a 429 that names no time.
    """
    match error.kind:
        case ErrorKind.AUTH | ErrorKind.QUOTA:
            return PauseTask(error.sentence)
        case ErrorKind.RETRY_AFTER:
            return RetryLater(_hold_s(error, attempt), error.sentence, queue=True)
        case ErrorKind.BAD_REQUEST | ErrorKind.CONTENT_FILTER | ErrorKind.TOO_LONG:
            return Reject(error.sentence)
        case _:
            return error


def _hold_s(error: ModelError, attempt: int) -> float:
    if error.retry_after_s is not None:
        return max(SHORTEST_HOLD_S, error.retry_after_s)
    doublings = max(0, min(attempt - 1, 10))
    return min(LONGEST_UNNAMED_HOLD_S, UNNAMED_HOLD_S * 2.0**doublings)
