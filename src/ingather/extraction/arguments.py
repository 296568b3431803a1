"""Ids, caps, texts and requests from outside: taken, cleaned, or refused with a sentence."""

from collections.abc import Collection
from decimal import Decimal
from typing import Final, cast

from ingather.engine.errors import UsageError
from ingather.extraction.errors import EmptySelection, NotFound
from ingather.extraction.provider import price_of
from ingather.names import LARGEST_ID, is_id
from ingather.notice import notice

# A cap above this is a typing error, and the column has no room for it.
LARGEST_CAP: Final = Decimal(1_000_000)
# The column keeps four decimals: prices are per million tokens, so a single call may cost less than a cent.
SMALLEST_STEP: Final = Decimal("0.0001")
# Documents of one task. Its results are read page by page, but its request and its scatter are one transaction.
MOST_DOCUMENTS: Final = 10_000
# Characters of the context that goes into every question: a page of text. More would crowd out the paper.
LONGEST_CONTEXT: Final = 4_000
# Characters of an idempotency key. A UUID has 36; the engine's own limit is higher.
LONGEST_KEY: Final = 200
# Tasks on one page of a list.
MOST_TASKS: Final = 1_000


def known_id_argument(number: object, noun: str) -> int:
    """An id that a statement can take, or `NotFound`. Types are only hints: it may come from a form or a file."""
    if not is_id(number):
        raise NotFound(f"There is no {noun} {str(number)[:40]!r}.")
    return cast("int", number)


def check_new_task_arguments(document_ids: Collection[int], context: str, idempotency_key: str | None) -> None:
    """Refuse a request that no task can have, before anything is read or written."""
    if not document_ids:
        raise EmptySelection(
            notice("extraction.no_documents_selected_choose_least", "No documents are selected. Choose at least one.")
        )
    if len(document_ids) > MOST_DOCUMENTS:
        raise UsageError(
            notice(
                "extraction.task_takes_most_documents_selected",
                "A task takes at most {most} documents; {count} are selected.",
                most=f"{MOST_DOCUMENTS:,}",
                count=f"{len(document_ids):,}",
            )
        )
    if len(context) > LONGEST_CONTEXT:
        raise UsageError(
            notice(
                "extraction.context_most_characters_long",
                "The context is at most {most} characters long.",
                most=f"{LONGEST_CONTEXT:,}",
            )
        )
    if idempotency_key is not None and not (0 < len(idempotency_key) <= LONGEST_KEY and idempotency_key.isprintable()):
        raise UsageError(f"An idempotency key is 1 to {LONGEST_KEY} printable characters.")


def checked_cap_argument(cap: Decimal | None, model: str | None) -> Decimal | None:
    """A spending cap that can be kept. 2 and 2.00 are the same cap, and the same request."""
    if cap is None:
        return None
    if not cap.is_finite() or not 0 <= cap <= LARGEST_CAP:
        raise UsageError(
            notice(
                "extraction.spending_cap_lies_between_0",
                "A spending cap lies between 0 and {most}, not at {cap}.",
                most=f"{LARGEST_CAP:,}",
                cap=str(cap)[:40],
            )
        )
    if model is not None and price_of(model) is None:
        raise UsageError(
            notice(
                "extraction.costs_not_known_spending_cap",
                "What {model} costs is not known, so a spending cap could not be kept. Go on without one.",
                model=model,
            )
        )
    return cap.quantize(SMALLEST_STEP)


def page_arguments(before: int | None, limit: int) -> dict[str, int]:
    if not 1 <= limit <= MOST_TASKS:
        raise UsageError(f"A page holds 1 to {MOST_TASKS:,} tasks, not {limit!r}.")
    return {"before": LARGEST_ID if before is None else min(before, LARGEST_ID), "limit": limit}
