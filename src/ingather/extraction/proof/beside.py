"""The name of a group beside a figure: right beside it, or the nearest with nothing between that parts them. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.labels import NamedRow

BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
TERM: Final = re.compile(r"[^\s,()]+")
_BARRIER: Final = re.compile(
    r"[,;:\uff0c\uff1b\u3002]|(?<![a-z])(?:and|vs\.?|versus|v|than|compared|but|while|whereas|or|against)(?![a-z])|\. "
)
_LEADS_TO: Final = re.compile(
    r"^[^,;]{0,60}?(?<![a-z])(?:in|with|for|to|of|on|among|receiv\w+|assigned|who|allocated|given|taking|by|from|at"
    r"|using"
    r"|undergoing|underwent|were|had)(?![a-z])"
)
# Beyond this many words a group named before a figure no longer owns it.
_FARTHEST: Final = 30
_PEOPLE: Final = (
    r"(?:(?:patients|participants|subjects|women|men|females|males|volunteers|children|infants|people|individuals"
    r"|adults|persons|cases|babies|eyes"
    r"|of them|of whom|those|users|mothers|students) ?)?"
)
GIVEN: Final = re.compile(
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


def right_beside(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], here: Sequence[NamedRow]
) -> NamedRow | None:
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
    if GIVEN.fullmatch(text, figure.end, right.start) or _SHARE_OF.fullmatch(text, figure.end, right.start):
        return right
    is_named_behind = _COMMA.fullmatch(text, figure.end, right.start) and _CLOSES.match(text, right.end)
    return right if is_named_behind else None


_OR: Final = re.compile(
    r"(?: (?:group|arm))? ?(?:\([^()]*\) ?)?[^.;]{0,50}?(?<![a-z])(?:or|versus|vs\.?|and"
    r"|followed by)(?![a-z])[^.;]{0,50}"
)


def _is_compared_in_brackets(text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure]) -> bool:
    """`lower with A than with B (3 of 27 v 9 of 20)`: what stands in the brackets is not of the last name alone."""
    return any(
        AGAINST.search(text, found.start(), found.end()) is not None
        and any(found.start() < one.start < found.end() and one.start != figure.start for one in peers)
        for found in BRACKETS.finditer(text)
        if found.start() < figure.start < found.end()
    )


def _is_one_of_several(text: str, name: NamedRow, peers: Sequence[PrintedFigure], here: Sequence[NamedRow]) -> bool:
    """`5408 women were assigned to tamoxifen or placebo`: another name follows, no figure between."""
    other = next((one for one in here if one.start >= name.end and one.key != name.key), None)
    if other is None or any(name.end <= one.start < other.start for one in peers):
        return False
    is_followed = re.match(r" ?(?:group|arm)? ?[(,]? ?(?:n ?= ?)?[0-9]", text[other.end :]) is not None
    return _OR.fullmatch(text, name.end, other.start) is not None and not is_followed


# `65 % vs 38 % in the first period, 70 % vs 51 % in the second`: each comparison is a list of its own.
AGAINST: Final = re.compile(r"(?<![a-z])(?:vs\.?|versus|v|compared (?:with|to)|than|against)(?![a-z])|比")


def beside(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], named: Sequence[NamedRow]
) -> NamedRow | None:
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
    if left is None and right is not None and _BARRIER.search(without_brackets(text, figure.end, right.start)):
        # `7.7 % in the one and 15.7 % with B`: what follows behind `and` is the next figure's.
        return None
    if right is None or left is None:
        return left or right
    to_left = without_brackets(text, left.end, figure.start)
    to_right = without_brackets(text, figure.end, right.start)
    is_left_clear, is_right_clear = not _BARRIER.search(to_left), not _BARRIER.search(to_right)
    if is_right_clear != is_left_clear:
        return right if is_right_clear and _LEADS_TO.search(to_right) else left
    if is_right_clear:
        far_left, far_right = len(TERM.findall(to_left)), len(TERM.findall(to_right))
        return right if _LEADS_TO.search(to_right) and far_right < far_left else left
    return left


def _is_given_already(text: str, left: NamedRow, figure: PrintedFigure, peers: Sequence[PrintedFigure]) -> bool:
    """`73 % of controls and 71 % of the others`: a name that has its figure, or is set against others."""
    between = without_brackets(text, left.end, figure.start)
    if AGAINST.search(between) is not None:
        return True
    return _BARRIER.search(between) is not None and any(
        GIVEN.fullmatch(text, one.end, left.start) for one in peers if one.end <= left.start
    )


def _is_taken(text: str, name: NamedRow, figure: PrintedFigure, peers: Sequence[PrintedFigure]) -> bool:
    """Whether brackets keep a name from a figure: it stands in brackets with other figures, or owns those behind it."""
    for found in BRACKETS.finditer(text):
        a, b = found.span()
        holds_other = any(a <= one.start < b and one.start != figure.start for one in peers)
        if a <= figure.start < b or not holds_other:
            continue
        if a <= name.start < b or (0 <= a - name.end <= 1 and name.start < figure.start and b <= figure.start):
            return True
    return False


def _is_parted(text: str, start: int, end: int, peers: Sequence[PrintedFigure], figure: PrintedFigure) -> bool:
    """Whether another figure of its kind stands between, outside of brackets, or too many words do."""
    brackets = [found.span() for found in BRACKETS.finditer(text)]
    brackets = [(a, b) for a, b in brackets if not a <= figure.start < b]
    for one in peers:
        if start <= one.start < end and not any(a <= one.start < b for a, b in brackets):
            return True
    return len(TERM.findall(without_brackets(text, start, end))) > _FARTHEST


def without_brackets(text: str, start: int, end: int) -> str:
    return BRACKETS.sub(" ", text[start:end])
