"""Scatter and add: a batch and its items come into being, in one transaction."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final, NamedTuple

import orjson

from ingather.engine import statements as sql
from ingather.engine.errors import BatchClosed, BatchTooBig, EmptyBatch, KeyReused
from ingather.engine.model import ScatterRequest
from ingather.engine.script import Copy, Rows, Script, Statement
from ingather.engine.verbs.rows import only_row

# Items of one scatter. A segment has room for 2^20; a larger batch is scattered in parts, with `add`.
MAX_BATCH: Final = 1_000_000
# Up to so many items travel inside one statement, which saves the transaction around it. A statement with more of them
# is slower than a COPY.
FEW_ITEMS: Final = 100
# Lines in one message of a COPY. Fewer make more messages; more hold more of an endless iterable in memory.
CHUNK_LINES: Final = 5_000
# Items that are added are due at once, as those of a scatter without a delay.
NO_DELAY: Final = timedelta(0)


class _ScatteredLines:
    """Payload lines on their way into COPY: counted and hashed as they pass, never kept."""

    def __init__(
        self,
        lines: Iterable[bytes],
        first_id: int,
        request: ScatterRequest | None = None,
        labels: list[str] | None = None,
    ) -> None:
        self._lines = lines
        self._first_id = first_id
        self._hash = hashlib.sha256(_gist_of_scatter(request, labels)) if request and request.idempotency_key else None
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        chunk: list[bytes] = []
        for line in self._lines:
            if self.count >= MAX_BATCH:
                raise BatchTooBig(
                    f"One scatter may hold {MAX_BATCH:,} items; add the rest to the batch, or scatter twice."
                )
            if self._hash:
                self._hash.update(line + b"\n")
            # COPY's text format gives a meaning to backslashes; JSON has no other character it minds.
            chunk.append(b"%d\t%b\n" % (self._first_id + self.count, line.replace(b"\\", b"\\\\")))
            self.count += 1
            if len(chunk) == CHUNK_LINES:
                yield b"".join(chunk)
                chunk.clear()
        yield b"".join(chunk)

    def drain(self) -> None:
        """Count and hash, without a COPY to go into."""
        for _ in self:
            pass

    @property
    def digest(self) -> bytes | None:
        return self._hash.digest() if self._hash else None


def _gist_of_scatter(request: ScatterRequest, labels: list[str] | None) -> bytes:
    """What a key stands for besides the payloads. Not how handlers are run: a new default must not refuse old keys."""
    parts = [request.kind, request.queue, request.priority, request.delay.total_seconds()]
    return orjson.dumps(parts if labels is None else [*parts, labels]) + b"\n"


def scatter(
    request: ScatterRequest, lines: Iterable[bytes], labels: list[str] | None = None
) -> Script[tuple[int, bool]]:
    """A batch and its items. Returns its id, and whether it is new: with a known key it is the batch of that key."""
    params = _scatter_params(request)
    if labels is not None:
        first_of = dict(reversed(list(zip(labels, lines, strict=True))))
        labels = list(dict.fromkeys(labels))
        lines = [first_of[label] for label in labels]
    born = yield Statement(sql.NEW_BATCH, params)
    while not born:
        known = yield Statement(sql.BATCH_OF_KEY, {"key": request.idempotency_key})
        if known:
            return _same_scattered_batch(known, request, lines, labels), False
        # It was pruned between the two looks, so the key is free.
        born = yield Statement(sql.NEW_BATCH, params)
    [(batch_id, segment_id)] = born
    copied = _ScatteredLines(lines, segment_id << 20, request, labels)
    yield Copy(sql.COPY_PAYLOADS, copied)
    if not copied.count:
        raise EmptyBatch("A batch needs at least one item: the payloads were empty.")
    _check_ceiling_of_scatter(0, copied.count, request.max_items)
    if labels is not None:
        yield Statement(sql.NEW_LABELS, {"batch_id": batch_id, "labels": labels})
    yield Statement(sql.SEAL_BATCH, {"batch_id": batch_id, "total": copied.count, "hash": copied.digest})
    run = _Run(
        batch_id, segment_id, 0, copied.count, request.priority, request.queue, request.kind, request.share or ""
    )
    yield _new_segment_to_scatter(run, delay=request.delay)
    return batch_id, True


def scatter_few(request: ScatterRequest, lines: list[bytes]) -> Script[tuple[int, bool]]:
    """`scatter` of at least one item, few and due: in one statement, which needs no transaction around it."""
    passed = _ScatteredLines(lines, 0, request)
    passed.drain()
    _check_ceiling_of_scatter(0, passed.count, request.max_items)
    params = _scatter_params(request) | {
        "total": len(lines),
        "hash": passed.digest,
        "lines": b"\n".join(lines).decode(),
    }
    while True:
        if born := (yield Statement(sql.NEW_SMALL_BATCH, params)):
            return born[0][0], True
        if known := (yield Statement(sql.BATCH_OF_KEY, {"key": request.idempotency_key})):
            return _same_scattered_batch(known, request, lines), False


def _scatter_params(request: ScatterRequest) -> dict[str, object]:
    return {
        "kind": request.kind,
        "queue": request.queue,
        "priority": request.priority,
        "max_attempts": request.max_attempts,
        "timeout_s": request.timeout_s,
        "gathers": request.gathers,
        "share": request.share or "",
        "max_items": request.max_items,
        "parent_id": request.parent_id,
        "key": request.idempotency_key,
    }


def _same_scattered_batch(
    known: Rows, request: ScatterRequest, lines: Iterable[bytes], labels: list[str] | None = None
) -> int:
    [(batch_id, kind, known_hash)] = known
    same = _ScatteredLines(lines, 0, request, labels)
    same.drain()
    if same.digest != known_hash:
        raise KeyReused(
            f"The idempotency key {request.idempotency_key!r} belongs to batch {batch_id} of kind {kind!r}, "
            "which was scattered with other content. Use a new key for new content."
        )
    return int(batch_id)


class _Run(NamedTuple):
    """Items that came together, as a row of `segment`."""

    batch_id: int
    segment_id: int
    first_ordinal: int
    items: int
    priority: int
    queue: str
    kind: str
    share: str


def _new_segment_to_scatter(run: _Run, *, delay: timedelta = NO_DELAY, parked: bool = False) -> Statement:
    if delay:
        return Statement(sql.NEW_DELAYED_SEGMENT, run._asdict() | {"delay": delay})
    return Statement(sql.NEW_SEGMENT, run._asdict() | {"parked": parked})


def add(
    batch_id: int, lines: Iterable[bytes], labels: list[str] | None = None, *, is_by_item: bool = False
) -> Script[int]:
    """More items for an open batch; of those with labels, the ones that are new to it. Returns how many."""
    found = yield Statement(sql.LOCK_BATCH, {"batch_id": batch_id})
    state, total, priority, queue, kind, share, paused, max_items = only_row(found, batch_id)
    if state != "open":
        raise BatchClosed(f"Batch {batch_id} is closed and takes no more items. Scatter a new batch.")
    if labels is not None:
        line_of = dict(reversed(list(zip(labels, lines, strict=True))))
        fresh = {label for (label,) in (yield Statement(sql.NEW_LABELS, {"batch_id": batch_id, "labels": labels}))}
        lines = [line_of[label] for label in dict.fromkeys(labels) if label in fresh]
        if labels and not lines:
            return 0
    [(segment_id,)] = yield Statement(sql.NEXT_SEGMENT)
    copied = _ScatteredLines(lines, segment_id << 20)
    yield Copy(sql.COPY_PAYLOADS, copied)
    if not copied.count:
        raise EmptyBatch("There is nothing to add: the payloads were empty.")
    _check_ceiling_of_scatter(total, copied.count, max_items or (MAX_BATCH if is_by_item else None))
    yield Statement(sql.GROW_BATCH, {"batch_id": batch_id, "items": copied.count})
    yield _new_segment_to_scatter(
        _Run(batch_id, segment_id, total, copied.count, priority, queue, kind, share), parked=paused
    )
    return copied.count


def _check_ceiling_of_scatter(total: int, more: int, most: int | None) -> None:
    if most is not None and total + more > most:
        raise BatchTooBig(
            f"The batch may hold {most:,} items and would have {total + more:,}. If its items add to it, give them "
            "labels, so that none is added twice; or scatter with a higher max_items."
        )
