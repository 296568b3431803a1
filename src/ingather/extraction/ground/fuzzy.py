"""Fuzzy search: the few places in a text that are most like a quote.

Short pieces of the quote are looked up in the text; each that is found votes
for a place, and the places with most votes are looked at closely.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rapidfuzz.distance import Levenshtein

from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.ground.index import IndexedText
from ingather.extraction.ground.places import ALIKE, Needle, Place, is_inside_place, judge_place, widened_place
from ingather.extraction.ground.search import search_for_quote

# A longer quote is no quote of a sentence; searching it would cost seconds.
_LONGEST: Final = 5_000
# So many places are looked at closely. A fifth never won on made-up reports that repeat their sentences.
_WINDOWS: Final = 4
# A piece of the quote that the text has once counts this much; one that it has often counts a part of it.
_VOTE: Final = 1_000
_SLACK: Final = 30  # characters: room for words that the quote leaves out near its ends
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_TERM_START: Final = re.compile(rf"(?<![^\W{UNSPACED}])[^\W{UNSPACED}]|[{UNSPACED}]|[-<>\u2264\u2265\u00b1.](?=[0-9])")
_TERM_END: Final = re.compile(rf"[^\W{UNSPACED}%](?![^\W{UNSPACED}%])|[{UNSPACED}%)]")
_FIRST_TERM: Final = re.compile(r"\w+")
_LAST_TERM: Final = re.compile(r"\w+$")


def fuzzy_places(stream: IndexedText, quote: Needle) -> list[Place]:
    """The few places most like the quote, best first, if they are alike enough to be worth a look."""
    text, origin = quote.text, quote.origin
    size, step, least = _fuzzy_seed(quote.squashed)
    if not least <= len(quote.squashed) <= _LONGEST:
        return []
    seeds = _fuzzy_seeds(stream.squashed, quote.squashed, size, step)
    places: dict[tuple[int, int], Place] = {}
    for near in _fuzzy_windows(seeds, max(24, len(quote.squashed) // 6)):
        (here, there), (here_last, there_last) = near[0], near[-1]
        start, end = stream.near_squashed(there), stream.near_squashed(there_last + size - 1) + 1
        if start < end:
            start = _best_fuzzy_start(stream.text, text[: origin[here]], start)
            end = _best_fuzzy_end(stream.text, text[origin[here_last + size - 1] + 1 :], end)
            similarity = Levenshtein.normalized_similarity(text, stream.text[start:end])
            if similarity >= ALIKE and (start, end) not in places:
                places[start, end] = judge_place(stream, quote, start, end)
    return sorted(places.values(), key=lambda place: (place.fault is not None, -place.similarity))


def _fuzzy_seed(squashed: str) -> tuple[int, int, int]:
    """How long the seeds of a quote are, how far apart, and how long a quote must be to have any."""
    is_unspaced = len(_UNSPACED.findall(squashed)) * 3 > len(squashed)
    if is_unspaced:
        return (5, 1, 8) if len(squashed) < 60 else (6, 2, 8)
    if len(squashed) < 40:
        return 7, 1, 16
    return (9, 2, 16) if len(squashed) < 80 else (12, 3, 16)


def _fuzzy_seeds(text: str, quote: str, size: int, step: int) -> list[tuple[int, list[int]]]:
    """Pieces of the quote that the text holds: where in the quote, and where in the text."""
    step = max(step, len(quote) // 32)
    pieces = (*range(0, len(quote) - size, step), len(quote) - size)
    found = ((here, [there for there, _ in search_for_quote(text, quote[here : here + size])]) for here in pieces)
    return [(here, there) for here, there in found if there]


def _fuzzy_windows(seeds: list[tuple[int, list[int]]], width: int) -> Iterator[list[tuple[int, int]]]:
    """The few places for which most seeds speak, each as its seeds: where in the quote, where in the text.

    A seed speaks for the difference of the two; the more often the text has
    it, the less it says.
    """
    votes: Counter[int] = Counter()
    exact: Counter[int] = Counter()
    for here, found in seeds:
        for there in found:
            votes[(there - here) // width] += _VOTE // len(found)
            exact[there - here] += 1
    strength = {bucket: count + votes[bucket + 1] for bucket, count in votes.items()}
    strongest = max(strength.values(), default=0)
    for bucket in sorted(strength, key=lambda bucket: -strength[bucket])[:_WINDOWS]:
        if 3 * strength[bucket] < strongest:
            return
        inside = range(bucket * width, (bucket + 2) * width)
        middle = max(inside, key=lambda offset: exact[offset])
        near = [(here, min(found, key=lambda there: abs(there - here - middle))) for here, found in seeds]
        yield [(here, there) for here, there in near if there - here in inside]


def _best_fuzzy_start(text: str, head: str, at: int) -> int:
    """Where the words before the first seed begin in the text: the word border that makes them most alike."""
    near, _ = widened_place(text, at, at)
    room = len(head) // 3 + _SLACK
    lowest, highest = max(0, at - len(head) - room), min(near, at - len(head) + room)
    borders = [match.start() for match in _TERM_START.finditer(text, lowest, max(lowest, highest))] if head else []
    first = _FIRST_TERM.match(head)
    return min(
        (border for border in (near, *borders) if not is_inside_place(text, border)),
        key=lambda border: (
            _fuzzy_unlikeness(head, text[border:at]) - 4 * (first is not None and text.startswith(first[0], border)),
            border,
        ),
        default=near,
    )


def _best_fuzzy_end(text: str, tail: str, at: int) -> int:
    _, near = widened_place(text, at, at)
    room = len(tail) // 3 + _SLACK
    lowest, highest = max(near, at + len(tail) - room), min(len(text), at + len(tail) + room)
    borders = [match.end() for match in _TERM_END.finditer(text, lowest, max(lowest, highest))] if tail else []
    last = _LAST_TERM.search(tail)
    return min(
        (border for border in (near, *borders) if not is_inside_place(text, border)),
        key=lambda border: (
            _fuzzy_unlikeness(tail, text[at:border]) - 4 * (last is not None and text.endswith(last[0], 0, border)),
            -border,
        ),
        default=near,
    )


def _fuzzy_unlikeness(quote: str, source: str) -> int:
    """How unlike two short texts are. Words that the quote leaves out cost less than words that the source lacks."""
    return Levenshtein.distance(quote, source, weights=(1, 2, 2) if len(quote) < 150 else None)
