"""What a page gives the reader of tables: words, ruled lines and shaded areas, in points from the top left corner."""

from dataclasses import dataclass, field
from statistics import median

from ingather.library.table import Box


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a blank between them. `box` encloses their ink; `base` is the height their line stands on."""

    text: str
    box: Box
    base: float
    size: float
    font: str
    has_blank_before: bool
    colour: tuple[int, int, int] = (0, 0, 0)
    is_marked: bool = False
    """A raised or lowered mark is part of it, or it is one."""

    @property
    def is_bold(self) -> bool:
        name = self.font.lower()
        return "bold" in name or "black" in name or "heavy" in name

    @property
    def is_italic(self) -> bool:
        name = self.font.lower()
        return "italic" in name or "oblique" in name


@dataclass(slots=True)
class Segment:
    """Words of one line with no more than blanks between them."""

    words: list[Word]
    left: float
    right: float
    top: float
    bottom: float
    base: float
    size: float

    @property
    def text(self) -> str:
        return joined(self.words)

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def is_marked(self) -> bool:
        return any(word.is_marked for word in self.words)


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line: at `at`, from `start` to `end`. `joints` are where the pieces meet that it was drawn in."""

    at: float
    start: float
    end: float
    joints: tuple[float, ...] = ()

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Shade:
    """A filled rectangle in a colour that is not white."""

    box: Box
    colour: tuple[int, int, int]


@dataclass(slots=True, kw_only=True)
class Sheet:
    """One page, or the part of one page whose text is turned alike, made upright."""

    page: int
    width: float
    height: float
    words: list[Word]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)
    shades: list[Shade] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)


def segment_of(words: list[Word]) -> Segment:
    """One segment of words in their order from the left."""
    sizes = [word.size for word in words]
    most = max(sizes)
    full = [word for word in words if word.size >= 0.8 * most] or words
    return Segment(
        words=words,
        left=min(word.box[0] for word in words),
        right=max(word.box[2] for word in words),
        top=min(word.box[1] for word in words),
        bottom=max(word.box[3] for word in words),
        base=median(word.base for word in full),
        size=most,
    )


def joined(words: list[Word]) -> str:
    """The text of words that stand beside each other."""
    parts: list[str] = []
    for word in words:
        if parts and word.has_blank_before:
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def enclosing(boxes: list[Box]) -> Box | None:
    if not boxes:
        return None
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
