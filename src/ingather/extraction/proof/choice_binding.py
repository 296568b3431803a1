"""Choices bound to their quotes: words that carry this option and no other, in a sentence on this field. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.proof.bound import Bound, unbound
from ingather.extraction.proof.cues import Cues, Mention, cue_mentions
from ingather.extraction.proof.passage import QuotedPassage
from ingather.extraction.template.model import Field

_YES: Final = re.compile(r"(?:[a-z]_)?yes\*?|y|true", re.IGNORECASE)
_NO: Final = re.compile(r"(?:[a-z]_)?no\*?|n|false", re.IGNORECASE)
# Options that say that nothing is known: words can only carry another one.
_SILENT: Final = frozenset({"unclear", "not_described", "no_information", "NI", "not_applicable", "NA"})


def bind_choice(field: Field, value: str, passage: QuotedPassage, cues: Cues, *, is_only: bool = True) -> Bound:
    """Where the quote carries this choice. `is_only`: the field takes one choice; another speaks against it."""
    sentences = _sentences_around_choice(passage)
    carried = {option.id: _carried_choice(option.id, field, cues, passage.text, sentences) for option in field.options}
    mine = carried.get(value, [])
    speaks = [one for one in cue_mentions(cues.speaks, passage.text) if _choice_is_within_sentences(one, sentences)]
    heading = bool(cue_mentions(cues.speaks, passage.place.heading.casefold()))
    if cues.speaks and not speaks and not heading:
        return unbound(Reason.NO_CUE)
    if not mine:
        others = [found for option, found in carried.items() if option != value and option not in _SILENT and found]
        return unbound(Reason.OTHER_OPTION if others else Reason.NO_OPTION)
    left = [one for one in mine if not _choice_is_covered(one, value, carried)]
    if not left:
        return unbound(Reason.OTHER_OPTION)
    if is_only and _choice_is_contradicted(value, left, carried):
        return unbound(Reason.OTHER_OPTION)
    best = left[0]
    near = next(
        (one for one in speaks if _sentence_of_choice(one, sentences) == _sentence_of_choice(best, sentences)), None
    )
    if cues.speaks and near is None and not heading:
        return unbound(Reason.NO_CUE)
    subject = ((near.start, near.end),) if near else ()
    return Bound(values=((best.start, best.end),), subjects=subject)


def _sentences_around_choice(passage: QuotedPassage) -> list[tuple[int, int]]:
    """The sentences that the quote touches, as far as it quotes them."""
    found: list[tuple[int, int]] = []
    at = passage.start
    while at < passage.end:
        start, end = passage.sentence(at)
        found.append((max(start, passage.start), min(end, passage.end)))
        at = max(end, at + 1)
    return found


def _choice_is_within_sentences(one: Mention, sentences: Sequence[tuple[int, int]]) -> bool:
    return _sentence_of_choice(one, sentences) >= 0


def _sentence_of_choice(one: Mention, sentences: Sequence[tuple[int, int]]) -> int:
    return next((n for n, (start, end) in enumerate(sentences) if start <= one.start and one.end <= end), -1)


def _carried_choice(
    option: str, field: Field, cues: Cues, text: str, sentences: Sequence[tuple[int, int]]
) -> list[Mention]:
    """The words that carry an option. What says yes carries no where it is negated."""
    found = [
        one for one in cue_mentions(cues.options.get(option, ()), text) if _choice_is_within_sentences(one, sentences)
    ]
    kept = [one for one in found if not one.is_negated]
    if _NO.fullmatch(option):
        yes = [other.id for other in field.options if _YES.fullmatch(other.id)]
        turned = (one for other in yes for one in cue_mentions(cues.options.get(other, ()), text))
        kept += [one for one in turned if one.is_negated and _choice_is_within_sentences(one, sentences)]
    is_plain = not any(
        cues.options.get(other.id) for other in field.options if _YES.fullmatch(other.id) or _NO.fullmatch(other.id)
    )
    if is_plain and (_YES.fullmatch(option) or _NO.fullmatch(option)):
        # A yes or no without cues of its own: the field's words say yes, and no where they are negated.
        wants_no = _NO.fullmatch(option) is not None
        kept += [
            one
            for one in cue_mentions(cues.speaks, text)
            if one.is_negated == wants_no and _choice_is_within_sentences(one, sentences)
        ]
    return sorted(kept, key=lambda one: one.start - one.end)


def _choice_is_covered(one: Mention, value: str, carried: dict[str, list[Mention]]) -> bool:
    """Whether longer words around it carry another option, as `non-inferiority` does around `inferiority`."""
    return any(
        other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
        for option, found in carried.items()
        if option != value and option not in _SILENT
        for other in found
    )


def _choice_is_contradicted(value: str, mine: Iterable[Mention], carried: dict[str, list[Mention]]) -> bool:
    """Whether the quote carries another option with words that this one has not."""
    if value in _SILENT:
        return any(found for option, found in carried.items() if option not in _SILENT)
    mine = list(mine)
    for option, found in carried.items():
        if option == value or option in _SILENT or _choices_are_alike(value, option):
            continue
        if any(not any(one.start < own.end and own.start < one.end for own in mine) for one in found):
            return True
    return False


def _choices_are_alike(one: str, other: str) -> bool:
    """Probably yes and yes, probably no and no: the same words carry both."""
    return {one, other} in ({"Y", "PY"}, {"N", "PN"})
