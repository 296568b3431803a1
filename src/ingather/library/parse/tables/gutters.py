"""Columns of a table without lines down: the white space that runs between them."""

from itertools import pairwise

from ingather.library.parse.tables.marks import Segment

# In sizes of type: white space narrower than this between columns is a blank.
_LEAST = 0.3

# In points: segments that overlap by less stand beside each other.
_TOUCH = 0.8

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
    if any(span is None for span in spans):
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
