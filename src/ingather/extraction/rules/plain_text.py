"""A page's text made plain for patterns, with the way back to the characters it came from."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

# A quote has at most so many characters. Longer ones are no easier to check, and shorter ones lose their subject.
LONGEST_QUOTE: Final = 600
# These stand at the end of a line where a word is broken: hyphens, and the mark that PDFium writes for one.
_BREAKS: Final = frozenset("-\u2010\u00ad\u0002")

_DASHES_AND_BREAKS: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_DASHES: Final = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63", "-")
_QUOTES: Final = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
_FOLDED: Final = _DASHES | _QUOTES | {"\u223c": "~", "\u301c": "~"}
_DROPPED: Final = frozenset("\u00ad\u0002\ufffe\u200b\u200c\u200d\ufeff")
# A word broken after one of these keeps its hyphen when the lines are joined; any other is one word.
_COMPOUNDS: Final = re.compile(
    r"\b(?:double|single|triple|non|open|computer|placebo|follow|intention|to|cluster|cross|self|long|short|low|high"
    r"|web"
    r"|parallel|two|three|four|assessor|per|random|health|population|register|registry|age|inter|post|pre|co)-$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """Text for patterns. Character `i` of `text` stands at `places[i]` of the page it was taken from."""

    text: str
    places: tuple[int, ...]


def is_cjk(character: str) -> bool:
    """Whether it is a character or a punctuation mark of Chinese, which needs no space beside it."""
    return "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"


def plain_text(page: str, start: int, end: int) -> Plain:
    """Fold widths, dashes and quotes, join broken words, and make one space of any run of white space."""
    out: list[str] = []
    places: list[int] = []
    i = start
    while i < end:
        character = page[i]
        if character in _DROPPED:
            i += 1
        elif character.isspace():
            after = i
            while after < end and (page[after].isspace() or page[after] in _DROPPED):
                after += 1
            _join_plain_text(page, i, after, out, places, is_last=after >= end)
            i = after
        elif character in "\u00b7\u2219" and page[i - 1 : i].isdigit() and page[i + 1 : i + 2].isdigit():
            out.append(".")  # the decimal point of some journals, as in 2·5
            places.append(i)
            i += 1
        else:
            folded = _FOLDED.get(character) or unicodedata.normalize("NFKC", character)
            out.extend(folded)
            places.extend([i] * len(folded))
            i += 1
    return Plain(text="".join(out), places=tuple(places))


def _join_plain_text(page: str, start: int, end: int, out: list[str], places: list[int], *, is_last: bool) -> None:
    """What becomes of white space: a space, or nothing at the ends, within Chinese and in a broken word."""
    if is_last or not out:
        return
    is_break = "\n" in page[start:end] or "\r" in page[start:end]
    if is_break and (is_cjk(page[start - 1]) or is_cjk(page[end])):
        return
    if is_break and out[-1] == "-" and page[end].islower() and len(out) > 1 and out[-2].isalpha():
        if not _COMPOUNDS.search("".join(out[-16:])):
            out.pop()
            places.pop()
        return
    if is_break and out[-1] == "-" and len(out) > 1 and out[-2].isalnum() and page[end].isalnum():
        return  # `Placebo-` and `Controlled` on the next line
    out.append(" ")
    places.append(start)


def clip_plain_text(page: str, start: int, end: int, around: tuple[int, int]) -> str:
    """At most 600 characters of `page[start:end]`, as they stand, with the part `around` among them: whole words only.

    A word that is broken over two lines is one word.
    """
    start = _term_start(page, start, min(end, around[0]))
    if end - start <= LONGEST_QUOTE:
        return page[start : _term_end(page, start, end)]
    first, last = around[0], min(around[1], around[0] + LONGEST_QUOTE)
    spare = LONGEST_QUOTE - (last - first)
    before = max(start, first - spare // 2)
    after = min(end, before + LONGEST_QUOTE)
    before = max(start, after - LONGEST_QUOTE)
    # The part may itself be longer than a quote: then its end is cut, too.
    while start < before < first and not _is_between_terms(page, before):
        before += 1
    while start < before == first and not _is_between_terms(page, first):
        before, first = before - 1, first - 1
    while before < after < end and not _is_between_terms(page, after):
        after -= 1
    return page[before : _term_end(page, before, after)].strip()


def whole_terms(page: str, start: int, end: int) -> tuple[int, int]:
    """A line without the end of a term broken before it, and without the beginning of one that is broken behind it."""
    while end > start and page[end - 1].isspace():
        end -= 1
    return _term_start(page, start, end), _term_end(page, start, end)


def _term_start(page: str, start: int, latest: int) -> int:
    """Where a quote begins that does not begin within a broken term, nor with a number behind a dash.

    The number would lose its dash, and could be taken for a negative one. The
    top of a page that begins in small letters may go on with a term of the
    page before.
    """
    line = page[:start].rstrip()
    is_broken = line[-1:] in _BREAKS and line[-2:-1].isalpha() and page[start : start + 1].isalpha()
    if is_broken or (not line and page[start : start + 1].islower()):
        first = start
        while first < latest and not page[first].isspace():
            first += 1
        return first if first < latest else start
    if page[start : start + 1].isdigit() and line[-1:] in _DASHES_AND_BREAKS:
        space = max(line.rfind(" "), line.rfind("\n"))
        return space + 1
    return start


def _is_between_terms(page: str, place: int) -> bool:
    """Whether a word may begin at a place, or one may have ended before it."""
    if is_cjk(page[place]) or is_cjk(page[place - 1]):
        return True
    if not (page[place].isspace() or page[place - 1].isspace()):
        return False
    line = page[:place].rstrip()
    is_broken = "\n" in page[len(line) : place + 1] and line[-1:] in _BREAKS
    return not is_broken


def _term_end(page: str, start: int, end: int) -> int:
    """Where a quote ends that does not end within a broken word."""
    if page[end - 1 : end] in _BREAKS and page[end : end + 1] in {"\n", "\r"}:
        space = max(page.rfind(" ", start, end), page.rfind("\n", start, end))
        return space if space > start else end
    return end
