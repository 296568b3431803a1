"""Batches: listed, shown and steered. Following one is in `watching`."""

import json
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

from ingather.app import Ingather
from ingather.cli import watching
from ingather.cli.output import (
    output_console,
    output_facts,
    output_hint,
    output_json,
    output_sentence,
    output_table,
    plain_output,
    visible_output,
)
from ingather.cli.quantities import show_duration, show_moment
from ingather.engine import reports
from ingather.engine.batch import Batch
from ingather.engine.errors import Failed, NotReady
from ingather.engine.model import Progress

CLOSED_BEFORE = "had closed before: there was nothing to cancel."
Given = TypeVar("Given")

# `batch show` cuts a result here, a screen and a half of text; --json gives all of it.
LONGEST_RESULT = 2_000


def list_batches_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        found = app.batches(state=arguments.state, kind=arguments.kind, before=arguments.before, limit=arguments.limit)
    if arguments.json:
        output_json([batch_progress_json(batch) for batch in found])
        return
    rows = (
        (
            str(seen.batch_id),
            seen.kind,
            seen.queue,
            _batch_state_shown(seen),
            seen.total,
            seen.pending,
            seen.running,
            seen.completed,
            seen.error,
            seen.cancelled,
            show_moment(seen.created_at),
            show_moment(seen.closed_at),
        )
        for seen in found
    )
    columns = ("batch", "kind", "queue", "state", "total", "pending", "running", "completed", "error", "cancelled")
    output_table(
        (*columns, "created", "closed"),
        rows,
        empty="No batches.",
        expendable=("closed", "cancelled", "queue", "created", "pending"),
    )
    if len(found) == arguments.limit:
        output_hint(f"Older ones: --before {found[-1].batch_id}")


def batch_progress_json(seen: Progress) -> dict[str, Any]:
    return {**plain_output(seen), "percent": round(seen.percent, 2)}


def _batch_state_shown(seen: Progress) -> str:
    if seen.is_closed:
        return "closed" if seen.is_gathered else "gathering"
    return "paused" if seen.paused else seen.state


# --- one batch -----------------------------------------------------------------------------------------------------


def show_batch_command(arguments: Namespace) -> None:
    with closing(Ingather()) as app:
        batch = app.batch(arguments.id)
        seen = batch.progress()
        result, reason = _batch_result_shown(batch)
        reasons, failures = [], []
        if seen.error:
            reasons = app.database.run(reports.report_failure_reasons(batch.id))
            failures = app.database.run(reports.report_failures(batch.id, arguments.after, arguments.limit))
    if arguments.json:
        output_json(
            batch_progress_json(seen)
            | {"result": result, "gather_error": reason, "failure_reasons": reasons, "failures": plain_output(failures)}
        )
        return
    output_facts(_facts_of_batch(seen))
    if reason:
        output_sentence(f"\nThe gather failed: {visible_output(reason)}")
    elif result is not None:
        text = json.dumps(result, ensure_ascii=False, indent=2)
        output_sentence(f"\nResult\n{text[:LONGEST_RESULT]}")
        if len(text) > LONGEST_RESULT:
            output_hint(f"… {len(text) - LONGEST_RESULT:,} more characters: see --json")
    if failures:
        _show_failures_of_batch(seen, reasons, failures, arguments.limit)


def _facts_of_batch(seen: Progress) -> list[tuple[str, object]]:
    counts = ("pending", "running", "completed", "error", "cancelled")
    pairs: list[tuple[str, object]] = [
        ("batch", str(seen.batch_id)),
        ("kind", seen.kind),
        ("queue", seen.queue),
        ("state", _batch_state_shown(seen)),
        ("total", seen.total),
        *((name, getattr(seen, name)) for name in counts),
        ("created", show_moment(seen.created_at)),
    ]
    if seen.closed_at:
        pairs.append(
            (
                "closed",
                f"{show_moment(seen.closed_at)}, after {show_duration(seen.closed_at - seen.created_at)}",
            )
        )
    if seen.version > 1:
        pairs.append(("version", f"{seen.version} (reopened by a retry)"))
    if seen.gather:
        pairs.append(("gather", seen.gather))
    return pairs


def _show_failures_of_batch(
    seen: Progress, reasons: list[dict[str, Any]], failures: list[dict[str, Any]], limit: int
) -> None:
    why = ", ".join(f"{many['items']:,} {many['reason']} ({many['type'] or 'no type'})" for many in reasons)
    output_sentence(f"\nFailures: {why}")
    rows = (
        (
            str(failure["item_id"]),
            failure["ordinal"],
            failure["attempt"],
            failure["lost"],
            str(failure["error"].get("reason")),
            " ".join(
                part
                for part in (
                    f"{failure['error'].get('type')}: {failure['error'].get('message')}",
                    f"({failure['error']['where']})" if "where" in failure["error"] else "",
                )
                if part
            ),
        )
        for failure in failures
    )
    columns = ("item", "ordinal", "attempt", "lost", "reason", "message")
    output_table(columns, rows, empty="", expendable=("ordinal", "lost", "attempt"))
    if seen.error > len(failures) == limit:
        output_hint(
            f"More: --after {failures[-1]['item_id']}. Run them again with `ingather batch retry {seen.batch_id}`."
        )


def _batch_result_shown(batch: Batch) -> tuple[Any, str | None]:
    try:
        return batch.result(), None
    except NotReady:
        return None, None
    except Failed as error:
        return None, str(error)


def watch_batch_command(arguments: Namespace) -> int:
    with closing(Ingather()) as app:
        batch = app.batch(arguments.id)
        if arguments.json:
            screen: watching.WatchingScreen = watching.WatchingJsonLines(batch_progress_json)
        elif output_console().is_terminal:
            screen = watching.WatchingBar()
        else:
            screen = watching.WatchingLines()
        seen = watching.watch_to_the_end(app, batch, screen)
        if not arguments.json:
            output_sentence(watching.ending_watched(seen))
            result, reason = _batch_result_shown(batch)
            if reason:
                output_sentence(f"The gather failed: {visible_output(reason)}")
            elif result is not None:
                output_sentence(f"Result: {json.dumps(result, ensure_ascii=False)[:LONGEST_RESULT]}")
            if seen.error:
                output_hint(f"See why with `ingather batch show {seen.batch_id}`.")
    return 0 if seen.completed == seen.total and seen.gather != "error" else 1


# --- steering ------------------------------------------------------------------------------------------------------


def _steer_batch(arguments: Namespace, act: Callable[[Batch], Given]) -> tuple[Progress, Given]:
    """Do something to the batch of the command line; how it stands then, and what doing it gave."""
    with closing(Ingather()) as app:
        batch = app.batch(arguments.id)
        given = act(batch)
        return batch.progress(), given


def _answer_batch(arguments: Namespace, seen: Progress, sentence: str, **more: Any) -> None:
    if arguments.json:
        output_json(batch_progress_json(seen) | more)
    else:
        output_sentence(sentence)


def cancel_batch_command(arguments: Namespace) -> None:
    seen, is_new = _steer_batch(arguments, Batch.cancel)
    ended = f"is cancelled: {seen.cancelled:,} of {seen.total:,} items did not run to their end."
    _answer_batch(arguments, seen, f"Batch {seen.batch_id} {ended if is_new else CLOSED_BEFORE}")


def pause_batch_command(arguments: Namespace) -> None:
    seen, _ = _steer_batch(arguments, Batch.pause)
    _answer_batch(arguments, seen, batch_or_queue_paused(f"Batch {seen.batch_id}", seen.pending, seen.running))


def resume_batch_command(arguments: Namespace) -> None:
    seen, _ = _steer_batch(arguments, Batch.resume)
    _answer_batch(arguments, seen, batch_or_queue_resumed(f"Batch {seen.batch_id}", seen.pending))


def retry_batch_command(arguments: Namespace) -> None:
    seen, items = _steer_batch(arguments, Batch.retry_failed)
    sentence = f"{items:,} failed items of batch {seen.batch_id} run again."
    _answer_batch(arguments, seen, sentence if items else f"Batch {seen.batch_id} has no failed items.", retried=items)


# Pausing and resuming say this of a batch and of a queue alike.
def batch_or_queue_paused(name: str, pending: int, running: int) -> str:
    return f"{name} is paused: {pending:,} items wait, {running:,} still run."


def batch_or_queue_resumed(name: str, pending: int) -> str:
    return f"{name} goes on with {pending:,} items."
