"""Which of several groups a figure belongs to, where a sentence or a row of a table names more than one. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.figures import Figure
from ingather.extraction.proof.labels import Named

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TERM: Final = re.compile(r"[^\s,()]+")
_BARRIER: Final = re.compile(
    r"[,;:\uff0c\uff1b\u3002]|(?<![a-z])(?:and|vs\.?|versus|v|than|compared|but|while|whereas|or|against)(?![a-z])|\. "
)
_LEADS_TO: Final = re.compile(
    r"^[^,;]{0,60}?(?<![a-z])(?:in|with|for|to|of|on|among|receiv\w+|assigned|who|allocated|given|taking|by|from|at|using"
    r"|undergoing|underwent|were|had)(?![a-z])"
)
_LIST: Final = re.compile(
    r"(?:[^.;]*?(?:(?<![a-z])(?:and|vs\.?|versus|v|or|than|compared (?:with|to)|to|against)(?![a-z])|[,;:/]|与|和|比|对)[^.;]*)|[ |]*"
)
# A run of figures may have this many words between two of them: `5.2 cm compared with 6.1 cm`. With more, another
# statement begins.
_MOST_BETWEEN: Final = 7
# Beyond this many words a group named before a figure no longer owns it.
_FARTHEST: Final = 30


def owner(
    text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named], sentence: tuple[int, int]
) -> Named | None:
    """The group that a figure belongs to; None where the sentence does not say. `peers` are figures of its kind."""
    here = [one for one in named if sentence[0] <= one.start < sentence[1]]
    peers = [one for one in peers if sentence[0] <= one.start < sentence[1]]
    if not here:
        return None
    run = _run(text, figure, peers, here)
    if len(run) > 1 and (found := _by_order(figure, run, peers, here)):
        return found
    if len(run) > 1 and _is_before_all(run, here) is None and len({one.key for one in here}) > 1:
        return _beside(text, figure, peers, here)
    return _beside(text, figure, peers, here)


def _is_before_all(run: Sequence[Figure], here: Sequence[Named]) -> bool | None:
    if all(one.end <= run[0].start for one in here):
        return True
    return False if all(one.start >= run[-1].end for one in here) else None


def _run(text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named]) -> list[Figure]:
    """The figures that stand in one list with this one, without a group's name between them."""
    at = next(n for n, one in enumerate(peers) if one.start == figure.start)
    first = last = at
    while first > 0 and _are_listed(text, peers[first - 1], peers[first], named):
        first -= 1
    while last + 1 < len(peers) and _are_listed(text, peers[last], peers[last + 1], named):
        last += 1
    return list(peers[first : last + 1])


def _are_listed(text: str, one: Figure, other: Figure, named: Sequence[Named]) -> bool:
    if any(one.end <= name.start < other.start for name in named):
        return False
    between = _without_brackets(text, one.end, other.start)
    return len(_TERM.findall(between)) <= _MOST_BETWEEN and _LIST.fullmatch(between) is not None


def _by_order(
    figure: Figure, run: Sequence[Figure], peers: Sequence[Figure], named: Sequence[Named]
) -> Named | None:
    """As many names as figures, all before or all behind them: the first belongs to the first."""
    place = next(n for n, one in enumerate(run) if one.start == figure.start)
    first_before = max((one.end for one in peers if one.end <= run[0].start), default=0)
    last_behind = min((one.start for one in peers if one.start >= run[-1].end), default=10**9)
    for names in (
        [one for one in named if first_before <= one.start and one.end <= run[0].start],
        [one for one in named if run[-1].end <= one.start < last_behind],
        [one for one in named if one.end <= run[0].start],
    ):
        listed = _distinct(names)
        if len(listed) == len(run):
            return listed[place]
        # The same names in turn, more than once: the last list before the figures counts.
        if len(names) > len(run) and len({one.key for one in names[-len(run) :]}) == len(run):
            return names[-len(run) :][place]
    return None


def _distinct(names: Sequence[Named]) -> list[Named]:
    kept: dict[str, Named] = {}
    for one in names:
        kept.setdefault(one.key, one)
    return [*kept.values()]


def _beside(text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named]) -> Named | None:
    """The name that stands nearest, in the way in which names stand beside figures."""
    left = next((one for one in reversed(named) if one.end <= figure.start), None)
    right = next((one for one in named if one.start >= figure.end), None)
    if left and _is_parted(text, left.end, figure.start, peers, figure):
        left = None
    if right and _is_parted(text, figure.end, right.start, peers, figure):
        right = None
    if right is None or left is None:
        return left or right
    to_left = _without_brackets(text, left.end, figure.start)
    to_right = _without_brackets(text, figure.end, right.start)
    is_left_clear, is_right_clear = not _BARRIER.search(to_left), not _BARRIER.search(to_right)
    if is_right_clear != is_left_clear:
        return right if is_right_clear and _LEADS_TO.search(to_right) else left
    if is_right_clear:
        far_left, far_right = len(_TERM.findall(to_left)), len(_TERM.findall(to_right))
        return right if _LEADS_TO.search(to_right) and far_right < far_left else left
    return left


def _is_parted(text: str, start: int, end: int, peers: Sequence[Figure], figure: Figure) -> bool:
    """Whether another figure of its kind stands between, outside of brackets, or too many words do."""
    brackets = [found.span() for found in _BRACKETS.finditer(text)]
    brackets = [(a, b) for a, b in brackets if not a <= figure.start < b]
    for one in peers:
        if start <= one.start < end and not any(a <= one.start < b for a, b in brackets):
            return True
    return len(_TERM.findall(_without_brackets(text, start, end))) > _FARTHEST


def _without_brackets(text: str, start: int, end: int) -> str:
    return _BRACKETS.sub(" ", text[start:end])
