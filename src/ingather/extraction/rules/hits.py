"""What a pattern found, and how several finds become one answer."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Answer, State, Value
from ingather.extraction.rules.plain_text import LONGEST_QUOTE
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.notice import notice

NOT_LOOKED_FOR: Final = notice("rules.embedded_extractor_not_look", "The embedded extractor does not look for this.")
TOO_LONG: Final = notice("rules.longer_than_quote", "What the text says is longer than a quote may be. It stands here.")
DISAGREES: Final = notice("rules.text_gives_answer", "The text gives more than one answer.")

METHODS: Final = frozenset({"methods"})
STUDY: Final = frozenset({"abstract", "aim", "methods", "results", "conclusions", "body"})
STUDY_AND_END: Final = STUDY | {"end"}
ANYWHERE: Final = STUDY_AND_END | {"introduction", "discussion"}


# A line of a table of contents, a row of a table in Markdown, or a sentence that the foot of a page cuts in two.
_NO_PROSE: Final = re.compile(
    r"\.{5}|(?:\. ){5}|\|[^|]*\|[^|]*\|"
    r"|[*\u2020\u2021\u00a7\u2709] ?(?:Correspond(?:ing|ence)|E-?mail|Present address|These authors)\b"
    r"|(?<=[a-z,] )Corresponding author(?:s|\(s\))?:",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A value and the words it was read from. A lower rank is the better proof."""

    value: Value
    sentence: Sentence
    start: int = 0
    end: int | None = None
    rank: int = 0

    @property
    def terms(self) -> str:
        """The words found, made plain."""
        return self.sentence.text[self.start : self.end]

    @property
    def quote(self) -> str:
        return self.sentence.quote(self.start, self.end)


Reads = Callable[[re.Match[str]], Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Words that answer a field: what they look like, what they mean, where to look, and what else must stand there."""

    terms: re.Pattern[str]
    value: Value | Reads
    rank: int = 0
    parts: frozenset[str] = STUDY
    beside: re.Pattern[str] | None = None


def rx(terms: str) -> re.Pattern[str]:
    """A pattern in which case does not matter."""
    return re.compile(terms, re.IGNORECASE)


def prose(document: Document, parts: frozenset[str] = STUDY) -> Iterator[Sentence]:
    """The sentences of these parts of the paper, without rows of tables and without what is said of other studies."""
    for sentence in document.sentences:
        if sentence.is_row or sentence.is_about_others or sentence.part not in parts or _NO_PROSE.search(sentence.text):
            continue
        yield sentence


def findings(document: Document) -> Iterator[Sentence]:
    """The sentences that may give results: those of the abstract and of the results."""
    return (sentence for sentence in prose(document) if sentence.in_abstract or sentence.part in {"results", "body"})


def find(document: Document, patterns: Iterable[Pattern]) -> list[Hit]:
    """All that the patterns find, pattern by pattern and in the order of the text."""
    hits = []
    for pattern in patterns:
        for sentence in prose(document, pattern.parts):
            if pattern.beside is not None and not pattern.beside.search(sentence.text):
                continue
            for found in pattern.terms.finditer(sentence.text):
                value = pattern.value(found) if callable(pattern.value) else pattern.value
                if value is not None:
                    start, end = found.span()
                    hits.append(Hit(value=value, sentence=sentence, start=start, end=end, rank=pattern.rank))
    return hits


def reported(field: str, hit: Hit, row: str = "") -> Answer:
    """The answer that a hit gives. A text longer than a quote may be is none: the quote would not prove it."""
    if isinstance(hit.value, str) and len(hit.value) > LONGEST_QUOTE:
        return Answer(field=field, row=row, state=State.UNCLEAR, quote=hit.quote, page=hit.sentence.page, note=TOO_LONG)
    return Answer(field=field, row=row, state=State.REPORTED, value=hit.value, quote=hit.quote, page=hit.sentence.page)


def first(field: str, hits: Iterable[Hit], row: str = "") -> Answer:
    """The best hit, and of several the one that comes first. For answers in words, which no two sentences share."""
    ranked = sorted(hits, key=lambda hit: hit.rank)
    return reported(field, ranked[0], row) if ranked else not_reported(field, row)


def agreed(field: str, hits: Iterable[Hit], row: str = "") -> Answer:
    """What the best hits say, if they all say the same; otherwise it is unclear. For numbers, dates and choices."""
    ranked = sorted(hits, key=lambda hit: hit.rank)
    if not ranked:
        return not_reported(field, row)
    best = [hit for hit in ranked if hit.rank == ranked[0].rank]
    if any(hit.value != best[0].value for hit in best):
        return unclear(field, best[0], row)
    return reported(field, best[0], row)


def unclear(field: str, hit: Hit, row: str = "") -> Answer:
    """The text speaks of it, but not with one voice."""
    return Answer(field=field, row=row, state=State.UNCLEAR, quote=hit.quote, page=hit.sentence.page, note=DISAGREES)


def not_reported(field: str, row: str = "") -> Answer:
    """A rule looked for it and found nothing."""
    return Answer(field=field, row=row, state=State.NOT_REPORTED)
