"""The gates: what may differ between a quote and the text it was found in, and what may not.

Both are cut into words and numbers and aligned. Where they are equal there is
nothing to ask. Where they differ, no number may be touched, no negation, no
side of a contrast; words may be missing, misspelt or run together, but not
exchanged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Final

from rapidfuzz.distance import OSA, Indel, Levenshtein

from ingather.extraction.ground import terms
from ingather.extraction.ground.folding import UNSPACED
from ingather.extraction.ground.lexicon import is_real
from ingather.extraction.ground.lexing import Number, Token, tokens

_MOST_DROPPED: Final = 5  # words in one place
# Two stretches less alike than this are no slip of one another. Higher would refuse a word run together with the next.
_TYPO: Final = 0.65
# Shorter words are too near to one another to be told from misspellings: mean, pain and gain; SD and SE.
_SHORTEST_MISSPELT: Final = 6
_LIGATURES: Final = ("ffi", "ffl", "fi", "fl", "ff")

_HEAD: Final = re.compile(rf"[^\W\d_{UNSPACED}]+[0-9]")
_TAIL: Final = re.compile(rf"[0-9][^\W\d_{UNSPACED}]+$")
_IS_HAN: Final = re.compile(f"[{UNSPACED}]")


class Fault(IntEnum):
    """Why a place is not what the quote says. The greatest one counts."""

    WORDING = 1
    POLARITY = 2
    NUMBER = 3


def compare(quote: str, source: str, vocabulary: Mapping[str, int]) -> Fault | None:
    """What is wrong with taking `source` for `quote`, both folded. `vocabulary`: how often the document has a term."""
    if quote == source:
        return None
    mine, theirs = tokens(quote), tokens(source)
    if mine == theirs:
        return None
    differences = [*_differences(theirs, mine)]
    if any(c == d and b - a > 1 for a, b, c, d in differences) and _sentence_ends(source) > _sentence_ends(quote):
        # The part left out runs over the end of a sentence: two statements would become one.
        return Fault.WORDING
    faults = [_fault_of_difference(theirs[a:b], mine[c:d], vocabulary) for a, b, c, d in differences]
    is_torn_head, is_torn_tail = _HEAD.match(source) is not None, _TAIL.search(source) is not None
    if any(c == d and ((is_torn_head and a == 0) or (is_torn_tail and b == len(theirs))) for a, b, c, d in differences):
        # Left out at an end, but hanging together with a number that is quoted, as the B of B12 does.
        faults.append(Fault.NUMBER)
    if mine[-1:] != theirs[-1:] and not terms.FUNCTION.isdisjoint(mine[-1:]):
        # Added at the end, a small word stands for what the source goes on to say.
        faults.append(Fault.WORDING)
    return _worst_fault(*faults)


_END: Final = re.compile(r"(?<!\bvs)(?<!\bal)(?<!\bfig)(?<!\bno)(?<!\b[a-z])[.!?] (?=[a-z])|[\u3002!?]")


def _sentence_ends(text: str) -> int:
    """How many sentences end in a text, but for the last."""
    return len(_END.findall(text.rstrip(" .!?\u3002")))


def _worst_fault(*faults: Fault | None) -> Fault | None:
    return max((fault for fault in faults if fault is not None), default=None)


def _differences(source: Sequence[Token], quote: Sequence[Token]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches in which two lists differ, each as wide as it goes."""
    a = c = 0
    for block in Levenshtein.editops(source, quote).as_matching_blocks():
        if block.size or (block.a, block.b) == (len(source), len(quote)):
            if block.a > a or block.b > c:
                yield a, block.a, c, block.b
            a, c = block.a + block.size, block.b + block.size


def _fault_of_difference(
    source: Sequence[Token], quote: Sequence[Token], vocabulary: Mapping[str, int]
) -> Fault | None:
    theirs, mine = _terms_of_tokens(source), _terms_of_tokens(quote)
    if mine and _letters_and_figures(source) == _letters_and_figures(quote):
        return _fault_of_spaces(source, quote)
    if not _are_numbers_touched(source, quote) and _is_ligature_lost("".join(theirs), "".join(mine)):
        return None
    if (cut := _cut_difference(source, quote)) is not None:
        a, c = cut
        return _worst_fault(
            _fault_of_difference(source[:a], quote[:c], vocabulary),
            _fault_of_difference(source[a:], quote[c:], vocabulary),
        )
    if _are_numbers_touched(source, quote) or (mine and _label_terms(theirs) != _label_terms(mine)):
        return Fault.NUMBER
    if _negations_in_difference(theirs) != _negations_in_difference(mine):
        return Fault.POLARITY
    if _measure_terms(theirs) != _measure_terms(mine):
        return Fault.NUMBER
    if not mine:
        return None if _may_be_left_out(theirs) else Fault.WORDING
    if _are_sides_changed(theirs, mine) or any(terms.is_opposite(a, b) for a in theirs for b in mine):
        return Fault.POLARITY
    if _hidden_negations("".join(theirs)) != _hidden_negations("".join(mine)):
        return Fault.POLARITY
    return None if _is_slip(theirs, mine, vocabulary) else Fault.WORDING


def _cut_difference(source: Sequence[Token], quote: Sequence[Token]) -> tuple[int, int] | None:
    """Where a difference falls apart into two, because words before it or after it only lost or gained spaces."""
    if len(source) + len(quote) > 12 or len(source) + len(quote) < 4:
        return None
    for a in range(1, len(source) + 1):
        for c in range(1, len(quote) + 1):
            if (a, c) != (len(source), len(quote)) and _letters_and_figures(source[:a]) == _letters_and_figures(
                quote[:c]
            ):
                return a, c
    for a in range(len(source)):
        for c in range(len(quote)):
            if (a, c) != (0, 0) and _letters_and_figures(source[a:]) == _letters_and_figures(quote[c:]):
                return a, c
    return None


def _fault_of_spaces(source: Sequence[Token], quote: Sequence[Token]) -> Fault | None:
    """The same letters, other spaces: harmless, unless that makes or unmakes a word that matters."""
    there, here = {*_spellings(source)}, {*_spellings(quote)}
    made = [term for term in there ^ here if not any(term != whole and term in whole for whole in there | here)]
    if any(map(terms.is_real, made)):
        if _negations_in_difference(_terms_of_tokens(source)) != _negations_in_difference(_terms_of_tokens(quote)):
            return Fault.POLARITY
        if _are_numbers_touched(source, quote):
            return Fault.NUMBER
    return None


def _terms_of_tokens(some: Sequence[Token]) -> list[str]:
    return [token for token in some if isinstance(token, str)]


def _spellings(some: Sequence[Token]) -> list[str]:
    return [token if isinstance(token, str) else token.spelt or token.text for token in some]


def _letters_and_figures(some: Sequence[Token]) -> list[str]:
    """The letters between the figures, and the figures."""
    joined = [""]
    for token in some:
        if isinstance(token, Number) and not token.spelt:
            joined += [token.text, ""]
        else:
            joined[-1] += token if isinstance(token, str) else token.spelt
    return joined


def _are_numbers_touched(source: Sequence[Token], quote: Sequence[Token]) -> bool:
    there = [token for token in source if isinstance(token, Number)]
    here = [token for token in quote if isinstance(token, Number)]
    return there != here and (bool(here) or not all(token.is_mark for token in there))


def _label_terms(some: list[str]) -> list[str]:
    return [label for term in some if (label := terms.label_of(term))]


def _measure_terms(some: list[str]) -> list[str]:
    return [measure for term in some if (measure := terms.measure_of(term))]


def _may_be_left_out(theirs: list[str]) -> bool:
    """A few words, but of Chinese only what carries no meaning: each of its other characters is half a word."""
    if any(map(_IS_HAN.match, theirs)):
        return all(term in terms.HAN_LIGHT for term in theirs)
    return len(theirs) <= _MOST_DROPPED


def _negations_in_difference(some: list[str]) -> int:
    return sum(terms.negations_in(term) for term in some)


def _contrast_sides(some: list[str]) -> list[str]:
    return [side for term in some if (side := terms.side_of(term))]


def _are_sides_changed(theirs: list[str], mine: list[str]) -> bool:
    if _contrast_sides(theirs) == _contrast_sides(mine):
        return False
    return len(theirs) != len(mine) or not all(map(_is_same_side, theirs, mine))


def _is_same_side(their: str, my: str) -> bool:
    there, here = terms.side_of(their), terms.side_of(my)
    # A misspelt word has lost its side, but not its first letter.
    return there == here or (not (there and here) and their[0] == my[0] and OSA.distance(their, my) <= 2)


def _hidden_negations(letters: str) -> int:
    """Negations inside words that lost their spaces, as in `wasnotassessed`."""
    return sum(letters.count(negation) for negation in ("not", "never", "without", "n't"))


def _is_slip(theirs: list[str], mine: list[str], vocabulary: Mapping[str, int]) -> bool:
    """Whether a difference is one that copying makes, not one that thinking makes."""
    if not theirs:
        return all(term in terms.FUNCTION or term in terms.HAN_FUNCTION for term in mine)
    if any(map(_IS_HAN.match, (*theirs, *mine))):
        # One character of Chinese exchanged for another makes another word.
        return all(term in terms.HAN_LIGHT for term in (*theirs, *mine))
    if len(theirs) == len(mine) and all(map(terms.is_swappable, theirs, mine)):
        return True
    source, quote = "".join(theirs), "".join(mine)
    if Indel.normalized_similarity(source, quote) < _TYPO:
        return False
    is_split = len(mine) > len(theirs)
    has_one_slip = is_split and _is_misspelt(quote, source, vocabulary)
    return all(
        (is_split and term in source)
        or _is_slip_of(term, theirs, vocabulary)
        or (has_one_slip and not _is_known(term, vocabulary))
        for term in mine
    )


def _is_ligature_lost(source: str, quote: str) -> bool:
    """Some text layers have nothing where a ligature was printed: `signi cant`."""
    return len(quote) > 4 and any(quote.replace(ligature, "", 1) == source for ligature in _LIGATURES)


def _is_slip_of(term: str, theirs: list[str], vocabulary: Mapping[str, int]) -> bool:
    """Whether a term of the quote is one of the source's, a form of it or a misspelling, and not another word."""
    if term in theirs or term in terms.FUNCTION:
        return True
    return any(
        terms.is_inflected(term, other) or _is_run_together(term, other) or _is_misspelt(term, other, vocabulary)
        for other in theirs
    )


def _is_misspelt(term: str, other: str, vocabulary: Mapping[str, int]) -> bool:
    """Whether one of two terms is no word, but the other one with one slip: letters exchanged, lost or added.

    Where the quote has the word and the document its misspelling, the text layer may also have misread a letter.
    """
    if min(len(term), len(other)) < _SHORTEST_MISSPELT or OSA.distance(term, other) != 1:
        return False
    if _is_known(term, vocabulary):
        return vocabulary.get(other, 0) <= 1 and not is_real(other)
    return len(term) != len(other) or sorted(term) == sorted(other)


def _is_known(term: str, vocabulary: Mapping[str, int]) -> bool:
    return term in vocabulary or is_real(term)


def _is_run_together(term: str, other: str) -> bool:
    if len(term) < 4:
        return False
    return (other.endswith(term) and other[: -len(term)] in terms.FUNCTION) or (
        other.startswith(term) and other[len(term) :] in terms.FUNCTION
    )
