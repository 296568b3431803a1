"""The sheets of an export, and the rows that one document adds to each of them. Pure; files are written elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingather.extraction.export.form import FieldLike, TemplateLike, chosen, label_of
from ingather.extraction.export.lookup import Lookup
from ingather.extraction.export.row_keys import key_of_row
from ingather.extraction.export.tally import Emphasis, Tally, emphasis_of
from ingather.extraction.export.text import cell_texts, text_of, time_of
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import DocumentResult, Finding, Row, State, Value, Verdict
from ingather.extraction.template.field_types import TRAITS
from ingather.extraction.template.model import FieldType


class Entry(NamedTuple):
    """The content of one cell of a sheet, and how it is marked. A number is a number; a text is never a formula."""

    value: str | int | float
    mark: Emphasis = Emphasis.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's heading. `id` and `section` are those of a field, in sheets with a column per field."""

    title: str
    width: int = 14
    id: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetHeading:
    """The heading of a sheet. A wide one has a column per field, with the section, label and id of each."""

    key: str
    title: str
    columns: tuple[Column, ...]
    is_wide: bool = False


SheetLine = tuple[str, list[Entry]]  # the key of a sheet, and a row of it
Widths = tuple[tuple[str, int], ...]  # columns by the key of their title

REPEATED = ("question", "arm", "outcome", "arm_result", "contrast", "domain")
_EVIDENCE = (
    *(("document", 10), ("document_id", 12), ("file", 28), ("row", 14), ("row_label", 24), ("section", 18)),
    *(("field_id", 20), ("field", 24), ("state", 14), ("value", 30), ("unit", 12), ("quote", 60), ("page", 8)),
    *(("verdict", 22), ("reason", 26), ("source", 18), ("note", 30), ("flags", 30), ("extracted", 24)),
    *(("review", 18), ("reviewer", 18), ("reviewed_at", 24), ("review_note", 30)),
    *(("table", 16), ("table_row", 30), ("table_column", 30), ("boxes", 24), ("key", 22)),
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
    "question": (("outcome", 24), ("timepoint", 14), ("intervention", 24), ("comparator", 24)),
}


class Sheets:
    """The sheets of one export, in order, and the rows of each document.

    Rows that can be read back have a key that says what they were; see `row_keys`.
    """

    def __init__(self, template: TemplateLike, wording: Wording, task_id: int = 0) -> None:
        self.wording = wording
        self._task_id = task_id
        self._fields = {field.id: field for field in template.fields}
        self._sections = {section.id: label_of(section, wording.language) for section in template.sections}
        self._study = self._fields_of("study")
        self._repeated = {scope: self._fields_of(scope) for scope in REPEATED}
        self.evidence = self._plain("evidence", _EVIDENCE)
        self.all = (
            self._wide("studies", _STUDIES, self._study),
            # A task without questions has no sheet for them.
            *(self._scope(scope) for scope in REPEATED if scope != "question" or self._repeated[scope]),
            self.evidence,
            self._plain("audit", _AUDIT),
            self._plain("failures", _FAILURES),
            self._plain("dictionary", _DICTIONARY),
            self._plain("settings", _SETTINGS),
        )

    def lines(self, document: DocumentResult) -> Iterator[SheetLine]:
        """The rows that one document adds to all sheets, in order within each."""
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
            yield "failures", [*self._document(document), self._document_state(document), Entry(document.problem)]

    def evidence_rows(self, lookup: Lookup) -> Iterator[list[Entry]]:
        """One row per finding, as found: nothing is left out and nothing is merged."""
        document, wording = lookup.document, self.wording
        start = [Entry(document.ordinal + 1), Entry(document.document_id), Entry(document.file_name)]
        for finding in document.findings:
            field = self._fields.get(finding.field)
            mark = emphasis_of(finding)
            pages = [page + 1 for page in finding.pages]
            yield [
                *start,
                Entry(finding.row),
                Entry(lookup.label(finding.row)),
                Entry(self.section(field) if field else ""),
                Entry(finding.field),
                Entry(label_of(field, wording.language) if field else finding.field),
                Entry(self._nothing(field) if finding.is_open else wording.of("state", finding.state), mark),
                Entry(_typed(finding.value, field), Emphasis.PLAIN if mark is Emphasis.ABSENT else mark),
                Entry(lookup.unit(finding, field) if field else ""),
                Entry(finding.quote),
                Entry(pages[0] if len(pages) == 1 else "; ".join(map(str, pages))),
                Entry(wording.verdict(finding.verdict, document.checks_version), mark),
                Entry(wording.of("reason", finding.reason) if finding.reason else "", mark),
                Entry(finding.source),
                Entry(finding.note),
                Entry(lookup.flags(finding), Emphasis.ATTENTION),
                self._extracted(finding, field),
                *self._review(finding),
                *map(Entry, cell_texts(finding.standing_cell)),
                Entry(key_of_row(self._task_id, document, finding.row, [finding])),
            ]

    def _extracted(self, finding: Finding, field: FieldLike | None) -> Entry:
        """What stood here before a person changed it, or an answer that this one follows from."""
        was = finding.extracted
        if was is None:
            return Entry("")
        return (
            Entry(_typed(was.value, field)) if was.value is not None else Entry(self._state(was.state), Emphasis.ABSENT)
        )

    def _review(self, finding: Finding) -> list[Entry]:
        review = finding.review
        if review is None:
            return [Entry(self.wording["unreviewed"], Emphasis.ABSENT), Entry(""), Entry(""), Entry("")]
        action = self.wording.of("action", review.action)
        outcome = f"{self.wording['outdated']}: {action}" if finding.is_outdated else action
        mark = Emphasis.ATTENTION if finding.is_outdated else Emphasis.PLAIN
        return [
            Entry(outcome, mark),
            Entry(review.reviewer),
            Entry(time_of(review.reviewed_at)),
            Entry(review.note),
        ]

    def _audit_rows(self, lookup: Lookup) -> Iterator[list[Entry]]:
        """Every review there ever was, in the order in which they were written."""
        document, wording = lookup.document, self.wording
        standing = {
            (one.row, one.field, one.review.revision): one.is_outdated for one in document.findings if one.review
        }
        for review in document.reviews:
            field = self._fields.get(review.field)
            is_outdated = standing.get((review.row, review.field, review.revision))
            counts = "no" if is_outdated is None else "outdated" if is_outdated else "yes"
            yield [
                *self._document(document),
                Entry(review.row),
                Entry(lookup.label(review.row)),
                Entry(review.field),
                Entry(label_of(field, wording.language) if field else review.field),
                Entry(review.revision),
                Entry(wording.of("action", review.action)),
                Entry(_typed(review.value, field)),
                Entry(review.note),
                Entry(review.reviewer),
                Entry(time_of(review.reviewed_at)),
                Entry(wording[counts]),
            ]

    def _state(self, state: State) -> str:
        return self.wording.of("state", state)

    def _nothing(self, field: FieldLike | None) -> str:
        """What is said where nothing was found: of a question about numbers, that it was looked for."""
        return self.wording["not_found" if field and field.scope == "question" else "no_answer"]

    def section(self, field: FieldLike) -> str:
        return self._sections.get(field.section, field.section)

    def _fields_of(self, scope: str) -> tuple[FieldLike, ...]:
        return tuple(field for field in self._fields.values() if field.scope == scope)

    def _columns(self, widths: Widths) -> tuple[Column, ...]:
        return tuple(Column(title=self.wording[key], width=width) for key, width in widths)

    def _plain(self, key: str, widths: Widths) -> SheetHeading:
        return SheetHeading(key=key, title=self.wording[f"sheet.{key}"], columns=self._columns(widths))

    def _wide(self, key: str, lead: Widths, fields: Sequence[FieldLike]) -> SheetHeading:
        field_columns = (
            Column(
                title=label_of(field, self.wording.language),
                width=TRAITS[FieldType(field.type)].width,
                id=field.id,
                section=self.section(field),
            )
            for field in fields
        )
        return SheetHeading(
            key=key,
            title=self.wording[f"sheet.{key}"],
            columns=(*self._columns(lead), *field_columns, *self._columns((("key", 22),))),
            is_wide=bool(fields),
        )

    def _scope(self, scope: str) -> SheetHeading:
        fields = self._repeated[scope]
        if not fields:
            note = Column(title=self.wording["no_questions"], width=60)
            return SheetHeading(key=scope, title=self.wording[f"sheet.{scope}"], columns=(note,))
        return self._wide(scope, (*_ROW, *_PARTS.get(scope, ())), fields)

    def _document(self, document: DocumentResult) -> list[Entry]:
        return [Entry(document.ordinal + 1), Entry(document.document_id), Entry(document.file_name)]

    def _document_state(self, document: DocumentResult) -> Entry:
        mark = {"completed": Emphasis.PLAIN, "error": Emphasis.FAILED}.get(document.state, Emphasis.ABSENT)
        return Entry(self.wording.of("item", document.state), mark)

    def _study_row(self, lookup: Lookup) -> list[Entry]:
        document, tally = lookup.document, Tally()
        tally.add(document)
        marks = [emphasis_of(finding) for finding in document.findings]
        return [
            Entry(document.ordinal + 1),
            Entry(document.file_name),
            Entry(document.document_id),
            self._document_state(document),
            Entry(tally.reported),
            Entry(tally.believed),
            Entry(tally.verdicts[Verdict.UNBOUND]),
            Entry(tally.computed),
            Entry(count := marks.count(Emphasis.ATTENTION), Emphasis.ATTENTION if count else Emphasis.PLAIN),
            Entry(tally.states[State.NOT_REPORTED] + tally.states[State.NOT_APPLICABLE]),
            Entry(count := marks.count(Emphasis.FAILED), Emphasis.FAILED if count else Emphasis.PLAIN),
            Entry(tally.reviewed),
            Entry(lookup.all_flags(), Emphasis.ATTENTION),
            Entry(document.sha256),
            *(self._shown(lookup, "", field) for field in self._study),
            self._key(lookup, "", self._study),
        ]

    def _repeated_row(self, lookup: Lookup, row: Row, fields: Sequence[FieldLike]) -> list[Entry]:
        parts = {part: lookup.label(key) for part, key in row.parts.items()}
        made_of: list[str] = []
        match row.scope:
            case "arm_result" | "contrast":
                made_of = [parts.pop("outcome", ""), parts.pop("timepoint", ""), " vs ".join(parts.values())]
            case "domain":
                made_of = ["; ".join(parts.values())]
            case "question":
                made_of = [row.parts[name] for name, _ in _PARTS["question"]]
        start = [
            Entry(lookup.document.ordinal + 1),
            Entry(lookup.document.file_name),
            Entry(row.key),
            Entry(row.label),
        ]
        key = self._key(lookup, row.key, fields)
        return [*start, *map(Entry, made_of), *(self._shown(lookup, row.key, field) for field in fields), key]

    def _key(self, lookup: Lookup, row: str, fields: Sequence[FieldLike]) -> Entry:
        findings = [finding for field in fields for finding in lookup.findings(row, field.id)]
        return Entry(key_of_row(self._task_id, lookup.document, row, findings))

    def _shown(self, lookup: Lookup, row: str, field: FieldLike) -> Entry:
        """The answer to one field in a wide sheet. Never empty: an empty cell reads as none or 0."""
        findings = lookup.findings(row, field.id)
        if not findings:
            is_finished = lookup.document.state == "completed"
            if is_finished and field.scope == "question":
                # A question about events has no mean, and the other way round.
                return Entry(self._state(State.NOT_APPLICABLE), Emphasis.ABSENT)
            return (
                Entry(self.wording["no_answer"], Emphasis.ABSENT)
                if is_finished
                else self._document_state(lookup.document)
            )
        cells = list(dict.fromkeys(self._answer(finding, field) for finding in findings))
        if len(cells) == 1:
            return cells[0]
        values = dict.fromkeys(text_of(cell.value) for cell in cells)
        return Entry(" | ".join(values), Emphasis.ATTENTION)

    def _answer(self, finding: Finding, field: FieldLike) -> Entry:
        mark, value = emphasis_of(finding), _typed(chosen(field, finding.value, self.wording.language), field)
        if finding.state is State.REPORTED:
            is_blank = isinstance(value, str) and not value.strip()
            return Entry(self.wording["no_value"], Emphasis.ATTENTION) if is_blank else Entry(value, mark)
        state = self._nothing(field) if finding.is_open else self.wording.of("state", finding.state)
        is_doubtful = finding.state is State.UNCLEAR and value != ""
        return Entry(f"{state}: {text_of(value)}" if is_doubtful else state, mark)


def _typed(value: Value, field: FieldLike | None) -> str | int | float:
    """A number stays one unless the field asks for an identifier, whose digits are a name."""
    is_identifier = field is not None and field.type == "id"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not is_identifier:
        return value
    return text_of(value)
