"""Plain text and Markdown: pages at form feeds, or else at paragraphs every few thousand characters."""

import codecs
import re

from ingather.library.parse.clean import SHAPELESS, clean_text
from ingather.library.parse.failure import Unread
from ingather.library.parse.limits import PARSER, Limits
from ingather.library.parse.tables.markup import tables_of_text
from ingather.library.reading import Hidden, Page, Problem, Reading
from ingather.notice import notice

# Characters of a page of plain text, as many as a printed page holds. Findings name pages, so people look them up.
PAGE_LENGTH = 3_000
SHAPELESS_REASON = "characters without a shape"

_BOUNDARIES = (re.compile(r"\n[ ]*\n+"), re.compile(r"\n"), re.compile(r"(?<=[.!?。！？])\s*"), re.compile(r" "))  # noqa: RUF001


def decoded_plain_text(data: bytes) -> str | None:
    """The text in the bytes, or None if they are no text. UTF-16 only where its mark says so."""
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            text = data.decode("utf-16")
        else:
            text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def removed_from_plain_text(count: int) -> str:
    return f"Hidden text removed ({count:,} character{'' if count == 1 else 's'})."


def read_plain_text(data: bytes, limits: Limits) -> Reading:
    """The pages of a text file. Their characters have no place."""
    text = decoded_plain_text(data)
    if text is None:
        raise Unread(
            Problem.UNREADABLE,
            notice(
                "file.file_neither_pdf_nor_text",
                "This file is neither a PDF nor text in UTF-8. Save it as PDF, or as text with the encoding UTF-8.",
            ),
        )
    if len(text) > limits.characters:
        raise Unread(
            Problem.TOO_BIG,
            notice(
                "file.text_characters_most_read_split",
                "This text has {count} characters; at most {most} are read. Split it into parts.",
                count=f"{len(text):,}",
                most=f"{limits.characters:,}",
            ),
        )
    pages, hidden = _plain_pages(text)
    if not any(page.text.strip() for page in pages):
        raise Unread(
            Problem.UNREADABLE,
            notice("file.text_file_holds_nothing_but", "This text file holds nothing but blanks. Choose another file."),
        )
    if len(pages) > limits.pages:
        raise Unread(
            Problem.TOO_MANY_PAGES,
            notice(
                "file.text_gives_pages_most_read",
                "This text gives {count} pages; at most {most} are read. Split it into parts.",
                count=f"{len(pages):,}",
                most=f"{limits.pages:,}",
            ),
        )
    count = sum(len(run.text) for run in hidden)
    notes = (removed_from_plain_text(count),) if count else ()
    tables = tables_of_text([page.text for page in pages])
    return Reading(parser=PARSER, pages=tuple(pages), hidden=tuple(hidden), notes=notes, tables=tables)


def _plain_pages(text: str) -> tuple[list[Page], list[Hidden]]:
    pages, hidden = [], []
    for number, raw in enumerate(split_plain_text(text)):
        page = clean_text(raw)
        if unseen := "".join(SHAPELESS.findall(page)):
            hidden.append(Hidden(page=number, text=unseen, reason=SHAPELESS_REASON))
        page = SHAPELESS.sub("", page)
        pages.append(Page(text=page, width=0.0, height=0.0, boxes=bytes(8 * len(page))))
    return pages, hidden


def split_plain_text(text: str) -> list[str]:
    """Cuts a text into pages; put together they are the text, save for form feeds."""
    if "\f" in text:
        return text.removesuffix("\f").split("\f")
    pages, at = [], 0
    while len(text) - at > PAGE_LENGTH * 3 // 2:
        cut = _cut_of_plain_page(text, at)
        pages.append(text[at:cut])
        at = cut
    return [*pages, text[at:]]


def _cut_of_plain_page(text: str, at: int) -> int:
    """The last paragraph's end before a page is full; failing that a line's, a sentence's, a word's."""
    low, high = at + PAGE_LENGTH // 2, at + PAGE_LENGTH
    for boundary in _BOUNDARIES:
        ends = [found.end() for found in boundary.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high
