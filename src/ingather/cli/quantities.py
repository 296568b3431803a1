"""Amounts as people type and read them: 30d, 60/m, 3 min ago."""

import re
from argparse import ArgumentTypeError
from datetime import datetime, timedelta

UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


# Longer than anybody keeps a batch, and short enough for PostgreSQL's calendar, which begins 4713 BC.
LONGEST_DAYS = 36_525


def whole_quantity(text: str) -> int:
    # int() alone would also take 1_000, " 1" and digits of other scripts.
    if not re.fullmatch(r"-?[0-9]{1,30}", text):
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def duration_quantity(text: str) -> timedelta:
    """30d, 12h, 90m, 45s, 2w."""
    found = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if not found:
        raise ArgumentTypeError(f"{text!r} is not a time: write a number and one of s, m, h, d, w, such as 30d")
    span = int(found[1]) * UNITS[found[2]]
    if span.days > LONGEST_DAYS:
        raise ArgumentTypeError(f"{text!r} is more than 100 years")
    return span


def count_quantity_or_none(text: str) -> int | None:
    return None if text == "none" else whole_quantity(text)


def rate_quantity_or_none(text: str) -> tuple[int, timedelta] | None:
    """60/m, 10/s, 1000/h; also 30/10s. `none` lifts the limit."""
    if text == "none":
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{0,5})([smhd])", text)
    if not found:
        raise ArgumentTypeError(f"{text!r} is not a rate: write it as 60/m, 10/s or 1000/h, or none to lift it")
    items, window = int(found[1]), int(found[2] or 1) * UNITS[found[3]]
    if not (1 <= items <= 1_000_000 and UNITS["s"] <= window <= UNITS["d"]):
        raise ArgumentTypeError(f"{text!r} is out of range: a rate is 1 to 1,000,000 items in 1 second to 1 day")
    return items, window


def show_rate(items: int | None, window_s: float | None) -> str:
    """60/m, as it was typed."""
    if items is None or window_s is None:
        return "none"
    seconds = round(window_s)
    name, size = next(
        (name, round(UNITS[name].total_seconds())) for name in "dhms" if seconds % UNITS[name].total_seconds() == 0
    )
    many = seconds // size
    return f"{items}/{many if many > 1 else ''}{name}"


def show_duration(span: timedelta | float) -> str:
    """Two units at most: 3 d 4 h, 5 min 2 s, 0.4 s."""
    seconds = span.total_seconds() if isinstance(span, timedelta) else span
    if seconds < 0:
        return f"-{show_duration(-seconds)}"
    if seconds < 10:
        return f"{seconds:.1f} s"
    rest = round(seconds)
    parts = []
    for name, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if rest >= size:
            parts.append(f"{rest // size} {name}")
            rest %= size
    return " ".join(parts[:2])


def show_moment(moment: datetime | None) -> str:
    """In the reader's own time zone, to the second."""
    return "" if moment is None else f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def show_age(moment: datetime, now: datetime) -> str:
    return f"{show_duration(max(now - moment, timedelta(0)))} ago"


def port_quantity(text: str) -> int:
    number = whole_quantity(text)
    if not 0 <= number <= 65_535:
        raise ArgumentTypeError(f"{text} is no port")
    return number
