"""The words of figures and flow charts, and captions: they stand among the lines of a page and are no sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ingather.extraction.rules.headings import heading

FIGURE: Final = "figure"

# A line is short below this share of the usual line of its page. Larger takes ends of paragraphs for words of a
# figure; smaller misses the boxes of flow charts in narrow columns.
_SHORT: Final = 0.72
# So many short lines in a row are words of a figure, if numbers stand in them. Fewer would be ends of paragraphs.
_LEAST_RUN: Final = 4
# A share of the lines of a run that must hold a number. Lists of names and of abbreviations hold fewer.
_NUMBERED: Final = 0.4
# A caption goes over at most so many lines; a longer one would take the prose below with it.
_LONGEST_CAPTION: Final = 12
_FEWEST_LINES: Final = 8  # a page with fewer has no usual length of a line

_CAPTION: Final = re.compile(
    r"(?:supplementary |online )?(?:fig(?:ure|\.)?|图|scheme|chart)\s?[A-Z]?\d{1,2}[A-Z]?"
    r"(?:[.:|\u2003\uff1a]|\s+(?=[A-Z\u4e00-\u9fff(])|\s*$)",
    re.IGNORECASE,
)
_TABLE: Final = re.compile(r"(?:table|表)\s?[0-9IVX]{0,4}(?:[.:\uff1a]|\s|$)", re.IGNORECASE)
_SUBHEADING: Final = re.compile(r"[A-Z][A-Za-z][^.;:,=%\d]{1,70}")
_COUNTED: Final = re.compile(r"\(?\b[nN]\s?=\s?\d")
_DIGIT: Final = re.compile(r"\d")
_SENTENCE: Final = re.compile(r"[a-z]{2,}[.;]$|[。\uff1b]|[\u4e00-\u9fff]\uff0c")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str


def is_figure_caption(line: str) -> bool:
    """Whether a line begins the caption of a figure. `Figure 2 shows` is a sentence."""
    found = _CAPTION.match(line.strip())
    return found is not None and (line.strip()[found.end() :][:1] == "" or not line.strip()[found.end()].islower())


def is_table_caption(line: str) -> bool:
    """Whether a line begins with the label of a table."""
    return _TABLE.match(line.strip()) is not None


def figure_lines(page: str) -> frozenset[int]:
    """Where the lines begin that are words of a figure or of its caption."""
    found = _figure_lines(page)
    usual = _usual_length(found)
    if not usual:
        return frozenset()
    return frozenset((*_figure_captions(found, usual), *_charts(found, usual)))


def subheading_lines(page: str) -> frozenset[int]:
    """Where the short lines begin that stand above a paragraph, end without a full stop, and hold no number."""
    found = _figure_lines(page)
    usual = _usual_length(found)
    return frozenset(
        line.start
        for line, below in pairwise(found)
        if len(line.text) < _SHORT * usual
        and _SUBHEADING.fullmatch(line.text)
        and below.text[:1].isupper()
        and len(below.text) > _SHORT * usual
    )


def _figure_lines(page: str) -> list[_Line]:
    """The lines of a page that are not blank."""
    found: list[_Line] = []
    start = 0
    for line in page.splitlines(keepends=True):
        if line.strip():
            found.append(_Line(start, line.strip()))
        start += len(line)
    return found


def _usual_length(lines: list[_Line]) -> int:
    """How long a full line of prose is: longer than three in four. Nothing on a page of few lines."""
    lengths = sorted(len(line.text) for line in lines if len(line.text) >= 20)
    return lengths[len(lengths) * 3 // 4] if len(lengths) >= _FEWEST_LINES else 0


def _figure_captions(lines: list[_Line], usual: int) -> Iterator[int]:
    n = 0
    while n < len(lines):
        if not is_figure_caption(lines[n].text):
            n += 1
            continue
        for last in range(n, min(n + _LONGEST_CAPTION, len(lines))):
            yield lines[last].start
            if lines[last].text.endswith(".") and len(lines[last].text) < 0.9 * usual:
                break
        n = last + 1


def _charts(lines: list[_Line], usual: int) -> Iterator[int]:
    """Runs of short lines of which many hold a number, and none ends a sentence."""
    run: list[_Line] = []
    for line in (*lines, _Line(-1, "x" * usual)):
        is_counted = _COUNTED.search(line.text) is not None and len(line.text) < usual
        if (len(line.text) < _SHORT * usual or is_counted) and not _is_text(line.text):
            run.append(line)
            continue
        # The rows of a table follow its caption and are read as such.
        table = next((n for n, one in enumerate(run) if is_table_caption(one.text)), len(run))
        if _is_chart(run[:table]):
            yield from (one.start for one in run[:table])
        run = []


def _is_text(line: str) -> bool:
    """Whether a short line is a heading or the end of a sentence."""
    return _SENTENCE.search(line) is not None or heading(line, in_abstract=False) is not None


def _is_chart(run: list[_Line]) -> bool:
    if len(run) < _LEAST_RUN:
        return False
    numbered = sum(_DIGIT.search(line.text) is not None for line in run)
    return numbered >= _NUMBERED * len(run)
