"""Honest answers that nobody had to make up: what an article's own XML, its headings, or annotators say of its words.

An answer from the XML is the authors' statement under the authors' label: the title, the DOI, the funding statement,
the first sentence under `Sample size`. From annotated abstracts (brat) come short answers, as people marked them. A
board may also hold answers read by a person: FOLDER/honest/NAME.json, a list of field, value and quote.
"""

import calendar
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Row, Value
from scores.articles import Article, Section, sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Honest:
    """An answer that its quote supports. `row` is of a scope that has rows; none for the study."""

    field: str
    value: Value
    quote: str
    row: Row | None = None


# Headings of sections that answer a field of a template with their first sentence. Those of the abstract first.
_OF_ABSTRACT: Final = (
    (r"(?:objectives?|aims?|purpose|background and aims?|aims? and objectives?)", "aim"),
    (r"(?:conclusions?|interpretation|conclusions?/significance)", "conclusions"),
    (r"(?:setting|study setting)", "setting"),
)
_OF_BODY: Final = (
    (
        r"(?:sample size(?: calculation| determination| and power)?|power(?: calculation| analysis)?)",
        "sample_size_basis",
    ),
    (r"(?:statistical (?:analys[ei]s|methods?)|statistics)", "statistical_model"),
    (r"(?:randomi[sz]ation(?: procedure)?|sequence generation)", "sequence_generation"),
    (r"(?:blinding|masking)", "blinding_detail"),
    (r"inclusion criteria", "inclusion_criteria"),
    (r"exclusion criteria", "exclusion_criteria"),
    (r"(?:setting|study setting)", "setting"),
    (r"(?:study )?limitations(?: of the study)?", "limitations"),
    (r"(?:allocation )?concealment", "allocation_concealment"),
    (r"(?:intervention|interventions|the intervention)", "intervention_detail"),
)
_REGISTERED: Final = re.compile(r"\b(?:NCT ?\d{8}|ISRCTN ?\d{8}|ChiCTR[-\w]+\d|ACTRN\d{14}|CTRI/[\d/]+|IRCT\w{10,})\b")
_DATES: Final = re.compile(
    r"(?:between|from) (?P<start>[A-Z][a-z]+ (?:19|20)\d\d) (?:and|to|through|until) (?P<end>[A-Z][a-z]+ (?:19|20)\d\d)"
)
_RECRUITS: Final = re.compile(r"recruit|enrol", re.IGNORECASE)
_MONTHS: Final = tuple(calendar.month_name)  # the first is empty: months are counted from 1
_ENTITIES: Final = {
    "eligibility": "inclusion_criteria", "condition": "condition", "location": "countries",
    "ethinicity": "equity_factors", "outcome": "outcome_name", "outcome-Measure": "measurement_tool",
    "intervention": "intervention", "control": "arm_label",
}  # fmt: skip
_SCOPES: Final = {"outcome_name": "outcome", "measurement_tool": "outcome", "intervention": "arm", "arm_label": "arm"}
# Annotated stretches longer than this are several answers run into one.
_LONGEST_ENTITY: Final = 120


def of_article(article: Article) -> Iterator[Honest]:
    """What the XML of an article says, as far as its pages print it."""
    for field, value in (("title", article.title), ("journal", article.journal), ("doi", article.doi)):
        if value:
            yield Honest(field=field, value=value, quote=value)
    if article.year.isdigit():
        yield Honest(field="publication_year", value=int(article.year), quote=f"{article.journal} {article.year}")
    for field, statements in (("funding_source", article.funding), ("conflicts_of_interest", article.interests)):
        for first in sentences(" ".join(statements))[:1]:
            yield Honest(field=field, value=first, quote=first)
    seen: set[str] = set()
    for section in article.sections:
        field = _field_of(section)
        printed = section.sentences()
        if field and field not in seen and printed:
            seen.add(field)
            row = (
                Row(scope="arm", key="arm/1", label="Intervention", parts={})
                if field == "intervention_detail"
                else None
            )
            yield Honest(field=field, value=printed[0], quote=printed[0], row=row)
        yield from _of_sentences(printed, seen)


def _field_of(section: Section) -> str:
    heading = section.heading.casefold().strip(" .:0123456789")
    table = _OF_ABSTRACT if section.in_abstract else _OF_BODY
    return next((field for pattern, field in table if re.fullmatch(pattern, heading)), "")


def _of_sentences(printed: list[str], seen: set[str]) -> Iterator[Honest]:
    for sentence in printed:
        if "registration_id" not in seen and "regist" in sentence and (found := _REGISTERED.search(sentence)):
            seen.add("registration_id")
            yield Honest(field="registration_id", value=[found[0]], quote=sentence)
        dates = _DATES.search(sentence)
        if dates and _RECRUITS.search(sentence) and "recruit_start" not in seen:
            start, end = (_month(dates[name]) for name in ("start", "end"))
            if start and end:
                seen.add("recruit_start")
                yield Honest(field="recruit_start", value=start, quote=sentence)
                yield Honest(field="recruit_end", value=end, quote=sentence)


def _month(text: str) -> str:
    name, year = text.split()
    return f"{year}-{_MONTHS.index(name):02}" if name in _MONTHS else ""


def of_abstract(text: str, annotations: str) -> Iterator[Honest]:
    """What annotators marked in an abstract: conditions, criteria, places, arms, outcomes and measures."""
    for line in annotations.splitlines():
        parts = line.split("\t")
        place = re.match(r"(\S+) (\d+) (\d+)$", parts[1]) if len(parts) == 3 else None
        if place is None or place[1] not in _ENTITIES or len(parts[2]) > _LONGEST_ENTITY:
            continue
        field, value = _ENTITIES[place[1]], parts[2]
        start = max((one.end() for one in re.finditer(r"[.!?] (?=[A-Z])", text[: int(place[2])])), default=0)
        stop = re.search(r"[.!?](?= [A-Z]|\s*$)", text[int(place[3]) :])
        quote = text[start : int(place[3]) + stop.end() if stop else len(text)].strip()
        scope = _SCOPES.get(field)
        row = Row(scope=scope, key=f"{scope}/1", label=value, parts={}) if scope else None
        yield Honest(field=field, value=[value] if field == "countries" else value, quote=quote, row=row)


def read_by_people(folder: Path, name: str) -> Iterator[Honest]:
    """Answers that a person read in an article, if the board holds some."""
    path = folder / "honest" / f"{name}.json"
    for answer in json.loads(path.read_text(encoding="utf-8")) if path.exists() else ():
        yield Honest(field=answer["field"], value=answer["value"], quote=answer["quote"])
