"""Pages cut into pieces: prose, rows of tables, captions and words of figures, each with the part of the paper."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.rules.figures import FIGURE, figure_lines, is_table_caption, subheading_lines
from ingather.extraction.rules.headings import ABSTRACT, PARTS, REFERENCES, heading

# The lines above the first heading that may be title, authors and addresses. More would take an abstract without a
# heading for addresses; fewer would take long lists of authors for prose.
MOST_FRONT_LINES: Final = 14
# An abstract is shorter than this, in characters. What follows without a heading is the introduction.
LONGEST_ABSTRACT: Final = 6_000
# A line that may go on from an earlier line is a heading only if it is shorter than this, in characters.
_SHORT_HEADING: Final = 40
# The label above a table is shorter than this, in characters; a longer line that begins so is a sentence about it.
_LONGEST_CAPTION: Final = 160
# A printed line is shorter than this, in characters; a longer one is a whole paragraph, which is no address.
_LONG_LINE: Final = 250
# So many lines at either end of a page may be running lines. More would drop rows of tables that are alike.
_RUNNING: Final = 4
# So many words in small letters before a full stop make a line of prose, and no title or address.
_PROSE_TERMS: Final = 6

_LETTER: Final = re.compile(r"(?:dear (?:sir|madam|editors?)|sirs?,|to the editors?\b)", re.IGNORECASE)
_OVER: Final = frozenset(".。:;!?)】]")
_LOWER_TERM: Final = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_SENTENCE_END: Final = re.compile(r"[a-z)\d]{2}[.?!]\s+[A-Z][a-z]*\b|[\u4e00-\u9fff]{6}[\uff0c。]")
# These end a sentence of a front page that is no prose: addresses, letters to the editor, rights.
_ADMINISTRATIVE: Final = re.compile(
    r"@|\b(?:correspond|address|copyright|licen[cs]e|department|university|received|accepted|https?:|www\.|fictional)"
    r"|©",
    re.IGNORECASE,
)


@dataclass(slots=True, kw_only=True)
class Piece:
    """Lines that belong together, and where in the paper they stand."""

    start: int
    end: int
    part: str
    topic: str
    in_abstract: bool
    table: int = 0


@dataclass(slots=True)
class LineReader:
    """Where a reader is in the paper, line by line."""

    part: str = "front"
    topic: str = ""
    in_abstract: bool = False
    seen: frozenset[str] = frozenset()
    characters: int = 0
    front_lines: int = 0
    table: int = 0
    in_table: bool = False

    def turn(self, topic: str, *, goes_on: bool) -> None:
        """A heading was read; one without a topic only ends a table. `goes_on`: text follows on its line."""
        self.in_table = False
        if not topic or (self.part == REFERENCES and PARTS.get(topic) != "end"):
            return
        if topic == ABSTRACT:
            self.part, self.topic, self.in_abstract, self.seen, self.characters = ABSTRACT, topic, True, frozenset(), 0
            return
        # `Background Little is known` above everything else begins an abstract that has no heading of its own.
        if (
            self.part in {"front", "body"}
            and not self.seen
            and goes_on
            and PARTS.get(topic) in {"introduction", "aim", "methods"}
        ):
            self.in_abstract = True
        # The second heading of a name, or an introduction after some text, is that of the paper itself.
        elif self.in_abstract and (
            topic in self.seen or (topic == "introduction" and (self.seen or self.characters > 0))
        ):
            self.in_abstract = False
        if topic in {REFERENCES, "keywords"}:
            self.in_abstract = False
        self.seen |= {topic}
        self.topic = topic
        self.part = PARTS.get(topic) or self.part

    def step(self, line: str, *, is_caption: bool) -> None:
        """A line was read that is no heading and goes on from no other."""
        if is_caption:
            self.table += 1
            self.in_table = True
        elif self.in_table and _piece_is_prose(line):
            self.in_table = False
        if self.part == "front" and not self.in_table:
            self.front_lines += 1
            if _LETTER.match(line) or self.front_lines > MOST_FRONT_LINES or begins_prose(line):
                self.part = "body"

    def read(self, characters: int) -> None:
        """So much prose was read. An abstract that grows too long has run over into the introduction."""
        self.characters += characters
        if self.in_abstract and self.part == ABSTRACT and self.characters > LONGEST_ABSTRACT:
            self.in_abstract, self.part, self.topic = False, "introduction", ""


def begins_prose(line: str) -> bool:
    """Whether a line of the front page is prose: a sentence ends within it, and it is no address."""
    found = _SENTENCE_END.search(line)
    if found is None or (len(line) < _LONG_LINE and _ADMINISTRATIVE.search(line)):
        return False
    return not line[:1].isascii() or len(_LOWER_TERM.findall(line)) >= _PROSE_TERMS


def repeated_lines(pages: Sequence[str]) -> frozenset[str]:
    """Headers and footers: lines among the first and last four of a page that several pages share, but for numbers."""
    counts: Counter[str] = Counter()
    for page in pages:
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        counts.update({masked_pieces(line) for line in (*lines[:_RUNNING], *lines[-_RUNNING:])})
    return frozenset(line for line, count in counts.items() if count > 1)


def masked_pieces(line: str) -> str:
    """A line without its numbers: what the running lines of two pages have in common."""
    return _NUMBER.sub("#", line.strip())


def pieces(page: str, reader: LineReader, repeated: frozenset[str]) -> Iterator[Piece]:
    """The page cut where a heading, a table row or an empty line stands. A piece of prose may hold many sentences."""
    figures = figure_lines(page)
    subheadings = subheading_lines(page)
    open_piece: Piece | None = None
    for start, end in lines_of_pieces(page):
        bare = page[start:end].strip()
        # The first page keeps its masthead, which names journal and year.
        if reader.part != "front" and masked_pieces(bare) in repeated:
            continue
        is_over = open_piece is None or _piece_ends(page, open_piece)
        if not bare or bare.isdigit():
            if open_piece is not None and is_over:
                yield open_piece
                open_piece = None
            continue
        is_figure = not reader.in_table and reader.part != "front" and start in figures
        if is_figure or (open_piece is not None and open_piece.part == FIGURE):
            if open_piece is not None and open_piece.part != FIGURE:
                yield open_piece
                open_piece = None
            if is_figure:
                open_piece = _extended_piece(open_piece, start, end)
                continue
            yield open_piece  # type: ignore[misc]
            open_piece, is_over = None, True
        found = _heading_of_piece(page[start:end], reader, open_piece, is_over=is_over, is_sub=start in subheadings)
        is_caption = is_over and reader.part != REFERENCES and _is_short_table_caption(bare)
        if found is None and open_piece is not None and not is_caption:
            open_piece.end = end
            reader.read(end - start)
            continue
        if open_piece is not None:
            yield open_piece
        open_piece = None
        piece = _piece_begun(page, reader, start, end, found, is_caption=is_caption)
        if piece is not None and (piece.table or piece.part == "front"):
            yield piece
        else:
            open_piece = piece
    if open_piece is not None:
        yield open_piece


def _piece_ends(page: str, piece: Piece) -> bool:
    # A mark of citation may stand behind the full stop, so the last few characters are looked at.
    return page[max(piece.start, piece.end - 8) : piece.end].rstrip()[-1:] in _OVER


def _extended_piece(piece: Piece | None, start: int, end: int) -> Piece:
    if piece is None:
        return Piece(start=start, end=end, part=FIGURE, topic="", in_abstract=False)
    piece.end = end
    return piece


def _is_short_table_caption(bare: str) -> bool:
    return len(bare) < _LONGEST_CAPTION and is_table_caption(bare)


def _heading_of_piece(
    line: str, reader: LineReader, piece: Piece | None, *, is_over: bool, is_sub: bool
) -> tuple[str, int] | None:
    """The heading that a line is or begins with, where a line may be one: not in the middle of a sentence."""
    is_short = len(line.strip()) < _SHORT_HEADING or (piece is not None and piece.end - piece.start < 80)
    if not (is_over or is_short):
        return None
    found = heading(line, in_abstract=reader.in_abstract or reader.part == "front")
    if reader.part == "front":
        # Above everything else, a heading of Markdown without a known name is the title.
        return found if found is not None and found[0] else None
    return ("", len(line)) if found is None and is_sub and is_over and not reader.in_table else found


def _piece_begun(
    page: str, reader: LineReader, start: int, end: int, found: tuple[str, int] | None, *, is_caption: bool
) -> Piece | None:
    """The piece that a line begins; None where the line is a heading and nothing else."""
    if found is None:
        reader.step(page[start:end].strip(), is_caption=is_caption)
    else:
        start += found[1]
        reader.turn(found[0], goes_on=bool(page[start:end].strip()))
    if not page[start:end].strip():
        return None
    piece = Piece(
        start=start, end=end, part=reader.part, topic=reader.topic, in_abstract=reader.in_abstract,
        table=reader.table if reader.in_table else 0,
    )  # fmt: skip
    if not piece.table and piece.part != "front":
        reader.read(end - start)
    return piece


def lines_of_pieces(page: str) -> Iterator[tuple[int, int]]:
    """Where each line of a page begins and ends, without its line break."""
    start = 0
    for line in page.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)


def _piece_is_prose(line: str) -> bool:
    """Whether a line below a table's caption is no row of it: many plain words, few numbers, or a full stop."""
    numbers = len(_NUMBER.findall(line))
    if line.endswith("。") or (re.search(r"[\u4e00-\u9fff]{6,}", line) and "\uff0c" in line and numbers < 8):
        return len(line) > 15
    terms = len(_LOWER_TERM.findall(line))
    return terms >= 6 and terms > 1.5 * numbers
