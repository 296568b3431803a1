"""Numbers beside numbers: annotated abstracts of trials, each number asked under its own subject and under wrong ones.

FOLDER/pico holds brat files (`.txt` and `.ann`) of an annotated corpus of trial abstracts, such as PICO-Corpus. Each
annotated number becomes an honest answer, with its sentence as the quote; every other number of the sentence becomes
a wrong answer to the same question, and so does the number of the other arm.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Answer, Row, State, Value, Verdict
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.assess import assess_answers
from ingather.extraction.proof.figures import printed_figures
from ingather.extraction.template import load_builtin_template
from scores.report import Report, Share

_FIELDS: Final = {
    "bin-abs": "r_events", "bin-percent": "r_pct", "cont-mean": "r_mean", "cont-median": "r_median", "cont-sd": "r_sd",
}  # fmt: skip
_END: Final = re.compile(r"(?<=[a-z0-9)%])[.!?] (?=[A-Z(])")
MARKED: Final = frozenset((Verdict.VERIFIED, Verdict.VERIFIED_FUZZY))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """An annotated stretch of an abstract."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One number of a sentence under a question. `names_both`: the sentence names both arms."""

    name: str
    field: str
    row: str
    value: Value
    quote: str
    is_honest: bool
    names_both: bool


def score(folder: Path) -> Report:
    """How many honest numbers keep the mark, and how many wrong numbers of the same sentence get it."""
    files = sorted((folder / "pico").rglob("*.ann")) or sorted(folder.rglob("*.ann"))
    if not files:
        raise FileNotFoundError("no .ann files below it")
    template = load_builtin_template("rct")
    counts: dict[str, list[int]] = {}
    misses: list[str] = []
    for path in files:
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        rows, cases = cases_of(path.stem, text, entities_of(path.read_text(encoding="utf-8")))
        answers = [
            Answer(field=case.field, row=case.row, state=State.REPORTED, value=case.value, quote=case.quote)
            for case in cases
        ]
        for case, finding in zip(cases, assess_answers(template, [text], rows, answers, source="board"), strict=True):
            is_marked = finding.verdict in MARKED
            for key in _keys(case):
                right, of = counts.setdefault(key, [0, 0])
                counts[key] = [right + is_marked, of + 1]
            if is_marked is not case.is_honest:
                misses.append(
                    f"{case.name} {'honest' if case.is_honest else 'wrong'} {case.field} = {case.value} "
                    f"[{finding.verdict}{' ' + finding.reason if finding.reason else ''}] {case.row}"
                )
    shares = [
        Share(name=key, right=right, of=of, target=_TARGETS.get(key), at_most=key.startswith("wrong"))
        for key, (right, of) in sorted(counts.items())
    ]
    return Report(board="pico", shares=shares, misses=misses)


_TARGETS: Final = {"honest": 0.90, "wrong": 0.05, "wrong, both arms named": 0.01}


def _keys(case: Case) -> Iterator[str]:
    side = "honest" if case.is_honest else "wrong"
    yield side
    yield f"{side}, {case.field}"
    if case.names_both:
        yield f"{side}, both arms named"


def entities_of(annotations: str) -> list[Entity]:
    found = []
    for line in annotations.splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and (place := re.match(r"(\S+) (\d+) (\d+)$", parts[1])):
            found.append(Entity(kind=place[1], start=int(place[2]), end=int(place[3]), text=parts[2]))
    return sorted(found, key=lambda one: one.start)


def cases_of(name: str, text: str, entities: list[Entity]) -> tuple[list[Row], list[Case]]:
    labels = {side: _label(entities, kind) for side, kind in _SIDES.items()}
    if any(_BOTH_ARMS.search(label) for label in labels.values()):
        entities = [one for one in entities if one.kind == "total-participants"]
    rows = [Row(scope="arm", key=f"arm/{side}", label=label, parts={}) for side, label in labels.items() if label]
    cases: list[Case] = []
    outcomes: dict[str, str] = {}
    for entity in entities:
        quote, start = sentence_at(text, entity.start)
        value = value_of(entity.text)
        question = _question_of(entity, entities, quote, start, labels, outcomes)
        if value is None or question is None or (question[0] in _COUNTS and value != int(value)):
            continue
        field, row, label = question
        if label and all(one.key != row for one in rows):
            side, _, key = row.removeprefix("result/").partition("/")
            parts = {"outcome": key, "arm": f"arm/{side}"}
            rows.append(Row(scope="arm_result", key=row, label=label, parts=parts))
        both = all(label and _names(quote, label) for label in labels.values())
        cases += of_sentence(Case(name=name, field=field, row=row, value=value, quote=quote, is_honest=True,
                                   names_both=both))  # fmt: skip
    rows += [Row(scope="outcome", key=key, label=label, parts={}) for label, key in outcomes.items()]
    cases = [case for case in cases if not _is_undecidable(case, cases)]
    return rows, [case for case in cases if case.is_honest or not _is_also_right(case, cases)]


def _is_undecidable(case: Case, cases: list[Case]) -> bool:
    """Whether a sentence has several annotated answers to one question: of a third arm, a subgroup, another time.

    The corpus marks a number as the intervention's or the control's and knows no third arm and no time, so that
    nothing says which of them the question means. Neither they nor the other numbers of the sentence are asked then.
    """
    same = {
        other.value
        for other in cases
        if other.is_honest and (other.field, other.row, other.quote) == (case.field, case.row, case.quote)
    }
    return len(same) > 1


def _label(entities: list[Entity], kind: str) -> str:
    """What the paper calls an arm most often, as a reader would write it down; the first of those named as often."""
    names = Counter(one.text.casefold() for one in entities if one.kind == kind)
    return next(
        (one.text for one in entities if one.kind == kind and names[one.text.casefold()] == max(names.values())), ""
    )


_COUNTS: Final = frozenset(("n_randomised", "arm_n_randomised", "r_events"))
_RANDOMISED: Final = re.compile(r"random", re.IGNORECASE)
_TO_ARMS: Final = re.compile(r"random|assign|allocat|receiv", re.IGNORECASE)


def _question_of(
    entity: Entity, entities: list[Entity], quote: str, start: int, labels: dict[str, str], outcomes: dict[str, str]
) -> tuple[str, str, str] | None:
    """The field that an annotated number answers, its row, and the label of a result's row."""
    if entity.kind == "total-participants":
        return ("n_randomised", "", "") if _is_randomised(quote, entity.start - start, entity.end - start) else None
    if entity.kind in {"intervention-participants", "control-participants"}:
        side = "iv" if entity.kind.startswith("i") else "cv"
        return ("arm_n_randomised", f"arm/{side}", "") if labels[side] and _TO_ARMS.search(quote) else None
    side, _, kind = entity.kind.partition("-")
    outcome = _nearest(entities, entity, start, start + len(quote))
    if kind not in _FIELDS or not labels.get(side) or outcome is None or _ONLY_A_TIME.fullmatch(outcome):
        return None
    key = outcomes.setdefault(outcome, f"outcome/{len(outcomes) + 1}")
    return _FIELDS[kind], f"result/{side}/{key}", f"{outcome}, {labels[side]}"


def of_sentence(honest: Case) -> Iterator[Case]:
    """An honest answer, and every other number of its sentence as a wrong one."""
    yield honest
    is_count = honest.field in _COUNTS
    for other in sorted({float(one.value) for one in printed_figures(fold_text(honest.quote).text)} - {honest.value}):
        if not is_count or other == int(other):
            yield replace(honest, value=int(other) if is_count else other, is_honest=False)


def _is_also_right(case: Case, cases: list[Case]) -> bool:
    """Another number of the sentence that is annotated as an answer to the same question is no lie."""
    return any(
        other.is_honest
        and (other.field, other.row, other.quote, other.value) == (case.field, case.row, case.quote, case.value)
        for other in cases
    )


# A total that was screened, enrolled, analysed or lost is marked like one that was randomised.
_OTHERWISE: Final = re.compile(
    r"screened|assessed|enrol|recruit|register|analy[sz]|complet|evaluable|evaluated|approach|eligible|included"
    r"|received|follow|participated|treated",
    re.IGNORECASE,
)


def _is_randomised(quote: str, start: int, end: int) -> bool:
    """Whether the word nearest to a total that says what became of the people is that they were randomised."""
    fates = [*_RANDOMISED.finditer(quote), *_OTHERWISE.finditer(quote)]
    nearest = min(fates, key=lambda one: min(abs(one.start() - end), abs(start - one.end())), default=None)
    return nearest is not None and nearest[0].casefold().startswith("random")


# A label that covers both arms, or says only when something was measured, is no question that a sentence can answer.
_BOTH_ARMS: Final = re.compile(r"with (?:or|and) without|and/or|\b(?:versus|vs)\b", re.IGNORECASE)
_ONLY_A_TIME: Final = re.compile(
    r"(?:[0-9<>≥≤%.\u2013-]|\b(?:at|after|before|during|of|the|over|to|in|and|from|for|pre|post|final|baseline|first|second"
    r"|intervention|day|week|month|year|hour|min|minute|cycle|cycles|time|points?|one|two|three|four|five|six|twelve|s"
    r"|definition|chemotherapy|treatment|period|study|stage|follow-up)s?\b|\W)*",
    re.IGNORECASE,
)
_SIDES: Final = {"iv": "intervention", "cv": "control"}


def _names(quote: str, label: str) -> bool:
    return any(term in quote.casefold() for term in re.findall(r"[a-z]{4,}", label.casefold()))


def sentence_at(text: str, at: int) -> tuple[str, int]:
    start = max((found.end() for found in _END.finditer(text) if found.end() <= at), default=0)
    end = min((found.start() + 1 for found in _END.finditer(text) if found.start() >= at), default=len(text))
    return text[start:end], start


def _nearest(entities: list[Entity], entity: Entity, start: int, end: int) -> str | None:
    """The outcome that a number is of: the last one named before it, unless numbers of its kind stand between."""
    here = [one for one in entities if start <= one.start < end]
    outcomes = [one for one in here if one.kind == "outcome"]
    if not outcomes:
        return None
    before = [one for one in outcomes if one.end <= entity.start]
    behind = [one for one in outcomes if one.start >= entity.end]
    alike = [one for one in here if one.kind == entity.kind and before and before[-1].end <= one.start < entity.start]
    if before and (not alike or not behind):
        return before[-1].text
    return behind[0].text if behind else outcomes[0].text


def value_of(text: str) -> float | int | None:
    found = [one for one in printed_figures(fold_text(text).text) if not one.is_name]
    if len(found) != 1:
        return None
    value = float(found[0].value)
    return int(value) if value.is_integer() else value
