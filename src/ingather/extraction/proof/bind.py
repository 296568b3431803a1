"""Binding: whether a value whose quote stands in the paper is what its words say, and where. Pure.

The words of a quote being there proves nothing about the value. Here code
looks for the place of the value itself and for the words that make it this
value; what it does not find is `unbound`, with the reason.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from ingather.extraction.findings import Answer, Reason, Row, Span, Value
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof import enrolment
from ingather.extraction.proof.bound import Bound, Stretch, Subject, unbound
from ingather.extraction.proof.choice_binding import bind_choice
from ingather.extraction.proof.cues import Cues, cue_mentions, cues_of
from ingather.extraction.proof.date_binding import bind_date
from ingather.extraction.proof.figure_binding import FigureReader, bind_figure
from ingather.extraction.proof.outcome_labels import outcome_label_mentions
from ingather.extraction.proof.passage import QuotedPassage, quoted_passage
from ingather.extraction.proof.quantity_binding import bind_p_quantity, bind_quantity
from ingather.extraction.proof.row_subjects import RowSubjects
from ingather.extraction.proof.sections import Sections, section_speaks_of_others
from ingather.extraction.proof.text_binding import (
    text_has_misread_signs,
    text_is_from_question,
    text_is_no_answer,
    text_is_of_quote,
    text_made_of,
)
from ingather.extraction.template.model import Field, FieldType, Scope, Template

NUMBERS: Final = frozenset((FieldType.INT, FieldType.FLOAT, FieldType.PERCENT))
TEXTS: Final = frozenset((FieldType.TEXT, FieldType.LONGTEXT, FieldType.MULTI_TEXT, FieldType.ID))
# Rows whose label need not be named beside a choice: a risk of bias is judged of the study, not of the result.
_UNNAMED: Final = frozenset((Scope.STUDY, Scope.DOMAIN))
# A title stands in the first lines of the first page.
_TITLE_WITHIN: Final = 1_800
_FRONT_WITHIN: Final = 6_000
_MASTHEAD: Final = re.compile(
    r"(?i)\b(?:journal of|the journal|issn|vol(?:ume)?\.|doi|www\.|http|copyright|\u00a9|university|department of"
    r"|received|editor|original (?:article|research|investigation)|research article|open access|downloaded|all rights)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Where a value and its subject stand in the document, and why it is unbound, if it is."""

    value_spans: tuple[Span, ...] = ()
    subject_spans: tuple[Span, ...] = ()
    reason: Reason | None = None


class Binder:
    """Binds the values of one document. What was read of a quote is kept for all fields that share it."""

    def __init__(
        self, template: Template, pages: Sequence[str], rows: Sequence[Row], answers: Iterable[Answer],
        *, trusts_symbols: bool = True,
    ) -> None:  # fmt: skip
        self._template = template
        self._pages = pages
        self._sections = Sections(pages)
        self._rows = RowSubjects(pages, rows, answers)
        self._trusts_symbols = trusts_symbols
        self._readers: dict[tuple[Span, ...], FigureReader] = {}

    def bind(self, answer: Answer, spans: Sequence[Span]) -> Proof:
        """The proof of an answer whose quote stands at `spans`."""
        field = self._template.field(answer.field)
        reader = self._reader(tuple(spans))
        bound = self._bind(field, answer.value, answer.row, reader, spans)
        text = reader.passage
        return Proof(
            value_spans=tuple(span for one in bound.values for span in text.spans(*one)),
            subject_spans=tuple(span for one in bound.subjects for span in text.spans(*one)),
            reason=bound.reason,
        )

    def _reader(self, spans: tuple[Span, ...]) -> FigureReader:
        if spans not in self._readers:
            self._readers[spans] = FigureReader(quoted_passage(self._pages, self._sections, spans))
        return self._readers[spans]

    def _bind(self, field: Field, value: Value, row: str, reader: FigureReader, spans: Sequence[Span]) -> Bound:
        cues = cues_of(field)
        text = reader.passage
        if isinstance(value, str) and not field.options and (no_answer := text_is_no_answer(field, value)):
            return unbound(no_answer)
        if self._is_elsewhere(field, cues, text):
            return unbound(Reason.ELSEWHERE)
        subject = replace(self._rows.subject(row), trusts_symbols=self._trusts_symbols)
        subject = self._rows.in_table(subject, spans, text.quoted)
        values = value if isinstance(value, list) else [value]
        found = [self._bind_one(field, one, reader, cues, subject, is_only=len(values) == 1) for one in values]
        return _bind_together(found)

    def _bind_one(
        self, field: Field, value: Value, reader: FigureReader, cues: Cues, subject: Subject, *, is_only: bool
    ) -> Bound:
        text = reader.passage
        if field.options:
            bound = bind_choice(field, str(value), text, cues, is_only=is_only and field.type is FieldType.ENUM)
            return bound if bound.reason or field.scope in _UNNAMED else _bind_with_row(bound, text, subject)
        if field.type in NUMBERS and isinstance(value, int | float):
            return self._bind_number(field, Decimal(str(value)), reader, cues, subject)
        if field.type is FieldType.QUANTITY:
            return bind_quantity(field, str(value), reader, cues, subject)
        if field.type is FieldType.DATE:
            return bind_date(field, str(value), text, cues)
        if re.fullmatch(r"c_p|p_?value", field.id):
            return bind_p_quantity(str(value), reader, subject)
        return self._bind_text(field, str(value), text, cues, subject)

    def _bind_number(self, field: Field, value: Decimal, reader: FigureReader, cues: Cues, subject: Subject) -> Bound:
        bound = bind_figure(field, value, reader, cues, subject)
        if field.id != enrolment.FIELD or bound.reason not in {Reason.NO_CUE, Reason.OTHER_MEASURE}:
            return bound
        more = enrolment.with_enrolment(cues, self._pages, reader.passage)
        return bound if more is None else bind_figure(field, value, reader, more, subject)

    def _is_elsewhere(self, field: Field, cues: Cues, text: QuotedPassage) -> bool:
        """Whether the quote stands where a paper speaks of other papers, or not where this field is printed."""
        if text.is_reference:
            return field.id != "linked_reports"
        first = text.places[text.start] if text.start < len(text.places) else (0, 0)
        if cues.place == "title":
            return first[0] > 0 or first[1] > _TITLE_WITHIN or text.place.in_abstract
        if cues.place == "front":
            within = first[0] == 0 and (first[1] <= _FRONT_WITHIN or field.type is FieldType.ID)
            return not within and text.place.part not in {"front", "end"}
        start, end = text.sentence(text.start)[0], text.sentence(max(text.start, text.end - 1))[1]
        printed = " ".join(_quote_to_bind(self._pages, text, start, end))
        if cues.place == "anywhere" and text.place.part in {"introduction", "conclusions", "discussion", "aim"}:
            return False
        return section_speaks_of_others(printed, text.place)

    def _bind_text(self, field: Field, value: str, text: QuotedPassage, cues: Cues, subject: Subject) -> Bound:
        made = text_made_of(value, text.text, text.start, text.end)
        if not text_is_of_quote(field, made) or made.stretch is None:
            return unbound(Reason.ECHO if text_is_from_question(field, value) else Reason.PARAPHRASE)
        if text_has_misread_signs(value, trusts_symbols=subject.trusts_symbols):
            return unbound(Reason.SIGNS, made.stretch)
        if cues.place == "title" and (made.count < 3 or (made.count < 9 and _MASTHEAD.search(value))):
            return unbound(Reason.ELSEWHERE, made.stretch)
        if cues.place in {"title", "front"} or (field.type is FieldType.ID and _binds_as_code(value)):
            return Bound(values=(made.stretch,))
        speaks = _bind_to_field(cues, text, made.stretch, subject, field)
        if speaks is None:
            return unbound(Reason.NO_CUE, made.stretch)
        return Bound(values=(made.stretch,), subjects=speaks)


def _bind_together(found: Sequence[Bound]) -> Bound:
    """Several entries of one value: all must be bound."""
    reason = next((one.reason for one in found if one.reason), None)
    return Bound(
        values=tuple(stretch for one in found for stretch in one.values),
        subjects=tuple(dict.fromkeys(stretch for one in found for stretch in one.subjects)),
        reason=reason,
    )


def _binds_as_code(value: str) -> bool:
    """A DOI or a registration number says by its form what it is."""
    return re.fullmatch(r"10\.\d{4,9}/\S+|[A-Za-z-]{2,10}[ -]?[0-9][0-9-]{4,}\w*", value.strip()) is not None


def _quote_to_bind(pages: Sequence[str], text: QuotedPassage, start: int, end: int) -> list[str]:
    return [pages[span.page][span.start : span.end] for span in text.spans(start, end)]


def _bind_with_row(bound: Bound, text: QuotedPassage, subject: Subject) -> Bound:
    """A choice about a row needs the row's own words in the sentence, or in the quote."""
    named = _bind_to_row_named(text, (text.start, text.end), subject)
    if named is None:
        return Bound(values=bound.values, reason=Reason.NO_SUBJECT)
    return replace(bound, subjects=(*bound.subjects, *named))


def _bind_to_row_named(text: QuotedPassage, within: Stretch, subject: Subject) -> tuple[Stretch, ...] | None:
    """Where the arm or the outcome of a row is named in the sentences around a stretch; None where it is not."""
    start, end = text.sentence(within[0])[0], text.sentence(max(within[0], within[1] - 1))[1]
    found: list[Stretch] = []
    if subject.outcome:
        named = outcome_label_mentions(subject.outcomes[subject.outcome], "", text.text[start:end])
        if not named:
            return None
        found.append((named[0].start + start, named[0].end + start))
    if subject.arms and subject.arm_labels and not subject.is_contrast:
        arms = [one for one in subject.arm_labels.mentions(text.text[start:end]) if one.key in subject.arms]
        if not arms:
            return None
        found.append((arms[0].start + start, arms[0].end + start))
    return tuple(found)


def _bind_to_field(
    cues: Cues, text: QuotedPassage, stretch: Stretch, subject: Subject, field: Field
) -> tuple[Stretch, ...] | None:
    """The words that make a text an answer to this field: a cue in its sentences, the heading above, or its row."""
    start, end = text.sentence(stretch[0])[0], text.sentence(max(stretch[0], stretch[1] - 1))[1]
    found = [one for one in cue_mentions(cues.speaks, text.text) if start <= one.start < end]
    if found:
        return ((found[0].start, found[0].end),)
    if cues.speaks and cue_mentions(cues.speaks, fold_text(text.place.heading).text):
        return ()
    if field.scope in _UNNAMED:
        return None
    return _bind_to_row_named(text, stretch, subject) or None
