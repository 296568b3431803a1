"""Searching: the places where a text has a quote letter by letter."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingather.extraction.ground.index import Stream
from ingather.extraction.ground.places import Method, Needle, Place, judge, widened

_MOST_PLACES: Final = 50


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
        (Method.EXACT, (stream.from_raw(*at) for at in find(stream.raw, quote.printed))),
        (Method.NORMALISED, find(stream.text, quote.text)),
        (Method.SQUASHED, _find_squashed(stream, quote.squashed)),
    ):
        for start, end in found:
            if start < end and start not in seen:
                seen.add(start)
                place = _judge_literal(stream, quote, start, end, method)
                (faulty if place.fault else good).append(place)
    return good or faulty


def find(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Where a text has another, from the first place on; no more than a reader would look at."""
    at = text.find(needle) if needle else -1
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at, at + len(needle)
        at = text.find(needle, at + 1)


def _find_squashed(stream: Stream, needle: str) -> Iterator[tuple[int, int]]:
    if len(needle) >= 4:
        for start, end in find(stream.squashed, needle):
            yield stream.from_squashed(start, end)


def _judge_literal(stream: Stream, quote: Needle, start: int, end: int, method: Method) -> Place:
    a, b = widened(stream.text, start, end)
    if (a, b) != (start, end):
        return judge(stream, quote, a, b)
    if method is Method.EXACT:
        return Place(start=a, end=b, method=method, similarity=1.0)
    return replace(judge(stream, quote, a, b), method=method, similarity=1.0)
