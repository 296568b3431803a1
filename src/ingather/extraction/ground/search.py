"""Searching: the places where a text has a quote letter by letter."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingather.extraction.ground.index import IndexedText
from ingather.extraction.ground.places import Method, Needle, Place, judge_place, widened_place

# More places than a person would look through; and so many hits of a short quote before the search gives up.
_MOST_PLACES: Final = 50
_MOST_HITS: Final = 2_000
# Matches that cut a word or a number and are judged as what they then are. All of them have the same fault.
_MOST_CUT: Final = 8


def literal_places(stream: IndexedText, quote: Needle) -> list[Place]:
    """The places where the text has the quote letter by letter, strictest first.

    A match that cuts a word or a number is no match: it is widened to the
    word's ends and judged as what it then is. Faulty places are only told
    where there are no good ones.
    """
    good: list[Place] = []
    faulty: list[Place] = []
    cut: dict[tuple[int, int], None] = {}
    seen: set[int] = set()
    for method, found in (
        (Method.EXACT, (stream.from_raw(*at) for at in search_for_quote(stream.raw, quote.printed, _MOST_HITS))),
        (Method.NORMALISED, search_for_quote(stream.text, quote.text, _MOST_HITS)),
        (Method.SQUASHED, _search_squashed(stream, quote.squashed)),
    ):
        for start, end in found:
            if start >= end or start in seen:
                continue
            seen.add(start)
            whole = widened_place(stream.text, start, end)
            if whole != (start, end):
                cut[whole] = None
                continue
            place = Place(start=start, end=end, method=method, similarity=1.0)
            if method is not Method.EXACT:
                place = replace(judge_place(stream, quote, start, end), method=method, similarity=1.0)
            (faulty if place.fault else good).append(place)
            if len(good) == _MOST_PLACES:
                return good
    if good:
        return good
    cuts = [judge_place(stream, quote, start, end) for start, end in [*cut][:_MOST_CUT]]
    return [place for place in cuts if place.fault is None] or faulty + cuts


def search_for_quote(text: str, needle: str, most: int = _MOST_PLACES) -> Iterator[tuple[int, int]]:
    """Where a text has another, from the first place on."""
    at = text.find(needle) if needle else -1
    for _ in range(most):
        if at < 0:
            return
        yield at, at + len(needle)
        at = text.find(needle, at + 1)


def _search_squashed(stream: IndexedText, needle: str) -> Iterator[tuple[int, int]]:
    if len(needle) >= 4:
        for start, end in search_for_quote(stream.squashed, needle):
            yield stream.from_squashed(start, end)
