"""What is known of a file once it has been read: its pages, what was left out of them, or why there are none."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ingather.library.table import Table

# Ends the name of a parser that recognises text in pictures; raised when the same pictures would give another text.
OCR = "ocr-1"

# Begins the note of a reading in which signs beside numbers could not be read.
UNREAD_SIGNS = "Signs beside numbers could not be read"


class Problem(StrEnum):
    """Why a file gives no pages. All of them are for good: reading the same bytes again changes nothing."""

    ENCRYPTED = "encrypted"
    NO_TEXT_LAYER = "no_text_layer"
    NOT_A_PDF = "not_a_pdf"
    TRUNCATED = "truncated"
    TOO_BIG = "too_big"
    TOO_MANY_PAGES = "too_many_pages"
    DECOMPRESSION_LIMIT = "decompression_limit"
    TOO_SLOW = "too_slow"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: the text a reader sees, in reading order, and where each character of it stands.

    `boxes` holds four unsigned 16-bit numbers (little-endian) for each
    character of `text`: left, top, right and bottom, in quarter points from
    the top left corner. Four zeros: a character without a place, such as a
    line break, or any character of a plain text file.
    """

    text: str
    width: float
    height: float
    boxes: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Text that stands in the file but that no reader sees: white, tiny, invisible or off the page."""

    page: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file, read by one version of the parser. With a problem there are no pages, and `sentence` tells a person why.

    `notes` are remarks for people that do not stand in the way, such as that
    the file contains JavaScript.
    """

    parser: str
    problem: Problem | None = None
    sentence: str = ""
    pages: tuple[Page, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def has_unread_signs(self) -> bool:
        return names_unread_signs(self.notes)


def names_unread_signs(notes: Iterable[str]) -> bool:
    """Whether the notes of a reading say that signs beside numbers could not all be read."""
    return any(note.startswith(UNREAD_SIGNS) for note in notes)
