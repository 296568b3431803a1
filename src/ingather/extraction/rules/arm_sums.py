"""The sizes of arms that stand in one sentence: whether they add up to a total, and what they add up to."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.rules.printed_numbers import COUNT, printed_count

# Arms are added up for totals from here on; smaller ones are sums of other numbers too often.
_LEAST_SUM: Final = 12
# The most arms that are added up. More would find sums by chance.
_MOST_ARMS: Final = 5
# `A tea group (n = 75; 31 men) or a placebo group (n = 75)`.
_ARM_SIZE: Final = re.compile(rf"[(\[] ?n ?= ?(?P<n>{COUNT})(?= ?[)\];,])", re.IGNORECASE)


def sums_of_arms(text: str) -> Iterator[int]:
    """What the sizes in brackets add up to, where they are as many as a trial has arms."""
    sizes = [printed_count(one["n"]) or 0 for one in _ARM_SIZE.finditer(text)]
    if 2 <= len(sizes) <= _MOST_ARMS:
        yield sum(sizes)


def without_brackets(text: str) -> str:
    """The text with blanks for all that stands in brackets, so that a subject and its verb come together."""
    return re.sub(r"\([^()]*\)|\[[^\[\]]*\]", lambda found: " " * len(found[0]), text)


def adds_up(text: str, total: re.Match[str]) -> bool:
    """Whether counts that follow each other behind the total add up to it, as those of its arms do."""
    whole = printed_count(total["n"]) or 0
    if whole < _LEAST_SUM:
        return False
    # The arms may stand in brackets or around them: `446 (median age 59) to one and 223 (median age 62) to the other`.
    return any(_has_sum(one, whole) for one in (text[total.end("n") :], without_brackets(text)[total.end("n") :]))


def _has_sum(text: str, whole: int) -> bool:
    sizes = [printed_count(one[0]) or 0 for one in re.finditer(COUNT, text, re.IGNORECASE)]
    sizes = [size for size in sizes if size < whole]
    return any(
        sum(sizes[n : n + arms]) == whole for arms in range(2, _MOST_ARMS + 1) for n in range(len(sizes) - arms + 1)
    )
