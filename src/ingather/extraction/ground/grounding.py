"""Grounding: from the words a model gave as proof to the place where the document says them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ingather.extraction.findings import Span, Verdict
from ingather.extraction.ground import terms
from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.ground.fuzzy import fuzzy_places
from ingather.extraction.ground.gates import Fault
from ingather.extraction.ground.index import Index, IndexedText
from ingather.extraction.ground.lexing import lexed_tokens
from ingather.extraction.ground.places import Method, Needle, Place
from ingather.extraction.ground.search import literal_places
from ingather.extraction.ground.sentences import SENTENCE_END

# A shorter part stands in too many places to prove anything. A character of Chinese counts as two.
_SHORTEST_PART: Final = 12
# More parts than this are a collage and no quote.
_MOST_PARTS: Final = 8
# More other places than a person would look through.
_MOST_ALTERNATIVES: Final = 20
# A sentence leaves out no more than this. Full stops that a text layer has lost would otherwise join whole sections.
_LONGEST_GAP: Final = 400
# Characters that tell a full stop from an abbreviation: the longest of these and what is put behind it.
_AROUND_STOP: Final = 8
_ELLIPSIS: Final = re.compile(r"\s*[\[(]?(?:\.\s?\.\s?\.(?:\s?\.)*|\u2026+|\u22ef+)[\])]?\s*")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_AROUND: Final = " \t\n\r\f\v\u00a0\u3000\"'\u201c\u201d\u2018\u2019\u300c\u300d\u00ab\u00bb\u2022*"
_VERDICTS: Final = {
    Fault.WORDING: Verdict.QUOTE_NOT_FOUND,
    Fault.POLARITY: Verdict.POLARITY_MISMATCH,
    Fault.NUMBER: Verdict.NUMBER_MISMATCH,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What became of a quote, and where it stands.

    `spans` is one place: several spans only where it runs over a page break
    or where the quote leaves something out. A mismatch has spans too, the
    nearest place, so that a person can be shown both strings. `alternatives`
    are the other places that say the same. `is_joined`: the quote has parts
    from several sentences, which are not shown to be one statement; its
    verdict is `unbound`.
    """

    verdict: Verdict
    spans: tuple[Span, ...] = ()
    method: Method | None = None
    similarity: float = 0.0
    alternatives: tuple[tuple[Span, ...], ...] = ()
    is_joined: bool = False


def ground(quote: str, pages: Sequence[str] | Index, page: int | None = None) -> Grounding:
    """Find a quote in the pages of a document. `page` is where the model says it is, from 0; it is only a hint."""
    printed = quote.strip(_AROUND)
    if not printed.strip():
        return Grounding(verdict=Verdict.NO_QUOTE)
    index = pages if isinstance(pages, Index) else Index(pages)
    if len(printed) > 2 * len(index.whole.raw) + 1_000:
        return Grounding(verdict=Verdict.QUOTE_NOT_FOUND)
    needle = Needle.of(printed)
    best = _ground_in_stream(needle, index.whole, page)
    if _grounding_is_accepted(best) or len({span.page for span in best.spans}) == 1 or index.running is None:
        return best
    running = _ground_in_stream(needle, index.running, page)
    return running if _grounding_rank(running) > _grounding_rank(best) else best


def _ground_in_stream(quote: Needle, stream: IndexedText, page: int | None) -> Grounding:
    found = _places_to_ground_quote(stream, quote, is_fuzzy=False)
    if not found or found[0].fault is not None:
        split = _ground_parts(quote.printed, stream, page)
        if split is not None and (_grounding_is_accepted(split) or not found):
            return split
        found = _places_to_ground_quote(stream, quote, is_fuzzy=True)
    return _grounding(stream, found, page)


def _places_to_ground_quote(stream: IndexedText, quote: Needle, *, is_fuzzy: bool) -> list[Place]:
    """The places of a quote or of a part of one: all of them good, or all of them faulty."""
    literal = literal_places(stream, quote)
    if (literal and literal[0].fault is None) or not is_fuzzy:
        return literal
    places = fuzzy_places(stream, quote)
    if good := [place for place in places if place.fault is None]:
        return good
    return sorted(literal + places, key=lambda place: (-place.similarity, -(place.fault or 0)))


def _ground_parts(printed: str, stream: IndexedText, page: int | None) -> Grounding | None:
    """A quote that leaves something out, part by part; None if it has no parts, or one too short to be told apart."""
    parts = [part for part in _ELLIPSIS.split(printed) if part.strip(_AROUND)]
    if len(parts) == 1 and parts[0] != printed:
        return _grounding(stream, _places_to_ground_quote(stream, Needle.of(parts[0]), is_fuzzy=True), page)
    if not 2 <= len(parts) <= _MOST_PARTS or any(_grounding_part_weight(part) < _SHORTEST_PART for part in parts):
        return None
    found = [_places_to_ground_quote(stream, Needle.of(part), is_fuzzy=True) for part in parts]
    if not all(found):
        return None
    faults = [places[0].fault or 0 for places in found]
    chosen = _ground_parts_in_order(stream, found, page)
    is_joined = not all(_grounded_in_one_sentence(stream, before, after) for before, after in pairwise(chosen))
    if worst := max(faults):
        verdict = _VERDICTS[Fault(worst)]
    elif is_joined:
        verdict = Verdict.UNBOUND
    elif any(_grounding_hides_negation(stream, before, after) for before, after in pairwise(chosen)):
        verdict = Verdict.POLARITY_MISMATCH
    elif all(place.method is not Method.FUZZY for place in chosen):
        verdict = Verdict.VERIFIED
    else:
        verdict = Verdict.VERIFIED_FUZZY
    return Grounding(
        verdict=verdict,
        spans=()
        if verdict is Verdict.QUOTE_NOT_FOUND
        else tuple(span for place in chosen for span in stream.spans(place.start, place.end)),
        method=Method.SPLIT,
        similarity=min(place.similarity for place in chosen),
        is_joined=verdict is Verdict.UNBOUND,
    )


def _ground_parts_in_order(stream: IndexedText, found: list[list[Place]], page: int | None) -> list[Place]:
    """One place for each part: each after the one before, if that can be, and as near together as can be."""
    chains = []
    for first in found[0]:
        chain = [first]
        for places in found[1:]:
            after = [place for place in places if place.start >= chain[-1].end]
            chain += [min(after, key=lambda place: place.start)] if after else []
        if len(chain) == len(found):
            chains.append(chain)
    if not chains:
        return [_grounding_by_page(stream, places, page)[0] for places in found]
    return min(
        chains, key=lambda chain: (_grounding_pages_away(stream, chain[0], page), chain[-1].end - chain[0].start)
    )


def _grounded_in_one_sentence(stream: IndexedText, before: Place, after: Place) -> bool:
    """Whether two parts stand in order and no sentence ends between them."""
    if not before.end <= after.start <= before.end + _LONGEST_GAP:
        return False
    if _is_grounded_in_table(stream, before, after):
        return False
    # The first part may have the full stop, and what shows that it is one stands before it and behind it.
    start = max(0, before.end - _AROUND_STOP)
    around = stream.text[start : after.start + _AROUND_STOP]
    ends = (found.end() + start for found in SENTENCE_END.finditer(around))
    return not any(before.end - 1 <= end <= after.start for end in ends)


def _is_grounded_in_table(stream: IndexedText, before: Place, after: Place) -> bool:
    """Whether two parts stand in different lines that hold more numbers than a sentence has: the rows of a table."""
    text = stream.text[before.start : after.end]
    numbers = sum(token.strip("(),;[]%")[:1].isdigit() for token in text.split())
    return stream.has_line_end(before.end, after.start) and 2 * numbers > len(text.split()) - numbers


def _grounding_hides_negation(stream: IndexedText, before: Place, after: Place) -> bool:
    """Whether what two parts of a sentence leave out between them turns it around."""
    gap = stream.text[before.end : after.start]
    return any(terms.negation_terms_in(token) for token in lexed_tokens(gap) if isinstance(token, str))


def _grounding(stream: IndexedText, found: list[Place], page: int | None) -> Grounding:
    if not found:
        return Grounding(verdict=Verdict.QUOTE_NOT_FOUND)
    fault = found[0].fault
    if fault is Fault.WORDING:
        return Grounding(verdict=Verdict.QUOTE_NOT_FOUND, similarity=found[0].similarity)
    if fault is not None:
        best, others = found[0], []
        verdict = _VERDICTS[fault]
    else:
        best, *others = _grounding_by_page(stream, found, page)
        verdict = Verdict.VERIFIED_FUZZY if best.method is Method.FUZZY else Verdict.VERIFIED
    return Grounding(
        verdict=verdict,
        spans=tuple(stream.spans(best.start, best.end)),
        method=best.method,
        similarity=best.similarity,
        alternatives=tuple(tuple(stream.spans(p.start, p.end)) for p in others[:_MOST_ALTERNATIVES]),
    )


def _grounding_by_page(stream: IndexedText, places: list[Place], page: int | None) -> list[Place]:
    """Places in the order of the text, those nearest to the model's page first, then those that are most exact."""
    return sorted(
        places,
        key=lambda place: (_grounding_pages_away(stream, place, page), [*Method].index(place.method), place.start),
    )


def _grounding_pages_away(stream: IndexedText, place: Place, page: int | None) -> int:
    return 0 if page is None else abs(stream.page_of(place.start) - page)


def _grounding_part_weight(part: str) -> int:
    return len(part.strip()) + len(_UNSPACED.findall(part))


def _grounding_is_accepted(grounding: Grounding) -> bool:
    return grounding.verdict in {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}


def _grounding_rank(grounding: Grounding) -> tuple[bool, bool]:
    return _grounding_is_accepted(grounding), bool(grounding.spans)
