"""Places: where a quote might stand in a stream, and what is wrong with taking it for the quote."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import Levenshtein

from ingather.extraction.ground import terms
from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.ground.gates import Fault, compare_at_gates
from ingather.extraction.ground.index import IndexedText, squash_for_index

if TYPE_CHECKING:
    from array import array

# Less alike than this, two texts are not one with slips in it. Lower only lets in more to look at: the gates decide.
ALIKE: Final = 0.80
_LOOSE: Final = " .,;:\u3002\u3001"  # may hang on to a quote's ends
# A quote that ends where a number should be, and the number that the text has there.
_LEFT_OPEN: Final = re.compile(r"[-=<>\u2264\u2265\u00b1,:/] ?$")
_HOLE: Final = re.compile(r"(?:[(\[,=<>\u2264\u2265\u00b1:/-] ?[)\]]| [.,;:)\]])\W*$")
_NUMBER: Final = re.compile(r"(?: (?:of|was|were|is|to|at))?[ (\[,:=<>\u2264\u2265\u00b1]{0,4}[-.]?[0-9.,]*[0-9]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
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
        whole = fold_text(printed).text
        text = whole.rstrip(_LOOSE)
        text = text if text[1:2].isdigit() else text.lstrip(_LOOSE)
        return cls(printed, text, _HOLE.search(whole) is not None, *squash_for_index(text))


def judge_place(stream: IndexedText, quote: Needle, start: int, end: int) -> Place:
    """A place as what it is: how like the quote, and with what fault."""
    source = stream.text[start:end]
    similarity = Levenshtein.normalized_similarity(quote.text, source)
    fault = compare_at_gates(quote.text, source, stream.vocabulary)
    if (turned := terms.negation_term_before(stream.text, start)) < start:
        start, fault = turned, max(fault or Fault.POLARITY, Fault.POLARITY)
    if (_LEFT_OPEN.search(source) or quote.has_hole) and (number := _NUMBER.match(stream.text, end)):
        end, fault = number.end(), Fault.NUMBER
    if fault is None and similarity < ALIKE:
        fault = Fault.WORDING
    return Place(start=start, end=end, method=Method.FUZZY, similarity=similarity, fault=fault)


def widened_place(text: str, start: int, end: int) -> tuple[int, int]:
    """A place with the words and numbers whole that its ends cut."""
    a, b = start, end
    while a > 0 and start - a < _MOST_WIDENED and is_inside_place(text, a):
        a -= 1
    while b < len(text) and b - end < _MOST_WIDENED and is_inside_place(text, b):
        b += 1
    return a, b


def is_inside_place(text: str, at: int) -> bool:
    """Whether a cut before the character `at` goes through a word or a number."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if (right.isdigit() or left.isdigit()) and _place_is_inside_number(text, at, left, right):
        return True
    if (prefix := _PREFIX.search(text, max(0, at - 8), at + 1)) and prefix[1] in terms.AFFIXES:
        return True
    return (left.isalnum() and right.isalnum()) and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def _place_is_inside_number(text: str, at: int, left: str, right: str) -> bool:
    behind, ahead = text[at - 2 : at - 1] if at > 1 else "", text[at + 1 : at + 2]
    if left.isdigit():
        return (
            right in "%\u2030^_" or (right == " " and ahead in {"%", "\u2030"}) or (right in ".," and ahead.isdigit())
        )
    if left in ".,":
        return behind.isdigit() or (left == "." and not behind.isalnum())
    if left == "-":
        return not behind.isdigit() and behind not in {"%", ")"}
    return left in "<>\u2264\u2265\u00b1^_"
