"""Whether a number of people is that of one arm and no total: `525 to apalutamide and 527 to placebo`. Pure."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from ingather.extraction.proof.arm_labels import NamedRow
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.owners import figure_owner

# These stand between a number and the arm it went to.
_TO_ARM: Final = re.compile(
    r" ?(?:\([^()]*\) ?)?(?:(?:adult |eligible |consecutive |of the |of them |of these |of whom |who )?"
    r"(?:patients?|participants?|subjects?|women|men|children|infants?|people|individuals?|persons?|adults?|volunteers?"
    r"|girls|boys|cases|eyes|students|of them|of whom)? ?)(?:\([^()]*\) ?)?"
    r"(?:(?:were|was|had been|are|being) )?(?:randomly |then |also )?(?:assigned|allocated|randomi[sz]ed"
    r"|randomi[sz]ation|divided|entered|given)? ?"
    r"(?P<to>to|in|into|received|receiving|receive|on|underwent|with|for|were given|were treated|took|used"
    r"|were)(?: be)? "
)
_SEVERAL: Final = re.compile(
    r"(?<![a-z])(?:or|either|versus|vs\.?|groups|arms|one of|two|three|four|each|both|ratio|1:1|2:1|respectively"
    r"|between"
    r"|order|sequences?|crossover|cross-over)(?![a-z])|[:\uff1a]1|或|两组|三组|各组"
)
_ARM: Final = re.compile(
    r"(?<![a-z])(?:group|arm|placebo|control|controls|sham|receive|receiving|received|treatment with|usual care"
    r"|intervention)(?![a-z])"
)
_EACH: Final = re.compile(
    r"[^.;]{0,30}?(?:(?<![a-z])(?:in|to|for|per) (?:each|both)(?: of the)?(?: two| three)?(?: treatment"
    r"| study)? ?(?:group|arm)?|(?:in|to|for|per) either (?:group|arm)(?! [a-z(])|per (?:group|arm|treatment)|"
    r"in both groups|each (?:group|arm)| ?each(?![a-z]))|例?[/每]组|例?一组"
)
_EACH_BEFORE: Final = re.compile(r"(?:each (?:group|arm|of)[^.;]{0,25}|per (?:group|arm)[^.;]{0,15}|(?:各|每组) ?)$")
_N_IN_BRACKETS: Final = re.compile(r"(?:[(\[{;,]|(?<![a-z])and) ?n ?= ?$|[(\[{] ?$")
_GROUP_BEFORE: Final = re.compile(
    r"(?:(?<![a-z])(?:group|arm)(?: [a-z0-9]{1,2})?(?:,|;|:| [({]| =| of"
    r"| \[| was| were| included| comprised| consisted of| received|, [a-z]{1,5},)?"
    r" ?(?:n ?= ?)?|组[\uff08(为:\uff1a,\uff0c]? ?(?:n ?= ?)?)$"
)


def total_is_of_one_arm(
    text: str,
    figure: PrintedFigure,
    peers: Sequence[PrintedFigure],
    named: Sequence[NamedRow],
    sentence: tuple[int, int],
) -> bool:
    """Whether the sentence gives the figure to one of several groups, or as a part of another figure in it."""
    start, end = sentence
    here = [one for one in peers if start <= one.start < end]
    if is_total_of_others(figure, here):
        return False
    if _is_part_of_total(figure, here):
        return True
    before, after = text[start : figure.start], text[figure.end : end]
    if _EACH.match(after) or _EACH_BEFORE.search(before) or _GROUP_BEFORE.search(before):
        return True
    if _N_IN_BRACKETS.search(before) and _total_is_in_list_of_groups(text, here):
        return True
    if re.match(r" ?each(?![a-z])| ?: ?[0-9]{2}", after):
        return True
    if re.match(r" ?\+ ?[0-9]", after) or re.search(r"[0-9] ?\+ ?$", before):
        return True
    if sum(_total_goes_somewhere(text, one) for one in here) > 1 and _total_goes_somewhere(text, figure):
        return True
    if figure_owner(text, figure, here, named, sentence, is_beside_enough=False):
        return True
    return _total_goes_to_one(text, figure, here, named, end)


def _total_goes_somewhere(text: str, figure: PrintedFigure) -> bool:
    """`49 to placebo`. `27 were randomised and 15 were evaluable` sends nobody anywhere."""
    found = _TO_ARM.match(text, figure.end)
    return found is not None and (found["to"] != "were" or _ARM.search(text, found.end(), found.end() + 40) is not None)


def is_total_of_others(figure: PrintedFigure, here: Sequence[PrintedFigure]) -> bool:
    """Whether two or more figures of the sentence add up to it."""
    values = [one.value for one in here if one.start != figure.start and 0 < one.value < figure.value]
    return any(sum(some) == figure.value for count in (2, 3, 4) for some in combinations(values[:8], count))


def _is_part_of_total(figure: PrintedFigure, here: Sequence[PrintedFigure]) -> bool:
    """Whether it and one or two others add up to another figure of the sentence."""
    values = [one.value for one in here if one.start != figure.start and one.value > 0]
    sums = {figure.value + sum(some) for count in (1, 2, 3) for some in combinations(values[:8], count)}
    return any(
        value in sums and value > figure.value
        for value in values
        if value != figure.value * 2 or values.count(figure.value)
    )


def _total_is_in_list_of_groups(text: str, here: Sequence[PrintedFigure]) -> bool:
    """`to metformin (n = 60) or placebo (n = 62)`."""
    return sum(_N_IN_BRACKETS.search(text[max(0, one.start - 6) : one.start]) is not None for one in here) > 1


def _total_goes_to_one(
    text: str, figure: PrintedFigure, here: Sequence[PrintedFigure], named: Sequence[NamedRow], end: int
) -> bool:
    found = _TO_ARM.match(text, figure.end)
    if not found:
        return False
    stop = min((one.start for one in here if one.start > figure.start), default=end)
    target = re.split(r"[;]|\. ", text[found.end() : stop])[0]
    goes_on = stop < end and re.match(
        r"[^.;]{0,60}?(?<![a-z])(?:to|in|into|received|on|with|were)(?![a-z])", text[stop:end]
    )
    names_one = any(found.end() <= one.start < found.end() + len(target) for one in named)
    if stop < end and goes_on and not _SEVERAL.search(target):
        return found["to"] in {
            "to",
            "in",
            "into",
            "received",
            "receiving",
            "receive",
            "on",
            "underwent",
            "took",
            "used",
        }
    return (names_one or _ARM.search(target) is not None) and not _SEVERAL.search(target) and found["to"] not in {
        "for", "with", "were",
    }  # fmt: skip
