"""One document's findings, rows and flags, found by the row and field they speak of."""

from collections import defaultdict
from collections.abc import Iterable

from ingather.extraction.export.form import FieldLike
from ingather.extraction.export.text import text_of
from ingather.extraction.findings import DocumentResult, Finding, Row, State


class Lookup:
    """The findings, rows and flags of one document, indexed."""

    def __init__(self, document: DocumentResult) -> None:
        self.document = document
        self._rows = {row.key: row for row in document.rows}
        self._findings: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
        for finding in document.findings:
            self._findings[finding.row, finding.field].append(finding)
        self._flags: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for flag in document.flags:
            for field in flag.fields:
                self._flags[field].append((flag.row, flag.message))

    def findings(self, row: str, field: str) -> list[Finding]:
        """The findings of a cell; more than one if several sources answered."""
        return self._findings.get((row, field), [])

    def label(self, key: str) -> str:
        """A row's label; a key that names no row stands for itself."""
        row = self._rows.get(key)
        return row.label if row and row.label else key

    def rows(self, scope: str, fields: Iterable[FieldLike]) -> list[Row]:
        """The rows of a scope, in order, and those that only findings name: no answer is left out."""
        rows = {row.key: row for row in self.document.rows if row.scope == scope}
        field_ids = {field.id for field in fields}
        for finding in self.document.findings:
            if finding.field in field_ids and finding.row not in rows:
                rows[finding.row] = Row(scope=scope, key=finding.row, label=self.label(finding.row), parts={})
        return list(rows.values())

    def flags(self, finding: Finding) -> str:
        """The messages of the flags of this finding; a flag of the whole study concerns the field in every row."""
        messages = (text for row, text in self._flags.get(finding.field, ()) if row in {finding.row, ""})
        return "\n".join(dict.fromkeys(messages))

    def all_flags(self) -> str:
        return "\n".join(
            f"{self.label(flag.row)}: {flag.message}" if flag.row else flag.message for flag in self.document.flags
        )

    def unit(self, finding: Finding, field: FieldLike) -> str:
        """The unit of a value: the template's, or what the field it refers to holds for this row or a part of it.

        A choice of units is none: there the unit stands in the value.
        """
        match field.unit:
            case None | tuple() | "as_reported":
                return ""
            case str():
                return "" if field.type in {"id", "date"} else field.unit
            case other:
                return self._reported_text(finding.row, other.field)

    def _reported_text(self, row: str, field: str) -> str:
        parts = self._rows[row].parts.values() if row in self._rows else ()
        for key in (row, *parts, ""):
            for finding in self.findings(key, field):
                if finding.state is State.REPORTED:
                    return text_of(finding.value)
        return ""
