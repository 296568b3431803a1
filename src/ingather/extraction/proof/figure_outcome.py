"""Whether a figure is of the outcome that its row stands for. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.proof.arm_labels import NamedRow
from ingather.extraction.proof.figure_in_sentence import figures_in_list_of_sentence
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.outcome_labels import outcome_label_mentions, share_of_outcome_label

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LONG_TERM: Final = re.compile(r"(?<![a-z-])[a-z]{4,}(?![a-z])")
# Words that may stand between the figures of one outcome: groups, units, times, verbs of change.
_GLUE: Final = re.compile(
    r"patients?|participants?|subjects?|women|children|infants?|adults?|people|groups?|arms?|with|from|than|versus"
    r"|compared|comparison"
    r"|were|been|have|that|those|these|this|they|their|while|whereas|respectively|receiv\w*|treat\w*|assign\w*|given"
    r"|taking|placebo|controls?|intervention|active|weeks?|months?|days?|years?|hours?|minutes?|baseline|after|before"
    r"|follow\w*"
    r"|mean|median|standard|deviation|error|confidence|interval|range|interquartile|increas\w*|decreas\w*|reduc\w*"
    r"|chang\w*|improv\w*|declin\w*|dropped|fell|rose|gain\w*|lower|higher|greater|less|more|only|into|during|over|also"
    r"|both|each|other|percent|cent|among|between|whom|between|significant\w*|differ\w*|points?|score|scores|mmhg"
    r"|about|approximately|nearly|almost|therapy|alone|plus|standard|usual|care|respective|corresponding|values?|rates?"
    r"|ratio|hazard|odds|relative|risk|adjusted|unadjusted|events?|cases|total|against|same|second|first|third|fourth"
    r"|half|time|study|trial|week|end|showed|observed|found|reported|occurred|noted|experienced|achieved|developed"
    r"|level|levels|phase|period|dose|high|drug|test|used|using|went|stayed|remained|mmol|well|level|units?|very|just"
    r"|even|incidence|proportion|frequency|percentage|number|recipients?|procedures?|nodes?|eyes?|least|slightly"
    r"|overall|average"
)


def outcome_of_figure(
    text: str,
    figure: PrintedFigure,
    peers: Sequence[PrintedFigure],
    key: str,
    labels: Mapping[str, str],
    arms: Sequence[NamedRow],
    sentence: tuple[int, int],
) -> NamedRow | Reason:
    """The words that name the outcome of a figure, or why it is not shown to be of this outcome."""
    start, end = sentence
    own = [
        NamedRow(start=one.start + start, end=one.end + start, key=key)
        for one in outcome_label_mentions(labels[key], key, text[start:end])
    ]
    own = [one for one in own if not _figure_is_rather_of_other_outcome(text, one, labels[key], labels, sentence)]
    if not own:
        return Reason.NO_SUBJECT
    others = _other_outcomes_of_figure(text, key, labels, sentence, own, figure)
    run = figures_in_list_of_sentence(text, figure, peers, sentence)
    peers = [one for one in peers if one.start == figure.start or one.start <= figure.start or one not in run]
    left = _outcome_named_before_figure(own, figure.start)
    other = _outcome_named_before_figure(others, figure.start)
    bracket = _bracket_around_figure_outcome(text, figure)
    if bracket is not None:
        # Text in brackets belongs to the words before them.
        if left is None or (other is not None and other.start > left.start):
            return Reason.OTHER_OUTCOME
        return Reason.OTHER_OUTCOME if _figure_outcome_is_behind_brackets(text, left, bracket, peers, arms) else left
    behind = _outcome_named_behind_figure(own, figure, peers) or _outcome_behind_all_figures(
        text, own, others, figure, run, arms
    )
    if left is not None and (other is None or other.start < left.start):
        if behind is not None or not _figure_outcome_is_new_subject(text, left, figure, peers, arms):
            return left
        return Reason.OTHER_OUTCOME
    firsts = [one.start for one in run] + [one.start for one in peers if start <= one.start < end]
    if other is not None and left is None and other.end <= min(firsts):
        return Reason.OTHER_OUTCOME  # `bleeding in 3 %, stroke in 2 %`: names stand before their figures
    if behind is not None and (_outcome_named_behind_figure(others, figure, peers) or behind).start >= behind.start:
        return behind
    return Reason.OTHER_OUTCOME


def _figure_is_rather_of_other_outcome(
    text: str, own: NamedRow, label: str, labels: Mapping[str, str], sentence: tuple[int, int]
) -> bool:
    """Whether a place names another outcome more fully: `breast cancer incidence` is not its mortality."""
    mine = share_of_outcome_label(label, text[own.start : own.end])
    for key, other in labels.items():
        if key == own.key or other == label:
            continue
        for one in outcome_label_mentions(other, key, text[slice(*sentence)]):
            start, end = one.start + sentence[0], one.end + sentence[0]
            is_longer = end - start > own.end - own.start
            if start < own.end and own.start < end:
                theirs = share_of_outcome_label(other, text[start:end])
                if theirs > mine or (theirs == mine and is_longer):
                    return True
    return False


def _bracket_around_figure_outcome(text: str, figure: PrintedFigure) -> tuple[int, int] | None:
    return next(
        (found.span() for found in _BRACKETS.finditer(text) if found.start() < figure.start < found.end()), None
    )


def _figure_outcome_is_behind_brackets(
    text: str, own: NamedRow, bracket: tuple[int, int], peers: Sequence[PrintedFigure], arms: Sequence[NamedRow]
) -> bool:
    """Whether other brackets with figures of the kind, and then other words, stand between a name and the brackets."""
    for found in _BRACKETS.finditer(text, own.end, bracket[0]):
        if any(found.start() < one.start < found.end() for one in peers):
            gap = _figure_outcome_without_names(text, found.end(), bracket[0], arms)
            return any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap))
    return False


def _other_outcomes_of_figure(
    text: str, key: str, labels: Mapping[str, str], sentence: tuple[int, int], own: Sequence[NamedRow],
    figure: PrintedFigure,
) -> list[NamedRow]:  # fmt: skip
    """Where the sentence names other outcomes, in words that this one has not."""
    start, end = sentence
    found = [
        NamedRow(start=one.start + start, end=one.end + start, key=other)
        for other, label in labels.items()
        if other != key
        for one in outcome_label_mentions(label, other, text[start:end])
    ]
    found = [one for one in found if not any(one.start < mine.end and mine.start < one.end for mine in own)]
    # Brackets beside a figure hold an aside: `13 % (two of them fatal) and 29 %`.
    asides = [bracket.span() for bracket in _BRACKETS.finditer(text, start, end)]
    return [one for one in found if not any(a < one.start < b and not a < figure.start < b for a, b in asides)]


def _outcome_named_before_figure(named: Sequence[NamedRow], at: int) -> NamedRow | None:
    return max((one for one in named if one.end <= at), key=lambda one: one.start, default=None)


def _outcome_named_behind_figure(
    named: Sequence[NamedRow], figure: PrintedFigure, peers: Sequence[PrintedFigure]
) -> NamedRow | None:
    """The first name behind a figure with no other figure of its kind before it."""
    stop = min((one.start for one in peers if one.start > figure.start), default=10**9)
    return min((one for one in named if figure.end <= one.start < stop), key=lambda one: one.start, default=None)


def _outcome_behind_all_figures(
    text: str, own: Sequence[NamedRow], others: Sequence[NamedRow], figure: PrintedFigure,
    run: Sequence[PrintedFigure], arms: Sequence[NamedRow],
) -> NamedRow | None:  # fmt: skip
    """`More of A (56 %) than of B (40 %) improved`: an outcome behind all figures, with only groups between."""
    behind = next((one for one in own if one.start >= figure.end), None)
    if behind is None or any(one.start < behind.start for one in others):
        return None
    gap = _BRACKETS.sub(
        " ", _figure_outcome_without_names(text, max(one.end for one in (*run, figure)), behind.start, arms)
    )
    gap = re.sub(r"(?<![a-z])(?:group|arm|of|the)[a-z]*(?![a-z])", " ", gap)
    if re.search(r";|\. |(?<![a-z])(?:while|whereas|but)(?![a-z])", gap):
        return None
    return None if any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap)) else behind


def _figure_outcome_is_new_subject(
    text: str, own: NamedRow, figure: PrintedFigure, peers: Sequence[PrintedFigure], arms: Sequence[NamedRow]
) -> bool:
    """Whether, behind the figures of this outcome, something else was named before this figure."""
    before = max((one.end for one in peers if own.end <= one.start and one.end <= figure.start), default=None)
    if before is None:
        return False
    gap = _BRACKETS.sub(" ", _figure_outcome_without_names(text, before, figure.start, arms))
    gap = re.sub(r"^ ?[a-z]+(?= )", "", gap)  # what is counted: `1.6 nodes compared with 2.2 nodes`
    return any(not _GLUE.fullmatch(term) for term in _LONG_TERM.findall(gap))


def _figure_outcome_without_names(text: str, start: int, end: int, names: Sequence[NamedRow]) -> str:
    """A stretch of a text with the names of groups left blank."""
    left = list(text[start:end])
    for one in names:
        for at in range(max(one.start, start), min(one.end, end)):
            left[at - start] = " "
    return "".join(left)
