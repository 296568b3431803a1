"""Where the caption of a table begins, and its lines."""

import re
from dataclasses import dataclass

from ingather.library.parse.tables.marks import Rule, Segment, text_of_marks

_NUMBER = r"(?:[A-Z]{0,2}[-.]?\d{1,3}(?:[.-]\d{1,2})?[A-Za-z]?|[IVX]{1,5}|[A-Z])"
TABLE = re.compile(
    r"^(?P<label>(?:(?:Supplement(?:ary|al)|Supporting|Appendix|Additional|Online|Web|Extended\s+Data)\s+)?"
    rf"(?:e?Tables?|TABLE|Tab\.|Tabelle|Tableau|Tabla|Tabela)[\s\u2010-\u2013-]*{_NUMBER})(?P<rest>$|[\s.:|,;\u2013\u2014\u2002\u2003(\uff1a].*)"
    r"|^(?P<label_only>T(?:able|ABLE))(?P<rest_only>\.(?:\s.*|$))"
    r"|^(?P<label_zh>[\u9644\u7eed\u7e8c]?\u8868\s*[A-Z]?\d{1,3}(?:[-.]\d{1,2})?)(?P<rest_zh>.*)"
)
FIGURE = re.compile(
    r"^(?:\[figure\]\s*)?(?:Figure|FIGURE|Fig\.|Box|Scheme|Panel)\s*[A-Z]?\d{1,3}\b|^\u56fe\s*\d|^\[figure\]"
)
CONTINUED = re.compile(
    r"\(?\b(?:continued|cont(?:inued)?\.|cont'd)\)?|\(?[\u7eed\u7e8c]\)?\s*$|^[\u7eed\u7e8c]\u8868", re.IGNORECASE
)

# The word of a label alone, and how far its number may stand from it, in sizes of type.
_LABEL_ALONE = re.compile(r"^(?:e?Tables?|TABLE|Tab\.|Tabelle|Tableau|Tabla|Tabela|[\u9644\u7eed\u7e8c]?\u8868)$")
_APART = 1.3

# The title may stand further from a whole label.
_APART_FROM_LABEL = 3.0

# After its number a caption goes on with a mark, a capital, a digit or another script; a sentence with a small letter.
_SENTENCE = re.compile(r"^[\s\u2002\u2003]*(?:\(|,|;|and\b|[a-z])")

# In sizes of type: how far below a line of a caption the next one may stand.
_PITCH = 1.75

# In sizes of type: how far below a caption a rule shows how wide it may be, and how long such a rule is at least.
_RULE_WITHIN = 14
_LEAST_WIDTH = 12

# A caption has no more lines than this.
_MOST_LINES = 14


@dataclass(slots=True)
class Caption:
    """The caption of a table: its label as printed, its text, its lines."""

    label: str
    lines: list[list[Segment]]
    is_continued: bool

    @property
    def left(self) -> float:
        return min(segment.left for line in self.lines for segment in line)

    @property
    def right(self) -> float:
        return max(segment.right for line in self.lines for segment in line)

    @property
    def top(self) -> float:
        return self.lines[0][0].top

    @property
    def bottom(self) -> float:
        return max(segment.bottom for segment in self.lines[-1])

    @property
    def size(self) -> float:
        return self.lines[0][0].size

    @property
    def text(self) -> str:
        return " ".join(text_of_marks([token for segment in line for token in segment.tokens]) for line in self.lines)


def caption_label_of(text: str) -> tuple[str, str] | None:
    """The label at the start of a text and what follows it, or None."""
    found = TABLE.match(text)
    if not found:
        return None
    kind = next(kind for kind in ("", "_only", "_zh") if found[f"label{kind}"])
    return " ".join(found[f"label{kind}"].split()), found[f"rest{kind}"]


def find_captions(lines: list[list[Segment]], across: list[Rule]) -> list[Caption]:
    """The captions of a page, from the top. `lines` are all lines of the page, cut into segments."""
    found = []
    for number, line in enumerate(lines):
        for place, segment in enumerate(line):
            whole = caption_label_of(segment.text)
            parts = whole or _caption_label_in_two(line[place : place + 2])
            if parts is None or (place and segment.left - line[place - 1].right < 1.2 * segment.size):
                continue
            # The text after the label may be set apart from it by a wide blank.
            following = place + (1 if whole else 2)
            rest = parts[1] or (line[following].text if following < len(line) else "")
            if not _begins_caption(segment, parts[0], rest) or _caption_is_in_paragraph(lines, number, segment):
                continue
            found.append(_whole_caption(lines, number, place, parts[0], across))
    return found


def _caption_label_in_two(segments: list[Segment]) -> tuple[str, str] | None:
    """The label whose word and number stand apart, as in a line that is filled up."""
    if len(segments) < 2 or not _LABEL_ALONE.match(segments[0].text):  # a word and its number
        return None
    first, number = segments
    return caption_label_of(f"{first.text} {number.text}") if number.left - first.right < _APART * first.size else None


def _begins_caption(segment: Segment, label: str, rest: str) -> bool:
    if not _SENTENCE.match(rest):
        return True
    # A small letter may follow where the label is set apart by its type, or is all there is.
    own = segment.tokens[0].font
    later = segment.tokens[len(label.split()) :]
    return rest.lstrip()[:1] == "(" or (segment.tokens[0].is_bold and bool(later) and later[0].font != own)


def _caption_is_in_paragraph(lines: list[list[Segment]], number: int, segment: Segment) -> bool:
    """Whether the line goes on with the text of the line above it, so that it only speaks of a table."""
    for line in reversed(lines[max(number - 3, 0) : number]):
        for above in line:
            pitch = segment.base - above.base
            if not 0 < pitch < 1.45 * segment.size or above.right < segment.left or above.left > segment.right:
                continue
            is_alike = abs(above.size - segment.size) < 0.05 * segment.size
            is_same_type = above.tokens[-1].font == segment.tokens[0].font
            if (
                is_alike
                and is_same_type
                and not segment.tokens[0].is_bold
                and above.right > segment.left + 8 * segment.size
            ):
                return True
    return False


def _whole_caption(lines: list[list[Segment]], number: int, place: int, label: str, across: list[Rule]) -> Caption:
    first = _own_segments_of_caption(lines[number], place)
    caption = Caption(label, [first], is_continued=False)
    left = first[0].left
    for line in lines[number + 1 :]:
        last = caption.lines[-1]
        size = first[0].size
        pitch = line[0].base - last[0].base
        if pitch > 3 * size or len(caption.lines) >= _MOST_LINES:
            break
        if len(lines[number]) == 1 and _is_title_below_label(caption, line, across):
            caption.lines.append(line)
            left = line[0].left
            continue
        near = [s for s in line if s.left > left - 1.5 * size and s.left < max(caption.right, left + 8 * size) + size]
        if not near or near[0].base - last[0].base < 0.5 * size:
            continue
        own = _own_segments_of_caption(line, line.index(near[0]))
        if not _caption_goes_on(caption, own, near, across):
            break
        caption.lines.append(own)
    caption.is_continued = bool(CONTINUED.search(caption.text))
    return caption


def _own_segments_of_caption(line: list[Segment], place: int) -> list[Segment]:
    """A segment and those after it on its line that stand too near to be another column."""
    own = [line[place]]
    label = caption_label_of(own[0].text)
    for segment in line[place + 1 :]:
        is_label = len(own) == 1 and label is not None and not label[1].strip(" .:|")
        if segment.left - own[-1].right > (_APART_FROM_LABEL if is_label else _APART) * segment.size:
            break
        own.append(segment)
    return own


def _caption_goes_on(caption: Caption, own: list[Segment], near: list[Segment], across: list[Rule]) -> bool:
    first, last = caption.lines[0], caption.lines[-1]
    size = first[0].size
    pitch = own[0].base - last[0].base
    usual = caption.lines[1][0].base - first[0].base if len(caption.lines) > 1 else _PITCH * size
    if pitch > min(usual * 1.15, _PITCH * size) or abs(own[0].size - size) > 0.06 * size:
        return False
    if len(near) > len(own) and near[len(own)].left < caption.right:
        return False
    if caption_label_of(own[0].text) or FIGURE.match(own[0].text) or not _is_aligned_with_caption(caption, own):
        return False
    if _caption_has_room(caption, own[0], across) and not _caption_label_is_alone(caption):
        return False
    low, high = last[0].base - 0.2 * size, own[0].base - 0.2 * size
    return not any(low < rule.at < high and rule.start < own[0].right and rule.end > own[0].left for rule in across)


def _caption_label_is_alone(caption: Caption) -> bool:
    """Whether the label has a line of its own, with the title below it."""
    return len(caption.lines) == 1 and len(caption.text.rstrip(" .:|")) <= len(caption.label)


def _is_title_below_label(caption: Caption, line: list[Segment], across: list[Rule]) -> bool:
    """Whether a line is the title of a table whose label stands alone in the middle of the line above."""
    label, title = caption.lines[0][0], line[0]
    if len(caption.lines) > 1 or len(line) > 1 or not _caption_label_is_alone(caption):
        return False
    if title.left > label.left - label.size or FIGURE.match(title.text) or caption_label_of(title.text):
        return False
    return 0.5 * label.size < title.base - label.base and not any(label.base < r.at < title.base for r in across)


def _is_aligned_with_caption(caption: Caption, own: list[Segment]) -> bool:
    """Whether a line begins where the caption does, or is centred as it is."""
    size = caption.size
    if abs(own[0].left - caption.lines[-1][0].left) <= 1.5 * size or abs(own[0].left - caption.left) <= 1.5 * size:
        return True
    middles = [(line[0].left + line[-1].right) / 2 for line in (caption.lines[-1], own)]
    return abs(middles[0] - middles[1]) <= size


def _caption_has_room(caption: Caption, segment: Segment, across: list[Rule]) -> bool:
    """Whether the first word of a line would have had room at the end of the caption: then it is not the caption's."""
    last = caption.lines[-1]
    below = [r for r in across if 0 < r.at - last[0].base < _RULE_WITHIN * segment.size and r.start < last[0].right]
    below = [rule for rule in below if rule.end > last[0].left and rule.length > _LEAST_WIDTH * segment.size]
    width = max([rule.length for rule in below], default=0.0)
    width = max(width, *(line[-1].right - line[0].left for line in caption.lines))
    token = segment.tokens[0]
    return last[-1].right - last[0].left + token.box[2] - token.box[0] + segment.size < width
