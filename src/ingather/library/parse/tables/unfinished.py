"""Whether the text of a cell goes on in the line below it: an open bracket, a sign without its figure."""

import re

# A line that ends so waits for a figure; one that begins so belongs to the figure above.
_WAITS = re.compile(r"[=\u00b1<>\u2264\u2265(\[]$|\d[;,]$|\d\s?[/\u00d7]$")
_BELONGS = re.compile(r"[)\]\u00b1]")

_OPEN = "([\uff08"
_CLOSE = ")]\uff09"


def is_unfinished(above: str, below: str) -> bool:
    """Whether what stands above is unfinished without the line below."""
    opened = _unfinished_at_end(above)
    if opened and _closes_unfinished(below):
        return True
    return bool(_WAITS.search(above) or (above and _BELONGS.match(below)))


def _unfinished_at_end(text: str) -> int:
    depth = 0
    for char in text:
        depth = depth + 1 if char in _OPEN else max(depth - 1, 0) if char in _CLOSE else depth
    return depth


def _closes_unfinished(text: str) -> bool:
    """Whether a bracket is closed that was opened before."""
    depth = 0
    for char in text:
        depth += (char in _OPEN) - (char in _CLOSE)
        if depth < 0:
            return True
    return False
