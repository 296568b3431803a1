"""The abbreviations that a paper explains, `high-dose chemotherapy (HDCT)`. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.ground.folding import fold_text

_SHORT_FORM: Final = re.compile(r"[(\[] ?([A-Z][A-Za-z0-9/+-]{1,9})(?:[;,)\]]| group| arm| ?[=:] ?[0-9n])")


def short_forms(text: str) -> tuple[tuple[str, str], ...]:
    """The abbreviations that a text explains, `high-dose chemotherapy (HDCT)`, folded, as long form and short form."""
    found: dict[tuple[str, str], None] = {}
    for one in _SHORT_FORM.finditer(text):
        brief = one[1]
        letters = [c for c in brief.casefold() if c.isalnum()]
        terms = re.findall(r"[A-Za-z0-9]+", text[max(0, one.start() - 90) : one.start()])
        before = fold_text(text[max(0, one.start() - 90) : one.start()]).text.rstrip()
        for count in range(1, min(len(terms), 8) + 1):
            tail = terms[-count:]
            if tail[0][0].casefold() == letters[0] and _spells_short_form(letters, tail):
                starts = [m.start() for m in re.finditer(rf"(?<![a-z0-9]){re.escape(tail[0].casefold())}", before)]
                if starts:
                    found[before[starts[-1] :], brief.casefold()] = None
                break
    for one in _LETTERED.finditer(text):
        before = fold_text(text[max(0, one.start() - 70) : one.start()]).text
        found[re.split(r"[.;)]|, (?:and|or) | or | and ", before)[-1].strip(), f"{one[1]} {one[2]}".casefold()] = None
    return tuple(found)


_LETTERED: Final = re.compile(r"[(\[] ?(group|arm) ([A-D0-9]|I{1,3}|IV)\b", re.IGNORECASE)


def _spells_short_form(letters: Sequence[str], terms: Sequence[str]) -> bool:
    """Whether the letters stand in the words in their order, each word but small ones giving one."""
    joined = "".join(terms).casefold()
    at = 0
    for letter in letters:
        at = joined.find(letter, at) + 1
        if not at:
            return False
    initials = [term[0].casefold() for term in terms]
    return sum(letter in initials for letter in letters) * 2 >= len(letters) or len(terms) == 1
