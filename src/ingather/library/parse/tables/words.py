"""Words, and the segments of lines they make."""

from bisect import bisect_left, bisect_right
from dataclasses import replace
from statistics import median

from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.tables.marks import Segment, Word, segment_of
from ingather.library.table import Box

# Of the size of type. A blank is 0.25 to 0.32 wide; letters of a word are kerned by less than 0.15.
_BLANK = 0.18

# Of the size of type. Two cells of a line stand further apart than two words of a cell.
CELL_GAP = 0.45

# Of the size of type: how far words of one line stand from each other: a raised mark
# in one cell pushes its words below those of the next. Lines of a cell stand at least twice as far apart.
_SAME_LINE = 0.42

# Of the size of type: a mark is raised or lowered by less, and the next line of a cell is further off.
_RAISED = 0.62

# Of the size of type: what is raised or lowered by less stands on the line.
_LEAST_RAISE = 0.08

# Raised and lowered marks are set in type of at most this share of the type beside them: browsers take 0.83.
_SMALLER = 0.9

# A raised mark has no more characters; longer words in small type are text of their own.
_LONGEST_MARK = 8


def words_of(
    glyphs: Glyphs,
    kept: list[int],
    upright: list[Box | None],
    loose: list[Box | None],
    bases: dict[int, float],
    fonts: dict[int, str],
) -> list[Word]:
    """Words of the characters `kept`, whose ink stands in `upright` and whose lines are as high as `loose` says.

    `bases` has the height that the letters of a run of text stand on, where it is known.
    """
    found: list[Word] = []
    text: list[str] = []
    box = (0.0, 0.0, 0.0, 0.0)
    base = size = end = 0.0
    owner = 0
    is_blank, starts_after_blank, is_marked = True, True, False
    paints, chars, owners = glyphs.paints, glyphs.chars, glyphs.owners

    def close() -> None:
        if text:
            paint = paints[owner]
            found.append(
                Word("".join(text), box, base, size, fonts[owner], starts_after_blank, paint.colour, is_marked)
            )
            text.clear()

    for index in kept:
        ink, line = upright[index], loose[index]
        char = chars[index]
        if ink is None or line is None or char.isspace():
            # PDFium makes up line breaks before raised marks; whether there is a blank is seen by the distance.
            is_blank = is_blank or char != "\n"
            continue
        own = owners[index]
        own_size = paints[own].size
        own_base = bases.get(own, line[3])
        if text:
            # By the widths that the font says: the ink of a narrow letter is far from that of the next.
            gap = line[0] - end
            most = max(size, own_size)
            is_level = abs(own_base - base) < _RAISED * most
            is_apart = gap > _BLANK * most or gap < -2 * own_size or not is_level
            if is_blank or is_apart:
                is_blank = is_blank or is_apart
                close()
        end = line[2]
        if not text:
            box, base, size, owner = ink, own_base, own_size, own
            starts_after_blank, is_blank, is_marked = is_blank, False, False
        else:
            is_marked = is_marked or abs(own_base - base) > _LEAST_RAISE * size
            box = (min(box[0], ink[0]), min(box[1], ink[1]), max(box[2], ink[2]), max(box[3], ink[3]))
            if own_size > 1.05 * size:
                base, size, owner = own_base, own_size, own
        text.append(char)
    close()
    return _with_marks_settled(found)


def _with_marks_settled(words: list[Word]) -> list[Word]:
    """Raised and lowered marks that stand apart get the line of the word beside them."""
    if not words:
        return words
    usual = median(word.size for word in words)
    by_base = sorted(words, key=lambda word: word.base)
    bases = [word.base for word in by_base]
    found = list(words)
    for index, word in enumerate(words):
        if len(word.text) > _LONGEST_MARK:
            continue
        beside = (*words[max(index - 2, 0) : index][::-1], *words[index + 1 : index + 3])
        host = next((other for other in beside if _is_host(other, word)), None)
        if host is None and word.size <= _SMALLER * usual:
            # Some programs draw marks after everything else.
            reach = 2 * _RAISED * usual
            near = by_base[bisect_left(bases, word.base - reach) : bisect_right(bases, word.base + reach)]
            host = next((other for other in near if _is_host(other, word)), None)
        if host is not None:
            gap = word.box[0] - host.box[2]
            has_blank = word.has_blank_before and not -_BLANK * host.size < gap < _BLANK * host.size
            found[index] = replace(word, base=host.base, has_blank_before=has_blank, is_marked=True)
    return found


def _is_host(host: Word, mark: Word) -> bool:
    gap = max(mark.box[0] - host.box[2], host.box[0] - mark.box[2])
    return (
        mark.size <= _SMALLER * host.size
        and gap < CELL_GAP * host.size
        and abs(mark.base - host.base) < _RAISED * host.size
    )


def lines_of(words: list[Word]) -> list[list[Word]]:
    """Words line by line from the top, each line from the left."""
    lines: list[list[Word]] = []
    base = 0.0
    for word in sorted(words, key=lambda word: word.base):
        if lines and word.base - base <= _SAME_LINE * word.size:
            lines[-1].append(word)
        else:
            lines.append([word])
            base = word.base
    for line in lines:
        line.sort(key=lambda word: word.box[0])
    return lines


def segments_of(line: list[Word], gap: float = CELL_GAP) -> list[Segment]:
    """A line cut where white space is wider than between words; `gap` in parts of the size of type."""
    found: list[list[Word]] = []
    right = 0.0
    for word in line:
        if found and word.box[0] - right <= gap * max(word.size, found[-1][-1].size):
            found[-1].append(word)
            right = max(right, word.box[2])
        else:
            found.append([word])
            right = word.box[2]
    return [segment_of(words) for words in found]
