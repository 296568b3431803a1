"""Which of several groups a figure belongs to, where a sentence or a row of a table names more than one. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ingather.extraction.proof.beside import AGAINST, GIVEN, TERM, beside, right_beside, without_brackets
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.labels import NamedRow

_LIST: Final = re.compile(
    r"(?:[^.;]*?(?:(?<![a-z])(?:and|vs\.?|versus|v|or|than|compared (?:with|to)|to|against)(?![a-z])|[,;:/]|与|和|比"
    r"|对)[^.;]*)|[ |]*"
)
# A run of figures may have this many words between two of them: `5.2 cm compared with 6.1 cm`. With more, another
# statement begins.
_MOST_BETWEEN: Final = 7


def owner(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], named: Sequence[NamedRow],
    sentence: tuple[int, int],
    keys: Sequence[str] = (), *, is_beside_enough: bool = True,
) -> NamedRow | None:  # fmt: skip
    """The group that a figure belongs to; None where the sentence does not say.

    `peers` are figures of its kind, `keys` the groups there are: of two, what is not the one is the other.
    Without `is_beside_enough` a name that merely stands nearest owns nothing: a total stands near names, too.
    """
    here = [one for one in named if sentence[0] <= one.start < sentence[1]]
    peers = [one for one in peers if sentence[0] <= one.start < sentence[1]]
    if not here:
        return None
    if found := right_beside(text, figure, peers, here):
        return found
    run = _figures_of_one_list(text, figure, peers, here)
    if len(run) > 1 and (found := _by_order(text, figure, run, peers, here)):
        return found
    if len(run) > 1 and "respectively" in text[run[-1].end : sentence[1]]:
        return _in_list(text, figure, run, here, sentence)
    if len(run) == 2 and (found := _by_elimination(text, figure, run, here, keys, sentence)):
        return found
    if is_beside_enough and (found := _only_one(text, run, peers, here, sentence)):
        return found
    if (len(run) > 1 and not _stands_apart(run, here)) or not is_beside_enough:
        return None
    return beside(text, figure, peers, here)


_COMPARES: Final = re.compile(
    r"(?<![a-z])(?:vs\.?|versus|v|compared|than|respectively|both|other|against|either|between|whereas"
    r"|while)(?![a-z])|比"
)
_ALL_IN: Final = re.compile(
    r"(?:[ %]|months?|weeks?|days?|years?|patients?)*,? ?(?:respectively,? )?(?:\([^()]*\),? )?"
)


def _only_one(
    text: str,
    run: Sequence[PrintedFigure],
    peers: Sequence[PrintedFigure],
    here: Sequence[NamedRow],
    sentence: tuple[int, int],
) -> NamedRow | None:
    """The one group of a sentence that compares nothing, or the one that all figures of a list are given for."""
    if len({one.key for one in here}) == 1 and not _COMPARES.search(text, *sentence):
        return here[0]
    behind = next((one for one in here if one.start >= run[-1].end), None)
    if len(run) < _PAIR or behind is None or AGAINST.search(text, run[0].end, run[-1].start):
        return None
    # `13 and 15 %, respectively, in patients allocated to A and 8 and 9 % in B`
    start = _ALL_IN.match(text, run[-1].end)
    others = [one for one in here if one.start > behind.start]
    following = min((one.start for one in peers if one.start > behind.end), default=None)
    if start is None or following is None or not GIVEN.fullmatch(text, start.end(), behind.start):
        return None
    return behind if others and others[0].start > following else None


# A list has two figures at least.
_PAIR: Final = 2


def _stands_apart(run: Sequence[PrintedFigure], here: Sequence[NamedRow]) -> bool:
    """Whether a name follows right behind the first figures of a list, so that each is named by itself."""
    return any(run[0].end <= one.start < run[-1].start for one in here) or len(run) > 2


_COMPARED_BEFORE: Final = re.compile(
    r"(?<![a-z])(?:vs\.?|versus|v|than|compared (?:with|to)|against|or|and)"
    r"(?: that| those)?(?: in| of| with| for| on| among| \w+ing)?(?: the)? ?$"
)
_COMPARATIVE: Final = re.compile(
    r"(?<![a-z])(?:fewer|more|less|lower|higher|greater|better|worse|longer|shorter|larger|smaller|reduced|increased"
    r"|improved"
    r"|decreased|superior|inferior|differed?|different|difference)(?![a-z])"
)
_COMPARED_BEHIND: Final = re.compile(
    r"[^.;]{0,30}?(?<![a-z])(?:vs\.?|versus|v|than|compared (?:with|to)|against|or|and)(?![a-z])"
)


def _by_elimination(
    text: str,
    figure: PrintedFigure,
    run: Sequence[PrintedFigure],
    here: Sequence[NamedRow],
    keys: Sequence[str],
    sentence: tuple[int, int],
) -> NamedRow | None:
    """`X versus placebo (36 % v 12 %)`, where only the placebo is known by name: the first figure is the other's."""
    known = {one.key for one in here if one.key in keys}
    if len(set(keys)) != 2 or len(known) != 1 or not all(one.end <= run[0].start for one in here):
        return None
    if any(one.key not in keys and one.start > max(name.start for name in here if name.key in known) for one in here):
        return None
    name = next(one for one in reversed(here) if one.key in known)
    other = next(key for key in keys if key != name.key)
    is_second = _COMPARED_BEFORE.search(text, max(0, name.start - 30), name.start) is not None
    if not is_second and not (
        _COMPARED_BEHIND.match(text, name.end, run[0].start) or _COMPARATIVE.search(text, sentence[0], run[0].start)
    ):
        return None
    mine = (figure.start == run[1].start) == is_second
    return name if mine else NamedRow(start=name.start, end=name.end, key=other)


def run_of(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], sentence: tuple[int, int]
) -> list[PrintedFigure]:
    """The figures of a sentence that stand in one list with this one."""
    return _figures_of_one_list(text, figure, [one for one in peers if sentence[0] <= one.start < sentence[1]], ())


def _figures_of_one_list(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> list[PrintedFigure]:
    """The figures that stand in one list with this one, without a group's name between them."""
    at = next(n for n, one in enumerate(peers) if one.start == figure.start)
    first = last = at
    while first > 0 and _are_listed(text, peers[first - 1], peers[first], named):
        first -= 1
    while last + 1 < len(peers) and _are_listed(text, peers[last], peers[last + 1], named):
        last += 1
    return _in_pairs(text, list(peers[first : last + 1]), figure)


def _in_pairs(text: str, run: Sequence[PrintedFigure], figure: PrintedFigure) -> list[PrintedFigure]:
    """The part of a list that is compared with one another, if only parts of it are."""
    links = [AGAINST.search(without_brackets(text, one.end, other.start)) is not None for one, other in pairwise(run)]
    if all(links) or not any(links):
        return list(run)
    at = next(n for n, one in enumerate(run) if one.start == figure.start)
    first = last = at
    while first > 0 and links[first - 1]:
        first -= 1
    while last < len(links) and links[last]:
        last += 1
    return list(run[first : last + 1])


# `40 (75.5 %) and 19 (39.6 %)`: from a share in brackets to the next one.
_FROM_BRACKET_TO_BRACKET: Final = re.compile(r"[^()\[\]]*[)\]]([^()\[\]]*)[(\[][^()\[\]]*")


def _are_listed(text: str, one: PrintedFigure, other: PrintedFigure, named: Sequence[NamedRow]) -> bool:
    if any(one.end <= name.start < other.start for name in named):
        return False
    between = without_brackets(text, one.end, other.start)
    if parallel := _FROM_BRACKET_TO_BRACKET.fullmatch(between):
        between = parallel[1]
    if "respectively" in between or re.search(r"[()\[\]]", between):
        return False
    return len(TERM.findall(between)) <= _MOST_BETWEEN and _LIST.fullmatch(between) is not None


def _on_either_side(
    text: str, place: int, run: Sequence[PrintedFigure], before: Sequence[NamedRow], named: Sequence[NamedRow]
) -> NamedRow | None:
    """`A rose to 51 % compared with 18 % for B`: the name before has the first figure, the one behind the second."""
    behind = next((one for one in named if one.start >= run[1].end), None)
    if behind is None or len({one.key for one in before}) != 1 or before[-1].key == behind.key:
        return None
    if before[-1].end > run[0].start or not GIVEN.fullmatch(text, run[1].end, behind.start):
        return None
    return (before[-1], behind)[place]


_COMPARED_WITH: Final = re.compile(
    r"(?<![a-z])(?:compared (?:with|to)|in comparison (?:with|to)|relative to|unlike|as opposed to|in contrast to"
    r"|versus)"
    r"(?: that| those)?(?: in| of| with| for| receiving| treated with)?(?: the)? ?$"
)


def _turned_comparison(
    text: str, place: int, run: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> NamedRow | None:
    """`Compared with B, A had a lower rate (15 % v 28 %)`: the first figure is of the name that comes second."""
    names = _distinct_owners([one for one in named if one.end <= run[0].start])
    if len(names) != _PAIR or not _COMPARED_WITH.search(text, max(0, names[0].start - 50), names[0].start):
        return None
    return names[1 - place]


def _by_order(
    text: str,
    figure: PrintedFigure,
    run: Sequence[PrintedFigure],
    peers: Sequence[PrintedFigure],
    named: Sequence[NamedRow],
) -> NamedRow | None:
    """As many names as figures, all before or all behind them: the first belongs to the first."""
    place = next(n for n, one in enumerate(run) if one.start == figure.start)
    if len(run) == _PAIR and (turned := _turned_comparison(text, place, run, named)):
        return turned
    first_before = max((one.end for one in peers if one.end <= run[0].start), default=0)
    last_behind = min((one.start for one in peers if one.start >= run[-1].end), default=10**9)
    for names in (
        [one for one in named if first_before <= one.start and one.end <= run[0].start],
        [one for one in named if run[-1].end <= one.start < last_behind],
        [one for one in named if one.end <= run[0].start],
    ):
        listed = _distinct_owners(names)
        if len(listed) == len(run):
            return listed[place]
        if len(run) == 2 and (found := _on_either_side(text, place, run, names, named)):
            return found
        # The same names in turn, more than once: the last list before the figures counts.
        if len(names) > len(run) and len({one.key for one in names[-len(run) :]}) == len(run):
            return names[-len(run) :][place]
    return None


_ITEM: Final = re.compile(r",? (?:and|or|vs\.?|versus) |, |与|、|和")


def _in_list(
    text: str, figure: PrintedFigure, run: Sequence[PrintedFigure], named: Sequence[NamedRow], sentence: tuple[int, int]
) -> NamedRow | None:
    """`the costs of ultrasound, mammography and both were a, b and c, respectively`, with only some of them known."""
    place = next(n for n, one in enumerate(run) if one.start == figure.start)
    start = sentence[0]
    cuts = list(_ITEM.finditer(text, start, run[0].start))
    edges = [start, *(cut.end() for cut in cuts)]
    stops = [*(cut.start() for cut in cuts), run[0].start]
    items = list(zip(edges, stops, strict=True))[-len(run) :]
    if len(items) < len(run):
        return None
    a, b = items[place]
    return next((one for one in named if a <= one.start < b), None)


def _distinct_owners(names: Sequence[NamedRow]) -> list[NamedRow]:
    kept: dict[str, NamedRow] = {}
    for one in names:
        kept.setdefault(one.key, one)
    return [*kept.values()]
