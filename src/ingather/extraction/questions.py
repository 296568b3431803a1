"""Which questions go into one call to a model. Pure: a template and the rows found so far in, groups of fields out.

Arms and outcomes are listed first, then filled: a model that has named its
rows once answers all later questions about the same ones, and the length of
an answer is bounded.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from ingather.extraction.findings import Row
from ingather.extraction.template import Field, Scope, Template

T = TypeVar("T")

FIELDS_AT_ONCE = 20
CELLS_AT_ONCE = 60
MOST_ROWS = 40  # of one scope; a paper that reports more is cut there, and says so

# Each scope is listed by the model itself, or made of rows that were.
LISTED = (Scope.ARM, Scope.OUTCOME, Scope.DOMAIN)
MADE = (Scope.ARM_RESULT, Scope.CONTRAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A row as the model listed it: an arm, an outcome with its time points, or a result to be judged."""

    scope: Scope
    label: str
    quote: str = ""
    page: int | None = None
    is_reference: bool = False
    timepoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The fields of one call. With rows, every field is asked of each of them."""

    name: str
    scope: Scope
    fields: tuple[Field, ...]
    rows: tuple[Row, ...] = ()

    @property
    def has_quote_per_field(self) -> bool:
        """One quote proves a row of a table; answers about a study or a risk of bias each need their own."""
        return self.scope in {Scope.STUDY, Scope.DOMAIN}

    def without(self, answered: Iterable[tuple[str, str]]) -> "Group | None":
        """What is left to ask: of rows, those that are not complete."""
        have = set(answered)
        if self.rows:
            rows = tuple(row for row in self.rows if any((row.key, field.id) not in have for field in self.fields))
            return replace(self, rows=rows) if rows else None
        fields = tuple(field for field in self.fields if ("", field.id) not in have)
        return replace(self, fields=fields) if fields else None

    def halves(self) -> tuple["Group", ...]:
        """The same questions in two calls, for a model whose answer was cut off; one that cannot be halved is alone."""
        if len(self.rows) > 1:
            middle = len(self.rows) // 2
            parts = [replace(self, rows=self.rows[:middle]), replace(self, rows=self.rows[middle:])]
        elif len(self.fields) > 1:
            middle = len(self.fields) // 2
            parts = [replace(self, fields=self.fields[:middle]), replace(self, fields=self.fields[middle:])]
        else:
            return (self,)
        return tuple(replace(part, name=f"{self.name}.{n}") for n, part in enumerate(parts, 1))


def asked(template: Template) -> tuple[Field, ...]:
    """What a model or our rules may be asked at all."""
    return tuple(field for field in template.fields if field.is_asked)


def scopes_to_list(template: Template) -> tuple[Scope, ...]:
    """The scopes whose rows must be known before the template's fields can be asked."""
    needed = {field.scope for field in asked(template)}
    if needed & set(MADE):
        needed |= {Scope.ARM, Scope.OUTCOME}
    return tuple(scope for scope in LISTED if scope in needed)


def study_groups(template: Template) -> list[Group]:
    """The fields asked once per study: neighbours by section, so that a call is about few things."""
    fields = [field for field in asked(template) if field.scope is Scope.STUDY]
    sections = [list(together) for _, together in groupby(fields, key=lambda field: field.section)]
    packs: list[list[Field]] = []
    for section in sections:
        for part in _pieces(section, FIELDS_AT_ONCE):
            if packs and len(packs[-1]) + len(part) <= FIELDS_AT_ONCE:
                packs[-1].extend(part)
            else:
                packs.append(list(part))
    return [Group(name=f"study/{n}", scope=Scope.STUDY, fields=tuple(pack)) for n, pack in enumerate(packs, 1)]


def row_groups(template: Template, rows: Sequence[Row]) -> list[Group]:
    """The fields asked of rows, as many cells at once as an answer can hold."""
    groups: list[Group] = []
    for scope in (*LISTED, *MADE):
        fields = tuple(
            field for field in asked(template) if field.scope is scope and field != identity(template, scope)
        )
        mine = [row for row in rows if row.scope == scope]
        if not fields or not mine:
            continue
        for part_of_fields in _pieces(fields, CELLS_AT_ONCE):
            for part in _pieces(mine, max(1, CELLS_AT_ONCE // len(part_of_fields))):
                name = f"{scope.value}/{1 + sum(group.scope is scope for group in groups)}"
                groups.append(Group(name=name, scope=scope, fields=tuple(part_of_fields), rows=tuple(part)))
    return groups


def identity(template: Template, scope: Scope) -> Field | None:
    """The field that names a row of a listed scope, which is its first; listing the rows has answered it."""
    return next((field for field in asked(template) if field.scope is scope), None) if scope in LISTED else None


def rows_from(listed: Iterable[Listed], template: Template) -> list[Row]:
    """The rows to ask about: those listed, and for results and contrasts their combinations."""
    found: dict[Scope, list[tuple[Row, Listed]]] = {scope: [] for scope in LISTED}
    for entry in listed:
        mine = found[entry.scope]
        if len(mine) < MOST_ROWS:
            key = f"{entry.scope.value}/{len(mine) + 1}"
            mine.append((Row(scope=entry.scope, key=key, label=entry.label, parts={}), entry))
    rows = [row for scope in LISTED for row, _ in found[scope]]
    wanted = {field.scope for field in asked(template)}
    if Scope.ARM_RESULT in wanted:
        rows += _results(found[Scope.OUTCOME], found[Scope.ARM])
    if Scope.CONTRAST in wanted:
        rows += _contrasts(found[Scope.OUTCOME], found[Scope.ARM])
    return rows


def _results(outcomes: list[tuple[Row, Listed]], arms: list[tuple[Row, Listed]]) -> list[Row]:
    made = [
        (f"{outcome.label}, {time}, {arm.label}", {"outcome": outcome.key, "timepoint": time, "arm": arm.key})
        for outcome, time in _times(outcomes)
        for arm, _ in arms
    ]
    return _numbered(Scope.ARM_RESULT, made)


def _contrasts(outcomes: list[tuple[Row, Listed]], arms: list[tuple[Row, Listed]]) -> list[Row]:
    if len(arms) < 2:
        return []
    against, _ = next((arm for arm in arms if arm[1].is_reference), arms[-1])
    made = [
        (
            f"{outcome.label}, {time}, {arm.label} / {against.label}",
            {"outcome": outcome.key, "timepoint": time, "arm": arm.key, "against": against.key},
        )
        for outcome, time in _times(outcomes)
        for arm, _ in arms
        if arm.key != against.key
    ]
    return _numbered(Scope.CONTRAST, made)


def _times(outcomes: list[tuple[Row, Listed]]) -> Iterator[tuple[Row, str]]:
    for row, entry in outcomes:
        for time in entry.timepoints or ("as reported",):
            yield row, time


def _numbered(scope: Scope, made: list[tuple[str, dict[str, str]]]) -> list[Row]:
    return [
        Row(scope=scope, key=f"{scope.value}/{n}", label=label, parts=parts)
        for n, (label, parts) in enumerate(made[:MOST_ROWS], 1)
    ]


def _pieces(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), most):
        yield things[start : start + most]
