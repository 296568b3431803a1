"""Ids, caps and texts from outside: taken, cleaned, or refused with a sentence."""

import unicodedata
from decimal import Decimal
from typing import Final

from ingather.engine.errors import UsageError
from ingather.extraction.errors import NotFound
from ingather.extraction.provider import price_of
from ingather.notice import notice

LARGEST_ID: Final = 2**63 - 1
LARGEST_CAP: Final = Decimal(1_000_000)
SMALLEST_STEP: Final = Decimal("0.0001")


def known_id(number: object, noun: str) -> int:
    """An id that the database can be asked for. Types are only hints: it may come from a form or a file."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= LARGEST_ID:
        raise NotFound(f"There is no {noun} {str(number)[:40]!r}.")
    return number


def checked_cap(cap: Decimal | None, model: str | None) -> Decimal | None:
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


def cleaned(text: str) -> str:
    """Without what PostgreSQL cannot keep or nobody can read: control characters, halves, unassigned ones."""
    kept = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs", "Co", "Cn"})
    return unicodedata.normalize("NFC", kept).strip()
