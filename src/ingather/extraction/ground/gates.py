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
from ingather.extraction.ground.lexicon import is_real_in_lexicon
from ingather.extraction.ground.lexing import Number, Token, lexed_tokens

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


def compare_at_gates(quote: str, source: str, vocabulary: Mapping[str, int]) -> Fault | None:
    """What is wrong with taking `source` for `quote`, both folded. `vocabulary`: how often the document has a term."""
    if quote == source:
        return None
    mine, theirs = lexed_tokens(quote), lexed_tokens(source)
    if mine == theirs:
        return None
    differences = [*_differences_at_gate(theirs, mine)]
    if any(c == d and b - a > 1 for a, b, c, d in differences) and _sentence_ends_at_gate(
        source
    ) > _sentence_ends_at_gate(quote):
        # The part left out runs over the end of a sentence: two statements would become one.
        return Fault.WORDING
    faults = [_gate_fault_of_difference(theirs[a:b], mine[c:d], vocabulary) for a, b, c, d in differences]
    is_torn_head, is_torn_tail = _HEAD.match(source) is not None, _TAIL.search(source) is not None
    if any(c == d and ((is_torn_head and a == 0) or (is_torn_tail and b == len(theirs))) for a, b, c, d in differences):
        # Left out at an end, but hanging together with a number that is quoted, as the B of B12 does.
        faults.append(Fault.NUMBER)
    if mine[-1:] != theirs[-1:] and not terms.FUNCTION.isdisjoint(mine[-1:]):
        # Added at the end, a small word stands for what the source goes on to say.
        faults.append(Fault.WORDING)
    return _worst_fault_at_gate(*faults)


_END: Final = re.compile(r"(?<!\bvs)(?<!\bal)(?<!\bfig)(?<!\bno)(?<!\b[a-z])[.!?] (?=[a-z])|[\u3002!?]")


def _sentence_ends_at_gate(text: str) -> int:
    """How many sentences end in a text, but for the last."""
    return len(_END.findall(text.rstrip(" .!?\u3002")))


def _worst_fault_at_gate(*faults: Fault | None) -> Fault | None:
    return max((fault for fault in faults if fault is not None), default=None)


def _differences_at_gate(source: Sequence[Token], quote: Sequence[Token]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches in which two lists differ, each as wide as it goes."""
    a = c = 0
    for block in Levenshtein.editops(source, quote).as_matching_blocks():
        if block.size or (block.a, block.b) == (len(source), len(quote)):
            if block.a > a or block.b > c:
                yield a, block.a, c, block.b
            a, c = block.a + block.size, block.b + block.size


def _gate_fault_of_difference(
    source: Sequence[Token], quote: Sequence[Token], vocabulary: Mapping[str, int]
) -> Fault | None:
    theirs, mine = _terms_at_gate(source), _terms_at_gate(quote)
    if mine and _letters_and_figures_at_gate(source) == _letters_and_figures_at_gate(quote):
        return _gate_fault_of_spaces(source, quote)
    if not _gate_sees_numbers_touched(source, quote) and _gate_sees_ligature_lost("".join(theirs), "".join(mine)):
        return None
    if (cut := _difference_cut_at_gate(source, quote)) is not None:
        a, c = cut
        return _worst_fault_at_gate(
            _gate_fault_of_difference(source[:a], quote[:c], vocabulary),
            _gate_fault_of_difference(source[a:], quote[c:], vocabulary),
        )
    if _gate_sees_numbers_touched(source, quote) or (
        mine and _label_terms_at_gate(theirs) != _label_terms_at_gate(mine)
    ):
        return Fault.NUMBER
    if _negations_at_gate(theirs) != _negations_at_gate(mine):
        return Fault.POLARITY
    if _measure_terms_at_gate(theirs) != _measure_terms_at_gate(mine):
        return Fault.NUMBER
    if not mine:
        return None if _gate_lets_leave_out(theirs) else Fault.WORDING
    if _gate_sees_sides_changed(theirs, mine) or any(terms.is_opposite_term(a, b) for a in theirs for b in mine):
        return Fault.POLARITY
    if _hidden_negations_at_gate("".join(theirs)) != _hidden_negations_at_gate("".join(mine)):
        return Fault.POLARITY
    return None if _is_slip_at_gate(theirs, mine, vocabulary) else Fault.WORDING


def _difference_cut_at_gate(source: Sequence[Token], quote: Sequence[Token]) -> tuple[int, int] | None:
    """Where a difference falls apart into two, because words before it or after it only lost or gained spaces."""
    if len(source) + len(quote) > 12 or len(source) + len(quote) < 4:
        return None
    for a in range(1, len(source) + 1):
        for c in range(1, len(quote) + 1):
            if (a, c) != (len(source), len(quote)) and _letters_and_figures_at_gate(
                source[:a]
            ) == _letters_and_figures_at_gate(quote[:c]):
                return a, c
    for a in range(len(source)):
        for c in range(len(quote)):
            if (a, c) != (0, 0) and _letters_and_figures_at_gate(source[a:]) == _letters_and_figures_at_gate(quote[c:]):
                return a, c
    return None


def _gate_fault_of_spaces(source: Sequence[Token], quote: Sequence[Token]) -> Fault | None:
    """The same letters, other spaces: harmless, unless that makes or unmakes a word that matters."""
    there, here = {*_spellings_at_gate(source)}, {*_spellings_at_gate(quote)}
    made = [term for term in there ^ here if not any(term != whole and term in whole for whole in there | here)]
    if any(map(terms.is_real_term, made)):
        if _negations_at_gate(_terms_at_gate(source)) != _negations_at_gate(_terms_at_gate(quote)):
            return Fault.POLARITY
        if _gate_sees_numbers_touched(source, quote):
            return Fault.NUMBER
    return None


def _terms_at_gate(some: Sequence[Token]) -> list[str]:
    return [token for token in some if isinstance(token, str)]


def _spellings_at_gate(some: Sequence[Token]) -> list[str]:
    return [token if isinstance(token, str) else token.spelt or token.text for token in some]


def _letters_and_figures_at_gate(some: Sequence[Token]) -> list[str]:
    """The letters between the figures, and the figures."""
    joined = [""]
    for token in some:
        if isinstance(token, Number) and not token.spelt:
            joined += [token.text, ""]
        else:
            joined[-1] += token if isinstance(token, str) else token.spelt
    return joined


def _gate_sees_numbers_touched(source: Sequence[Token], quote: Sequence[Token]) -> bool:
    there = [token for token in source if isinstance(token, Number)]
    here = [token for token in quote if isinstance(token, Number)]
    return there != here and (bool(here) or not all(token.is_mark for token in there))


def _label_terms_at_gate(some: list[str]) -> list[str]:
    return [label for term in some if (label := terms.label_of_term(term))]


def _measure_terms_at_gate(some: list[str]) -> list[str]:
    return [measure for term in some if (measure := terms.measure_of_term(term))]


def _gate_lets_leave_out(theirs: list[str]) -> bool:
    """A few words, but of Chinese only what carries no meaning: each of its other characters is half a word."""
    if any(map(_IS_HAN.match, theirs)):
        return all(term in terms.HAN_LIGHT for term in theirs)
    return len(theirs) <= _MOST_DROPPED


def _negations_at_gate(some: list[str]) -> int:
    return sum(terms.negation_terms_in(term) for term in some)


def _contrast_sides_at_gate(some: list[str]) -> list[str]:
    return [side for term in some if (side := terms.side_of_contrast_term(term))]


def _gate_sees_sides_changed(theirs: list[str], mine: list[str]) -> bool:
    if _contrast_sides_at_gate(theirs) == _contrast_sides_at_gate(mine):
        return False
    return len(theirs) != len(mine) or not all(map(_is_same_side_at_gate, theirs, mine))


def _is_same_side_at_gate(their: str, my: str) -> bool:
    there, here = terms.side_of_contrast_term(their), terms.side_of_contrast_term(my)
    # A misspelt word has lost its side, but not its first letter.
    return there == here or (not (there and here) and their[0] == my[0] and OSA.distance(their, my) <= 2)


def _hidden_negations_at_gate(letters: str) -> int:
    """Negations inside words that lost their spaces, as in `wasnotassessed`."""
    return sum(letters.count(negation) for negation in ("not", "never", "without", "n't"))


def _is_slip_at_gate(theirs: list[str], mine: list[str], vocabulary: Mapping[str, int]) -> bool:
    """Whether a difference is one that copying makes, not one that thinking makes."""
    if not theirs:
        return all(term in terms.FUNCTION or term in terms.HAN_FUNCTION for term in mine)
    if any(map(_IS_HAN.match, (*theirs, *mine))):
        # One character of Chinese exchanged for another makes another word.
        return all(term in terms.HAN_LIGHT for term in (*theirs, *mine))
    if len(theirs) == len(mine) and all(map(terms.is_swappable_term, theirs, mine)):
        return True
    source, quote = "".join(theirs), "".join(mine)
    if Indel.normalized_similarity(source, quote) < _TYPO:
        return False
    is_split = len(mine) > len(theirs)
    has_one_slip = is_split and _is_misspelt_at_gate(quote, source, vocabulary)
    return all(
        (is_split and term in source)
        or _is_slip_of_term_at_gate(term, theirs, vocabulary)
        or (has_one_slip and not _is_known_at_gate(term, vocabulary))
        for term in mine
    )


def _gate_sees_ligature_lost(source: str, quote: str) -> bool:
    """Some text layers have nothing where a ligature was printed: `signi cant`."""
    return len(quote) > 4 and any(quote.replace(ligature, "", 1) == source for ligature in _LIGATURES)


def _is_slip_of_term_at_gate(term: str, theirs: list[str], vocabulary: Mapping[str, int]) -> bool:
    """Whether a term of the quote is one of the source's, a form of it or a misspelling, and not another word."""
    if term in theirs or term in terms.FUNCTION:
        return True
    return any(
        terms.is_inflected_term(term, other)
        or _is_run_together_at_gate(term, other)
        or _is_misspelt_at_gate(term, other, vocabulary)
        for other in theirs
    )


def _is_misspelt_at_gate(term: str, other: str, vocabulary: Mapping[str, int]) -> bool:
    """Whether one of two terms is no word, but the other one with one slip: letters exchanged, lost or added.

    Where the quote has the word and the document its misspelling, the text layer may also have misread a letter.
    """
    if min(len(term), len(other)) < _SHORTEST_MISSPELT or OSA.distance(term, other) != 1:
        return False
    if _is_known_at_gate(term, vocabulary):
        return vocabulary.get(other, 0) <= 1 and not is_real_in_lexicon(other)
    return len(term) != len(other) or sorted(term) == sorted(other)


def _is_known_at_gate(term: str, vocabulary: Mapping[str, int]) -> bool:
    return term in vocabulary or is_real_in_lexicon(term)


def _is_run_together_at_gate(term: str, other: str) -> bool:
    if len(term) < 4:
        return False
    return (other.endswith(term) and other[: -len(term)] in terms.FUNCTION) or (
        other.startswith(term) and other[len(term) :] in terms.FUNCTION
    )
