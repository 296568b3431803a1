"""Whether numbers of one arm agree with each other: a count with its percentage and its total. Pure."""

from decimal import ROUND_HALF_UP, Decimal

from ingather.extraction.numbers.cell import decimal_in_cell

# A printed percentage may be cut off instead of rounded: one unit of its last digit, and not half of one, is allowed.
_SLACK = Decimal("1.0")
# A percentage of this many people or more fits several counts: nothing is worked out from it.
_MOST_COUNTS = 1


def check_percent_of_count(events: str, n: str, percent: str) -> bool:
    """Whether so many of so many is that percentage, as far as it is printed."""
    total = decimal_in_cell(n)
    if not percent:
        return decimal_in_cell(events) <= total
    if total <= 0 or decimal_in_cell(events) > total:
        return False
    share = decimal_in_cell(events) * 100 / total
    return abs(share - decimal_in_cell(percent)) <= _SLACK * _unit_in_last_place_checked(percent)


def events_checked_by_percent(percent: str, n: str) -> str | None:
    """The only count of which `percent` is the percentage of N; none where there are several, or none."""
    total, given = decimal_in_cell(n), decimal_in_cell(percent)
    if total <= 0 or not 0 <= given <= 100:
        return None
    half = _unit_in_last_place_checked(percent) / 2
    low, high = (given - half) * total / 100, (given + half) * total / 100
    counts = [count for count in range(max(0, int(low)), int(high) + 2) if low <= count <= high and count <= total]
    if len(counts) != _MOST_COUNTS:
        return None
    return str(counts[0])


def _unit_in_last_place_checked(number: str) -> Decimal:
    return Decimal(1).scaleb(-len(number.partition(".")[2]))


def rounded_for_check(value: Decimal, number: str) -> Decimal:
    """A value at the precision of a printed number."""
    return value.quantize(_unit_in_last_place_checked(number), rounding=ROUND_HALF_UP)
