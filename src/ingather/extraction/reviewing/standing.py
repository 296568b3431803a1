"""What stands in a document after its reviews: reviews laid over findings, and all that follows from them. Pure.

Findings are outcomes and never change, so nothing is written back to them.
Judgements that are computed, and the flags of the checks, are worked out anew
from the answers that stand.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import orjson

from ingather.extraction.findings import (
    REVIEWER,
    Action,
    DocumentResult,
    Extracted,
    Finding,
    Review,
    Row,
    State,
    Verdict,
)
from ingather.extraction.judgements.checks import CUT_SHORT, run_template_checks
from ingather.extraction.judgements.judgements import compute_judgements
from ingather.extraction.proof.assess import assessed_in_order
from ingather.extraction.template import ARMS_FIELD, QUESTION_FIELDS, Template

Place = tuple[str, str]  # row and field: a cell of one document
Cells = Mapping[Place, Sequence[Finding]]

_STATES = {
    Action.EDITED: State.REPORTED,
    Action.NOT_REPORTED: State.NOT_REPORTED,
    Action.NOT_APPLICABLE: State.NOT_APPLICABLE,
    Action.UNCLEAR: State.UNCLEAR,
    Action.REJECTED: State.REJECTED,
}


def fingerprint(cell: Iterable[Finding]) -> str:
    """A hash of the findings of a cell, also of none."""
    content = [[finding.state, finding.value, finding.quote, finding.verdict, finding.source] for finding in cell]
    return hashlib.sha256(orjson.dumps(content)).hexdigest()


def kept_reviews(reviews: Iterable[Review]) -> list[Review]:
    """Those of one cell that were not taken back, in order: each withdrawal takes one back."""
    kept: list[Review] = []
    for review in reviews:
        if review.action is not Action.WITHDRAWN:
            kept.append(review)
        elif kept:
            kept.pop()
    return kept


def standing(reviews: Iterable[Review]) -> Review | None:
    """The review that counts among all reviews of one cell, in order."""
    kept = kept_reviews(reviews)
    return kept[-1] if kept else None


def checked_cells(reviews: Iterable[Review]) -> set[Place]:
    """The cells whose standing review is by another person than one before it that was not taken back."""
    histories = {place: kept_reviews(history) for place, history in by_cell(reviews).items()}
    return {place for place, kept in histories.items() if any(one.reviewer != kept[-1].reviewer for one in kept)}


def by_cell(reviews: Iterable[Review]) -> dict[Place, list[Review]]:
    cells: dict[Place, list[Review]] = {}
    for review in reviews:
        cells.setdefault((review.row, review.field), []).append(review)
    return cells


def cell_of(found: DocumentResult, place: Place) -> list[Finding]:
    return [finding for finding in found.findings if (finding.row, finding.field) == place]


def reviewed(template: Template, found: DocumentResult, reviews: Sequence[Review]) -> DocumentResult:
    """The document as it stands after its reviews."""
    standing_reviews = {place: review for place, history in by_cell(reviews).items() if (review := standing(history))}
    if not standing_reviews:
        return replace(found, reviews=tuple(reviews))
    found = _reread(found, standing_reviews.get(("", ARMS_FIELD)))
    computed = {field.id for field in template.fields if field.computed}
    cells: dict[Place, list[Finding]] = {}
    for finding in found.findings:
        cells.setdefault((finding.row, finding.field), []).append(finding)
    answers = _laid_over(
        {place: cell for place, cell in cells.items() if place[1] not in computed},
        {place: review for place, review in standing_reviews.items() if place[1] not in computed},
    )
    judged: Cells = {place: cell for place, cell in cells.items() if place[1] in computed}
    about = {place: review for place, review in standing_reviews.items() if place[1] in computed}
    has_changed = any(finding.is_reviewed for finding in answers)
    if has_changed:
        judged = _judged_again(template, found.rows, answers, judged)
    judgements = _laid_over(judged, about)
    given = {
        (one.row, one.field): str(one.value) if one.state is State.REPORTED else None
        for one in judgements
        if one.is_reviewed
    }
    if given:
        # An overall judgement follows from those of the domains, including the ones that a person gave.
        judgements = _laid_over(_judged_again(template, found.rows, answers, judged, given), about)
    findings = assessed_in_order(template, found.rows, [*answers, *judgements])
    # Flags about the paper, or about how it was read, do not depend on reviews.
    checks = {CUT_SHORT, *(rule.id for rule in template.checks)}
    flags = [
        *run_template_checks(template, found.rows, findings),
        *(flag for flag in found.flags if flag.rule not in checks),
    ]
    return replace(found, findings=tuple(findings), flags=tuple(flags), reviews=tuple(reviews))


def _reread(found: DocumentResult, review: Review | None) -> DocumentResult:
    """With the answers to the review's questions as they hang on the arms that a person has mended.

    They take the place of those that were extracted, and count as found:
    nobody has looked at them yet.
    """
    reread = review.reread if review else None
    if review is None or reread is None or reread.parser != found.parser:
        return found
    if review.finding_sha256 != fingerprint(cell_of(found, ("", ARMS_FIELD))):
        return found
    kept = [one for one in found.findings if one.field == ARMS_FIELD or one.field not in QUESTION_FIELDS]
    return replace(found, findings=(*kept, *reread.findings), arms=reread.arms)


def _laid_over(cells: Cells, standing_reviews: Mapping[Place, Review]) -> list[Finding]:
    laid: list[Finding] = []
    for place, cell in cells.items():
        review = standing_reviews.get(place)
        laid += _after(review, cell) if review else cell
    return laid + [
        finding for place in standing_reviews if place not in cells for finding in _after(standing_reviews[place], ())
    ]


def _after(review: Review, cell: Sequence[Finding]) -> list[Finding]:
    """The findings of a cell after a review: one, or the old ones if the review judged other findings."""
    if review.finding_sha256 != fingerprint(cell):
        return [replace(finding, review=review, is_outdated=True) for finding in cell]
    if not cell:
        nothing = Finding(
            field=review.field,
            row=review.row,
            state=_STATES[review.action],
            value=review.value,
            quote="",
            verdict=Verdict.NO_QUOTE,
            spans=(),
            source=REVIEWER,
        )
        return [replace(nothing, review=review)]
    first = replace(cell[0], review=review)
    if review.action is Action.ACCEPTED:
        return [first]
    was = first.extracted or Extracted(state=first.state, value=first.value, source=first.source)
    return [replace(first, state=_STATES[review.action], value=review.value, source=REVIEWER, extracted=was)]


def _judged_again(
    template: Template,
    rows: Sequence[Row],
    answers: Sequence[Finding],
    before: Cells,
    given: Mapping[Place, str | None] | None = None,
) -> dict[Place, list[Finding]]:
    """The judgements that follow from the answers that stand, each with what it was where it has become another."""
    cells: dict[Place, list[Finding]] = {}
    for finding in compute_judgements(template, rows, answers, given):
        place = finding.row, finding.field
        was = before[place][0] if before.get(place) else None
        if was:
            old = was.extracted or Extracted(state=was.state, value=was.value, source=was.source)
            if (old.state, old.value) != (finding.state, finding.value):
                finding = replace(finding, extracted=old)  # noqa: PLW2901  the same judgement, and what it was
        cells.setdefault(place, []).append(finding)
    return cells
