"""Columns of a table without lines down: the white space that runs between them."""

from itertools import pairwise

from ingather.library.parse.tables.marks import Segment

# In sizes of type: white space narrower than this between columns is a blank.
_LEAST = 0.3

# In points: segments that overlap by less stand beside each other.
_TOUCH = 0.8

# No larger share of the cells of two columns reaches over both.
_CROSSING = 0.3

# Among the lines that have text where a long segment stands, how many must have two cells there to make it a heading.
_SHARE = 0.5


def gutter_cuts_of(lines: list[list[Segment]], size: float) -> list[float]:
    """Where the columns are cut: the middles of the white spaces that all lines with several cells leave."""
    several = [line for line in lines if len(line) > 1]
    kept = [segment for line in several for segment in line if not _is_spanning_gutters(segment, line, several)]
    if len(several) == 0:
        return []
    return [(left + right) / 2 for left, right in gaps_for_gutters(kept) if right - left >= _LEAST * size]


def gaps_for_gutters(segments: list[Segment]) -> list[tuple[float, float]]:
    """The parts of the width that no segment covers, from the left."""
    found: list[tuple[float, float]] = []
    reach = None
    for segment in sorted(segments, key=lambda segment: segment.left):
        if reach is not None and segment.left > reach:
            found.append((reach, segment.left))
        reach = segment.right if reach is None else max(reach, segment.right)
    return found


def _is_spanning_gutters(segment: Segment, line: list[Segment], several: list[list[Segment]]) -> bool:
    """Whether other lines have two or more cells where this one has a single segment."""
    one = two = 0
    for other in several:
        if other is line or len(other) < len(line):
            continue
        count = sum(1 for s in other if s.left < segment.right - _TOUCH and s.right > segment.left + _TOUCH)
        one += count == 1
        two += count > 1
    return two > 0 and two >= _SHARE * (one + two)


def columns_between_gutters(segment: Segment, cuts: list[float]) -> tuple[int, int]:
    """The first and the last column that a segment stands in, with a little room for letters that lean over."""
    first = sum(1 for cut in cuts if cut < segment.left + _TOUCH)
    last = sum(1 for cut in cuts if cut < segment.right - _TOUCH)
    return first, max(first, last)


def gutters_with_header_columns(
    cuts: list[float], body: list[Segment], header: list[Segment], size: float
) -> list[float]:
    """Adds a column for a header that stands in the white space between two columns: its cells are empty."""
    added = list(cuts)
    for segment in header:
        first, last = columns_between_gutters(segment, added)
        if first != last:
            continue
        low = added[first - 1] if first else -1e9
        high = added[first] if first < len(added) else 1e9
        column = [s for s in body if low < s.middle < high]
        if not column:
            continue
        left, right = min(s.left for s in column), max(s.right for s in column)
        others = [s for s in header if s is not segment and low < s.middle < high and s.left < right and s.right > left]
        if not others:
            continue
        if segment.left > right + _LEAST * size:
            added.append((right + segment.left) / 2)
        elif segment.right < left - _LEAST * size:
            added.append((left + segment.right) / 2)
        added.sort()
    return added


def gutters_paired_with_headers(
    cuts: list[float], body: list[Segment], leaves: list[tuple[float, float]]
) -> list[float] | None:
    """Cuts that leave each of the lowest headers, as many as columns, with its column; None where they do not pair.

    A header at the left of its column and cells at the right of it may stand
    further apart than the columns do.
    """
    spans = _column_spans_between_gutters(cuts, body)
    if len(leaves) == len(spans) - 1:
        spans_of_headers = spans[1:]
    elif len(leaves) == len(spans):
        spans_of_headers = spans
    else:
        return None
    if any(span is None for span in spans) or _is_header_over_other_column(leaves, spans_of_headers, spans):
        return None
    whole = spans[: len(spans) - len(leaves)] + [
        (min(span[0], leaf[0]), max(span[1], leaf[1]))
        for span, leaf in zip(spans_of_headers, leaves, strict=True)
        if span is not None
    ]
    known = [span for span in whole if span is not None]
    if any(low[1] >= high[0] for low, high in pairwise(known)):
        return None
    return [(low[1] + high[0]) / 2 for low, high in pairwise(known)]


def _is_header_over_other_column(
    leaves: list[tuple[float, float]],
    own: list[tuple[float, float] | None],
    spans: list[tuple[float, float] | None],
) -> bool:
    """Whether a header stands over a column that is not the one it would be paired with, and not over that one."""
    for (left, right), mine in zip(leaves, own, strict=True):
        over = [span for span in spans if span is not None and span[0] < right and left < span[1]]
        if over and mine not in over:
            return True
    return False


def gutters_between_headers(
    cuts: list[float], body: list[Segment], leaves: list[tuple[float, float]], size: float
) -> list[float]:
    """Adds a cut between two of the lowest headers over one column, where hardly any cell stands across it.

    Cells that reach over both of their columns hide the white space between them.
    """
    added = list(cuts)
    for one, other in pairwise(leaves):
        low, high = one[1], other[0]
        if high - low < _LEAST * size or any(low - _TOUCH <= cut <= high + _TOUCH for cut in cuts):
            continue
        left, right = max((c for c in cuts if c < low), default=-1e9), min((c for c in cuts if c > high), default=1e9)
        column = [s for s in body if left < s.middle < right]
        places = {edge for s in column for edge in (s.left - _TOUCH, s.right + _TOUCH) if one[0] < edge < other[1]}
        ways = [(sum(1 for s in column if s.left < at < s.right), abs(at - (low + high) / 2), at) for at in places]
        if not ways:
            continue
        crossing, _, at = min(ways)
        before, after = sum(1 for s in column if s.right <= at), sum(1 for s in column if s.left >= at)
        if crossing <= _CROSSING * len(column) and min(before, after) > 1:
            added.append(at)
    return sorted(added)


def _column_spans_between_gutters(cuts: list[float], body: list[Segment]) -> list[tuple[float, float] | None]:
    """From where to where the text of each column reaches, by the cells that stand in one column."""
    spans: list[tuple[float, float] | None] = [None] * (len(cuts) + 1)
    for segment in body:
        first, last = columns_between_gutters(segment, cuts)
        if first == last:
            span = spans[first]
            spans[first] = (
                (min(span[0], segment.left), max(span[1], segment.right)) if span else (segment.left, segment.right)
            )
    return spans
