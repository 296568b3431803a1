"""Which questions go into one call to a model. Pure: a template and the rows found so far in, groups of fields out.

Arms and outcomes are listed first, then filled: a model that has named its
rows once answers all later questions about the same ones, and the length of
an answer is bounded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from ingather.extraction.findings import Row
from ingather.extraction.template import Field, Scope, Template

T = TypeVar("T")

# Answers of one call where each has a quote of its own, and where one quote proves a row. More would be cut off by
# the limit of 8,000 tokens; fewer would send the paper more often.
FIELDS_AT_ONCE = 20
CELLS_AT_ONCE = 60
# Time points of an outcome. Rows are combinations of outcome, time and arm, so each one multiplies the questions.
MOST_TIMEPOINTS = 6
MOST_ROWS = 40  # of one scope; what a paper has beyond that is left out, and a flag says so

# Each scope is listed by the model itself, or made of rows that were.
LISTED = (Scope.ARM, Scope.OUTCOME, Scope.DOMAIN)
MADE = (Scope.ARM_RESULT, Scope.CONTRAST)
# The names of the lists in a model's answer.
LIST_NAMES = {Scope.ARM: "arms", Scope.OUTCOME: "outcomes", Scope.DOMAIN: "results"}

# Fields that hold nothing but the name of their row. By id, which stays for ever: in a selection, or in a project's
# own template, the first field of a scope may be any question.
NAMES = frozenset({"arm_label", "group_label", "outcome_name", "qc_result"})


# One quote proves a row of a table; answers about a study or a risk of bias each need their own.
QUOTED_PER_FIELD = frozenset({Scope.STUDY, Scope.DOMAIN})
UNNAMED_RESULT = "the result of the primary outcome"


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
class QuestionGroup:
    """The fields of one call. With rows, every field is asked of each of them, but for the cells `answered` before."""

    name: str
    scope: Scope
    fields: tuple[Field, ...]
    rows: tuple[Row, ...] = ()
    answered: frozenset[tuple[str, str]] = frozenset()

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The cells that are asked about: row and field."""
        keys = [row.key for row in self.rows] or [""]
        every = ((key, field.id) for key in keys for field in self.fields)
        return tuple(place for place in every if place not in self.answered)

    @property
    def has_quote_per_field(self) -> bool:
        """Whether every answer has a quote of its own, rather than every row."""
        return self.scope in QUOTED_PER_FIELD

    def without(self, answered: Iterable[tuple[str, str]]) -> "QuestionGroup | None":
        """What is left to ask: the rows that are not complete, the fields that one of them lacks, and no other cell."""
        have = self.answered | set(answered)
        rows = tuple(row for row in self.rows if any((row.key, field.id) not in have for field in self.fields))
        keys = [row.key for row in rows] or ([] if self.rows else [""])
        fields = tuple(field for field in self.fields if any((key, field.id) not in have for key in keys))
        among = have & {(key, field.id) for key in keys for field in fields}
        return replace(self, rows=rows, fields=fields, answered=frozenset(among)) if fields else None

    def halves(self) -> tuple["QuestionGroup", ...]:
        """The same questions in two calls, where one is too much; what cannot be halved is alone."""
        if len(self.rows) > 1:
            middle = len(self.rows) // 2
            parts = [replace(self, rows=self.rows[:middle]), replace(self, rows=self.rows[middle:])]
        elif len(self.fields) > 1:
            middle = len(self.fields) // 2
            parts = [replace(self, fields=self.fields[:middle]), replace(self, fields=self.fields[middle:])]
        else:
            return (self,)
        named = (replace(part, name=f"{self.name}.{n}") for n, part in enumerate(parts, 1))
        return tuple(part for half in named if (part := half.without(())) is not None)

    def fitting(self, is_small_enough: Callable[["QuestionGroup"], bool]) -> Iterator["QuestionGroup"]:
        """The same questions in calls that are small enough, as far as they can be cut."""
        halves = (self,) if is_small_enough(self) else self.halves()
        if len(halves) == 1:
            yield halves[0]
            return
        for half in halves:
            yield from half.fitting(is_small_enough)


def askable_question_fields(template: Template) -> tuple[Field, ...]:
    """The fields that a model or our rules can answer."""
    return tuple(field for field in template.fields if field.is_askable)


def scopes_to_list_before_questions(template: Template) -> tuple[Scope, ...]:
    """The scopes whose rows must be known before the template's fields can be asked."""
    needed = {field.scope for field in askable_question_fields(template)}
    if needed & set(MADE):
        needed |= {Scope.ARM, Scope.OUTCOME}
    return tuple(scope for scope in LISTED if scope in needed)


def study_question_groups(template: Template) -> list[QuestionGroup]:
    """The fields asked once per study: neighbours by section, so that a call is about few things."""
    fields = [field for field in askable_question_fields(template) if field.scope is Scope.STUDY]
    sections = [list(together) for _, together in groupby(fields, key=lambda field: field.section)]
    packs: list[list[Field]] = []
    for section in sections:
        for part in _questions_in_pieces(section, FIELDS_AT_ONCE):
            if packs and len(packs[-1]) + len(part) <= FIELDS_AT_ONCE:
                packs[-1].extend(part)
            else:
                packs.append(list(part))
    return [QuestionGroup(name=f"study/{n}", scope=Scope.STUDY, fields=tuple(pack)) for n, pack in enumerate(packs, 1)]


def row_question_groups(template: Template, rows: Sequence[Row]) -> list[QuestionGroup]:
    """The fields asked of rows, as many cells at once as an answer can hold."""
    groups: list[QuestionGroup] = []
    for scope in (*LISTED, *MADE):
        fields = tuple(
            field
            for field in askable_question_fields(template)
            if field.scope is scope and field != identity_questions(template, scope)
        )
        mine = [row for row in rows if row.scope == scope]
        if not fields or not mine:
            continue
        for part_of_fields in _questions_in_pieces(fields, question_cells_at_once(scope)):
            for part in _questions_in_pieces(mine, max(1, question_cells_at_once(scope) // len(part_of_fields))):
                name = f"{scope.value}/{1 + sum(group.scope is scope for group in groups)}"
                groups.append(QuestionGroup(name=name, scope=scope, fields=tuple(part_of_fields), rows=tuple(part)))
    return groups


def question_cells_at_once(scope: Scope) -> int:
    """How many answers fit into one reply: fewer where each has a quote of its own."""
    return FIELDS_AT_ONCE if scope in QUOTED_PER_FIELD else CELLS_AT_ONCE


def identity_questions(template: Template, scope: Scope) -> Field | None:
    """The field that names the rows of a listed scope, where it is asked; listing the rows has answered it."""
    return next(
        (field for field in askable_question_fields(template) if field.scope is scope and field.id in NAMES), None
    )


def rows_to_question_from(listed: Iterable[Listed], template: Template) -> tuple[list[Row], dict[Scope, int]]:
    """The rows to ask about: those listed, and for results and contrasts their combinations.

    Beside them, how many of a scope were left out because there are too many.
    """
    found: dict[Scope, list[tuple[Row, Listed]]] = {scope: [] for scope in LISTED}
    for entry in listed:
        mine = found[entry.scope]
        key = f"{entry.scope.value}/{len(mine) + 1}"
        mine.append((Row(scope=entry.scope, key=key, label=entry.label, parts={}), entry))
    wanted = {field.scope for field in askable_question_fields(template)}
    if Scope.DOMAIN in wanted and not found[Scope.DOMAIN]:
        # A model that names no result can still say how the study was done.
        row = Row(scope=Scope.DOMAIN, key="domain/1", label=UNNAMED_RESULT, parts={})
        found[Scope.DOMAIN].append((row, Listed(scope=Scope.DOMAIN, label="")))
    made = {scope: [row for row, _ in found[scope]] for scope in LISTED}
    arms, outcomes = found[Scope.ARM][:MOST_ROWS], found[Scope.OUTCOME][:MOST_ROWS]
    if Scope.ARM_RESULT in wanted:
        made[Scope.ARM_RESULT] = _result_rows_to_question(outcomes, arms)
    if Scope.CONTRAST in wanted:
        made[Scope.CONTRAST] = _contrast_rows_to_question(outcomes, arms)
    kept = [row for scope, rows in made.items() for row in rows[: most_rows_to_question(scope)]]
    left_out = {
        scope: len(rows) - most_rows_to_question(scope)
        for scope, rows in made.items()
        if len(rows) > most_rows_to_question(scope)
    }
    return kept, left_out


def most_rows_to_question(scope: Scope) -> int:
    """A risk of bias is judged of one result; of the rest there may be many."""
    return 1 if scope is Scope.DOMAIN else MOST_ROWS


def _result_rows_to_question(outcomes: list[tuple[Row, Listed]], arms: list[tuple[Row, Listed]]) -> list[Row]:
    made = [
        (f"{outcome.label}, {time}, {arm.label}", {"outcome": outcome.key, "timepoint": time, "arm": arm.key})
        for outcome, time in _outcome_times_to_question(outcomes)
        for arm, _ in arms
    ]
    return _numbered_rows_to_question(Scope.ARM_RESULT, made)


def _contrast_rows_to_question(outcomes: list[tuple[Row, Listed]], arms: list[tuple[Row, Listed]]) -> list[Row]:
    if len(arms) < 2:
        return []
    against, _ = next((arm for arm in arms if arm[1].is_reference), arms[-1])
    made = [
        (
            f"{outcome.label}, {time}, {arm.label} / {against.label}",
            {"outcome": outcome.key, "timepoint": time, "arm": arm.key, "against": against.key},
        )
        for outcome, time in _outcome_times_to_question(outcomes)
        for arm, _ in arms
        if arm.key != against.key
    ]
    return _numbered_rows_to_question(Scope.CONTRAST, made)


def _outcome_times_to_question(outcomes: list[tuple[Row, Listed]]) -> Iterator[tuple[Row, str]]:
    for row, entry in outcomes:
        for time in entry.timepoints or ("as reported",):
            yield row, time


def _numbered_rows_to_question(scope: Scope, made: list[tuple[str, dict[str, str]]]) -> list[Row]:
    return [
        Row(scope=scope, key=f"{scope.value}/{n}", label=label, parts=parts) for n, (label, parts) in enumerate(made, 1)
    ]


def _questions_in_pieces(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), most):
        yield things[start : start + most]
