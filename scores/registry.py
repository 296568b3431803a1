"""Trials and their registry records: what the embedded extractor reads in a paper, held against what was registered.

FOLDER/registry/records/NAME.json is the record of a trial, FOLDER/pdf/NAME.columns.pdf its paper. Only closed fields
are compared, and only answers that carry the mark count as answers. Paper and record can truly differ, most often in
the number of people: a miss is a place to look, and not always a mistake.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ingather.extraction.findings import EMBEDDED, Finding, Row, State, Verdict
from ingather.extraction.proof.assess import assess
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template import Template, load_builtin_template
from ingather.library.errors import PaperUnreadable
from ingather.library.paper import read_paper
from ingather.library.places import printed_lines
from ingather.library.reading import Reading
from scores.report import Report, Share

MARKED: Final = frozenset((Verdict.VERIFIED, Verdict.VERIFIED_FUZZY))
_DESIGNS: Final = {"PARALLEL": "parallel", "CROSSOVER": "crossover", "FACTORIAL": "factorial"}
_MASKED: Final = {
    "blind_participants": {"PARTICIPANT"}, "blind_personnel": {"CARE_PROVIDER", "INVESTIGATOR"},
    "blind_assessors": {"OUTCOMES_ASSESSOR"},
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One field of one trial: what the record says, and what was answered with the mark, if anything was."""

    paper: str
    field: str
    record: object
    answer: object

    @property
    def is_right(self) -> bool:
        return self.answer == self.record


def score(folder: Path) -> Report:
    """Right answers among those given, and how often one was given, by field."""
    records = sorted((folder / "registry" / "records").glob("*.json"))
    if not records:
        raise FileNotFoundError("no records below registry/records")
    compared = [one for path in records for one in _compared(path, folder / "pdf" / f"{path.stem}.columns.pdf")]
    fields = list(dict.fromkeys(one.field for one in compared))
    shares = [share for field in fields for share in _shares(field, [one for one in compared if one.field == field])]
    misses = [
        f"{one.paper} {one.field}: {one.answer}, registered {one.record}"
        for one in compared
        if one.answer is not None and not one.is_right
    ]
    return Report(board="registry", shares=shares, misses=misses)


def _shares(field: str, compared: list[Compared]) -> Iterator[Share]:
    answered = [one for one in compared if one.answer is not None]
    yield Share(name=f"{field}, right of those answered", right=sum(one.is_right for one in answered), of=len(answered))
    yield Share(name=f"{field}, answered", right=len(answered), of=len(compared))


def _compared(path: Path, pdf: Path) -> Iterator[Compared]:
    record = json.loads(path.read_text(encoding="utf-8"))["protocolSection"]
    try:
        reading = read_paper(pdf)
    except PaperUnreadable:
        return
    _rows, findings = answers_of(load_builtin_template("rct"), reading)
    marked = {one.field: one.value for one in findings if not one.row and is_marked(one)}
    for field, value in _registered(record, "\n".join(page.text for page in reading.pages)):
        answer = marked.get(field)
        if field == "registration_id" and isinstance(answer, list):
            answer = value if value in answer else answer
        yield Compared(paper=path.stem, field=field, record=value, answer=answer)


def _registered(record: dict[str, Any], text: str) -> Iterator[tuple[str, object]]:
    """The closed fields of a record, under the names of the template."""
    number = record["identificationModule"]["nctId"]
    if number in text:
        yield "registration_id", number
    design = record["designModule"]
    if design["enrollmentInfo"]["type"] == "ACTUAL":
        yield "n_randomised", design["enrollmentInfo"]["count"]
    info = design["designInfo"]
    if info.get("interventionModel") in _DESIGNS:
        yield "design", _DESIGNS[info["interventionModel"]]
    masked = set(info.get("maskingInfo", {}).get("whoMasked", ()))
    for field, who in _MASKED.items():
        yield field, "yes" if masked & who else "no"


def answers_of(template: Template, reading: Reading) -> tuple[list[Row], list[Finding]]:
    """The rows and findings of the embedded extractor in one paper."""
    pages = [page.text for page in reading.pages]
    first = reading.pages[0]
    fields = [field for field in template.fields if field.is_askable]
    rows, answers = extract_by_rules(fields, pages, first_page=printed_lines(first.text, first.boxes))
    findings, _flags = assess(
        template, pages, rows, answers, source=EMBEDDED, has_unread_signs=reading.has_unread_signs
    )
    return rows, findings


def is_marked(finding: Finding) -> bool:
    return finding.state is State.REPORTED and finding.verdict in MARKED
