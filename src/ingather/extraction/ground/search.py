"""Looking for a quote in a stream, from the strictest way to the loosest, and judging every place it might stand."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import Levenshtein

from ingather.extraction.ground import words
from ingather.extraction.ground.folding import UNSPACED, fold
from ingather.extraction.ground.gates import Fault, compare
from ingather.extraction.ground.index import Stream, squash

if TYPE_CHECKING:
    from array import array

MOST_PLACES: Final = 50
LONGEST_FUZZY: Final = 5_000
_ALIKE: Final = 0.80
_WINDOWS: Final = 4
_VOTE: Final = 1_000
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_WORD_START: Final = re.compile(rf"(?<![^\W{UNSPACED}])[^\W{UNSPACED}]|[{UNSPACED}]|[-<>\u2264\u2265\u00b1.](?=[0-9])")
_PREFIX: Final = re.compile(r"(?<![^\W\d_])([a-z]{2,5})(?:-|-[a-z])$")
_LOOSE: Final = " .,;:\u3002\u3001"  # may hang on to a quote's ends
_WORD_END: Final = re.compile(rf"[^\W{UNSPACED}%](?![^\W{UNSPACED}%])|[{UNSPACED}%)]")
_MOST_WIDENED: Final = 40
_SLACK: Final = 30  # characters: room for words that the quote leaves out near its ends
# A quote that ends where a number should be, and the number that the text has there.
_LEFT_OPEN: Final = re.compile(r"[-=<>\u2264\u2265\u00b1,:/] ?$")
_HOLE: Final = re.compile(r"(?:[(\[,=<>\u2264\u2265\u00b1:/-] ?[)\]]| [.,;:)\]])\W*$")
_NUMBER: Final = re.compile(r"(?: (?:of|was|were|is|to|at))?[ (\[,:=<>\u2264\u2265\u00b1]{0,4}[-.]?[0-9.,]*[0-9]")
_FIRST_WORD: Final = re.compile(r"\w+")
_LAST_WORD: Final = re.compile(r"\w+$")


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


@dataclass(frozen=True, slots=True)
class Needle:
    """A quote made ready to be looked for: as given, folded, and squashed.

    One with a hole ends where something is missing, as `(n = )` and `a rate of .` do.
    """

    printed: str
    text: str
    has_hole: bool
    squashed: str
    origin: "array[int]"  # of the squashed characters in `text`

    @classmethod
    def of(cls, printed: str) -> "Needle":
        whole = fold(printed).text
        text = whole.rstrip(_LOOSE)
        text = text if text[1:2].isdigit() else text.lstrip(_LOOSE)
        return cls(printed, text, _HOLE.search(whole) is not None, *squash(text))


def literal_places(stream: Stream, quote: Needle) -> list[Place]:
    """The places where the text has the quote letter by letter, strictest first.

    A match that cuts a word or a number is no match: it is widened to the
    word's ends and judged as what it then is. Faulty places are only told
    where there are no good ones.
    """
    good: list[Place] = []
    faulty: list[Place] = []
    seen: set[int] = set()
    for method, found in (
        (Method.EXACT, (stream.from_raw(*at) for at in _find(stream.raw, quote.printed))),
        (Method.NORMALISED, _find(stream.text, quote.text)),
        (Method.SQUASHED, _find_squashed(stream, quote.squashed)),
    ):
        for start, end in found:
            if start < end and start not in seen:
                seen.add(start)
                place = _judge_literal(stream, quote, start, end, method)
                (faulty if place.fault else good).append(place)
    return good or faulty


def fuzzy_places(stream: Stream, quote: Needle) -> list[Place]:
    """The few places most like the quote, best first, if they are alike enough to be worth a look."""
    text, origin = quote.text, quote.origin
    size, step, least = _seed(quote.squashed)
    if not least <= len(quote.squashed) <= LONGEST_FUZZY:
        return []
    seeds = _seeds(stream.squashed, quote.squashed, size, step)
    places: dict[tuple[int, int], Place] = {}
    for near in _windows(seeds, max(24, len(quote.squashed) // 6)):
        (here, there), (here_last, there_last) = near[0], near[-1]
        start, end = stream.near_squashed(there), stream.near_squashed(there_last + size - 1) + 1
        if start < end:
            start = _best_start(stream.text, text[: origin[here]], start)
            end = _best_end(stream.text, text[origin[here_last + size - 1] + 1 :], end)
            similarity = Levenshtein.normalized_similarity(text, stream.text[start:end])
            if similarity >= _ALIKE and (start, end) not in places:
                places[start, end] = _judge(stream, quote, start, end)
    return sorted(places.values(), key=lambda place: (place.fault is not None, -place.similarity))


def _find(text: str, needle: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle) if needle else -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        yield at, at + len(needle)
        at = text.find(needle, at + 1)


def _find_squashed(stream: Stream, needle: str) -> Iterator[tuple[int, int]]:
    if len(needle) >= 4:
        for start, end in _find(stream.squashed, needle):
            yield stream.from_squashed(start, end)


def _judge_literal(stream: Stream, quote: Needle, start: int, end: int, method: Method) -> Place:
    a, b = start, end
    while a > 0 and start - a < _MOST_WIDENED and is_inside(stream.text, a):
        a -= 1
    while b < len(stream.text) and b - end < _MOST_WIDENED and is_inside(stream.text, b):
        b += 1
    if (a, b) != (start, end):
        return _judge(stream, quote, a, b)
    if method is Method.EXACT:
        return Place(start=a, end=b, method=method, similarity=1.0)
    return replace(_judge(stream, quote, a, b), method=method, similarity=1.0)


def _judge(stream: Stream, quote: Needle, start: int, end: int) -> Place:
    source = stream.text[start:end]
    similarity = Levenshtein.normalized_similarity(quote.text, source)
    fault = compare(quote.text, source, stream.vocabulary)
    if (turned := words.negation_before(stream.text, start)) < start:
        start, fault = turned, max(fault or Fault.POLARITY, Fault.POLARITY)
    if (_LEFT_OPEN.search(source) or quote.has_hole) and (number := _NUMBER.match(stream.text, end)):
        end, fault = number.end(), Fault.NUMBER
    if fault is None and similarity < _ALIKE:
        fault = Fault.WORDS
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


def _seeds(text: str, quote: str, size: int, step: int) -> list[tuple[int, list[int]]]:
    """Pieces of the quote that the text holds: where in the quote, and where in the text."""
    step = max(step, len(quote) // 32)
    pieces = (*range(0, len(quote) - size, step), len(quote) - size)
    found = ((here, [there for there, _ in _find(text, quote[here : here + size])]) for here in pieces)
    return [(here, there) for here, there in found if there]


def _windows(seeds: list[tuple[int, list[int]]], width: int) -> Iterator[list[tuple[int, int]]]:
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


def _best_start(text: str, head: str, at: int) -> int:
    """Where the words before the first seed begin in the text: the word border that makes them most alike."""
    near = at
    while near > 0 and at - near < _MOST_WIDENED and is_inside(text, near):
        near -= 1
    room = len(head) // 3 + _SLACK
    lowest, highest = max(0, at - len(head) - room), min(near, at - len(head) + room)
    borders = [match.start() for match in _WORD_START.finditer(text, lowest, max(lowest, highest))] if head else []
    first = _FIRST_WORD.match(head)
    return min(
        (border for border in (near, *borders) if not is_inside(text, border)),
        key=lambda border: (
            _cost(head, text[border:at]) - 4 * (first is not None and text.startswith(first[0], border)),
            border,
        ),
        default=near,
    )


def _best_end(text: str, tail: str, at: int) -> int:
    near = at
    while near < len(text) and near - at < _MOST_WIDENED and is_inside(text, near):
        near += 1
    room = len(tail) // 3 + _SLACK
    lowest, highest = max(near, at + len(tail) - room), min(len(text), at + len(tail) + room)
    borders = [match.end() for match in _WORD_END.finditer(text, lowest, max(lowest, highest))] if tail else []
    last = _LAST_WORD.search(tail)
    return min(
        (border for border in (near, *borders) if not is_inside(text, border)),
        key=lambda border: (
            _cost(tail, text[at:border]) - 4 * (last is not None and text.endswith(last[0], 0, border)),
            -border,
        ),
        default=near,
    )


def _cost(quote: str, source: str) -> int:
    """How unlike two short texts are. Words that the quote leaves out cost less than words that the source lacks."""
    return Levenshtein.distance(quote, source, weights=(1, 2, 2) if len(quote) < 150 else None)
