"""What is read of a paper before questions about its numbers are answered: sentences, tables, short forms."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ingather.extraction.findings import DocumentArm
from ingather.extraction.numbers.label import label_of
from ingather.extraction.numbers.terms import ShortForms, terms_of, terms_of_short_forms, terms_with_known_forms
from ingather.extraction.numbers.view import TableView, numbers_view_of
from ingather.library.port import Box, Table

Place = Callable[[int, int, int], tuple[Box, ...]]
"""Where characters of a page stand: page, start and end to boxes."""


def nowhere_in_paper(page: int, start: int, end: int) -> tuple[Box, ...]:  # noqa: ARG001
    """The place of a text that has no pages."""
    return ()


@dataclass(frozen=True, slots=True)
class PageSentence:
    """A sentence of a page, from `start` to `end`, as it is printed but for line breaks."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class NumbersPaper:
    """The pages and tables of one paper. `place` says where characters of a page stand, where that is known.

    `known_arms` are those that a person has confirmed or mended: their names
    and roles come before what the words of labels say.
    """

    pages: Sequence[str]
    tables: Sequence[Table]
    place: Place = field(default=nowhere_in_paper)
    known_arms: Sequence[DocumentArm] = ()

    @cached_property
    def known_names(self) -> Mapping[tuple[str, ...], DocumentArm]:
        """The confirmed arms by the terms of each of their names."""
        return {core: arm for arm in self.known_arms for name in arm.names if (core := label_of(name).core)}

    @cached_property
    def views(self) -> tuple[TableView, ...]:
        return tuple(numbers_view_of(table) for table in self.tables if table.cells)

    @cached_property
    def sentences(self) -> tuple[PageSentence, ...]:
        return tuple(one for number, text in enumerate(self.pages) for one in _sentences_of_paper_page(number, text))

    @cached_property
    def short(self) -> ShortForms:
        notes = [note for table in self.tables for note in (table.caption, *table.footnotes)]
        return terms_of_short_forms(self.pages, notes)

    @cached_property
    def outcome_short(self) -> ShortForms:
        return terms_with_known_forms(self.short)

    @cached_property
    def label_terms(self) -> frozenset[str]:
        """The terms of all labels and captions of the tables, short forms written out."""
        texts = {label.text for view in self.views for entry in view.entries for label in entry.labels}
        texts |= {table.caption for table in self.tables}
        named = {text: terms_of(text) for text in texts}
        # The name in a name with a number, as in `VAS5`.
        coded = {term: (term.rstrip("0123456789"),) for terms in named.values() for term in terms if term[-1].isdigit()}
        return frozenset(
            term
            for terms in (*named.values(), *(name for name in coded.values() if name[0]))
            for term in self.outcome_short.written_out(terms)
        )

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Sentences that say how all numbers of the paper are given, such as `Data are presented as mean ± SD`."""
        return tuple(one.text for one in self.sentences if _STATEMENT.search(one.text))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The terms of the running text, by which the marks of footnotes behind words are told from their letters."""
        return frozenset(term for sentence in self.sentences for term in terms_of(sentence.text))


_STATEMENT: Final = re.compile(
    r"\bmeans?\b[^.;]{0,40}\b(?:standard deviations?|SDs?|S\.D\.|standard errors?|SEM?)\b[^.;]{0,60}"
    r"\b(?:reported|presented|given|shown|used|calculated|computed|expressed|summari[sz]e)\b|"
    r"\b(?:data|values|results|variables|statistics|parameters|measures?|outcomes"
    r"|characteristics)\b[^.;]{0,80}\b(?:are|were|is|was|been)\b[^.;]{0,40}"
    r"\b(?:presented|expressed|reported|given|shown|summari[sz]ed|described|displayed"
    r"|provided)\b[^.;]{0,100}\b(?:means?|averages?)\b",
    re.IGNORECASE,
)
# A full stop ends a sentence where a capital, a digit or a bracket follows. After these it does not.
_END: Final = re.compile(
    r"(?<![A-Z])(?<!\bvs)(?<!\bi\.e)(?<!\be\.g)(?<!\bFig)(?<!\bFigs)(?<!\bet al)(?<!\bNo)(?<!\bapprox)"
    r"(?:[.!?](?:\[[\d,\s-]+\])?|(?<!\d)\.\d{1,3})\s+(?=[A-Z(\d])|[。\uff1b]"
)
# Two line breaks, or one before a heading, end a sentence as well.
_BREAK: Final = re.compile(r"\n\s*\n")


def _sentences_of_paper_page(number: int, text: str) -> list[PageSentence]:
    found, start = [], 0
    ends = sorted({one.end() for pattern in (_END, _BREAK) for one in pattern.finditer(text)} | {len(text)})
    for end in ends:
        piece = text[start:end]
        if piece.strip():
            begin = start + len(piece) - len(piece.lstrip())
            stop = end - (len(piece) - len(piece.rstrip()))
            found.append(PageSentence(number, begin, stop, _paper_sentence_on_one_line(text[begin:stop])))
        start = end
    return found


def _paper_sentence_on_one_line(text: str) -> str:
    """A sentence on one line; a hyphen at the end of a line is taken back where a small letter goes on."""
    text = re.sub(r"[-\u00ad\u0002\ufffe]\s*\n\s*(?=[a-z])", "", text)
    return re.sub(r"\s+", " ", text)
