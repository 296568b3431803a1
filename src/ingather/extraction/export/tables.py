"""The tables of an export, and the rows that one document adds to each of them. Pure; files are written elsewhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingather.extraction.export.form import FieldLike, TemplateLike, chosen, label_of
from ingather.extraction.export.lookup import Lookup
from ingather.extraction.export.tally import Mark, Tally, mark_of
from ingather.extraction.export.text import text_of, time_of
from ingather.extraction.export.words import Words
from ingather.extraction.findings import DocumentResult, Finding, Row, State, Value, Verdict


class Cell(NamedTuple):
    """What stands in a cell, and how it wants to be seen. A number is one; text is never more than text."""

    value: str | int | float
    mark: Mark = Mark.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's heading. `id` and `section` are those of a field, in tables with a column per field."""

    title: str
    width: int = 14
    id: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table's heading. A wide one has a column per field and says section, label and id of each."""

    key: str
    title: str
    columns: tuple[Column, ...]
    is_wide: bool = False


Line = tuple[str, list[Cell]]  # the key of a table, and a row of it
Widths = tuple[tuple[str, int], ...]  # columns by the key of their word

REPEATED = ("arm", "outcome", "arm_result", "contrast", "domain")
_WIDTHS = {"longtext": 60, "text": 30, "multi_text": 30, "multi_enum": 24, "enum": 18, "id": 20, "quantity": 16}
_EVIDENCE = (
    *(("document", 10), ("document_id", 12), ("file", 28), ("row", 14), ("row_label", 24), ("section", 18)),
    *(("field_id", 20), ("field", 24), ("state", 14), ("value", 30), ("unit", 12), ("quote", 60), ("page", 8)),
    *(("verdict", 22), ("reason", 26), ("source", 18), ("note", 30), ("flags", 30), ("extracted", 24)),
    *(("review", 18), ("reviewer", 18), ("reviewed_at", 24), ("review_note", 30)),
)
_AUDIT = (
    *(("document", 10), ("document_id", 12), ("file", 28), ("row", 14), ("row_label", 24), ("field_id", 20)),
    *(("field", 24), ("revision", 10), ("review", 18), ("given", 30), ("review_note", 40), ("reviewer", 18)),
    *(("reviewed_at", 24), ("counts", 14)),
)
_FAILURES = (("document", 10), ("document_id", 12), ("file", 40), ("document_state", 16), ("problem", 80))
_DICTIONARY = (
    *(("field_id", 22), ("field", 28), ("section", 20), ("scope", 14), ("type", 12), ("tier", 10), ("unit", 24)),
    *(("options", 50), ("instruction", 80)),
)
_SETTINGS = (("setting", 44), ("value", 90))
_STUDIES = (
    *(("document", 10), ("file", 28), ("document_id", 12), ("document_state", 12), ("reported", 10), ("believed", 10)),
    *(
        ("unbound", 10),
        ("computed", 10),
        ("attention", 10),
        ("absent", 10),
        ("failed", 10),
        ("reviewed", 10),
        ("flags", 40),
    ),
    ("sha256", 20),
)
_ROW = (("document", 10), ("file", 28), ("row", 14), ("row_label", 28))
_PARTS = {
    "arm_result": (("outcome", 24), ("timepoint", 14), ("arm", 24)),
    "contrast": (("outcome", 24), ("timepoint", 14), ("arms", 24)),
    "domain": (("made_of", 24),),
}


class Tables:
    """The tables of one export, in the order of its sheets, and what each document says in them."""

    def __init__(self, template: TemplateLike, words: Words) -> None:
        self.words = words
        self._fields = {field.id: field for field in template.fields}
        self._sections = {section.id: label_of(section, words.language) for section in template.sections}
        self._study = self._asked_of("study")
        self._repeated = {scope: self._asked_of(scope) for scope in REPEATED}
        self.evidence = self._plain("evidence", _EVIDENCE)
        self.all = (
            self._wide("studies", _STUDIES, self._study),
            *(self._scope(scope) for scope in REPEATED),
            self.evidence,
            self._plain("audit", _AUDIT),
            self._plain("failures", _FAILURES),
            self._plain("dictionary", _DICTIONARY),
            self._plain("settings", _SETTINGS),
        )

    def lines(self, document: DocumentResult) -> Iterator[Line]:
        """All that one document adds to all tables, in order within each."""
        lookup = Lookup(document)
        yield "studies", self._study_row(lookup)
        for scope, fields in self._repeated.items():
            for row in lookup.rows(scope, fields) if fields else ():
                yield scope, self._repeated_row(lookup, row, fields)
        for cells in self.evidence_rows(lookup):
            yield "evidence", cells
        for cells in self._audit_rows(lookup):
            yield "audit", cells
        if document.state != "completed":
            yield "failures", [*self._document(document), self._document_state(document), Cell(document.problem)]

    def evidence_rows(self, lookup: Lookup) -> Iterator[list[Cell]]:
        """One row per finding, as found: nothing is left out and nothing is merged."""
        document, words = lookup.document, self.words
        start = [Cell(document.ordinal + 1), Cell(document.document_id), Cell(document.file_name)]
        for finding in document.findings:
            field = self._fields.get(finding.field)
            mark = mark_of(finding)
            pages = sorted({span.page + 1 for span in finding.spans})
            yield [
                *start,
                Cell(finding.row),
                Cell(lookup.label(finding.row)),
                Cell(self.section(field) if field else ""),
                Cell(finding.field),
                Cell(label_of(field, words.language) if field else finding.field),
                Cell(words["no_answer"] if finding.is_open else words.of("state", finding.state), mark),
                Cell(_typed(finding.value, field), Mark.PLAIN if mark is Mark.ABSENT else mark),
                Cell(lookup.unit(finding, field) if field else ""),
                Cell(finding.quote),
                Cell(pages[0] if len(pages) == 1 else "; ".join(map(str, pages))),
                Cell(words.verdict(finding.verdict, document.checks_version), mark),
                Cell(words.of("reason", finding.reason) if finding.reason else "", mark),
                Cell(finding.source),
                Cell(finding.note),
                Cell(lookup.flags(finding), Mark.ATTENTION),
                self._extracted(finding, field),
                *self._review(finding),
            ]

    def _extracted(self, finding: Finding, field: FieldLike | None) -> Cell:
        """What stood here before a person changed it, or an answer that this one follows from."""
        was = finding.extracted
        if was is None:
            return Cell("")
        return Cell(_typed(was.value, field)) if was.value is not None else Cell(self._state(was.state), Mark.ABSENT)

    def _review(self, finding: Finding) -> list[Cell]:
        review = finding.review
        if review is None:
            return [Cell(self.words["unreviewed"], Mark.ABSENT), Cell(""), Cell(""), Cell("")]
        action = self.words.of("action", review.action)
        told = f"{self.words['outdated']}: {action}" if finding.is_outdated else action
        mark = Mark.ATTENTION if finding.is_outdated else Mark.PLAIN
        return [Cell(told, mark), Cell(review.reviewer), Cell(time_of(review.reviewed_at)), Cell(review.note)]

    def _audit_rows(self, lookup: Lookup) -> Iterator[list[Cell]]:
        """Every review there ever was, in the order in which they were written."""
        document, words = lookup.document, self.words
        standing = {
            (one.row, one.field, one.review.revision): one.is_outdated for one in document.findings if one.review
        }
        for review in document.reviews:
            field = self._fields.get(review.field)
            is_outdated = standing.get((review.row, review.field, review.revision))
            counts = "no" if is_outdated is None else "outdated" if is_outdated else "yes"
            yield [
                *self._document(document),
                Cell(review.row),
                Cell(lookup.label(review.row)),
                Cell(review.field),
                Cell(label_of(field, words.language) if field else review.field),
                Cell(review.revision),
                Cell(words.of("action", review.action)),
                Cell(_typed(review.value, field)),
                Cell(review.note),
                Cell(review.reviewer),
                Cell(time_of(review.reviewed_at)),
                Cell(words[counts]),
            ]

    def _state(self, state: State) -> str:
        return self.words.of("state", state)

    def section(self, field: FieldLike) -> str:
        return self._sections.get(field.section, field.section)

    def _asked_of(self, scope: str) -> tuple[FieldLike, ...]:
        return tuple(field for field in self._fields.values() if field.scope == scope)

    def _columns(self, widths: Widths) -> tuple[Column, ...]:
        return tuple(Column(title=self.words[key], width=width) for key, width in widths)

    def _plain(self, key: str, widths: Widths) -> Table:
        return Table(key=key, title=self.words[f"sheet.{key}"], columns=self._columns(widths))

    def _wide(self, key: str, lead: Widths, fields: Sequence[FieldLike]) -> Table:
        asked = (
            Column(
                title=label_of(field, self.words.language),
                width=_WIDTHS.get(field.type, 14),
                id=field.id,
                section=self.section(field),
            )
            for field in fields
        )
        return Table(
            key=key, title=self.words[f"sheet.{key}"], columns=(*self._columns(lead), *asked), is_wide=bool(fields)
        )

    def _scope(self, scope: str) -> Table:
        fields = self._repeated[scope]
        if not fields:
            note = Column(title=self.words["nothing_asked"], width=60)
            return Table(key=scope, title=self.words[f"sheet.{scope}"], columns=(note,))
        return self._wide(scope, (*_ROW, *_PARTS.get(scope, ())), fields)

    def _document(self, document: DocumentResult) -> list[Cell]:
        return [Cell(document.ordinal + 1), Cell(document.document_id), Cell(document.file_name)]

    def _document_state(self, document: DocumentResult) -> Cell:
        mark = {"completed": Mark.PLAIN, "error": Mark.FAILED}.get(document.state, Mark.ABSENT)
        return Cell(self.words.of("item", document.state), mark)

    def _study_row(self, lookup: Lookup) -> list[Cell]:
        document, tally = lookup.document, Tally()
        tally.add(document)
        marks = [mark_of(finding) for finding in document.findings]
        return [
            Cell(document.ordinal + 1),
            Cell(document.file_name),
            Cell(document.document_id),
            self._document_state(document),
            Cell(tally.reported),
            Cell(tally.believed),
            Cell(tally.verdicts[Verdict.UNBOUND]),
            Cell(tally.computed),
            Cell(count := marks.count(Mark.ATTENTION), Mark.ATTENTION if count else Mark.PLAIN),
            Cell(tally.states[State.NOT_REPORTED] + tally.states[State.NOT_APPLICABLE]),
            Cell(count := marks.count(Mark.FAILED), Mark.FAILED if count else Mark.PLAIN),
            Cell(tally.reviewed),
            Cell(lookup.all_flags(), Mark.ATTENTION),
            Cell(document.sha256),
            *(self._shown(lookup, "", field) for field in self._study),
        ]

    def _repeated_row(self, lookup: Lookup, row: Row, fields: Iterable[FieldLike]) -> list[Cell]:
        parts = {part: lookup.label(key) for part, key in row.parts.items()}
        made_of: list[str] = []
        match row.scope:
            case "arm_result" | "contrast":
                made_of = [parts.pop("outcome", ""), parts.pop("timepoint", ""), " vs ".join(parts.values())]
            case "domain":
                made_of = ["; ".join(parts.values())]
        start = [Cell(lookup.document.ordinal + 1), Cell(lookup.document.file_name), Cell(row.key), Cell(row.label)]
        return [*start, *map(Cell, made_of), *(self._shown(lookup, row.key, field) for field in fields)]

    def _shown(self, lookup: Lookup, row: str, field: FieldLike) -> Cell:
        """The answer to one field in a table of one column per field. Never empty: an empty cell reads as none or 0."""
        findings = lookup.findings(row, field.id)
        if not findings:
            is_finished = lookup.document.state == "completed"
            return Cell(self.words["no_answer"], Mark.ABSENT) if is_finished else self._document_state(lookup.document)
        cells = list(dict.fromkeys(self._answer(finding, field) for finding in findings))
        if len(cells) == 1:
            return cells[0]
        values = dict.fromkeys(text_of(cell.value) for cell in cells)
        return Cell(" | ".join(values), Mark.ATTENTION)

    def _answer(self, finding: Finding, field: FieldLike) -> Cell:
        mark, value = mark_of(finding), _typed(chosen(field, finding.value, self.words.language), field)
        if finding.state is State.REPORTED:
            is_blank = isinstance(value, str) and not value.strip()
            return Cell(self.words["no_value"], Mark.ATTENTION) if is_blank else Cell(value, mark)
        word = self.words["no_answer"] if finding.is_open else self.words.of("state", finding.state)
        is_doubtful = finding.state is State.UNCLEAR and value != ""
        return Cell(f"{word}: {text_of(value)}" if is_doubtful else word, mark)


def _typed(value: Value, field: FieldLike | None) -> str | int | float:
    """A number stays one unless the field asks for an identifier, whose digits are a name."""
    is_identifier = field is not None and field.type == "id"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not is_identifier:
        return value
    return text_of(value)
