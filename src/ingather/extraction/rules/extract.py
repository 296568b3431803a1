"""The embedded extractor: every field of a template answered from the document's own text, by rules alone."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.rules import (
    aim,
    allocation,
    analysis_methods,
    blinding,
    cohort,
    conclusions,
    counts,
    declarations,
    design,
    identity,
    people,
    registration,
)
from ingather.extraction.rules.coverage import LEAST_READ, weighed_by_coverage
from ingather.extraction.rules.hits import NOT_LOOKED_FOR
from ingather.extraction.rules.kind import (
    COHORT_FIELDS,
    NO_TRIAL_SEEN,
    NOT_A_COHORT,
    NOT_A_TRIAL,
    OF_ANY_PAPER,
    TRIAL_FIELDS,
    Report,
    ReportKind,
    is_cohort,
    kind_of_report,
)
from ingather.extraction.rules.rows import Answers, rows_by_rules
from ingather.extraction.rules.sentences import Document, sentences_of_pages
from ingather.library.port import PrintedLine
from ingather.notice import notice

NO_TEXT: Final = notice("rules.no_text_look", "There is no text to look in.")
OTHER_LANGUAGE: Final = notice(
    "rules.embedded_extractor_reads_english_chinese", "The embedded extractor reads English and Chinese only."
)
# With fewer letters than this, finding nothing proves nothing.
LEAST_LETTERS: Final = 120
# So many characters are read: as many as a long book has. More would cost time and bring nothing.
# Characters of a paper that is long enough to have methods under a heading; a letter or an abstract is shorter.
LONG_PAPER: Final = 15_000
MOST_CHARACTERS: Final = 2_000_000

_FAMILIES: Final = (
    declarations.declaration_answers,
    design.design_answers,
    allocation.allocation_answers,
    blinding.blinding_answers,
    counts.count_answers,
    analysis_methods.analysis_method_answers,
    people.people_answers,
    cohort.cohort_answers,
    aim.aim_answers,
    conclusions.conclusion_answers,
)
_COMMON: Final = re.compile(r"\b(?:the|of|and|in|to|was|were|with|for|a|by|we|from|that|on)\b", re.IGNORECASE)


class AskableField(Protocol):
    """A field of a template, as far as rules care. Where it also has `is_askable` or `options`, they are heeded."""

    @property
    def id(self) -> str: ...
    @property
    def scope(self) -> str: ...


def extract_by_rules(
    fields: Iterable[AskableField], pages: Sequence[str], *, first_page: Sequence[PrintedLine] = ()
) -> tuple[list[Row], list[Answer]]:
    """Rows and answers for one document. Every field asked gets an answer in every row of its scope; never raises.

    `not_reported` means that the part of the paper that would say it was read
    and does not speak of it. Where that is not sure, and where no rule looks
    for a field, it is `unclear`, and the note gives the reason. `first_page`:
    the lines of the first page with the size of their type, where it is known.
    """
    askable = [field for field in fields if getattr(field, "is_askable", True)]
    silence = _unreadable_silence(pages)
    rows: list[Row] = []
    found: Answers = {}
    if silence != NO_TEXT:
        document = sentences_of_pages(_bounded_pages(pages))
        rows, found = _found_by_rules(document, first_page, askable)
        found = {place: weighed_by_coverage(answer, document) for place, answer in found.items()}
    keys = {"study": [""]}
    for row in rows:
        keys.setdefault(row.scope, []).append(row.key)
    answers = [
        _checked_rule_answer(field, found.get((field.id, key)), key, silence)
        for field in askable
        for key in keys.get(field.scope, [])
    ]
    return rows, answers


def _bounded_pages(pages: Sequence[str]) -> list[str]:
    """The pages, but no more text than a book has."""
    kept, left = [], MOST_CHARACTERS
    for page in pages:
        kept.append(page[:left])
        left -= len(kept[-1])
    return kept


def _unreadable_silence(pages: Sequence[str]) -> str:
    """Why finding nothing proves nothing; empty where it does."""
    sample = "".join(pages)[:50_000]
    letters = sum(map(str.isalpha, sample))
    if letters < LEAST_LETTERS:
        return NO_TEXT
    chinese = len(re.findall(r"[\u4e00-\u9fff]", sample))
    terms = len(re.findall(r"\b[^\W\d_]+\b", sample))
    if chinese < 0.2 * letters and len(_COMMON.findall(sample)) < 0.08 * terms:
        return OTHER_LANGUAGE
    return ""


def _found_by_rules(
    document: Document, first_page: Sequence[PrintedLine], askable: Sequence[AskableField]
) -> tuple[list[Row], Answers]:
    """All that the rules find, by field and row. A paper of another kind than the questions has no rows."""
    study = identity.identity_answers(document, first_page)
    for answers_of_family in _FAMILIES:
        study |= answers_of_family(document)
    paper = kind_of_report(document, identity.title_line(document, first_page))
    ids = {field.id for field in askable}
    is_trial = paper.kind in {ReportKind.TRIAL, ReportKind.PROTOCOL}
    study[registration.FIELD] = registration.without_numbers_of_others(
        study[registration.FIELD], document, is_trial=is_trial
    )
    unfit = _unfit_for_rules(paper, document, ids, frozenset(study))
    study |= unfit
    scopes = {str(field.scope) for field in askable}
    rows, found = (
        ([], {})
        if unfit or not scopes - {"study"}
        else rows_by_rules(document, study, scopes, is_trial="n_randomised" in ids)
    )
    return rows, found | {(name, ""): answer for name, answer in study.items()}


def _unfit_for_rules(paper: Report, document: Document, askable: set[str], found: frozenset[str]) -> dict[str, Answer]:
    """The answers to questions about a trial or a cohort that a paper of another kind cannot answer."""
    if paper.kind is ReportKind.REVIEW:
        # A review that speaks of people, places and analyses speaks of the studies that it reviews.
        fields, note = found - OF_ANY_PAPER, NOT_A_COHORT if "cohort_type" in askable else NOT_A_TRIAL
    elif ("n_randomised" in askable and _has_no_methods(document, paper)) or (
        "n_randomised" in askable and paper.kind is ReportKind.UNKNOWN and document.characters("methods") >= LEAST_READ
    ):
        fields, note = TRIAL_FIELDS, NO_TRIAL_SEEN
    elif "n_randomised" in askable and paper.kind is not ReportKind.TRIAL:
        fields, note = TRIAL_FIELDS, NO_TRIAL_SEEN if paper.kind is ReportKind.UNKNOWN else NOT_A_TRIAL
    elif "cohort_type" in askable and not is_cohort(paper, document):
        fields, note = COHORT_FIELDS, NOT_A_COHORT
    else:
        return {}
    hit = paper.hit
    quote, page = (hit.quote, hit.sentence.page) if hit else ("", None)
    return {name: Answer(field=name, state=State.UNCLEAR, quote=quote, page=page, note=note) for name in sorted(fields)}


def _has_no_methods(document: Document, paper: Report) -> bool:
    """Whether a long paper has no methods of its own: it speaks of what others randomised."""
    is_long = sum(map(len, document.pages)) > LONG_PAPER
    stands_early = paper.hit is not None and (paper.hit.sentence.in_abstract or paper.hit.sentence.part == "front")
    return is_long and document.characters("methods") == 0 and not stands_early


def _checked_rule_answer(field: AskableField, answer: Answer | None, key: str, silence: str) -> Answer:
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
