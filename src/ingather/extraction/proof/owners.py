"""Which of several groups a figure belongs to, where a sentence or a row of a table names more than one. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ingather.extraction.proof.figures import Figure
from ingather.extraction.proof.labels import Named

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TERM: Final = re.compile(r"[^\s,()]+")
_BARRIER: Final = re.compile(
    r"[,;:\uff0c\uff1b\u3002]|(?<![a-z])(?:and|vs\.?|versus|v|than|compared|but|while|whereas|or|against)(?![a-z])|\. "
)
_LEADS_TO: Final = re.compile(
    r"^[^,;]{0,60}?(?<![a-z])(?:in|with|for|to|of|on|among|receiv\w+|assigned|who|allocated|given|taking|by|from|at"
    r"|using"
    r"|undergoing|underwent|were|had)(?![a-z])"
)
_LIST: Final = re.compile(
    r"(?:[^.;]*?(?:(?<![a-z])(?:and|vs\.?|versus|v|or|than|compared (?:with|to)|to|against)(?![a-z])|[,;:/]|与|和|比"
    r"|对)[^.;]*)|[ |]*"
)
# A run of figures may have this many words between two of them: `5.2 cm compared with 6.1 cm`. With more, another
# statement begins.
_MOST_BETWEEN: Final = 7
# Beyond this many words a group named before a figure no longer owns it.
_FARTHEST: Final = 30


def owner(
    text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named], sentence: tuple[int, int],
    keys: Sequence[str] = (), *, is_beside_enough: bool = True,
) -> Named | None:  # fmt: skip
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
    run = _run(text, figure, peers, here)
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
    return _beside(text, figure, peers, here)


_PEOPLE: Final = (
    r"(?:(?:patients|participants|subjects|women|men|females|males|volunteers|children|infants|people|individuals"
    r"|adults|persons|cases|babies|eyes"
    r"|of them|of whom|those|users|mothers|students) ?)?"
)
_GIVEN: Final = re.compile(
    rf" ?(?:\([^()]*\) ?)?(?:of [0-9]+ ?(?:\([^()]*\) ?)?)?{_PEOPLE}(?:who |that )?(?:(?:were|was|had|have been"
    rf"|had been) )?"
    r"(?:randomly |then )?(?:assigned|allocated|randomi[sz]ed|received|receiving|given|treated with|treated|taking|took"
    r"|underwent|undergoing|in|on|with|for|to|into|of)"
    r"(?: (?:to|in|into|with|on|receive|receiving|switch to|continue to|continue|take|use|undergo|get|start|patients"
    r"|women"
    r"|men|those|who|receiving|treated with|allocated to|assigned to|given)){0,3}(?: the| a| an)? ?"
)
# `4/48 (8 %) anastrozole`, and `2.0 %, denosumab; 1.4 %, zoledronic acid`.
_SHARE_OF: Final = re.compile(r"(?: ?/ ?[0-9]+| of (?:the )?[0-9]+)? ?(?:\([^()]*\) ?)?")
_COMMA: Final = re.compile(r", ?(?:in |for |with )?(?:the )?")
_CLOSES: Final = re.compile(r" ?[;)\]]|\.(?: |$)")
_GROUP_OF: Final = re.compile(
    r"(?: group| arm)?(?: comprised| included| consisted of| of| contained"
    r"| had)?,? ?[(\[:=]? ?(?:[a-z]{1,6}[;,:] ?)?(?:n ?[=:] ?|[(\[] ?|: ?)"
)
# Two figures with no more than this between them are one list, and neither is by itself beside a name.
_SHORT_LIST: Final = re.compile(
    r"[)\]]? ?(?:\([^()]*\) ?|\[[^\[\]]*\] ?)?(?:,|(?:(?:patients?|women|men|children|months?|weeks?|days?|years?"
    r"|points?"
    r"|mm|mg|%) ?)?(?:of [0-9]+ ?)?(?:\u00b1 ?[0-9.]+ ?)?"
    r"(?:,? ?and|vs\.?|versus|v|/|or|compared (?:with|to)|to|than)) ?(?:[0-9.,]+ ?[(\[]? ?\u00b1? ?)?"
)


def right_beside(text: str, figure: Figure, peers: Sequence[Figure], here: Sequence[Named]) -> Named | None:
    """`41 patients received vinorelbine`, `placebo (n = 74)`: a name with nothing but a joining word between."""
    at = next(n for n, one in enumerate(peers) if one.start == figure.start)
    if at and _SHORT_LIST.fullmatch(text, peers[at - 1].end, figure.start):
        return None
    if at + 1 < len(peers) and _SHORT_LIST.fullmatch(text, figure.end, peers[at + 1].start):
        return None
    left = next((one for one in reversed(here) if one.end <= figure.start), None)
    if left and _GROUP_OF.fullmatch(text, left.end, figure.start) and not _is_compared_in_brackets(text, figure, peers):
        return left
    right = next((one for one in here if one.start >= figure.end), None)
    if right is None or _is_one_of_several(text, right, peers, here):
        return None
    if _GIVEN.fullmatch(text, figure.end, right.start) or _SHARE_OF.fullmatch(text, figure.end, right.start):
        return right
    is_named_behind = _COMMA.fullmatch(text, figure.end, right.start) and _CLOSES.match(text, right.end)
    return right if is_named_behind else None


_COMPARES: Final = re.compile(
    r"(?<![a-z])(?:vs\.?|versus|v|compared|than|respectively|both|other|against|either|between|whereas"
    r"|while)(?![a-z])|比"
)
_ALL_IN: Final = re.compile(
    r"(?:[ %]|months?|weeks?|days?|years?|patients?)*,? ?(?:respectively,? )?(?:\([^()]*\),? )?"
)


def _only_one(
    text: str, run: Sequence[Figure], peers: Sequence[Figure], here: Sequence[Named], sentence: tuple[int, int]
) -> Named | None:
    """The one group of a sentence that compares nothing, or the one that all figures of a list are given for."""
    if len({one.key for one in here}) == 1 and not _COMPARES.search(text, *sentence):
        return here[0]
    behind = next((one for one in here if one.start >= run[-1].end), None)
    if len(run) < _PAIR or behind is None or _AGAINST.search(text, run[0].end, run[-1].start):
        return None
    # `13 and 15 %, respectively, in patients allocated to A and 8 and 9 % in B`
    start = _ALL_IN.match(text, run[-1].end)
    others = [one for one in here if one.start > behind.start]
    following = min((one.start for one in peers if one.start > behind.end), default=None)
    if start is None or following is None or not _GIVEN.fullmatch(text, start.end(), behind.start):
        return None
    return behind if others and others[0].start > following else None


# A list has two figures at least.
_PAIR: Final = 2


_OR: Final = re.compile(
    r"(?: (?:group|arm))? ?(?:\([^()]*\) ?)?[^.;]{0,50}?(?<![a-z])(?:or|versus|vs\.?|and"
    r"|followed by)(?![a-z])[^.;]{0,50}"
)


def _is_compared_in_brackets(text: str, figure: Figure, peers: Sequence[Figure]) -> bool:
    """`lower with A than with B (3 of 27 v 9 of 20)`: what stands in the brackets is not of the last name alone."""
    return any(
        _AGAINST.search(text, found.start(), found.end()) is not None
        and any(found.start() < one.start < found.end() and one.start != figure.start for one in peers)
        for found in _BRACKETS.finditer(text)
        if found.start() < figure.start < found.end()
    )


def _is_one_of_several(text: str, name: Named, peers: Sequence[Figure], here: Sequence[Named]) -> bool:
    """`5408 women were assigned to tamoxifen or placebo`: another name follows, no figure between."""
    other = next((one for one in here if one.start >= name.end and one.key != name.key), None)
    if other is None or any(name.end <= one.start < other.start for one in peers):
        return False
    is_followed = re.match(r" ?(?:group|arm)? ?[(,]? ?(?:n ?= ?)?[0-9]", text[other.end :]) is not None
    return _OR.fullmatch(text, name.end, other.start) is not None and not is_followed


def _stands_apart(run: Sequence[Figure], here: Sequence[Named]) -> bool:
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
    figure: Figure,
    run: Sequence[Figure],
    here: Sequence[Named],
    keys: Sequence[str],
    sentence: tuple[int, int],
) -> Named | None:
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
    return name if mine else Named(start=name.start, end=name.end, key=other)


def run_of(text: str, figure: Figure, peers: Sequence[Figure], sentence: tuple[int, int]) -> list[Figure]:
    """The figures of a sentence that stand in one list with this one."""
    return _run(text, figure, [one for one in peers if sentence[0] <= one.start < sentence[1]], ())


def _run(text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named]) -> list[Figure]:
    """The figures that stand in one list with this one, without a group's name between them."""
    at = next(n for n, one in enumerate(peers) if one.start == figure.start)
    first = last = at
    while first > 0 and _are_listed(text, peers[first - 1], peers[first], named):
        first -= 1
    while last + 1 < len(peers) and _are_listed(text, peers[last], peers[last + 1], named):
        last += 1
    return _in_pairs(text, list(peers[first : last + 1]), figure)


# `65 % vs 38 % in the first period, 70 % vs 51 % in the second`: each comparison is a list of its own.
_AGAINST: Final = re.compile(r"(?<![a-z])(?:vs\.?|versus|v|compared (?:with|to)|than|against)(?![a-z])|比")


def _in_pairs(text: str, run: Sequence[Figure], figure: Figure) -> list[Figure]:
    """The part of a list that is compared with one another, if only parts of it are."""
    links = [_AGAINST.search(_without_brackets(text, one.end, other.start)) is not None for one, other in pairwise(run)]
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


def _are_listed(text: str, one: Figure, other: Figure, named: Sequence[Named]) -> bool:
    if any(one.end <= name.start < other.start for name in named):
        return False
    between = _without_brackets(text, one.end, other.start)
    if parallel := _FROM_BRACKET_TO_BRACKET.fullmatch(between):
        between = parallel[1]
    if "respectively" in between or re.search(r"[()\[\]]", between):
        return False
    return len(_TERM.findall(between)) <= _MOST_BETWEEN and _LIST.fullmatch(between) is not None


def _on_either_side(
    text: str, place: int, run: Sequence[Figure], before: Sequence[Named], named: Sequence[Named]
) -> Named | None:
    """`A rose to 51 % compared with 18 % for B`: the name before has the first figure, the one behind the second."""
    behind = next((one for one in named if one.start >= run[1].end), None)
    if behind is None or len({one.key for one in before}) != 1 or before[-1].key == behind.key:
        return None
    if before[-1].end > run[0].start or not _GIVEN.fullmatch(text, run[1].end, behind.start):
        return None
    return (before[-1], behind)[place]


_COMPARED_WITH: Final = re.compile(
    r"(?<![a-z])(?:compared (?:with|to)|in comparison (?:with|to)|relative to|unlike|as opposed to|in contrast to"
    r"|versus)"
    r"(?: that| those)?(?: in| of| with| for| receiving| treated with)?(?: the)? ?$"
)


def _turned(text: str, place: int, run: Sequence[Figure], named: Sequence[Named]) -> Named | None:
    """`Compared with B, A had a lower rate (15 % v 28 %)`: the first figure is of the name that comes second."""
    names = _distinct([one for one in named if one.end <= run[0].start])
    if len(names) != _PAIR or not _COMPARED_WITH.search(text, max(0, names[0].start - 50), names[0].start):
        return None
    return names[1 - place]


def _by_order(
    text: str, figure: Figure, run: Sequence[Figure], peers: Sequence[Figure], named: Sequence[Named]
) -> Named | None:
    """As many names as figures, all before or all behind them: the first belongs to the first."""
    place = next(n for n, one in enumerate(run) if one.start == figure.start)
    if len(run) == _PAIR and (turned := _turned(text, place, run, named)):
        return turned
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
        if len(run) == 2 and (found := _on_either_side(text, place, run, names, named)):
            return found
        # The same names in turn, more than once: the last list before the figures counts.
        if len(names) > len(run) and len({one.key for one in names[-len(run) :]}) == len(run):
            return names[-len(run) :][place]
    return None


_ITEM: Final = re.compile(r",? (?:and|or|vs\.?|versus) |, |与|、|和")


def _in_list(
    text: str, figure: Figure, run: Sequence[Figure], named: Sequence[Named], sentence: tuple[int, int]
) -> Named | None:
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


def _distinct(names: Sequence[Named]) -> list[Named]:
    kept: dict[str, Named] = {}
    for one in names:
        kept.setdefault(one.key, one)
    return [*kept.values()]


def _beside(text: str, figure: Figure, peers: Sequence[Figure], named: Sequence[Named]) -> Named | None:
    """The name that stands nearest, in the way in which names stand beside figures."""
    named = [one for one in named if not _is_taken(text, one, figure, peers)]
    left = next((one for one in reversed(named) if one.end <= figure.start), None)
    right = next((one for one in named if one.start >= figure.end), None)
    if left and _is_parted(text, left.end, figure.start, peers, figure):
        left = None
    if right and _is_parted(text, figure.end, right.start, peers, figure):
        right = None
    if left and _is_given_already(text, left, figure, peers):
        left = None
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


def _is_given_already(text: str, left: Named, figure: Figure, peers: Sequence[Figure]) -> bool:
    """`73 % of controls and 71 % of the others`: a name that has its figure, or is set against others."""
    between = _without_brackets(text, left.end, figure.start)
    if _AGAINST.search(between) is not None:
        return True
    return _BARRIER.search(between) is not None and any(
        _GIVEN.fullmatch(text, one.end, left.start) for one in peers if one.end <= left.start
    )


def _is_taken(text: str, name: Named, figure: Figure, peers: Sequence[Figure]) -> bool:
    """Whether brackets keep a name from a figure: it stands in brackets with other figures, or owns those behind it."""
    for found in _BRACKETS.finditer(text):
        a, b = found.span()
        holds_other = any(a <= one.start < b and one.start != figure.start for one in peers)
        if a <= figure.start < b or not holds_other:
            continue
        if a <= name.start < b or (0 <= a - name.end <= 1 and name.start < figure.start and b <= figure.start):
            return True
    return False


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
