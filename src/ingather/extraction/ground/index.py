"""The index of a document: its text as printed, folded and squashed, each with the way back to its pages."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from ingather.extraction.findings import Span
from ingather.extraction.ground.folding import UNSPACED, fold_text

_KEPT: Final = re.compile(r"[\w%<>=\u2264\u2265\u00b1~/^+\u0338\u2030]+|[-.,:]")
_TERM: Final = re.compile(rf"[^\W\d_{UNSPACED}]+(?:'[^\W\d_]+)?")
_DIGITS: Final = re.compile(r"[0-9]+")
_LINE: Final = re.compile(r"[^\n]+")
# Running heads and feet have so many lines at most; a title over two lines and a page number.
_EDGE_LINES: Final = 3


class IndexedText:
    """The text of all pages in one line, in the three forms that are searched.

    `raw` is the pages joined by line ends; `text` is `raw` folded; `squashed`
    is `text` without spaces and without punctuation that belongs to no
    number. Places are always given in `text`.
    """

    def __init__(self, raw: str, starts: Sequence[int]) -> None:
        self.raw = raw
        self._starts = starts
        self._folded = fold_text(raw)
        self.text = self._folded.text
        self.squashed, self._squashed_origin = squash_for_index(self.text)

    @cached_property
    def vocabulary(self) -> Counter[str]:
        """How often each term of the text occurs."""
        return Counter(_TERM.findall(self.text))

    def from_raw(self, start: int, end: int) -> tuple[int, int]:
        return self._folded.at(start), self._folded.at(end)

    def from_squashed(self, start: int, end: int) -> tuple[int, int]:
        return self._squashed_origin[start], self._squashed_origin[end - 1] + 1

    def near_squashed(self, at: int) -> int:
        """Where a squashed character stands in `text`; for a place past its ends, the end."""
        if at >= len(self._squashed_origin):
            return len(self.text)
        return self._squashed_origin[max(at, 0)]

    def has_line_end(self, start: int, end: int) -> bool:
        """Whether the line ends somewhere in a stretch of `text`."""
        origin = self._folded.origin
        return "\n" in self.raw[origin[start] : origin[min(end, len(origin) - 1)]] if start < len(origin) else False

    def page_of(self, at: int) -> int:
        """The page of a character of `text`."""
        return bisect_right(self._starts, self._folded.origin[at]) - 1

    def spans(self, start: int, end: int) -> Iterator[Span]:
        """A place in `text` as characters of its pages; one span for each page it touches."""
        origin = self._folded.origin
        while start < end:
            page = self.page_of(start)
            after = self._starts[page + 1] if page + 1 < len(self._starts) else len(self.raw) + 1
            stop = min(end, bisect_left(origin, after))
            first, last = start, stop - 1
            while first < last and self.text[first] == " ":
                first += 1
            while last > first and self.text[last] == " ":
                last -= 1
            if self.text[first] != " ":
                base = self._starts[page]
                yield Span(page=page, start=origin[first] - base, end=origin[last] + 1 - base)
            start = stop


class Index:
    """A document made ready for any number of quotes. Building it reads every character once."""

    def __init__(self, pages: Sequence[str]) -> None:
        self._pages = tuple(pages)
        self._starts = array("I", [0])
        for page in self._pages[:-1]:
            self._starts.append(self._starts[-1] + len(page) + 1)
        self.whole = IndexedText("\n".join(self._pages), self._starts)

    @cached_property
    def running(self) -> IndexedText | None:
        """The text as it runs on from page to page, without the lines that pages repeat; None if they repeat none."""
        raw = list(self.whole.raw)
        has_any = False
        for start, end in self._repeated_lines():
            raw[start:end] = "\n" * (end - start)
            has_any = True
        return IndexedText("".join(raw), self._starts) if has_any else None

    def _repeated_lines(self) -> Iterator[tuple[int, int]]:
        """Running heads, feet and page numbers: lines at the edge of a page that differ in nothing but digits."""
        edges: list[tuple[str, int, int]] = []
        for base, page in zip(self._starts, self._pages, strict=False):
            lines = [line for line in _LINE.finditer(page) if line[0].strip()]
            for line in {line.start(): line for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])}.values():
                key = _DIGITS.sub("#", " ".join(line[0].split()))
                if key == "#" or any(c.isalpha() for c in key):
                    edges.append((key, base + line.start(), base + line.end()))
        counts = Counter(key for key, _, _ in edges)
        for key, start, end in edges:
            if counts[key] > 1:
                yield start, end


def squash_for_index(text: str) -> tuple[str, "array[int]"]:
    """Folded text without spaces, brackets and quotes; hyphens stay beside figures, dots and commas between them."""
    parts: list[str] = []
    origin = array("I")
    last = ""
    for run in _KEPT.finditer(text):
        start, end = run.span()
        kept = run[0]
        if kept in "-.,:":
            is_after, is_before = text[start - 1 : start].isdigit(), _next_indexed_character(text, end).isdigit()
            if not (is_after and is_before) and not (kept == "-" and (last.isdigit() or is_before)):
                continue
        parts.append(kept)
        origin.extend(range(start, end))
        last = kept[-1]
    return "".join(parts), origin


def _next_indexed_character(text: str, at: int) -> str:
    if text[at : at + 1] == " ":
        at += 1
    return text[at : at + 1]
