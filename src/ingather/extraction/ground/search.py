"""Looking for a quote in a stream, from the strictest way to the loosest, and judging every place it might stand."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz.distance import Levenshtein

from ingather.extraction.ground import words
from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.ground.gates import Fault, compare
from ingather.extraction.ground.index import Stream, squash

MOST_PLACES: Final = 50
LONGEST_FUZZY: Final = 5_000
_ALIKE: Final = 0.80
_WINDOWS: Final = 4
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_WORD_START: Final = re.compile(rf"(?<![^\W{UNSPACED}])[^\W{UNSPACED}]|[{UNSPACED}]|[-<>\u2264\u2265\u00b1.](?=[0-9])")
_PREFIX: Final = re.compile(r"(?<![^\W\d_])([a-z]{2,5})(?:-|-[a-z])$")
_MOST_WIDENED: Final = 40


class Method(StrEnum):
    """How a quote was found."""

    EXACT = "exact"
    NORMALISED = "normalised"
    SQUASHED = "squashed"
    SPLIT = "split"
    FUZZY = "fuzzy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a quote stands, or nearly: characters of a stream's text, and what is wrong there, if anything is."""

    start: int
    end: int
    method: Method
    similarity: float
    fault: Fault | None = None


def literal_places(stream: Stream, printed: str, quote: str) -> list[Place]:
    """The places of the first step that finds any: as printed, folded, squashed. `quote` is `printed` folded.

    A match that cuts a word or a number is no match: it is widened to the
    word's ends and judged as what it then is.
    """
    cut: list[Place] = []
    for method, found in (
        (Method.EXACT, (stream.from_raw(*at) for at in _find(stream.raw, printed))),
        (Method.NORMALISED, _find(stream.text, quote)),
        (Method.SQUASHED, _find_squashed(stream, quote)),
    ):
        places = [_judge_literal(stream, quote, start, end, method) for start, end in found if start < end]
        if good := [place for place in places if place.fault is None]:
            return good
        cut = cut or places
    return cut


def fuzzy_places(stream: Stream, quote: str) -> list[Place]:
    """The few places most like the quote, best first, if they are alike enough to be worth a look."""
    squashed, origin = squash(quote)
    size, step, least = _seed(squashed)
    if not least <= len(squashed) <= LONGEST_FUZZY:
        return []
    seeds = _seeds(stream.squashed, squashed, size, step)
    width = max(24, len(squashed) // 6)
    votes = Counter((there - here) // width for here, there in seeds)
    places = {}
    for bucket, _ in sorted(votes.items(), key=lambda vote: -(vote[1] + votes[vote[0] + 1]))[:_WINDOWS]:
        near = [(here, there) for here, there in seeds if (there - here) // width in {bucket, bucket + 1}]
        here, there = near[0]
        first = origin[here], stream.near_squashed(there)
        here, there = near[-1]
        last = origin[here + size - 1] + 1, stream.near_squashed(there + size - 1) + 1
        if last[1] <= first[1]:
            continue
        start = _best_start(stream.text, quote[: first[0]], first[1])
        end = _best_end(stream.text, quote[last[0] :], last[1])
        place = _judge(stream, quote, start, end)
        if place.similarity >= _ALIKE:
            places[start, end] = place
    return sorted(places.values(), key=lambda place: (place.fault is not None, -place.similarity))


def _find(text: str, needle: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle) if needle else -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at, at + len(needle)
        at = text.find(needle, at + 1)


def _find_squashed(stream: Stream, quote: str) -> Iterator[tuple[int, int]]:
    needle, _ = squash(quote)
    if len(needle) >= 4:
        for start, end in _find(stream.squashed, needle):
            yield stream.from_squashed(start, end)


def _judge_literal(stream: Stream, quote: str, start: int, end: int, method: Method) -> Place:
    a, b = start, end
    while a > 0 and start - a < _MOST_WIDENED and is_inside(stream.text, a):
        a -= 1
    while b < len(stream.text) and b - end < _MOST_WIDENED and is_inside(stream.text, b):
        b += 1
    if (a, b) != (start, end):
        place = _judge(stream, quote, a, b)
        if place.fault is None and place.similarity < _ALIKE:
            return Place(start=a, end=b, method=method, similarity=place.similarity, fault=Fault.WORDS)
        return place
    fault = compare(quote, stream.text[a:b], stream.vocabulary) if method is Method.SQUASHED else None
    return Place(start=a, end=b, method=method, similarity=1.0, fault=fault)


def _judge(stream: Stream, quote: str, start: int, end: int) -> Place:
    source = stream.text[start:end]
    similarity = Levenshtein.normalized_similarity(quote, source, score_cutoff=_ALIKE / 2)
    fault = compare(quote, source, stream.vocabulary)
    return Place(start=start, end=end, method=Method.FUZZY, similarity=similarity, fault=fault)


def is_inside(text: str, at: int) -> bool:
    """Whether a cut before the character `at` goes through a word or a number."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if (right.isdigit() or left.isdigit()) and _is_inside_number(text, at, left, right):
        return True
    if (prefix := _PREFIX.search(text, max(0, at - 8), at + 1)) and prefix[1] in words.AFFIXES:
        return True
    return (left.isalnum() and right.isalnum()) and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def _is_inside_number(text: str, at: int, left: str, right: str) -> bool:
    behind, ahead = text[at - 2 : at - 1] if at > 1 else "", text[at + 1 : at + 2]
    if left.isdigit():
        return right in "%\u2030^_" or (right in ".," and ahead.isdigit())
    if left in ".,":
        return behind.isdigit() or (left == "." and not behind.isalnum())
    if left == "-":
        return not behind.isdigit() and behind not in {"%", ")"}
    return left in "<>\u2264\u2265\u00b1^_"


def _seed(squashed: str) -> tuple[int, int, int]:
    """How long the seeds of a quote are, how far apart, and how long a quote must be to have any."""
    is_unspaced = len(_UNSPACED.findall(squashed)) * 3 > len(squashed)
    if is_unspaced:
        return (5, 1, 8) if len(squashed) < 60 else (6, 2, 8)
    if len(squashed) < 40:
        return 7, 1, 16
    return (9, 2, 16) if len(squashed) < 80 else (12, 3, 16)


def _seeds(text: str, quote: str, size: int, step: int) -> list[tuple[int, int]]:
    """Pieces of the quote that the text holds: where in the quote, and where in the text."""
    seeds = []
    for here in (*range(0, len(quote) - size, step), len(quote) - size):
        seeds += [(here, there) for there, _ in _find(text, quote[here : here + size])]
    return seeds


def _best_start(text: str, head: str, at: int) -> int:
    """Where the words before the first seed begin in the text: the word border that makes them most alike."""
    lowest = max(0, at - len(head) - len(head) // 3 - 12)
    while lowest < at and is_inside(text, lowest):
        lowest += 1
    highest = at
    while highest > lowest and is_inside(text, highest):
        highest -= 1
    borders = {match.start() for match in _WORD_START.finditer(text, lowest, highest + 1)} | {highest}
    borders = {border for border in borders if not is_inside(text, border)} or {highest}
    return min(borders, key=lambda border: (Levenshtein.distance(head, text[border:at]), border))


def _best_end(text: str, tail: str, at: int) -> int:
    highest = min(len(text), at + len(tail) + len(tail) // 3 + 12)
    lowest = at
    while lowest < highest and is_inside(text, lowest):
        lowest += 1
    borders = [border for border in range(lowest, highest + 1) if not is_inside(text, border)] or [lowest]
    return min(borders, key=lambda border: (Levenshtein.distance(tail, text[at:border]), -border))
