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
_CAPTION: Final = re.compile(r"(?:table|表)\s?[0-9IVX]{0,4}(?:[.:\uff1a]|\s|$)", re.IGNORECASE)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|al|dr|mr|mrs|ms|prof|fig|figs|no|nos|approx|st|ca|cf|ref|refs|vol|pp|inc|ltd|co|eq|dept"
    r"|resp)"
    r"|(?:^|[\s(.])[A-Z])\.$",
    re.IGNORECASE,
)
_END: Final = re.compile(r"[.!?](?:[\"')\]]{0,2})(?= [A-Z0-9\"'(\[\u4e00-\u9fff])|[。!?](?=[^\s\"')])")
_OVER: Final = frozenset(".。:;!?)】]")
_LOWER_WORD: Final = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


_OTHERS: Final = re.compile(
    r"\b(?:previous|prior|earlier|older|recent|other|another|existing|household) (?:\w+ )?(?:trials?|stud(?:y|ies)"
    r"|work|cohorts?"
    r"|reviews?|reports?|research|meta-analys[ei]s)\b|\bet al\b|\band (?:colleagues|co-?workers|others)\b"
    r"|\bin (?:that|their|these) (?:study|trial|review|cohort)|\bothers have\b|\bmeta-analys|\bpooled\b"
    r"|\bsystematic review"
    r"|既往|以往研究|文献报道|前期研究",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence or a row of a table. `text` is made for patterns; `quote` gives the words as they stand on the page.

    `part` is the part of the paper, `topic` the heading above it, and
    `is_row` says that it is a line of a table, `is_about_others` that it
    speaks of other studies.
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
    is_about_others: bool = False

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
        """A heading was read; one without a topic only ends a table."""
        self.in_table = False
        if not topic:
            return
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

    def step(self, line: str, *, is_caption: bool) -> None:
        """A line was read that is no heading and goes on from no other."""
        if is_caption:
            self.table += 1
            self.in_table = True
        elif self.in_table and _is_prose(line):
            self.in_table = False
        if self.part == "front" and not self.in_table:
            self.front_lines += 1
            if _LETTER.match(line) or self.front_lines > MOST_FRONT_LINES:
                self.part = "body"


def read(pages: Sequence[str]) -> Document:
    """Read pages in their order. The list of references is left out; so are lines repeated on every page."""
    repeated = _repeated(pages)
    reader = _Reader()
    front: list[Sentence] = []
    sentences: list[Sentence] = []
    for number, page in enumerate(pages):
        for piece in _pieces(page, reader, repeated):
            if piece.part == REFERENCES:
                continue
            whole = plain(page, piece.start, piece.end)
            is_prose = not piece.table and piece.part != "front"
            for bit in _split(whole) if is_prose else _bounded(whole, 0, len(whole.text)):
                if bit.text:
                    sentence = Sentence(
                        page=number, page_text=page, text=bit.text, places=bit.places, part=piece.part,
                        topic=piece.topic, in_abstract=piece.in_abstract, is_row=piece.table > 0, table=piece.table,
                        is_about_others=_is_about_others(piece, bit.text),
                    )  # fmt: skip
                    (front if piece.part == "front" else sentences).append(sentence)
    return Document(front=tuple(front), sentences=tuple(sentences))


def _is_about_others(piece: "_Piece", text: str) -> bool:
    """Whether a sentence speaks of other studies. In its own methods and results a paper speaks of itself."""
    is_own = piece.part in {"methods", "results", "end"} and not piece.in_abstract
    return not is_own and _OTHERS.search(text) is not None


def _repeated(pages: Sequence[str]) -> frozenset[str]:
    """Headers and footers: lines among the first and last two of a page that several pages share, but for numbers."""
    counts: Counter[str] = Counter()
    for page in pages:
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        counts.update({_NUMBER.sub("#", line) for line in (*lines[:2], *lines[-2:])})
    return frozenset(line for line, count in counts.items() if count > 1)


@dataclass(slots=True, kw_only=True)
class _Piece:
    """Lines that belong together, and where in the paper they stand."""

    start: int
    end: int
    part: str
    topic: str
    in_abstract: bool
    table: int = 0


def _pieces(page: str, reader: _Reader, repeated: frozenset[str]) -> Iterator[_Piece]:
    """The page cut where a heading, a table row or an empty line stands. A piece of prose may hold many sentences."""
    open_piece: _Piece | None = None
    for first, end in _lines(page):
        start, line = first, page[first:end]
        bare = line.strip()
        is_over = (
            open_piece is None
            or page[max(open_piece.start, open_piece.end - 8) : open_piece.end].rstrip()[-1:] in _OVER
        )
        # The first page keeps its masthead, which tells journal and year.
        if reader.part != "front" and _NUMBER.sub("#", bare) in repeated:
            continue
        if not bare or bare.isdigit():
            if open_piece is not None and is_over:
                yield open_piece
                open_piece = None
            continue
        may_open = is_over or len(bare) < 40 or (open_piece is not None and open_piece.end - open_piece.start < 80)
        found = heading(line, in_abstract=reader.in_abstract) if may_open else None
        is_caption = is_over and len(bare) < 160 and reader.part != REFERENCES and _CAPTION.match(bare) is not None
        if found is None and open_piece is not None and not is_caption:
            open_piece.end = end
            continue
        if open_piece is not None:
            yield open_piece
            open_piece = None
        if found is None:
            reader.step(bare, is_caption=is_caption)
        else:
            reader.turn(found[0])
            start += found[1]
        if not page[start:end].strip():
            continue
        piece = _Piece(
            start=start, end=end, part=reader.part, topic=reader.topic, in_abstract=reader.in_abstract,
            table=reader.table if reader.in_table else 0,
        )  # fmt: skip
        if reader.in_table or reader.part == "front":
            yield piece
        else:
            reader.has_text = True
            open_piece = piece
    if open_piece is not None:
        yield open_piece


def _lines(page: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in page.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)


def _is_prose(line: str) -> bool:
    """Whether a line below a table's caption is no row of it: many plain words, few numbers, or a full stop."""
    numbers = len(_NUMBER.findall(line))
    if line.endswith("。") or (re.search(r"[\u4e00-\u9fff]{6,}", line) and "\uff0c" in line and numbers < 8):
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
