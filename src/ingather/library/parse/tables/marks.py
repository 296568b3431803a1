"""What a page gives the reader of tables: words, ruled lines and shaded areas, in points from the top left corner."""

from dataclasses import dataclass, field
from statistics import median

from ingather.library.table import Box


@dataclass(frozen=True, slots=True)
class Token:
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
    wide_blank: float = 0.0
    """By how much, in sizes of type, the blanks of its type are wider than those of most type."""

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

    tokens: list[Token]
    left: float
    right: float
    top: float
    bottom: float
    base: float
    size: float

    @property
    def text(self) -> str:
        return text_of_marks(self.tokens)

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def is_marked(self) -> bool:
        return any(token.is_marked for token in self.tokens)


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
    tokens: list[Token]
    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)
    shades: list[Shade] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)


def segment_of_marks(tokens: list[Token]) -> Segment:
    """One segment of words in their order from the left."""
    sizes = [token.size for token in tokens]
    most = max(sizes)
    full = [token for token in tokens if token.size >= 0.8 * most] or tokens
    return Segment(
        tokens=tokens,
        left=min(token.box[0] for token in tokens),
        right=max(token.box[2] for token in tokens),
        top=min(token.box[1] for token in tokens),
        bottom=max(token.box[3] for token in tokens),
        base=median(token.base for token in full),
        size=most,
    )


def text_of_marks(tokens: list[Token]) -> str:
    """The text of words that stand beside each other."""
    parts: list[str] = []
    for token in tokens:
        if parts and token.has_blank_before:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def box_enclosing_marks(boxes: list[Box]) -> Box | None:
    if not boxes:
        return None
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
