"""Words, and the segments of lines they make."""

from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.tables.marks import Segment, Word, segment_of
from ingather.library.table import Box

# Of the size of type. A blank is 0.25 to 0.32 wide; letters of a word are kerned by less than 0.15.
_BLANK = 0.18

# Of the size of type. Two cells of a line stand further apart than two words of a cell.
CELL_GAP = 0.45

# Of the size of type: how far the lower edges of words on one line may differ, where fonts are mixed.
_SAME_LINE = 0.33

# Raised and lowered marks are set smaller than this share of the type around them.
SMALL = 0.8


def words_of(
    glyphs: Glyphs, kept: list[int], upright: list[Box | None], loose: list[Box | None], fonts: dict[int, str]
) -> list[Word]:
    """Words of the characters `kept`, whose ink stands in `upright` and whose lines are as high as `loose` says."""
    found: list[Word] = []
    text: list[str] = []
    box = (0.0, 0.0, 0.0, 0.0)
    base = size = end = 0.0
    owner = 0
    is_blank, starts_after_blank = True, True
    paints, chars, owners = glyphs.paints, glyphs.chars, glyphs.owners

    def close() -> None:
        if text:
            found.append(Word("".join(text), box, base, size, fonts.get(owner, ""), starts_after_blank))
            text.clear()

    for index in kept:
        ink, line = upright[index], loose[index]
        char = chars[index]
        if ink is None or line is None or char.isspace():
            is_blank = True
            continue
        own_size = paints[owners[index]].size
        if text:
            # By the widths that the font says: the ink of a narrow letter is far from that of the next.
            gap = line[0] - end
            is_level = line[1] < box[3] and line[3] > box[1] and abs(line[3] - base) < 0.75 * max(size, own_size)
            if is_blank or not is_level or gap > _BLANK * max(size, own_size) or gap < -2 * own_size:
                is_blank = is_blank or gap > _BLANK * max(size, own_size)
                close()
        end = line[2]
        if not text:
            box, base, size, owner = ink, line[3], own_size, owners[index]
            starts_after_blank, is_blank = is_blank, False
        else:
            box = (min(box[0], ink[0]), min(box[1], ink[1]), max(box[2], ink[2]), max(box[3], ink[3]))
            if own_size > 1.2 * size:
                base, size, owner = line[3], own_size, owners[index]
        text.append(char)
    close()
    return found


def lines_of(words: list[Word]) -> list[list[Word]]:
    """Words line by line from the top, each line from the left. Raised and lowered marks go with their line."""
    if not words:
        return []
    sizes = sorted(word.size for word in words)
    usual = sizes[len(sizes) // 2]
    full = sorted((word for word in words if word.size >= SMALL * usual), key=lambda word: word.base)
    small = [word for word in words if word.size < SMALL * usual]
    lines: list[list[Word]] = []
    bases: list[float] = []
    for word in full:
        if lines and word.base - bases[-1] <= _SAME_LINE * min(word.size, usual * 1.3):
            lines[-1].append(word)
        else:
            lines.append([word])
            bases.append(word.base)
    alone = [word for word in small if not _put_small(word, lines, bases)]
    if alone:
        lines += lines_of(alone)
        lines.sort(key=lambda line: max(word.base for word in line))
    for line in lines:
        line.sort(key=lambda word: word.box[0])
    return lines


def _put_small(word: Word, lines: list[list[Word]], bases: list[float]) -> bool:
    """Adds a mark to the line whose words it touches, if there is one."""
    best, least = None, 0.0
    for line, base in zip(lines, bases, strict=True):
        if abs(base - word.base) > 2 * line[0].size:
            continue
        for other in line:
            if other.size < word.size * 1.1:
                continue
            gap = max(word.box[0] - other.box[2], other.box[0] - word.box[2])
            overlap = min(word.box[3], other.base) - max(word.box[1], other.base - 1.25 * other.size)
            if gap < CELL_GAP * other.size and overlap > least:
                best, least = line, overlap
    if best is not None:
        best.append(word)
    return best is not None


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
