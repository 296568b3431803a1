"""Which labels stand over a row: groups above it, and rows that are less indented."""

from collections import Counter
from dataclasses import dataclass

# In points: labels whose left edges differ by less have the same indent.
_SAME_INDENT = 2.0

# Labels are set to the left where this share of them begins at one of a few edges.
_ALIGNED = 0.6


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The label of a row: its text, its left edge, whether it stands alone in its row."""

    text: str
    left: float
    is_alone: bool


def row_label_paths(labels: list[RowLabel | None]) -> list[tuple[str, ...]]:
    """For each row the labels above it, from the outermost; None for a row without a label."""
    edges = Counter(round(label.left / _SAME_INDENT) for label in labels if label)
    count = sum(edges.values())
    common = sum(number for _, number in edges.most_common(3))
    has_indents = count > 0 and common >= _ALIGNED * count
    paths: list[tuple[str, ...]] = []
    above: list[RowLabel] = []
    for number, label in enumerate(labels):
        if label is None:
            paths.append(tuple(other.text for other in above if other.is_alone))
            continue
        above = [other for other in above if _is_row_label_over(other, label, has_indents=has_indents)]
        if label.is_alone:
            # A group ends where another label stands alone at its edge.
            above = [other for other in above if has_indents and other.left < label.left - _SAME_INDENT]
        paths.append(tuple(other.text for other in above))
        following = labels[number + 1] if number + 1 < len(labels) else None
        is_parent = has_indents and following is not None and following.left > label.left + _SAME_INDENT
        if label.is_alone or is_parent:
            above.append(label)
    return paths


def _is_row_label_over(other: RowLabel, label: RowLabel, *, has_indents: bool) -> bool:
    if has_indents and other.left < label.left - _SAME_INDENT:
        return True
    return other.is_alone and (not has_indents or abs(other.left - label.left) <= _SAME_INDENT)
