"""Lexicon: which terms are English words, so that one word is never taken for a misspelling of another."""

import gzip
import json
from functools import cache
from importlib.resources import files


def is_real_in_lexicon(term: str) -> bool:
    """Whether a folded term is an ordinary English word. Names of drugs are mostly not among them."""
    return term in _english_lexicon()


@cache
def _english_lexicon() -> frozenset[str]:
    """The word list of pyspellchecker, read when a quote with a slip is first judged: about a tenth of a second."""
    packed = files("spellchecker").joinpath("resources", "en.json.gz").read_bytes()
    return frozenset(json.loads(gzip.decompress(packed)))
