"""Answers become findings: each quote is looked for, each value is bound to it, and the template's rules are run.

Nothing a model says about its own evidence is believed here.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

from ingather.extraction.findings import Answer, Finding, Flag, Reason, Row, Span, State, Verdict
from ingather.extraction.ground import Grounding, Index, ground
from ingather.extraction.judgements.checks import run_template_checks
from ingather.extraction.judgements.judgements import compute_judgements
from ingather.extraction.proof.bind import Binder, Proof
from ingather.extraction.proof.support import text_supports_value
from ingather.extraction.template import Template
from ingather.notice import joined, notice

FOUND = {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}

RECOGNISED_NOTE = notice("proof.text_recognised_picture_ocr", "Text recognised from a picture (OCR).")
RECOGNISED = Flag(
    rule="recognised_text",
    row="",
    fields=(),
    message=notice(
        "proof.text_document_recognised_pictures_ocr",
        "The text of this document was recognised from pictures (OCR) and may contain misread characters: no "
        "quote counts as exact. Compare numbers with the page.",
    ),
)

UNREAD_SIGNS = Flag(
    rule="unread_signs",
    row="",
    fields=(),
    message=notice(
        "proof.signs_document_not_read",
        "Signs beside numbers, such as < or ±, could not all be read in this document. Compare numbers with the page.",
    ),
)

# A paper has no business talking to a machine; a quote that does is shown to a person.
_ORDERS = re.compile(
    r"(?i)\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|above|schema)\b"
    r"|\b(?:as an? |dear |attention,? )(?:ai|llm|language model|assistant)\b"
    r"|\b(?:ai|llm|language model|assistant)s?\b.{0,30}\b(?:must|should|shall)\b.{0,30}\b(?:report|answer|output|rate)"
    r"|(?:忽略|无视).{0,20}(?:指令|提示|要求)"
)


def assess(
    template: Template,
    pages: Sequence[str],
    rows: Sequence[Row],
    answers: Iterable[Answer],
    *,
    source: str,
    is_recognised: bool = False,
    has_unread_signs: bool = False,
    from_cells: Sequence[Finding] = (),
) -> tuple[list[Finding], list[Flag]]:
    """Findings in the template's order, those that are computed included, and the flags of the checks.

    `is_recognised`: the pages were recognised in pictures, so that a quote
    which stands there word for word may still not be what was printed.
    `has_unread_signs`: signs such as < and ± could not all be read, so values
    that hang on one are not bound. `from_cells` were read from cells of tables
    by code, and stand beside the answers when the rules are run.
    """
    findings = assess_answers(template, pages, rows, answers, source=source, trusts_symbols=not has_unread_signs)
    findings = assessed_in_order(
        template, rows, [*findings, *from_cells, *compute_judgements(template, rows, findings)]
    )
    flags = [
        *run_template_checks(template, rows, findings),
        *_assess_order_of_findings(findings),
        *([UNREAD_SIGNS] if has_unread_signs else []),
    ]
    if not is_recognised:
        return findings, flags
    return [assessed_with_doubt(finding) for finding in findings], [*flags, RECOGNISED]


def assess_answers(
    template: Template,
    pages: Sequence[str],
    rows: Sequence[Row],
    answers: Iterable[Answer],
    *,
    source: str,
    trusts_symbols: bool = True,
) -> list[Finding]:
    """The finding of each answer, in the order of the answers."""
    index = Index(pages)
    # One quote often proves a whole row of a table.
    find = cache(lambda quote, page: ground(quote, index, page))
    answers = list(answers)
    binder = Binder(template, pages, rows, answers, trusts_symbols=trusts_symbols)
    return [_assess_answer(template, find, pages, answer, source, binder) for answer in answers]


def assessed_with_doubt(finding: Finding) -> Finding:
    """The finding as it counts where its words were recognised in a picture."""
    if finding.verdict is not Verdict.VERIFIED:
        return finding
    note = joined(finding.note, RECOGNISED_NOTE)
    return replace(finding, verdict=Verdict.VERIFIED_FUZZY, note=note)


def assessed_in_order(template: Template, rows: Sequence[Row], findings: Iterable[Finding]) -> list[Finding]:
    """Row by row, and in each as the template asks."""
    order = {field.id: place for place, field in enumerate(template.fields)}
    places = {row.key: place for place, row in enumerate(rows)}
    return sorted(findings, key=lambda finding: (places.get(finding.row, -1), order.get(finding.field, len(order))))


def _assess_answer(
    template: Template,
    find: Callable[[str, int | None], Grounding],
    pages: Sequence[str],
    answer: Answer,
    source: str,
    binder: Binder,
) -> Finding:
    verdict, spans = Verdict.NO_QUOTE, tuple[Span, ...]()
    proof = Proof()
    if answer.quote and answer.state in {State.REPORTED, State.UNCLEAR}:
        found = find(answer.quote, answer.page)
        verdict, spans = found.verdict, found.spans
        proof = Proof(reason=Reason.JOINED) if found.is_joined else proof
    if verdict in FOUND and answer.state is State.REPORTED:
        field = template.field(answer.field)
        quoted = "\n".join(pages[span.page][span.start : span.end] for span in spans)
        if not text_supports_value(answer.value, quoted, type=field.type):
            verdict = Verdict.UNSUPPORTED_VALUE
        else:
            proof = _assess_part(answer, binder.bind(answer, spans))
            verdict = Verdict.UNBOUND if proof.reason else verdict
    return Finding(
        field=answer.field,
        row=answer.row,
        state=answer.state,
        value=answer.value,
        quote=answer.quote,
        verdict=verdict,
        spans=spans,
        source=source,
        note=answer.note,
        value_spans=proof.value_spans,
        subject_spans=proof.subject_spans,
        reason=proof.reason,
    )


def _assess_part(answer: Answer, proof: Proof) -> Proof:
    """A value that is one of several things the paper says is no answer to a field that asks for all of them."""
    return replace(proof, reason=Reason.PART) if answer.is_part and proof.reason is None else proof


def _assess_order_of_findings(findings: Iterable[Finding]) -> list[Flag]:
    return [
        Flag(
            rule="order_in_quote",
            row=finding.row,
            fields=(finding.field,),
            message=notice(
                "proof.quote_speaks_machine_rather_reader",
                "The quote speaks to a machine rather than to a reader. Look at the paper.",
            ),
        )
        for finding in findings
        if _ORDERS.search(finding.quote)
    ]
