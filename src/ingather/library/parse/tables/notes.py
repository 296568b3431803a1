"""Footnotes of a table, each with its mark."""

import re

from ingather.library.parse.tables.marks import Segment, text_of_marks

# A line that begins so begins a footnote; others go on with the one above.
_MARK = re.compile(
    r"^(?:[*\u2020\u2021\u00a7\u00b6#\u2016]+|[a-h]\b|[0-9]\b|\([a-z0-9]\)|Notes?\b|Abbreviations?\b|Values\b|Data\b|\u6ce8)"
)


def begins_note(text: str) -> bool:
    """Whether a line begins as a footnote does."""
    return _MARK.match(text) is not None


def notes_of_table(lines: list[list[Segment]]) -> tuple[str, ...]:
    found: list[str] = []
    for line in lines:
        text = text_of_marks([token for segment in line for token in segment.tokens])
        if not found or begins_note(text):
            found.append(text)
        else:
            found[-1] += text if found[-1].endswith("-") else " " + text
    return tuple(found)
