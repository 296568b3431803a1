"""The embedded extractor: every field of a template answered from the document's own text, by rules alone."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.rules import (
    allocation,
    analysis,
    arms,
    baseline,
    cohort,
    counts,
    declarations,
    design,
    effects,
    identity,
    outcomes,
    people,
    quality,
    results,
    statements,
)
from ingather.extraction.rules.hits import NOT_LOOKED_FOR
from ingather.extraction.rules.sentences import Document, read
from ingather.notice import notice

NO_TEXT: Final = notice("rules.no_text_look", "There is no text to look in.")
OTHER_LANGUAGE: Final = notice(
    "rules.embedded_extractor_reads_english_chinese", "The embedded extractor reads English and Chinese only."
)
LEAST_LETTERS: Final = 120
MOST_CHARACTERS: Final = 2_000_000

_FAMILIES: Final = (identity, declarations, design, allocation, counts, analysis, people, cohort, statements)
_COMMON: Final = re.compile(r"\b(?:the|of|and|in|to|was|were|with|for|a|by|we|from|that|on)\b", re.IGNORECASE)


class Asked(Protocol):
    """A field of a template, as far as rules care. Where it also has `is_asked` or `options`, they are heeded."""

    @property
    def id(self) -> str: ...
    @property
    def scope(self) -> str: ...


Answers = dict[tuple[str, str], Answer]


def extract(fields: Iterable[Asked], pages: Sequence[str]) -> tuple[list[Row], list[Answer]]:
    """Rows and answers for one document. Every field asked gets an answer in every row of its scope; never raises.

    `not_reported` means that a rule looked and found nothing. A field that no
    rule looks for is `unclear`, and its note says so.
    """
    asked = [field for field in fields if getattr(field, "is_asked", True)]
    silence = _silence(pages)
    rows, told = ([], {}) if silence == NO_TEXT else _told(read(_bounded(pages)), {str(field.scope) for field in asked})
    keys = {"study": [""]}
    for row in rows:
        keys.setdefault(row.scope, []).append(row.key)
    answers = [
        _checked(field, told.get((field.id, key)), key, silence) for field in asked for key in keys.get(field.scope, [])
    ]
    return rows, answers


def _bounded(pages: Sequence[str]) -> list[str]:
    """The pages, but no more text than a book has."""
    kept, left = [], MOST_CHARACTERS
    for page in pages:
        kept.append(page[:left])
        left -= len(kept[-1])
    return kept


def _silence(pages: Sequence[str]) -> str:
    """Why finding nothing proves nothing; empty where it does."""
    sample = "".join(pages)[:50_000]
    letters = sum(map(str.isalpha, sample))
    if letters < LEAST_LETTERS:
        return NO_TEXT
    chinese = len(re.findall(r"[\u4e00-\u9fff]", sample))
    words = len(re.findall(r"\b[^\W\d_]+\b", sample))
    if chinese < 0.2 * letters and len(_COMMON.findall(sample)) < 0.08 * words:
        return OTHER_LANGUAGE
    return ""


def _told(document: Document, scopes: set[str]) -> tuple[list[Row], Answers]:
    """All that the rules have to say, by field and row."""
    study: dict[str, Answer] = {}
    for family in _FAMILIES:
        study |= family.answers(document)
    told: Answers = {(name, ""): answer for name, answer in study.items()}
    rows: list[Row] = []

    def add(scope: str, label: str, parts: dict[str, str], said: dict[str, Answer]) -> None:
        key = next(iter(said.values())).row
        rows.append(Row(scope=scope, key=key, label=label, parts=parts))
        told.update({(name, key): answer for name, answer in said.items()})

    if not scopes - {"study"}:
        return rows, told
    groups = arms.arms(document)
    ages = baseline.answers(groups, document)
    for n, arm in enumerate(groups, 1):
        add("arm", arm.label, {}, arms.answers(arm, groups, document, f"arm/{n}") | ages[n - 1])
    named = outcomes.outcomes(document)
    for n, outcome in enumerate(named, 1):
        add("outcome", outcome.name, {}, outcomes.answers(outcome, f"outcome/{n}"))
    for n, result in enumerate(results.results(document, groups, named), 1):
        parts = {"arm": f"arm/{result.arm + 1}"} | _outcome(result.outcome)
        label = f"{_name(named, result.outcome)}, {groups[result.arm].label}"
        add("arm_result", label, parts, results.answers(result, f"arm_result/{n}"))
    for n, effect in enumerate(effects.effects(document, named), 1):
        label = f"{_name(named, effect.outcome)}, {effect.label}"
        add("contrast", label, _outcome(effect.outcome), effects.answers(effect, f"contrast/{n}"))
    if "domain" in scopes:
        add("domain", named[0].name if named else "Main result", {}, quality.answers(study, "domain/1"))
    return [row for row in rows if row.scope in scopes], told


def _outcome(number: int | None) -> dict[str, str]:
    return {} if number is None else {"outcome": f"outcome/{number + 1}"}


def _name(named: list[outcomes.Outcome], number: int | None) -> str:
    return "Outcome not named" if number is None else named[number].name


def _checked(field: Asked, answer: Answer | None, key: str, silence: str) -> Answer:
    """The answer, or why there is none; a choice that the field does not offer is none."""
    if answer is None:
        return Answer(field=field.id, row=key, state=State.UNCLEAR, note=silence or NOT_LOOKED_FOR)
    if answer.state is State.NOT_REPORTED and silence:
        return Answer(field=field.id, row=key, state=State.UNCLEAR, note=silence)
    options = {option.id for option in getattr(field, "options", ())}
    chosen = answer.value if isinstance(answer.value, list) else [answer.value]
    if answer.state is State.REPORTED and options and not options.issuperset(chosen):
        return Answer(
            field=field.id, row=key, state=State.UNCLEAR, quote=answer.quote, page=answer.page,
            note=notice("rules.found_none_choices", "What was found is none of the choices."),
        )  # fmt: skip
    return answer
