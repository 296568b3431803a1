"""What an edited export proposes: a decision for every cell that was changed, and a reason for all that has no place.

Pure. A row is known by its key, which is made of the answers it was written
from. So a row whose answers have changed since is not taken for an edit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingather.engine.errors import IngatherError
from ingather.extraction.export.row_keys import task_and_document
from ingather.extraction.export.sheets import Entry, SheetHeading, Sheets
from ingather.extraction.export.text import text_of
from ingather.extraction.export.wording import LANGUAGES, Wording
from ingather.extraction.findings import Action, DocumentResult, Finding, State, Value
from ingather.extraction.read_back.rows_read import ReadRow, UnplacedRow, rows_of_sheet
from ingather.extraction.read_back.spreadsheet_changes import damage, is_same_cell, text_in_cell
from ingather.extraction.read_back.uploaded import UploadedCell, UploadedSheet
from ingather.extraction.reviewing.deciding import Decision
from ingather.extraction.template import Template
from ingather.extraction.template.errors import ValueProblem
from ingather.extraction.template.model import Field
from ingather.extraction.template.values import coerce_value
from ingather.notice import notice

# A person may say one of these instead of a value, by the name of its state in the table.
_ACTIONS: Final = {
    State.NOT_REPORTED: Action.NOT_REPORTED,
    State.NOT_APPLICABLE: Action.NOT_APPLICABLE,
    State.UNCLEAR: Action.UNCLEAR,
    State.REJECTED: Action.REJECTED,
}
_STATES: Final = {
    Wording(language).of("state", state).casefold(): action
    for language in LANGUAGES
    for state, action in _ACTIONS.items()
}

_REPORTED: Final = {Wording(language).of("state", State.REPORTED).casefold() for language in LANGUAGES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A decision that a changed cell proposes, and what stands in the cell now."""

    ordinal: int
    file_name: str
    row_label: str
    decision: Decision
    was: Value
    was_state: State | None
    sheet: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """`unchanged` counts the rows that say what they said when the file was written."""

    proposals: tuple[Proposal, ...]
    unplaced: tuple[UnplacedRow, ...]
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExportedRow:
    """A row as the export writes it now."""

    document: DocumentResult
    entries: list[Entry]


def documents_of_upload(sheets: Iterable[UploadedSheet], template: Template, task_id: int) -> set[int]:
    """The ordinals of the documents that the keys of a file name."""
    rows = (one for one in _all_rows(sheets, template) if isinstance(one, ReadRow))
    named = (task_and_document(row.key) for row in rows)
    return {found[1] for found in named if found and found[0] == task_id}


def proposals_of_upload(
    sheets: Sequence[UploadedSheet],
    template: Template,
    task_id: int,
    variants: Sequence[DocumentResult],
    check: Callable[[int, Decision], None],
) -> ReadBack:
    """`variants` are the documents as exports write them: whole, and what was reviewed alone. `check` raises where a
    decision cannot be written."""
    reader = _Reader(template, task_id, variants, check)
    for one in _all_rows(sheets, template):
        reader.take(one)
    return reader.result()


def _all_rows(sheets: Iterable[UploadedSheet], template: Template) -> Iterator[ReadRow | UnplacedRow]:
    headings = [heading for language in LANGUAGES for heading in Sheets(template, Wording(language)).all]
    for sheet in sheets:
        yield from rows_of_sheet(sheet, headings)


class _Reader:
    def __init__(
        self,
        template: Template,
        task_id: int,
        variants: Sequence[DocumentResult],
        check: Callable[[int, Decision], None],
    ) -> None:
        self._task_id, self._check = task_id, check
        self._fields = {field.id: field for field in template.fields}
        self._exported = _exported_rows(template, task_id, variants)
        self._proposals: list[Proposal] = []
        self._unplaced: list[UnplacedRow] = []
        self._lines: dict[tuple[str, str], int] = {}
        self._unchanged = 0

    def take(self, row: ReadRow | UnplacedRow) -> None:
        if isinstance(row, UnplacedRow):
            self._unplaced.append(row)
            return
        candidates = self._exported.get((row.key, row.heading.key, row.heading.title))
        if not candidates:
            self._refuse(row, "", "", self._why_unknown(row.key))
            return
        # A row of an export of what was reviewed alone may have the key of the whole one, and other counts.
        exported, changed = min(((one, _changed_cells(row, one)) for one in candidates), key=lambda one: len(one[1]))
        line = self._lines.setdefault((row.sheet, row.key), row.line)
        if not changed:
            self._unchanged += 1
        elif line != row.line:
            self._refuse(row, "", "", notice("read_back.twice", "Row {line} has the same key.", line=line))
        elif row.heading.key == "evidence":
            self._evidence(row, exported, changed)
        else:
            self._wide(row, exported, changed)

    def result(self) -> ReadBack:
        """Two cells of a file that say different things of one answer are both listed, and neither is proposed."""
        by_place: dict[tuple[int, str, str], list[Proposal]] = {}
        for one in self._proposals:
            by_place.setdefault((one.ordinal, one.decision.row, one.decision.field), []).append(one)
        kept: list[Proposal] = []
        for found in by_place.values():
            if len({(one.decision.action, str(one.decision.value)) for one in found}) == 1:
                kept.append(found[0])
                continue
            why = notice("read_back.contradiction", "The file says different things of this answer in several places.")
            self._unplaced += [_unplaced(one, why) for one in found]
        return ReadBack(proposals=tuple(kept), unplaced=tuple(self._unplaced), unchanged=self._unchanged)

    def _evidence(self, row: ReadRow, exported: _ExportedRow, changed: Mapping[int, UploadedCell]) -> None:
        """A row per finding: its value and its state may be changed, and the reviewer's note is kept."""
        at = {name: place for place, name in enumerate(_EVIDENCE_NAMES)}
        others = set(changed) - {at["value"], at["state"], at["review_note"]}
        if others:
            self._refuse_columns(row, changed, others)
            return
        key, field = (str(exported.entries[at[name]].value) for name in ("row", "field_id"))
        note = text_in_cell(row.cells[at["review_note"]]) if at["review_note"] in changed else ""
        is_reported = text_in_cell(row.cells.get(at["state"], "")).strip().casefold() in _REPORTED
        if at["state"] in changed and not (is_reported and at["value"] in changed):
            action = _STATES.get(text_in_cell(changed[at["state"]]).strip().casefold())
            value = row.cells.get(at["value"], "")
            if action is None:
                self._refuse_columns(row, changed, {at["state"]})
            elif at["value"] in changed and text_in_cell(value).strip():
                why = notice("read_back.value_and_state", "A value was written, and a state that says there is none.")
                self._refuse(row, field, text_in_cell(value), why)
            else:
                self._propose(row, exported, Decision(row=key, field=field, action=action, note=note))
        elif at["value"] in changed:
            self._value(row, exported, (key, field), changed[at["value"]], exported.entries[at["value"]].value, note)
        else:
            self._refuse_columns(row, changed, set(changed))

    def _wide(self, row: ReadRow, exported: _ExportedRow, changed: Mapping[int, UploadedCell]) -> None:
        """A column per field: each changed cell is a proposal of its own."""
        columns = row.heading.columns
        key = "" if row.heading.key == "studies" else str(exported.entries[_ROW_PLACE].value)
        for place, cell in changed.items():
            if not columns[place].id:
                self._refuse_columns(row, changed, {place})
            else:
                self._value(row, exported, (key, columns[place].id), cell, exported.entries[place].value, "")

    def _value(
        self,
        row: ReadRow,
        exported: _ExportedRow,
        place: tuple[str, str],
        cell: UploadedCell,
        before: Value,
        note: str,
    ) -> None:
        field = self._fields.get(place[1])
        text = text_in_cell(cell).strip()
        if field is None or (why := damage(field, before, cell)):
            self._refuse(
                row, place[1], text, why if field else notice("read_back.no_field", "The task has no such field.")
            )
        elif not text:
            why = notice(
                "read_back.emptied",
                "The cell was emptied. Write “not reported”, “not applicable” or “unclear” where there is no value.",
            )
            self._refuse(row, place[1], text, why)
        elif action := _STATES.get(text.casefold()):
            self._propose(row, exported, Decision(row=place[0], field=place[1], action=action, note=note))
        else:
            self._typed(row, exported, place, field, text, note)

    def _typed(
        self, row: ReadRow, exported: _ExportedRow, place: tuple[str, str], field: Field, text: str, note: str
    ) -> None:
        try:
            value = coerce_value(field, text)
        except ValueProblem as problem:
            self._refuse(row, field.id, text, str(problem))
            return
        decision = Decision(row=place[0], field=place[1], action=Action.EDITED, value=value, note=note)
        if value is None:
            decision = replace(decision, action=Action.NOT_REPORTED)
        self._propose(row, exported, decision)

    def _propose(self, row: ReadRow, exported: _ExportedRow, decision: Decision) -> None:
        document = exported.document
        standing = [one for one in document.findings if (one.row, one.field) == (decision.row, decision.field)]
        seen = standing[0].review.revision if standing and standing[0].review else 0
        decision = replace(decision, seen=seen)
        try:
            self._check(document.ordinal, decision)
        except IngatherError as error:
            self._refuse(row, decision.field, text_of(_value_of(decision)), str(error))
            return
        labels = {one.key: one.label for one in document.rows}
        self._proposals.append(
            Proposal(
                ordinal=document.ordinal,
                file_name=document.file_name,
                row_label=labels.get(decision.row, decision.row),
                decision=decision,
                was=_one_value(standing),
                was_state=standing[0].state if standing else None,
                sheet=row.sheet,
                line=row.line,
            )
        )

    def _why_unknown(self, key: str) -> str:
        named = task_and_document(key)
        if named is None:
            return notice("read_back.no_key", "The row has no key of an export, so nobody knows where it belongs.")
        if named[0] != self._task_id:
            return notice("read_back.other_task", "The row is of task {task}.", task=named[0])
        return notice(
            "read_back.changed_since",
            "What stands in this row has changed since the file was written, or its key was. Export it again.",
        )

    def _refuse_columns(self, row: ReadRow, changed: Mapping[int, UploadedCell], places: Iterable[int]) -> None:
        why = notice("read_back.not_read", "This column is not read back: values, states and notes are.")
        for place in sorted(places):
            column = row.heading.columns[place]
            self._refuse(row, column.id or column.title, text_in_cell(changed[place]), why)

    def _refuse(self, row: ReadRow, column: str, text: str, why: str) -> None:
        self._unplaced.append(UnplacedRow(sheet=row.sheet, line=row.line, column=column, text=text, why=why))


# The columns of the Evidence table in their order, and the place of a row's key in the tables by row.
_EVIDENCE_NAMES: Final = (
    *("document", "document_id", "file", "row", "row_label", "section", "field_id", "field", "state", "value", "unit"),
    *(
        "quote",
        "page",
        "verdict",
        "reason",
        "source",
        "note",
        "flags",
        "extracted",
        "review",
        "reviewer",
        "reviewed_at",
    ),
    *("review_note", "table", "table_row", "table_column", "boxes", "key"),
)
_ROW_PLACE: Final = 2


def _exported_rows(
    template: Template, task_id: int, variants: Sequence[DocumentResult]
) -> dict[tuple[str, str, str], list[_ExportedRow]]:
    found: dict[tuple[str, str, str], list[_ExportedRow]] = {}
    for language in LANGUAGES:
        tables = Sheets(template, Wording(language), task_id)
        headings: dict[str, SheetHeading] = {heading.key: heading for heading in tables.all}
        for document in variants:
            for sheet, entries in tables.lines(document):
                place = str(entries[-1].value), sheet, headings[sheet].title
                found.setdefault(place, []).append(_ExportedRow(document=document, entries=entries))
    return found


def _changed_cells(row: ReadRow, exported: _ExportedRow) -> dict[int, UploadedCell]:
    return {
        place: cell
        for place, cell in row.cells.items()
        if not _follows_others(row.heading, place) and not is_same_cell(exported.entries[place].value, cell)
    }


def _follows_others(heading: SheetHeading, place: int) -> bool:
    """Broken rules and counts change with other rows, so that another text in them says nothing of an edit."""
    if heading.key == "evidence":
        return place == _EVIDENCE_NAMES.index("flags")
    return heading.key == "studies" and not heading.columns[place].id


def _value_of(decision: Decision) -> Value:
    value = decision.value
    return value if isinstance(value, str | int | float | list) else None


def _one_value(standing: Sequence[Finding]) -> Value:
    values = [text_of(one.value) for one in standing if one.state is State.REPORTED]
    return standing[0].value if len(standing) == 1 else " | ".join(dict.fromkeys(values))


def _unplaced(one: Proposal, why: str) -> UnplacedRow:
    text = text_of(_value_of(one.decision)) or one.decision.action.value
    return UnplacedRow(sheet=one.sheet, line=one.line, column=one.decision.field, text=text, why=why)
