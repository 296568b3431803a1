"""The authors of a paper, in the order in which its first page names them."""

import re
from collections.abc import Iterator
from typing import Final

from ingather.extraction.rules.hits import rx
from ingather.extraction.rules.plain_text import plain_text
from ingather.extraction.rules.title import is_authors

# Names stand near the top. Further down they are those of cited papers, or of a committee.
_FIRST_LINES: Final = 40
# A paper has a list of names that runs over a few lines; what is longer is a committee.
_MOST_LINES: Final = 12
# Names of one paper that are kept: the first ones tell whose it is.
MOST_AUTHORS: Final = 30

_MARKS: Final = re.compile(
    r"[\d*†‡§¶#|]+(?:\s?,\s?[\d*†‡§¶#a-d]+)*|\(\s*\)|(?<=[a-z])[\u00b9\u00b2\u00b3\u2070-\u2079]+"
)
_DEGREES: Final = rx(
    r",? ?\b(?:M\.?D\.?|Ph\.?D\.?|M\.?Sc|B\.?Sc|M\.?P\.?H|R\.?N|F\.?R\.?C\.?P|M\.?S|B\.?S|Dr\.?|Prof\.?|FACC|MBBS"
    r"|MRCP|M\.?A|Sc\.?D"
    r"|Dr\.?P\.?H|Pharm\.?D|D\.?Phil|MB|ChB|FRCS)\b\.?"
)
_SPLIT: Final = re.compile(r"\s*(?:,|;|&|\band\b|·|•|、|\uff0c)\s*")
_GROUP: Final = rx(r"\b(?:for|on behalf of|and) the\b.*$")
_NAME: Final = re.compile(r"(?:[^\W\d_][\w'\u2019.-]*\s?){1,5}|[\u4e00-\u9fff]{2,4}")
# Names are not sentences: none of these stands in one.
_SENTENCE: Final = rx(
    r"\b(?:of|the|in|with|by|from|to|we|was|were|is|university|department|hospital|school|institute|journal|received"
    r"|published|abstract|background|trial|study|effects?)\b"
)
_ABSTRACT: Final = rx(r"^(?:abstract|background|objectives?|introduction|summary|purpose|aims?|摘要)\b")


def authors(page: str, title: str = "") -> list[str]:
    """The names on the first page, below the title where that is known; none where no line is a list of names."""
    lines = [plain_text(line, 0, len(line)).text for line in page.splitlines()[:_FIRST_LINES]]
    for start in range(_below(lines, title), len(lines)):
        if _ABSTRACT.match(lines[start]):
            return []
        if _is_name_list(lines[start]):
            return list(_names(lines, start))[:MOST_AUTHORS]
    return []


def _below(lines: list[str], title: str) -> int:
    """The line below the title; the second one where nobody knows the title."""
    bare = re.sub(r"\W", "", title).casefold()
    seen = ""
    for number, line in enumerate(lines):
        part = re.sub(r"\W", "", line).casefold()
        if part and bare and part in bare:
            seen += part
        elif seen:
            return number
    return 0 if bare else 1


def _without_marks(line: str) -> str:
    return _GROUP.sub("", _DEGREES.sub("", _MARKS.sub(" ", line))).strip(" ,;")


def _is_name_list(line: str) -> bool:
    bare = _without_marks(line)
    if _SENTENCE.search(bare) or len(bare) < 4:
        return False
    names = [name for name in _SPLIT.split(bare) if name]
    has_several = len(names) > 1 or len(re.findall(r"[^\W\d_]{2,}", bare)) in {2, 3, 4}
    return has_several and (is_authors(" and ".join(names)) or sum(map(_is_name, names)) > 0.8 * len(names))


def _is_name(text: str) -> bool:
    parts = text.split()
    return _NAME.fullmatch(text) is not None and len(parts) > 1 and parts[0][:1].isupper() and parts[-1][:1].isupper()


def _names(lines: list[str], start: int) -> Iterator[str]:
    """The names of the list that begins on that line; it goes on as long as a line ends in the middle of it."""
    text = ""
    for line in lines[start : start + _MOST_LINES]:
        if text and not (_is_name_list(line) or text.rstrip().endswith((",", " and", "-", "&"))):
            break
        if _ABSTRACT.match(line) or (text and _SENTENCE.search(_without_marks(line))):
            break
        text = f"{text} {line}"
        if not line.rstrip().endswith((",", " and", "&")) and text.count(",") > 1 and line.rstrip().endswith("."):
            break
    for name in _SPLIT.split(_without_marks(text)):
        found = " ".join(name.split())
        if found and _NAME.fullmatch(found) and len(found) < 60:
            yield found
