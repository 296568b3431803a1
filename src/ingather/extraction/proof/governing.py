"""Which figure a cue belongs to: in `Of 120 screened, 80 were randomised`, the cue `randomised` belongs to 80. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.proof.cues import Mention
from ingather.extraction.proof.figures import PrintedFigure


def _governing_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A cue on the less usual side of a figure counts as so many words more. A number of people is followed by what became
# of them more often than it is preceded by it: with 0, `Of 200 randomised, 180 completed` would tie. A length of time
# is preceded by what lasted: `treated for 6 weeks and followed up for 12 months`.
_BEFORE: Final = 1.6
# Further apart than this, a cue and a figure have nothing to do with each other.
_FAR: Final = 25.0
_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TERM: Final = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED},()]+")
# Words that part nothing: what is counted, and the verbs that join it to what was done.
_LIGHT: Final = _governing_set(
    "patients patient participants participant subjects women men children infants adults people individuals "
    "persons volunteers eligible consecutive were was had been have are is be the a an of who in total all for "
    "at to by up either finally successfully"
)
_STRONG_BREAK: Final = re.compile(r":|[;\u3002\uff1b]|[.] |, (?:and|but|while|whereas) |\uff0c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How near a cue is to a figure, in words, and where the cue stands."""

    distance: float
    cue: Mention


def nearest_governing_cue(
    text: str,
    figure: PrintedFigure,
    cues: Sequence[Mention],
    rivals_of_figure: Sequence[PrintedFigure],
    sentence: tuple[int, int],
) -> Reach | None:
    """The cue nearest to a figure that no other figure stands before. `rivals_of_figure` are those like it."""
    best: Reach | None = None
    for cue in cues:
        if not sentence[0] <= cue.start < sentence[1] or cue.is_negated:
            continue
        distance = _governing_cue_distance(text, figure, cue, rivals_of_figure)
        if distance is not None and (best is None or distance < best.distance):
            best = Reach(distance=distance, cue=cue)
    return best


def _governing_cue_distance(
    text: str, figure: PrintedFigure, cue: Mention, others: Sequence[PrintedFigure]
) -> float | None:
    if cue.start < figure.end and cue.end > figure.start:
        return 0.0
    is_behind = cue.start >= figure.end
    low, high = (figure.end, cue.start) if is_behind else (cue.end, figure.start)
    if is_behind and figure.is_time and text[low : low + 15].lstrip(" -").startswith(figure.unit):
        low = text.index(figure.unit, low) + len(figure.unit)
    between = text[low:high]
    bracketed = _brackets_beside_governing_cue(text, figure, cue)
    for other in others:
        if low <= other.start < high and not any(a <= other.start < b for a, b in bracketed):
            return None
    for a, b in bracketed:
        if low <= a and b <= high:
            between = between.replace(text[a:b], " ")
    distance = float(sum(term not in _LIGHT for term in _TERM.findall(between))) + (
        _BEFORE if is_behind is figure.is_time else 0.0
    )
    distance += 4.0 * len(_STRONG_BREAK.findall(between))
    return distance if distance <= _FAR else None


def _brackets_beside_governing_cue(text: str, figure: PrintedFigure, cue: Mention) -> list[tuple[int, int]]:
    """Brackets that hold neither the figure nor the cue: what stands in them is beside the sentence."""
    spans = [found.span() for found in _BRACKETS.finditer(text)]
    return [(a, b) for a, b in spans if not (a <= figure.start < b) and not (a <= cue.start < b)]


def governing_cue(
    text: str,
    figure: PrintedFigure,
    others: Sequence[PrintedFigure],
    own: Sequence[Mention],
    rivals: Sequence[Mention],
    sentence: tuple[int, int],
    is_possible: Callable[[PrintedFigure], bool] = lambda _: True,
) -> Reach | None:
    """The own cue that a figure has for itself: nearer than any rival cue, and nearer than to any other figure."""
    mine = nearest_governing_cue(text, figure, own, others, sentence)
    if mine is None:
        return None
    rival = nearest_governing_cue(
        text, figure, [one for one in rivals if not _governing_cue_overlaps(one, own)], others, sentence
    )
    if rival is not None and rival.distance < mine.distance:
        return None
    for other in others:
        if (
            other.value == figure.value
            or _is_aside_of_governing_cue(text, other, figure, mine.cue)
            or not sentence[0] <= other.start < sentence[1]
            or not is_possible(other)
        ):
            continue
        same = nearest_governing_cue(
            text, other, [mine.cue], [figure, *(one for one in others if one is not other)], sentence
        )
        if same is not None and same.distance < mine.distance:
            return _other_governing_cue(text, figure, others, own, mine, sentence)
    return mine


def _is_aside_of_governing_cue(text: str, other: PrintedFigure, figure: PrintedFigure, cue: Mention) -> bool:
    """Whether another figure stands in brackets that hold neither the figure nor the cue."""
    return any(a <= other.start < b for a, b in _brackets_beside_governing_cue(text, figure, cue))


def _other_governing_cue(
    text: str,
    figure: PrintedFigure,
    others: Sequence[PrintedFigure],
    own: Sequence[Mention],
    used: Reach,
    sentence: tuple[int, int],
) -> Reach | None:
    """The next nearest own cue, if no other figure is nearer to that."""
    left = [one for one in own if one != used.cue]
    mine = nearest_governing_cue(text, figure, left, others, sentence)
    if mine is None:
        return None
    for other in others:
        if other.value != figure.value:
            same = nearest_governing_cue(
                text, other, [mine.cue], [figure, *(one for one in others if one is not other)], sentence
            )
            if same is not None and same.distance < mine.distance:
                return None
    return mine


def _governing_cue_overlaps(one: Mention, others: Sequence[Mention]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)
