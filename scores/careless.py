"""Careless answers to every field of a template, made of real articles: how many get the mark, and how many honest do.

A careless answer has a true quote, drawn from the article, that does not prove it: a made-up text, choice, number or
date; the question as the answer; a state as the value; the words of any sentence. Articles are the JATS XML of FOLDER,
annotated abstracts its `pico/`. The same answers are made in every run.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Answer, Finding, Row, State, Value, Verdict
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.assess import assess_answers
from ingather.extraction.proof.figures import printed_figures
from ingather.extraction.template import Field, FieldType, Template, load_builtin_template
from scores.articles import Article, articles
from scores.honest import Honest, of_abstract, of_article, read_by_people
from scores.report import Report, Share

_MARKED: Final = frozenset((Verdict.VERIFIED, Verdict.VERIFIED_FUZZY))
_STATES: Final = ("not_applicable", "not reported", "Not applicable", "N/A", "none reported", "unclear", "未报告")
_TEXTS: Final = frozenset((FieldType.TEXT, FieldType.LONGTEXT, FieldType.MULTI_TEXT, FieldType.ID))
_NUMBERS: Final = frozenset((FieldType.INT, FieldType.FLOAT, FieldType.PERCENT))
# Careless answers of each kind from one article, each to a field drawn by lot: a thousand and more from a hundred.
_OF_A_KIND: Final = 3
# Annotated abstracts are many; one in so many is enough for honest texts of each kind.
_ABSTRACTS: Final = 300
# Kinds that the bar is about. A sentence's own words under another field are counted apart.
_COPIED: Final = "copied: a sentence's own words under any text field"
_ROWS: Final = (
    Row(scope="arm", key="arm/1", label="Intervention", parts={}),
    Row(scope="arm", key="arm/2", label="Control", parts={}),
    Row(scope="outcome", key="outcome/1", label="Primary outcome", parts={}),
    Row(scope="arm_result", key="result/1", label="Primary outcome, Intervention",
        parts={"outcome": "outcome/1", "arm": "arm/1"}),
    Row(scope="contrast", key="contrast/1", label="Primary outcome, Intervention vs Control",
        parts={"outcome": "outcome/1", "first": "arm/1", "second": "arm/2"}),
    Row(scope="domain", key="domain/1", label="Primary outcome", parts={}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Careless:
    """An answer under the name of the kind it is of, with the template it belongs to."""

    kind: str
    template: Template
    answer: Answer


def score(folder: Path) -> Report:
    """Careless answers with the mark, by kind, and honest ones with it, by the type of their field."""
    templates = [load_builtin_template(name) for name in ("rct", "cohort", "qc")]
    tally = _Tally()
    texts: dict[str, list[str]] = {}  # what other articles answer honestly: the made-up texts of this one
    for article in articles(folder):
        honest = [*of_article(article), *read_by_people(folder, article.name)]
        for one in honest:
            tally.add_honest(article.name, one, _proved_honest(templates[0], article.pages, [one])[0], templates[0])
        made = [*_made(article, templates, texts)]
        for template in templates:
            mine = [one for one in made if one.template is template]
            for careless, finding in zip(mine, _proved(template, article.pages, mine), strict=True):
                tally.add_careless(article.name, careless, finding)
        for one in honest:
            if isinstance(one.value, str):
                texts.setdefault(one.field, []).append(one.value)
    for path in _abstracts(folder):
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        marked = [*of_abstract(text, path.read_text(encoding="utf-8"))]
        for one in marked:
            tally.add_honest(path.stem, one, _proved_honest(templates[0], [text], [one])[0], templates[0])
    return Report(board="careless", shares=tally.shares(), misses=tally.misses)


def _abstracts(folder: Path) -> list[Path]:
    """Annotated abstracts, evenly drawn."""
    paths = sorted((folder / "pico").rglob("*.ann"))
    return paths[:: max(1, len(paths) // _ABSTRACTS)]


class _Tally:
    """The counts of both sides, and what went wrong."""

    def __init__(self) -> None:
        self._marked: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.misses: list[str] = []

    def add_honest(self, name: str, one: Honest, finding: Finding, template: Template) -> None:
        is_marked = finding.verdict in _MARKED
        for key in ("honest", f"honest, {template.field(one.field).type}", f"honest, field {one.field}"):
            self._all[key] += 1
            self._marked[key] += is_marked
        if not is_marked:
            self.misses.append(_line(name, "honest", finding))

    def add_careless(self, name: str, one: Careless, finding: Finding) -> None:
        is_marked = finding.verdict in _MARKED
        for key in (one.kind, *(() if one.kind == _COPIED else ("careless",))):
            self._all[key] += 1
            self._marked[key] += is_marked
        if is_marked:
            self.misses.append(_line(name, one.kind, finding))

    def shares(self) -> list[Share]:
        targets = {"honest": 0.85, "careless": 0.01}
        return [
            Share(name=key, right=self._marked[key], of=self._all[key], target=targets.get(key),
                  at_most=not key.startswith("honest"))
            for key in sorted(self._all, key=lambda key: (key.startswith("honest"), key))
        ]  # fmt: skip


def _line(name: str, kind: str, finding: Finding) -> str:
    return f"{name} {kind} {finding.field} = {finding.value!r} [{finding.verdict} {finding.reason}] {finding.quote}"


def _proved(template: Template, pages: Sequence[str], made: Sequence[Careless]) -> list[Finding]:
    return assess_answers(template, pages, _ROWS, [one.answer for one in made], source="board")


def _proved_honest(template: Template, pages: Sequence[str], honest: Sequence[Honest]) -> list[Finding]:
    """Honest answers, with the rows that they name themselves."""
    rows = [one.row for one in honest if one.row]
    answers = [
        Answer(field=one.field, row=one.row.key if one.row else "", state=State.REPORTED, value=one.value,
               quote=one.quote)
        for one in honest
    ]  # fmt: skip
    return assess_answers(template, pages, rows, answers, source="board")


def _made(article: Article, templates: Sequence[Template], texts: dict[str, list[str]]) -> Iterator[Careless]:
    dice = random.Random(article.name)
    quotes = article.sentences()
    fields = [(template, field) for template in templates for field in template.fields if field.is_askable]
    if not quotes:
        return
    for kind in (_made_up, _question, _state, _choice, _number, _date, _copied):
        fitting = [pair for pair in fields if _fits(kind.__name__, pair[1])]
        drawn = dice.sample(fitting, min(_OF_A_KIND, len(fitting)))
        for template, field in drawn:
            found = kind(dice, field, dice.choice(quotes), quotes, texts)
            if found is not None:
                name, value, quote = found
                row = next((row.key for row in _ROWS if row.scope == field.scope), "")
                if field.type in {FieldType.MULTI_TEXT, FieldType.MULTI_ENUM}:
                    value = [str(value)]
                answer = Answer(field=field.id, row=row, state=State.REPORTED, value=value, quote=quote)
                yield Careless(kind=name, template=template, answer=answer)


def _fits(kind: str, field: Field) -> bool:
    types = {"_choice": {FieldType.ENUM, FieldType.MULTI_ENUM}, "_number": _NUMBERS, "_date": {FieldType.DATE}}
    return field.type in types.get(kind, _TEXTS)


Made = tuple[str, Value, str] | None


def _made_up(dice: random.Random, field: Field, quote: str, quotes: Sequence[str], texts: dict[str, list[str]]) -> Made:
    """What another article says to the same field, or else some sentence of this one."""
    known = [text for text in texts.get(field.id, ()) if text not in quote]
    value = dice.choice(known) if known else dice.choice([one for one in quotes if one != quote] or [""])
    return ("careless: a made-up text", value, quote) if value else None


def _question(dice: random.Random, field: Field, quote: str, _: Sequence[str], __: dict[str, list[str]]) -> Made:
    terms = field.instruction.split(" ")
    start = dice.randrange(max(1, len(terms) - 6))
    parts = [field.label.en, field.label.zh, field.id, field.instruction, " ".join(terms[: len(terms) // 2]),
             " ".join(terms[start : start + 6])]  # fmt: skip
    value = dice.choice([part for part in parts if part])
    return "careless: the question as the answer", value, quote


def _state(dice: random.Random, _: Field, quote: str, __: Sequence[str], ___: dict[str, list[str]]) -> Made:
    return "careless: a state as the value", dice.choice(_STATES), quote


def _choice(dice: random.Random, field: Field, quote: str, _: Sequence[str], __: dict[str, list[str]]) -> Made:
    ids = [option.id for option in field.options]
    is_yes_no = {"yes", "no"} <= set(ids) or field.id.startswith(("rob2", "nos"))
    return f"careless: {'a yes or no' if is_yes_no else 'a choice'} by lot", dice.choice(ids), quote


def _number(dice: random.Random, field: Field, _: str, quotes: Sequence[str], __: dict[str, list[str]]) -> Made:
    """A number of any sentence that holds some."""
    quote = dice.choice([one for one in quotes if re.search(r"\d", one)] or [""])
    found = [one.value for one in printed_figures(fold_text(quote).text)]
    whole = [one for one in found if one == int(one)]
    if field.type is FieldType.INT:
        return ("careless: a number of any sentence", int(dice.choice(whole)), quote) if whole else None
    return ("careless: a number of any sentence", float(dice.choice(found)), quote) if found else None


# A year of such a sentence may well be the right answer.
_RECRUITS: Final = re.compile(
    r"recruit|enrol|inclu|accru|admit|study period|follow|participa|(?:conducted|performed|carried out|took place|done)"
    r"|between .* and|from .* (?:to|until|through)",
    re.IGNORECASE,
)


def _date(dice: random.Random, _: Field, __: str, quotes: Sequence[str], ___: dict[str, list[str]]) -> Made:
    dated = [one for one in quotes if re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", one) and not _RECRUITS.search(one)]
    if not dated:
        return None
    quote = dice.choice(dated)
    years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", quote)
    return "careless: a year of any sentence as a date", dice.choice(years), quote


def _copied(dice: random.Random, _: Field, quote: str, __: Sequence[str], ___: dict[str, list[str]]) -> Made:
    terms = quote.split(" ")
    start = dice.randrange(max(1, len(terms) - 10))
    return _COPIED, " ".join(terms[start : start + dice.randint(3, 10)]), quote
