"""From the text of pages to sentences and table rows, each with its place and the part of the paper it stands in."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.rules.headings import ABSTRACT, PARTS, REFERENCES, heading
from ingather.extraction.rules.text import Plain, clip, plain

LONGEST_SENTENCE: Final = 1_500
MOST_FRONT_LINES: Final = 14
_LETTER: Final = re.compile(r"(?:dear (?:sir|madam|editors?)|sirs?,|to the editors?\b)", re.IGNORECASE)
_CAPTION: Final = re.compile(r"(?:table|表)\s?[0-9IVX]{0,4}(?:[.:：]|\s|$)", re.IGNORECASE)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|al|dr|mr|mrs|ms|prof|fig|figs|no|nos|approx|st|ca|cf|ref|refs|vol|pp|inc|ltd|co|eq|dept|resp)"
    r"|(?:^|[\s(.])[A-Z])\.$",
    re.IGNORECASE,
)
_END: Final = re.compile(r"[.!?](?:[\"')\]]{0,2})(?= [A-Z0-9\"'(\[\u4e00-\u9fff])|[。!?](?=[^\s\"')])")
_LOWER_WORD: Final = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence or a row of a table. `text` is made for patterns; `quote` gives the words as they stand on the page.

    `part` is the part of the paper, `topic` the heading above it, and
    `is_row` says that it is a line of a table.
    """

    page: int
    page_text: str
    text: str
    places: tuple[int, ...]
    part: str
    topic: str
    in_abstract: bool
    is_row: bool = False
    table: int = 0

    def quote(self, start: int = 0, end: int | None = None) -> str:
        """The sentence as printed; the part around the characters given, if it is longer than a quote may be."""
        last = len(self.places) - 1
        first = min(start, last)
        until = last if end is None else min(max(end - 1, first), last)
        around = self.places[first], self.places[until] + 1
        return clip(self.page_text, self.places[0], self.places[-1] + 1, around)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What rules read: the lines at the top of the first page, and all sentences in their order."""

    front: tuple[Sentence, ...]
    sentences: tuple[Sentence, ...]


@dataclass(slots=True)
class _Reader:
    """Where a reader is in the paper, line by line."""

    part: str = "front"
    topic: str = ""
    in_abstract: bool = False
    seen: frozenset[str] = frozenset()
    has_text: bool = False
    front_lines: int = 0
    table: int = 0
    in_table: bool = False

    def turn(self, topic: str) -> None:
        """A heading was read."""
        self.in_table = False
        if self.part == REFERENCES and PARTS.get(topic) != "end":
            return
        if topic == ABSTRACT:
            self.part, self.topic, self.in_abstract, self.seen, self.has_text = (
                ABSTRACT,
                topic,
                True,
                frozenset(),
                False,
            )
            return
        # The second heading of a name, or an introduction after some text, is that of the paper itself.
        if self.in_abstract and (topic in self.seen or (topic == "introduction" and (self.seen or self.has_text))):
            self.in_abstract = False
        if topic == REFERENCES:
            self.in_abstract = False
        self.seen |= {topic}
        self.topic = topic
        self.part = PARTS.get(topic) or self.part


def read(pages: Sequence[str]) -> Document:
    """Read pages in their order. The list of references is left out; so are lines repeated on every page."""
    repeated = _repeated(pages)
    reader = _Reader()
    front: list[Sentence] = []
    sentences: list[Sentence] = []
    for number, page in enumerate(pages):
        for piece in _pieces(page, reader, repeated if number else frozenset()):
            start, end, part, topic, in_abstract, table = piece
            if part == REFERENCES:
                continue
            for bit in _split(plain(page, start, end)) if not table and part != "front" else [plain(page, start, end)]:
                if bit.text:
                    sentence = Sentence(
                        page=number, page_text=page, text=bit.text, places=bit.places, part=part, topic=topic,
                        in_abstract=in_abstract, is_row=bool(table), table=table,
                    )  # fmt: skip
                    (front if part == "front" else sentences).append(sentence)
    return Document(front=tuple(front), sentences=tuple(sentences))


def _repeated(pages: Sequence[str]) -> frozenset[str]:
    """Headers and footers: lines among the first and last two of a page that several pages share, but for numbers."""
    counts: Counter[str] = Counter()
    for page in pages:
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        counts.update({_NUMBER.sub("#", line) for line in (*lines[:2], *lines[-2:])})
    return frozenset(line for line, count in counts.items() if count > 1)


_Piece = tuple[int, int, str, str, bool, int]


def _pieces(page: str, reader: _Reader, repeated: frozenset[str]) -> Iterator[_Piece]:
    """The page cut where a heading, a table row or an empty line stands. A piece of prose may hold many sentences."""
    start: int | None = None
    end = 0

    def here(first: int, last: int, *, row: bool = False) -> _Piece:
        return first, last, reader.part, reader.topic, reader.in_abstract, reader.table if row else 0

    for line_start, line_end in _lines(page):
        line = page[line_start:line_end]
        bare = line.strip()
        if bare and _NUMBER.sub("#", bare) in repeated:
            continue
        if not bare or bare.isdigit():
            if start is not None and page[start:end].rstrip()[-1:] in ".。:;!?":
                yield here(start, end)
                start = None
            continue
        ended = start is None or page[start:end].rstrip()[-1:] in ".。:;!?)】]" or end - start < 80
        found = heading(line, in_abstract=reader.in_abstract) if ended or len(bare) < 40 else None
        if found is not None:
            if start is not None:
                yield here(start, end)
            reader.turn(found[0]) if found[0] else None
            start, end = (line_start + found[1], line_end) if line[found[1] :].strip() else (None, 0)
            continue
        if _CAPTION.match(bare) and len(bare) < 160 and reader.part != REFERENCES and ended:
            if start is not None:
                yield here(start, end)
            start = None
            reader.table += 1
            reader.in_table = True
        elif reader.in_table and _is_prose(bare):
            reader.in_table = False
        if reader.in_table:
            yield here(line_start, line_end, row=True)
        elif reader.part == "front":
            reader.front_lines += 1
            if _LETTER.match(bare) or reader.front_lines > MOST_FRONT_LINES:
                reader.part = "body"
                start, end = line_start, line_end
            else:
                yield here(line_start, line_end)
        else:
            reader.has_text = True
            start, end = line_start if start is None else start, line_end
    if start is not None:
        yield here(start, end)


def _lines(page: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in page.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)


def _is_prose(line: str) -> bool:
    """Whether a line below a table's caption is no row of it: many plain words, few numbers, or a full stop."""
    numbers = len(_NUMBER.findall(line))
    if line.endswith("。") or (
        re.search(r"[\u4e00-\u9fff]{6,}", line) and "," in line.replace(",", ",") and numbers < 8
    ):
        return len(line) > 15
    words = len(_LOWER_WORD.findall(line))
    return words >= 6 and words > 1.5 * numbers


def _split(block: Plain) -> Iterator[Plain]:
    """The sentences of a piece of prose. Abbreviations and initials do not end one."""
    start = 0
    for found in _END.finditer(block.text):
        end = found.end()
        if _ABBREVIATION.search(block.text[max(start, end - 12) : end]):
            continue
        yield from _bounded(block, start, end)
        start = end + (block.text[end : end + 1] == " ")
    yield from _bounded(block, start, len(block.text))


def _bounded(block: Plain, start: int, end: int) -> Iterator[Plain]:
    for first in range(start, end, LONGEST_SENTENCE):
        last = min(end, first + LONGEST_SENTENCE)
        if last > first:
            yield Plain(text=block.text[first:last], places=block.places[first:last])
