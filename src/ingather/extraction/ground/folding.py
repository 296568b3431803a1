"""Folding: one spelling for text that looks the same, with the way back to the characters it came from.

Folded text is lower case and has plain dashes, quotes, dots and digits,
single spaces and whole words: hyphens at line ends, soft hyphens, ligatures
and accents are gone. What could change a number is never smoothed over:
digits of different kinds, as in 10⁵, 1½ or ①2, are kept apart.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# Scripts written without spaces, where a word has no border to cut at; the inside of a regex class.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)

_SUPER: Final = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207a\u207b"
_SUB: Final = "\u2080-\u2089"
_RUN: Final = re.compile(
    r"(?P<plain>[A-Za-z0-9.,;:()\[\]%=/\"'!?&*#|]+)"
    r"|(?P<space>[\s\u200b]+)"
    # PDFium writes a hyphen that ends a line as U+0002 or U+FFFE.
    r"|(?P<hyphen>[-\u2010\u2011\u00ad\u0002\ufffe])"
    r"|(?P<han>[\u4e00-\u9fff]+)"
    r"|(?P<sign><\s?=|>\s?=|\+\s?/\s?[-\u2010-\u2015\u2212])"
    rf"|(?P<super>[{_SUPER}]+)"
    rf"|(?P<sub>[{_SUB}]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_UNSPACED: Final = re.compile(f"[{UNSPACED}\u3000-\u303f\uff01-\uff0c\uff0e\uff0f\uff1a-\uff20]")
_LINE_END: Final = re.compile(r"[^\S\n\r]*[\n\r]\s*(?=[^\W\d_])")
_THREE_DIGITS: Final = re.compile(r"[0-9]{3}(?![0-9])")
_NARROW: Final = frozenset("\u2008\u2009\u200a\u202f")
_SHORT_TERM: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,3}$")
_SIGNS: Final = {"<": "\u2264", ">": "\u2265", "+": "\u00b1"}
_SOFT: Final = frozenset("\u00ad\u0002\ufffe")
_STROKE: Final = "\u0338"  # makes "not equal" of "equal"

_FIXED: Final = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u0060\u02bc\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02", '"'),
    **dict.fromkeys("\u00b7\u2219\u22c5\u30fb\uff0e\u2024", "."),
    **dict.fromkeys("\u2264\u2266\u2a7d", "\u2264"),
    **dict.fromkeys("\u2265\u2267\u2a7e", "\u2265"),
    **dict.fromkeys("\u223c\u301c\uff5e\u02dc\u2248\u223d", "~"),
    **dict.fromkeys("\u00d7\u2715\u2a2f", "x"),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u2212\u2043", "-"),
    "\u00ba": "°",
    # NFKC makes "No" of the first and letters of the others: a negation, and longer words.
    "\u2116": "\u2116",
    "\u2122": "",
    "\u2120": "",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Folded text; `origin[i]` is where its character `i` stands in the text it was made of."""

    text: str
    origin: "array[int]"

    def at(self, raw: int) -> int:
        """The first folded character made of the raw character `raw` or of a later one."""
        return bisect_left(self.origin, raw)


def fold_text(raw: str) -> Folded:
    """The folded form of a text. Never fails, whatever the characters."""
    writer = _FoldingWriter(raw)
    at = 0
    while at < len(raw):
        run = _RUN.match(raw, at)
        assert run is not None  # the last alternative takes any character
        at = writer.write(run)
    if writer.last == " ":
        writer.parts.append(writer.parts.pop()[:-1])
        writer.origin.pop()
    return Folded(text="".join(writer.parts), origin=writer.origin)


class _FoldingWriter:
    """The folded text as it grows."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.parts: list[str] = []
        self.origin = array("I")
        self.last = ""

    def write(self, run: re.Match[str]) -> int:
        """Fold one run and say where the next one starts."""
        start, end = run.span()
        text = run[0]
        match run.lastgroup:
            case "plain":
                self._put(text.lower(), range(start, end))
            case "han":
                self._put(text, range(start, end))
            case "space":
                self._put_space(start, end)
            case "hyphen":
                return self._put_hyphen(text, start)
            case "sign":
                self._put(_SIGNS[text[0]], (start,))
            case "super":
                # cm² is written cm2 as often as not; 10⁵ is never 105.
                is_unit = _SHORT_TERM.search("".join(self.parts[-4:])) is not None
                self._put_digits("" if is_unit else "^", text, start)
            case "sub":
                self._put_digits("_" if self.last.isdigit() else "", text, start)
            case _:
                self._put_other(text, start)
        return end

    def _put(self, text: str, origin: Iterable[int]) -> None:
        if text:
            self.parts.append(text)
            self.origin.extend(origin)
            self.last = text[-1]

    def _put_space(self, start: int, end: int) -> None:
        is_narrow = end - start == 1 and self.raw[start] in _NARROW
        if self.last.isdigit() and is_narrow and _THREE_DIGITS.match(self.raw, end):
            self._put(",", (start,))
        elif self.last not in {"", " "} and not _UNSPACED.match(self.last) and not _UNSPACED.match(self.raw, end):
            self._put(" ", (start,))

    def _put_hyphen(self, hyphen: str, start: int) -> int:
        """A hyphen between the halves of a word that a line end cut is dropped, and the line end with it."""
        raw, end = self.raw, start + 1
        if self.last.isalpha():
            if (cut := _LINE_END.match(raw, end)) and raw[cut.end()].islower():
                return cut.end()
            if hyphen in _SOFT and raw[end : end + 1].isalpha():
                return end
        self._put("-", (start,))
        return end

    def _put_digits(self, mark: str, text: str, start: int) -> None:
        plain = "".join(_folded_character(c) for c in text)
        self._put(mark, (start,))
        self._put(plain, range(start, start + len(text)))
        if self.raw[start + len(text) : start + len(text) + 1].isdecimal():
            self._put("_", (start + len(text) - 1,))

    def _put_other(self, c: str, at: int) -> None:
        plain = _folded_character(c)
        is_before, is_after = self.last.isdigit(), self.raw[at + 1 : at + 2].isdecimal()
        if c == "\uff0c" and is_before and is_after:
            plain = ", "
        elif not c.isdecimal() and any(m.isdigit() for m in plain):
            plain = (" " if is_before else "") + plain + (" " if is_after else "")
        self._put(plain, [at] * len(plain))


_known: dict[str, str] = {}


def _folded_character(c: str) -> str:
    if (plain := _known.get(c)) is None:
        plain = _known[c] = _fold_character(c)
    return plain


def _fold_character(c: str) -> str:
    """One character in its plain form; nothing for marks and for what cannot be seen."""
    if (fixed := _FIXED.get(c)) is not None:
        return fixed
    category = unicodedata.category(c)
    if category == "Pd":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(c))
    if category in {"Cc", "Cf"}:
        return ""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", c).casefold())
    return "".join(_FIXED.get(m, m) for m in plain if m == _STROKE or not "\u0300" <= m <= "\u036f").strip()
