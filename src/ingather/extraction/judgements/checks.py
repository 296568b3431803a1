"""The checks of a template, run over the findings of one document: pure, bounded, and quiet where answers lack."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ingather.extraction.findings import Finding, Flag, Row, State, Value
from ingather.extraction.judgements.evaluation import Missing, evaluate
from ingather.extraction.template.errors import ValueProblem
from ingather.extraction.template.expressions import ValueKind, parse_expression
from ingather.extraction.template.model import CheckRule, Field, FieldType, Scope, Template
from ingather.extraction.template.number_values import plain_number_value, split_number_value
from ingather.extraction.template.validation import KINDS, PLACE
from ingather.notice import Notice, notice

MOST_LOOKS: Final = 200_000  # rows looked at for the sake of other rows, in all; then those rules stop
CUT_SHORT: Final = "checks_cut_short"


def run_template_checks(
    template: Template, rows: Sequence[Row], findings: Iterable[Finding], *, language: Literal["en", "zh"] = "en"
) -> list[Flag]:
    """The rules of the template that the findings break, in the order of the template. Never raises.

    Only reported answers take part. Where a field has two different ones,
    nobody knows which is meant, and it has none.
    """
    book = _CheckBook.of(template, rows, findings)
    flags = [flag for rule in template.checks for flag in _rows_breaking_check(rule, book, language)]
    if book.looks > MOST_LOOKS:
        flags.append(Flag(rule=CUT_SHORT, row="", fields=(), message=_CUT_SHORT[language]))
    return flags


_CUT_SHORT: Final = {
    "en": notice(
        "judgement.too_many_rows_compare_each",
        "There are too many rows to compare each with each; the checks across rows were not finished.",
    ),
    "zh": "行数过多，跨行检查未全部完成。",  # noqa: RUF001  a Chinese sentence has Chinese commas
}


def _rows_breaking_check(rule: CheckRule, book: "_CheckBook", language: Literal["en", "zh"]) -> Iterator[Flag]:
    expression = parse_expression(rule.expression)
    for row in book.rows.get(rule.scope, ()):
        reader = _RowReader(book=book, row=row)
        if rule.when and not evaluate(parse_expression(rule.when), reader):
            continue
        if evaluate(expression, reader) is False:
            message = rule.message.en if language == "en" else rule.message.zh
            yield Flag(
                rule=rule.id, row=row.key, fields=expression.fields, message=_message_of_check(rule, message, reader)
            )


def _message_of_check(rule: CheckRule, text: str, reader: "_RowReader") -> Notice:
    """The check's own message. Its id is that of the rule: its text in both languages comes with the template."""
    params = {place: reader.shown(place) for place in PLACE.findall(text)}
    return Notice(f"check.{rule.id}", params, PLACE.sub(lambda place: params[place[1]], text))


@dataclass(kw_only=True)
class _CheckBook:
    """The answers of a document by field and row, and the rows by scope."""

    fields: dict[str, Field]
    rows: dict[str, list[Row]]
    answers: dict[tuple[str, str], Value]
    arms: set[str]
    looks: int = field(default=0)

    @classmethod
    def of(cls, template: Template, rows: Sequence[Row], findings: Iterable[Finding]) -> "_CheckBook":
        fields = {one.id: one for one in template.fields}
        by_scope: dict[str, dict[str, Row]] = {Scope.STUDY: {"": Row(scope=Scope.STUDY, key="", label="", parts={})}}
        for row in rows:
            if row.scope != Scope.STUDY:
                by_scope.setdefault(row.scope, {}).setdefault(row.key, row)
        answers: dict[tuple[str, str], Value] = {}
        disputed: set[tuple[str, str]] = set()
        for finding in findings:
            if finding.field not in fields or finding.state != State.REPORTED:
                continue
            scope, place = fields[finding.field].scope, (finding.field, finding.row)
            if finding.row not in by_scope.setdefault(scope, {}):
                by_scope[scope][finding.row] = Row(scope=scope, key=finding.row, label="", parts={})
            if answers.setdefault(place, finding.value) != finding.value:
                disputed.add(place)
        for place in disputed:
            del answers[place]
        return cls(
            fields=fields,
            rows={scope: list(of_scope.values()) for scope, of_scope in by_scope.items()},
            answers=answers,
            arms=set(by_scope.get(Scope.ARM, ())),
        )

    def read(self, name: str, row: str) -> float | str:
        """The answer in the form in which a rule can use it."""
        kind, value = KINDS.get(self.fields[name].type), self.answers.get((name, row))
        if kind == ValueKind.NUMBER:
            return _number_for_check(value, self.fields[name].type)
        if kind is None or not isinstance(value, str):
            raise Missing
        return value

    def look(self, rows: list[Row]) -> list[Row]:
        self.looks += len(rows)
        if self.looks > MOST_LOOKS:
            raise Missing
        return rows


def _number_for_check(value: Value, type: FieldType) -> float:
    if type == FieldType.QUANTITY and isinstance(value, str):
        try:
            return float(split_number_value(plain_number_value(value))[0])
        except (ValueProblem, OverflowError):
            raise Missing from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Missing
    try:
        number = float(value)
    except OverflowError:
        raise Missing from None
    if not math.isfinite(number):
        raise Missing
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowReader:
    """The answers as one row sees them; beside it may stand another row of its scope."""

    book: _CheckBook
    row: Row
    beside: Row | None = None

    def key_of(self, name: str) -> str:
        scope = self.book.fields[name].scope
        if scope == Scope.STUDY:
            return ""
        if scope == self.row.scope:
            return self.row.key
        if scope.value not in self.row.parts:
            raise Missing
        return self.row.parts[scope.value]

    def here(self, field: str) -> float | str:
        return self.book.read(field, self.key_of(field))

    def total(self, field: str) -> float:
        """The sum over every row that belongs to this one. One without an answer, and there is no sum."""
        rows = self.book.look(self.book.rows.get(self.book.fields[field].scope, []))
        mine = [row for row in rows if self.row.scope == Scope.STUDY or self.row.key in row.parts.values()]
        if not mine:
            raise Missing
        return math.fsum(_number_of_answer_for_check(self.book.read(field, row.key)) for row in mine)

    def of_arm(self, position: int, field: str) -> float | str:
        """The result of the contrast's arm at that position, of the same outcome and time; there must be one only."""
        names = sorted(
            (name for name, key in self.row.parts.items() if key in self.book.arms), key=lambda name: name != Scope.ARM
        )
        if len(names) != 2:
            raise Missing
        arm = self.row.parts[names[position]]
        shared = {name: key for name, key in self.row.parts.items() if name not in names}
        found = [
            row
            for row in self.book.look(self.book.rows.get(Scope.ARM_RESULT, []))
            if row.parts.get("arm") == arm and all(row.parts.get(name, key) == key for name, key in shared.items())
        ]
        if len(found) != 1:
            raise Missing
        return self.book.read(field, found[0].key)

    def other(self, field: str) -> float | str:
        if self.beside is None:
            raise Missing
        return self.book.read(field, self.beside.key)

    def others(self) -> Iterator["_RowReader"]:
        outcome = self.row.parts.get("outcome")
        for row in self.book.look(self.book.rows.get(self.row.scope, [])):
            if row.key != self.row.key and row.parts.get("outcome") == outcome:
                yield _RowReader(book=self.book, row=self.row, beside=row)

    def shown(self, field: str) -> str:
        """The answer as it stands in a message."""
        try:
            value = self.book.answers.get((field, self.key_of(field)))
        except Missing:
            return "?"
        return f"{value:.10g}" if isinstance(value, float) else re.sub(r"\s+", " ", str(value))[:60]


def _number_of_answer_for_check(value: float | str) -> float:
    if isinstance(value, str):
        raise Missing
    return value
