"""The gates: what may differ between a quote and the text it was found in, and what may not.

Both are cut into words and numbers and aligned. Where they are equal there is
nothing to ask. Where they differ, no number may be touched, no negation, no
side of a contrast; words may be missing, misspelt or run together, but not
exchanged.
"""

import re
from collections.abc import Container, Iterator, Sequence
from enum import IntEnum
from typing import Final

from rapidfuzz.distance import OSA, Indel, Levenshtein

from ingather.extraction.ground import words
from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.ground.lexing import Number, Token, tokens

_MOST_DROPPED: Final = 5  # words in one place
_TYPO: Final = 0.65
_LIGATURES: Final = ("ffi", "ffl", "fi", "fl", "ff")

_HEAD: Final = re.compile(rf"[^\W\d_{UNSPACED}]+[0-9]")
_TAIL: Final = re.compile(rf"[0-9][^\W\d_{UNSPACED}]+$")
_IS_HAN: Final = re.compile(f"[{UNSPACED}]")


class Fault(IntEnum):
    """Why a place is not what the quote says. The greatest one counts."""

    WORDS = 1
    POLARITY = 2
    NUMBER = 3


def compare(quote: str, source: str, vocabulary: Container[str]) -> Fault | None:
    """What is wrong with taking `source` for `quote`, both folded. `vocabulary`: the words of the document."""
    if quote == source:
        return None
    mine, theirs = tokens(quote), tokens(source)
    if mine == theirs:
        return None
    differences = [*_differences(theirs, mine)]
    faults = [_fault(theirs[a:b], mine[c:d], vocabulary) for a, b, c, d in differences]
    is_torn_head, is_torn_tail = _HEAD.match(source) is not None, _TAIL.search(source) is not None
    if any(c == d and ((is_torn_head and a == 0) or (is_torn_tail and b == len(theirs))) for a, b, c, d in differences):
        # Left out at an end, but hanging together with a number that is quoted, as the B of B12 does.
        faults.append(Fault.NUMBER)
    if mine[-1:] != theirs[-1:] and not words.FUNCTION.isdisjoint(mine[-1:]):
        # Added at the end, a small word stands for what the source goes on to say.
        faults.append(Fault.WORDS)
    return _worst(*faults)


def _worst(*faults: Fault | None) -> Fault | None:
    return max((fault for fault in faults if fault is not None), default=None)


def _differences(source: Sequence[Token], quote: Sequence[Token]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches in which two lists differ, each as wide as it goes."""
    a = c = 0
    for block in Levenshtein.editops(source, quote).as_matching_blocks():
        if block.size or (block.a, block.b) == (len(source), len(quote)):
            if block.a > a or block.b > c:
                yield a, block.a, c, block.b
            a, c = block.a + block.size, block.b + block.size


def _fault(source: Sequence[Token], quote: Sequence[Token], vocabulary: Container[str]) -> Fault | None:
    theirs, mine = _words(source), _words(quote)
    if mine and _joined(source) == _joined(quote):
        return _fault_of_spaces(source, quote)
    if not _are_numbers_touched(source, quote) and _is_ligature_lost("".join(theirs), "".join(mine)):
        return None
    if (cut := _cut(source, quote)) is not None:
        a, c = cut
        return _worst(_fault(source[:a], quote[:c], vocabulary), _fault(source[a:], quote[c:], vocabulary))
    if _are_numbers_touched(source, quote) or (mine and _labels(theirs) != _labels(mine)):
        return Fault.NUMBER
    if _negations(theirs) != _negations(mine):
        return Fault.POLARITY
    if not mine:
        return None if len(theirs) <= _MOST_DROPPED else Fault.WORDS
    if _are_sides_changed(theirs, mine) or any(words.is_opposite(a, b) for a in theirs for b in mine):
        return Fault.POLARITY
    if _hidden_negations("".join(theirs)) != _hidden_negations("".join(mine)):
        return Fault.POLARITY
    return None if _is_slip(theirs, mine, vocabulary) else Fault.WORDS


def _cut(source: Sequence[Token], quote: Sequence[Token]) -> tuple[int, int] | None:
    """Where a difference falls apart into two, because words before it or after it only lost or gained spaces."""
    if len(source) + len(quote) > 12 or len(source) + len(quote) < 4:
        return None
    for a in range(1, len(source) + 1):
        for c in range(1, len(quote) + 1):
            if (a, c) != (len(source), len(quote)) and _joined(source[:a]) == _joined(quote[:c]):
                return a, c
    for a in range(len(source)):
        for c in range(len(quote)):
            if (a, c) != (0, 0) and _joined(source[a:]) == _joined(quote[c:]):
                return a, c
    return None


def _fault_of_spaces(source: Sequence[Token], quote: Sequence[Token]) -> Fault | None:
    """The same letters, other spaces: harmless, unless that makes or unmakes a word that matters."""
    there, here = {*_written(source)}, {*_written(quote)}
    made = [word for word in there ^ here if not any(word != whole and word in whole for whole in there | here)]
    if any(map(words.is_real, made)):
        if _negations(_words(source)) != _negations(_words(quote)):
            return Fault.POLARITY
        if _are_numbers_touched(source, quote):
            return Fault.NUMBER
    return None


def _words(some: Sequence[Token]) -> list[str]:
    return [token for token in some if isinstance(token, str)]


def _written(some: Sequence[Token]) -> list[str]:
    return [token if isinstance(token, str) else token.word or token.text for token in some]


def _joined(some: Sequence[Token]) -> list[str]:
    """The letters between the figures, and the figures."""
    joined = [""]
    for token in some:
        if isinstance(token, Number) and not token.word:
            joined += [token.text, ""]
        else:
            joined[-1] += token if isinstance(token, str) else token.word
    return joined


def _are_numbers_touched(source: Sequence[Token], quote: Sequence[Token]) -> bool:
    there = [token for token in source if isinstance(token, Number)]
    here = [token for token in quote if isinstance(token, Number)]
    return there != here and (bool(here) or not all(token.is_mark for token in there))


def _labels(some: list[str]) -> list[str]:
    return [label for word in some if (label := words.label_of(word))]


def _negations(some: list[str]) -> int:
    return sum(words.negations_in(word) for word in some)


def _sides(some: list[str]) -> list[str]:
    return [side for word in some if (side := words.side_of(word))]


def _are_sides_changed(theirs: list[str], mine: list[str]) -> bool:
    if _sides(theirs) == _sides(mine):
        return False
    return len(theirs) != len(mine) or not all(map(_is_same_side, theirs, mine))


def _is_same_side(their: str, my: str) -> bool:
    there, here = words.side_of(their), words.side_of(my)
    # A misspelt word has lost its side, but not its first letter.
    return there == here or (not (there and here) and their[0] == my[0] and OSA.distance(their, my) <= 2)


def _hidden_negations(letters: str) -> int:
    """Negations inside words that lost their spaces, as in `wasnotassessed`."""
    return sum(letters.count(negation) for negation in ("not", "never", "without", "n't"))


def _is_slip(theirs: list[str], mine: list[str], vocabulary: Container[str]) -> bool:
    """Whether a difference is one that copying makes, not one that thinking makes."""
    if not theirs:
        return all(word in words.FUNCTION or word in words.HAN_FUNCTION for word in mine)
    if any(map(_IS_HAN.match, (*theirs, *mine))):
        return len(theirs) == len(mine) == 1
    if len(theirs) == len(mine) and all(map(words.is_swappable, theirs, mine)):
        return True
    source, quote = "".join(theirs), "".join(mine)
    if Indel.normalized_similarity(source, quote) < _TYPO:
        return False
    is_split = len(mine) > len(theirs)
    return all((is_split and word in source) or _is_slip_of(word, theirs, vocabulary) for word in mine)


def _is_ligature_lost(source: str, quote: str) -> bool:
    """Some text layers have nothing where a ligature was printed: `signi cant`."""
    return len(quote) > 4 and any(quote.replace(ligature, "", 1) == source for ligature in _LIGATURES)


def _is_slip_of(word: str, theirs: list[str], vocabulary: Container[str]) -> bool:
    """Whether a word of the quote is one of the source's, or a misspelling, but not another word of the document."""
    if word in theirs or word in words.FUNCTION or word not in vocabulary:
        return True
    return any(words.is_inflected(word, other) or _is_run_together(word, other) for other in theirs)


def _is_run_together(word: str, other: str) -> bool:
    if len(word) < 4:
        return False
    return (other.endswith(word) and other[: -len(word)] in words.FUNCTION) or (
        other.startswith(word) and other[len(word) :] in words.FUNCTION
    )
