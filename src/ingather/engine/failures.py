"""What becomes of an item whose handler did not return: decided, logged, passed to hooks, and handed on."""

import asyncio
import logging
from typing import Final

from ingather.engine.codec import Unstorable
from ingather.engine.errors import LeaseLost, RetryLater, ShuttingDown
from ingather.engine.holdings import Lease
from ingather.engine.model import Failure
from ingather.engine.outbox import Outbox
from ingather.engine.registry import Registry
from ingather.engine.verdict import Consequence, Overdue, describe_raised, verdict

log: Final = logging.getLogger("ingather.worker")


class Failures:
    """Records failures for one worker."""

    def __init__(self, registry: Registry, outbox: Outbox) -> None:
        self._registry = registry
        self._outbox = outbox

    def record(
        self,
        error: BaseException,
        stopped_for: Exception | None,
        lease: Lease,
        item_id: int,
        ordinal: int,
        took_s: float,
    ) -> None:
        """`stopped_for` is why the worker itself cancelled the handler, if it did."""
        match error, stopped_for:
            case asyncio.CancelledError(), LeaseLost() as lost:
                log.warning(
                    "item %s is no longer ours; its handler was stopped: %s",
                    item_id,
                    lost,
                    extra=lease.log_fields(item_id, ordinal),
                )
            case asyncio.CancelledError(), ShuttingDown():
                pass  # the worker gives it back when it leaves
            case asyncio.CancelledError(), Overdue() as overdue:
                self._fail(overdue, lease, item_id, ordinal, took_s)
            case _:  # also where nobody cancelled the handler: it waited for something that was cancelled
                self._fail(error, lease, item_id, ordinal, took_s)

    def _fail(self, error: BaseException, lease: Lease, item_id: int, ordinal: int, took_s: float) -> None:
        end = self._verdict(error, lease)
        self._log(error, end, lease, item_id, ordinal)
        if not isinstance(error, RetryLater):
            self._call_hooks(error, end, lease, item_id, ordinal)
        self._outbox.failed(lease, item_id, took_s, end)

    def _verdict(self, error: BaseException, lease: Lease) -> Consequence:
        if isinstance(error, Unstorable):
            return Consequence(is_over=True, error=describe_raised(error, error.reason))
        max_attempts = lease.max_attempts
        if lease.is_gather and lease.kind in self._registry.gathers:
            max_attempts = self._registry.gathers[lease.kind].max_attempts
        handler = self._registry.handlers.get(lease.kind)
        backoff = handler.backoff if handler is not None and not lease.is_gather else None
        return verdict(error, attempt=lease.attempt, max_attempts=max_attempts, lost=lease.lost, backoff=backoff)

    def _log(self, error: BaseException, end: Consequence, lease: Lease, item_id: int, ordinal: int) -> None:
        """An item that ended is an error in the log, so that people notice; an attempt that is tried again is not."""
        level = logging.ERROR if end.is_over else logging.DEBUG if isinstance(error, RetryLater) else logging.INFO
        log.log(
            level,
            "item %s of kind %s %s in attempt %s: %s: %s",
            item_id,
            lease.kind,
            "ended as error" if end.is_over else "failed and will be tried again",
            lease.attempt,
            end.error["type"],
            end.error["message"],
            exc_info=error,
            extra=lease.log_fields(item_id, ordinal),
        )

    def _call_hooks(self, error: BaseException, end: Consequence, lease: Lease, item_id: int, ordinal: int) -> None:
        failure = Failure(
            item_id=item_id,
            item_key=lease.item_key(ordinal),
            batch_id=lease.batch_id,
            kind=lease.kind,
            attempt=lease.attempt,
            is_final=end.is_over,
            is_gather=lease.is_gather,
            reason=end.error["reason"],
            message=end.error["message"],
            exception=error,
        )
        for hook in self._registry.failure_hooks:
            try:
                hook(failure)
            except Exception:
                log.exception("the failure hook %s failed", getattr(hook, "__qualname__", hook))
