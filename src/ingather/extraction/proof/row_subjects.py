"""What the rows of a study stand for: their arms, outcome and time, as binding needs them. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ingather.extraction.findings import Answer, Row, Span, State
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.arm_labels import Labels, arm_labels, arm_labels_of_columns, own_arm_label_terms
from ingather.extraction.proof.bound import Subject
from ingather.extraction.proof.figure_time import figure_time_in_days
from ingather.extraction.proof.group_names import group_names_of_arms
from ingather.extraction.proof.short_forms import short_forms
from ingather.extraction.template.model import Scope

# So many lines above a row of a table its header is looked for. More would reach the table before it.
_HEADER_LINES: Final = 45
# Abbreviations are explained where they are first used; what comes behind so many characters is seldom new.
_SHORT_FORMS_WITHIN: Final = 60_000
_TIME_FIELDS: Final = frozenset({"r_timepoint", "c_timepoint"})
_LONG_TERM: Final = re.compile(r"[a-z]{3,}")
# Behind its first figure a row of a table has figures, and at most a unit and the name of a test.
_MOST_TERMS: Final = 3
_VERSUS: Final = re.compile(r"\s+(?:vs\.?|versus|/|v\.?|against|compared with|minus)\s+", re.IGNORECASE)
_SAYS_SD: Final = re.compile(
    r"(?:\u00b1|\+/-|\() ?s\.?d\b|mean ?(?:\u00b1|\+/-)? ?\(?s\.?d\b|standard deviation|标准差|\u00b1s(?![a-z])"
)
_SAYS_SE: Final = re.compile(
    r"(?:\u00b1|\+/-|\() ?s\.?e\.?(?:m\b|\b)|standard errors? of the mean|means? ?[(\u00b1+/ -]{1,4}standard error"
    r"|标准误"
)
_SENTENCE_VERB: Final = re.compile(r"(?<![a-z])(?:was|were|is|are|had|has|have|received|did|we)(?![a-z])|[\u3002]")


class RowSubjects:
    """The rows of one document's extraction, and what each stands for."""

    def __init__(self, pages: Sequence[str], rows: Sequence[Row], answers: Iterable[Answer]) -> None:
        self._pages = pages
        self._rows = {row.key: row for row in rows}
        self._arms = {row.key: row.label for row in rows if row.scope == Scope.ARM}
        self._outcomes = {row.key: row.label for row in rows if row.scope == Scope.OUTCOME}
        self._given = {
            (answer.row, answer.field): str(answer.value)
            for answer in answers
            if answer.state is State.REPORTED and answer.field in {*_TIME_FIELDS, "r_value_kind"}
        }
        self._spread = spread_of_row_subjects(pages)
        self._text = "\n".join(pages)[:_SHORT_FORMS_WITHIN]
        self._short = short_forms(self._text)
        self._labels_of: dict[tuple[tuple[str, str], ...], Labels] = {}
        self._known: dict[str, Subject] = {}

    def subject(self, key: str) -> Subject:
        """What a row stands for; that of the study for a key that is none."""
        if key not in self._known:
            row = self._rows.get(key)
            self._known[key] = self._study() if row is None else self._of(row)
        return self._known[key]

    def _study(self) -> Subject:
        return Subject(arm_labels=self._labels(self._arms), spread=self._spread)

    def _labels(self, arms: Mapping[str, str]) -> Labels:
        pairs = tuple(arms.items())
        if pairs not in self._labels_of:
            names = group_names_of_arms(self._text, arms, own_arm_label_terms(pairs), self._short)
            self._labels_of[pairs] = arm_labels(pairs, self._short, names)
        return self._labels_of[pairs]

    def _of(self, row: Row) -> Subject:
        if row.scope == Scope.ARM:
            arms = self._arms | {row.key: row.label}
            return replace(self._study(), arms=(row.key,), arm_labels=self._labels(arms))
        if row.scope == Scope.OUTCOME:
            return replace(self._study(), outcome=row.key, outcomes=self._outcomes | {row.key: row.label})
        if row.scope not in {Scope.ARM_RESULT, Scope.CONTRAST}:
            return self._study()
        outcome, outcomes = self._outcome(row)
        wanted, arms = self._arms_of(row)
        kind = self._given.get((row.key, "r_value_kind"), "")
        return replace(
            self._study(), arms=wanted, arm_labels=self._labels(arms), outcome=outcome, outcomes=outcomes,
            time=0.0 if kind == "baseline" else self._time(row), is_baseline=kind == "baseline",
            is_contrast=row.scope == Scope.CONTRAST,
        )  # fmt: skip

    def _outcome(self, row: Row) -> tuple[str, Mapping[str, str]]:
        """The key of the row's outcome, and the labels of all. A row that names no other has it in its own label."""
        part = row.parts.get("outcome", "")
        if part in self._outcomes:
            return part, self._outcomes
        label = part or row.label.split(",")[0]
        return (
            (row.key, self._outcomes | {row.key: label})
            if label.strip() and "not named" not in label
            else ("", self._outcomes)
        )

    def _arms_of(self, row: Row) -> tuple[tuple[str, ...], dict[str, str]]:
        """The keys of the row's arms, and the labels of all arms."""
        wanted = [row.parts[name] for name in ("arm", "against", "first", "second") if row.parts.get(name)]
        arms = dict(self._arms)
        if not wanted and "," in row.label:
            last = row.label.rsplit(",", 1)[1].strip()
            wanted = [label.strip() for label in _VERSUS.split(last)]
        keys = []
        for one in wanted:
            key = next((key for key, label in arms.items() if one == key or label.casefold() == one.casefold()), one)
            arms.setdefault(key, one)
            keys.append(key)
        return tuple(keys), arms

    def _time(self, row: Row) -> float | None:
        given = row.parts.get("timepoint", "") or next(
            (value for name in sorted(_TIME_FIELDS) if (value := self._given.get((row.key, name)))), ""
        )
        return figure_time_in_days(fold_text(given).text) if given else None

    def in_table(self, subject: Subject, spans: Sequence[Span], quoted: str) -> Subject:
        """The subject with the columns of the table that the quote is a row of, if it is one."""
        figures = [*re.finditer(r"[0-9]+", quoted)]
        if not spans or _SENTENCE_VERB.search(quoted) or len(figures) < 2:
            return subject
        if len(_LONG_TERM.findall(quoted, figures[0].end())) > _MOST_TERMS:
            return subject
        header, groups = self._header(subject, spans[0])
        return replace(subject, is_row=True, columns=groups, header=header)

    def _header(self, subject: Subject, span: Span) -> tuple[str, tuple[str, ...]]:
        if subject.arm_labels is None:
            return "", ()
        lines = [line for line in self._pages[span.page][: span.start].split("\n")[-_HEADER_LINES:] if line.strip()]
        for n in range(len(lines) - 1, -1, -1):
            for count in (1, 2, 3):
                header = fold_text(" ".join(lines[n : n + count])).text
                groups = arm_labels_of_columns(header, subject.arm_labels)
                if len([key for key in groups if key != "all"]) > 1 and not _SENTENCE_VERB.search(header):
                    return header, tuple(groups)
        return "", ()


def spread_of_row_subjects(pages: Sequence[str]) -> str:
    """Whether the paper gives its averages with SD or with SE; empty where it says both or neither."""
    text = fold_text("\n".join(pages)[:120_000]).text
    says_sd, says_se = _SAYS_SD.search(text) is not None, _SAYS_SE.search(text) is not None
    return "" if says_sd == says_se else "sd" if says_sd else "se"
