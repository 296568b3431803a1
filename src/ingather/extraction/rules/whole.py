"""Whether an answer gives all that the paper says of its field: gathered where it stands together, or shown as a part.

Some fields ask for everything: all funders, all limitations, who was blinded and how. One sentence of several is true
and no whole answer.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import Hit, not_reported, reported
from ingather.extraction.rules.plain_text import LONGEST_QUOTE
from ingather.extraction.rules.sentences import Document, Sentence, joined_sentences

Says = Callable[[Sentence], bool]


def whole_or_part(field: str, hits: Iterable[Hit], document: Document, says: Says, *, gathers: bool = True) -> Answer:
    """The best hit with all other sentences that speak of the field, if they stand in a row; else as a part.

    `says` tells whether another sentence speaks of the field. An abstract says again what the paper says, so that its
    sentences are no others. `gathers`: sentences in a row are one answer together.
    """
    ranked = sorted(hits, key=lambda hit: hit.rank)
    if not ranked:
        return not_reported(field)
    best = ranked[0]
    others = [
        one
        for one in document.sentences
        if not one.is_row and not one.in_abstract and not _is_within_whole(one, best.sentence) and says(one)
    ]
    if not others:
        return reported(field, best)
    whole = _whole_row(document, best.sentence, others) if gathers else None
    if whole is not None and str(best.value).rstrip(".。") == best.sentence.text.rstrip(".。"):
        return reported(field, Hit(value=whole.text, sentence=whole))
    return part(reported(field, best))


def part(answer: Answer) -> Answer:
    """The answer as one of several things that the paper says of the field."""
    return replace(answer, is_part=True) if answer.state is State.REPORTED else answer


def _is_within_whole(one: Sentence, whole: Sentence) -> bool:
    return one.page == whole.page and whole.places[0] <= one.places[0] <= whole.places[-1]


def _whole_row(document: Document, start: Sentence, others: list[Sentence]) -> Sentence | None:
    """The sentences from the first to the last that speak of it, if no other sentence stands between them."""
    own = [one for one in document.sentences if _is_within_whole(one, start)]
    places = sorted(document.sentences.index(one) for one in [*own, *others])
    if not own or places[-1] - places[0] >= len(places):
        return None
    first, last = document.sentences[places[0]], document.sentences[places[-1]]
    if (first.part, first.topic) != (last.part, last.topic):
        return None
    whole = joined_sentences(first, last)
    return whole if whole is not None and len(whole.text) <= LONGEST_QUOTE else None
