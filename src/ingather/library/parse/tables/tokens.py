"""Words, and the segments of lines they make."""

from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import pairwise
from statistics import median

from ingather.library.parse.glyphs import Glyphs, Paint
from ingather.library.parse.tables.marks import Segment, Token, segment_of_marks
from ingather.library.table import Box

# In sizes of type. A blank is 0.25 to 0.32 wide; letters of a word are kerned by less than 0.15.
_BLANK = 0.18

# In sizes of type: a sign of arithmetic is set apart from its figures by hair spaces, and is kerned with none of them.
_HAIR = 0.045
_SIGNS = frozenset("=<>\u00b1\u2264\u2265\u00d7\u2248")

# In sizes of type. Two cells of a line stand further apart than two words of a cell.
CELL_GAP = 0.45

# In sizes of type: the ink of two words of most type stands no further apart where no line is filled up.
_USUAL_BLANK = 0.3

# In sizes of type: what stands further apart on a line may be another cell, and says nothing about blanks.
_WIDEST_BLANK = 0.75

# So many blanks of a type tell how wide it sets them. Lines that are filled up have wider ones, so a low one counts.
_LEAST_BLANKS = 12
_LOW = 0.2

# In sizes of type: how far words of one line stand from each other: a raised mark
# in one cell pushes its words below those of the next. Lines of a cell stand at least twice as far apart.
_SAME_LINE = 0.42

# In sizes of type: a mark is raised or lowered by less, and the next line of a cell is further off.
_RAISED = 0.62

# A token is as large as its largest letters; sizes that differ by less than this factor are one size.
_LARGER = 1.05

# In sizes of type: what is raised or lowered by less stands on the line.
_LEAST_RAISE = 0.08

# Raised and lowered marks are set in type of at most this share of the type beside them: browsers take 0.83.
_SMALLER = 0.9

# A raised mark has no more characters; longer words in small type are text of their own.
_LONGEST_MARK = 8

# In points. Damaged files have type without size, and distances are told in sizes of type.
_LEAST_SIZE = 0.1


def tokens_of(
    glyphs: Glyphs,
    kept: list[int],
    upright: list[Box | None],
    loose: list[Box | None],
    bases: dict[int, float],
    fonts: dict[int, str],
) -> list[Token]:
    """Words of the characters `kept`, whose ink stands in `upright` and whose lines are as high as `loose` says.

    `bases` has the height that the letters of a run of text stand on, where it is known.
    """
    writer = _TokenWriter()
    is_blank = True
    chars, owners = glyphs.chars, glyphs.owners
    for index in kept:
        ink, line = upright[index], loose[index]
        char = chars[index]
        if ink is None or line is None or char.isspace():
            # PDFium makes up line breaks before raised marks; whether there is a blank is seen by the distance.
            is_blank = is_blank or char != "\n"
            continue
        owner = owners[index]
        paint = glyphs.paints[owner]
        base = bases.get(owner, line[3])
        size = max(abs(paint.size), _LEAST_SIZE)
        is_apart = writer.is_apart(char, line, base, size)
        if is_blank or is_apart:
            writer.close()
        if not writer.text:
            writer.open(ink, base, size, paint, fonts[owner], has_blank=is_blank or is_apart)
        else:
            writer.widen(ink, base, size, paint, fonts[owner])
        writer.text.append(char)
        writer.end = line[2]
        is_blank = False
    writer.close()
    return tokens_with_blanks_known(_tokens_with_marks_settled(writer.found))


def tokens_with_blanks_known(tokens: list[Token]) -> list[Token]:
    """Words of types that set wide blanks, with how wide they are."""
    blanks: dict[str, list[float]] = {}
    for one, other in pairwise(tokens):
        gap = (other.box[0] - one.box[2]) / other.size
        is_beside = other.has_blank_before and one.base == other.base and one.font == other.font
        if is_beside and _BLANK < gap < _WIDEST_BLANK:
            blanks.setdefault(other.font, []).append(gap)
    wide = {
        font: round(extra, 2)
        for font, gaps in blanks.items()
        if len(gaps) >= _LEAST_BLANKS and (extra := sorted(gaps)[int(_LOW * len(gaps))] - _USUAL_BLANK) > 0
    }
    if not wide:
        return tokens
    of_family = {_font_family_of_tokens(font): extra for font, extra in wide.items()}
    for font in {token.font for token in tokens if len(blanks.get(token.font, ())) < _LEAST_BLANKS}:
        if _font_family_of_tokens(font) in of_family:
            wide[font] = of_family[_font_family_of_tokens(font)]
    return [replace(t, wide_blank=wide[t.font]) if t.font in wide else t for t in tokens]


def _font_family_of_tokens(font: str) -> str:
    """The name of a font without the mark of a part of it, and without its weight: `ABCDEF+Name-Bold`."""
    return font.rpartition("+")[2].partition("-")[0]


class _TokenWriter:
    """The token that is being put together, and those that are done."""

    def __init__(self) -> None:
        self.found: list[Token] = []
        self.text: list[str] = []
        self.end = 0.0
        self._box: Box = (0.0, 0.0, 0.0, 0.0)
        self._base = self._size = 0.0
        self._font = ""
        self._colour = (0, 0, 0)
        self._has_blank = True
        self._is_marked = False

    def is_apart(self, char: str, line: Box, base: float, size: float) -> bool:
        """Whether a character stands away from the last one, by the widths that its font says.

        The ink of a narrow letter is far from that of the next; their widths meet.
        """
        if not self.text:
            return False
        gap, most = line[0] - self.end, max(self._size, size)
        least = _HAIR if (char in _SIGNS) != (self.text[-1] in _SIGNS) else _BLANK
        return gap > least * most or gap < -2 * size or abs(base - self._base) >= _RAISED * most

    def open(self, ink: Box, base: float, size: float, paint: Paint, font: str, *, has_blank: bool) -> None:
        self._box, self._base, self._size, self._font = ink, base, size, font
        self._colour, self._has_blank, self._is_marked = paint.colour, has_blank, False

    def widen(self, ink: Box, base: float, size: float, paint: Paint, font: str) -> None:
        box = self._box
        self._box = (min(box[0], ink[0]), min(box[1], ink[1]), max(box[2], ink[2]), max(box[3], ink[3]))
        self._is_marked = self._is_marked or abs(base - self._base) > _LEAST_RAISE * self._size
        if size > _LARGER * self._size:
            self._base, self._size, self._font, self._colour = base, size, font, paint.colour

    def close(self) -> None:
        if self.text:
            text = "".join(self.text)
            self.found.append(
                Token(
                    text, self._box, self._base, self._size, self._font, self._has_blank, self._colour, self._is_marked
                )
            )
            self.text.clear()


def _tokens_with_marks_settled(tokens: list[Token]) -> list[Token]:
    """Raised and lowered marks that stand apart get the line of the word beside them."""
    if not tokens:
        return tokens
    usual = median(token.size for token in tokens)
    by_base = sorted(tokens, key=lambda token: token.base)
    bases = [token.base for token in by_base]
    found = list(tokens)
    for index, token in enumerate(tokens):
        if len(token.text) > _LONGEST_MARK:
            continue
        beside = (*tokens[max(index - 2, 0) : index][::-1], *tokens[index + 1 : index + 3])
        host = next((other for other in beside if _is_host_token(other, token)), None)
        if host is None and token.size <= _SMALLER * usual:
            # Some programs draw marks after everything else.
            reach = 2 * _RAISED * usual
            near = by_base[bisect_left(bases, token.base - reach) : bisect_right(bases, token.base + reach)]
            host = next((other for other in near if _is_host_token(other, token)), None)
        if host is not None:
            gap = token.box[0] - host.box[2]
            has_blank = token.has_blank_before and not -_BLANK * host.size < gap < _BLANK * host.size
            found[index] = replace(token, base=host.base, has_blank_before=has_blank, is_marked=True)
    return found


def _is_host_token(host: Token, mark: Token) -> bool:
    gap = max(mark.box[0] - host.box[2], host.box[0] - mark.box[2])
    return (
        mark.size <= _SMALLER * host.size
        and gap < CELL_GAP * host.size
        and abs(mark.base - host.base) < _RAISED * host.size
    )


def lines_of_tokens(tokens: list[Token]) -> list[list[Token]]:
    """Words line by line from the top, each line from the left."""
    lines: list[list[Token]] = []
    base = 0.0
    for token in sorted(tokens, key=lambda token: token.base):
        if lines and token.base - base <= _SAME_LINE * token.size:
            lines[-1].append(token)
        else:
            lines.append([token])
            base = token.base
    for line in lines:
        line.sort(key=lambda token: token.box[0])
    return lines


def segments_of_tokens(line: list[Token], gap: float = CELL_GAP) -> list[Segment]:
    """A line cut where white space is wider than between words; `gap` in parts of the size of type."""
    found: list[list[Token]] = []
    right = 0.0
    for token in line:
        if found and token.box[0] - right <= (gap + token.wide_blank) * max(token.size, found[-1][-1].size):
            found[-1].append(token)
            right = max(right, token.box[2])
        else:
            found.append([token])
            right = token.box[2]
    return [segment_of_marks(tokens) for tokens in found]
