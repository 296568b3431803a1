"""BibTeX, read by bibtexparser, which goes on behind an entry that is broken. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block, DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

from ingather.extraction.references.reference import Reference, UnreadableReference, reference_of
from ingather.notice import notice

_BRACES: Final = re.compile(r"[{}]")
_ACCENT: Final = re.compile(r"\\([`'^\"~=.uvHcdbkr])\s*\{?\\?([A-Za-z])\}?")
_COMMAND: Final = re.compile(r"\\(?:textit|textbf|emph|textsuperscript|textsubscript|url|href)\s*")
_COMBINING: Final = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323", "b": "\u0331", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip
_LETTERS: Final = {r"\ss": "ß", r"\o": "ø", r"\O": "Ø", r"\ae": "æ", r"\AE": "Æ", r"\aa": "å", r"\AA": "Å", r"\l": "ł"}


def read(text: str) -> list[Reference | UnreadableReference]:
    library = parse_string(text)
    return list(_blocks(library.blocks))


def _blocks(blocks: Iterable[Block]) -> Iterable[Reference | UnreadableReference]:
    for block in blocks:
        if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock) and isinstance(
            block.ignore_error_block, Entry
        ):
            # A key twice, or a field twice, is no reason to lose a reference: nobody here uses keys.
            yield _reference(block.ignore_error_block, (block.start_line or 0) + 1)
        elif isinstance(block, ParsingFailedBlock):
            yield UnreadableReference(
                line=(block.start_line or 0) + 1,
                text=(block.raw or "")[:120].strip(),
                sentence=notice(
                    "references.entry_broken", "This entry is not closed, or lacks a comma or an equals sign."
                ),
            )
        elif isinstance(block, Entry):
            yield _reference(block, (block.start_line or 0) + 1)


def _reference(entry: Entry, line: int) -> Reference:
    fields = {name.casefold(): plain_text(str(field.value)) for name, field in entry.fields_dict.items()}

    def first(*names: str) -> str:
        return next((fields[name] for name in names if fields.get(name)), "")

    return reference_of(
        line,
        title=first("title"),
        authors=re.split(r"\s+and\s+", first("author")),
        year=first("year", "date"),
        doi=first("doi", "url"),
        pmid=first("pmid") or (first("eprint") if first("eprinttype") == "pubmed" else ""),
        journal=first("journal", "journaltitle", "booktitle"),
        abstract=first("abstract"),
        numbers=f"{first('note')} {first('annote')}",
        kind=f"{entry.entry_type} {first('howpublished')}",
    )


def plain_text(text: str) -> str:
    """A value without braces and commands, and with the letters that TeX writes as accents."""
    for command, letter in _LETTERS.items():
        text = re.sub(re.escape(command) + r"(?![A-Za-z])\s?", letter, text)
    text = _ACCENT.sub(lambda found: found[2] + _COMBINING[found[1]], text)
    bare = _BRACES.sub("", _COMMAND.sub("", text)).replace("~", " ").replace(r"\&", "&").replace(r"\%", "%")
    return unicodedata.normalize("NFC", bare)
