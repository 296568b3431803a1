"""Effect estimates with their intervals: one row for each that is printed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ingather.extraction.findings import Answer, Value
from ingather.extraction.rules.hits import Hit, agreed, findings, rx
from ingather.extraction.rules.numbers import DECIMAL, decimal
from ingather.extraction.rules.outcomes import Outcome, spoken_of
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"c_measure", "c_estimate", "c_ci_low", "c_ci_high", "c_ci_level", "c_p", "c_adjusted"})
MOST_EFFECTS: Final = 60

_MEASURES: Final = (
    ("IRR", r"(?:incidence )?rate ratios?|\bIRR\b"),
    ("HR", r"hazards? ratios?|\ba?HR\b|风险比"),
    ("OR", r"odds ratios?|\ba?OR\b|比值比"),
    ("RR", r"risk ratios?|relative risks?|\ba?RR\b|相对危险度"),
    ("RD", r"(?:absolute )?risk differences?|\bRD\b"),
    ("SMD", r"standardi[sz]ed mean differences?|\bSMD\b"),
    ("MD", r"mean differences?|differences? in means?|\bMD\b|均数差"),
)
_NAMES: Final = "|".join(f"(?P<{name}>{words})" for name, words in _MEASURES)
_LEVEL: Final = r"(?P<level>\d{2}(?:\.\d)?) ?% ?(?:CI|confidence intervals?|可信区间|置信区间)"
_BOUNDS: Final = rf"(?P<low>{DECIMAL}) ?(?:to|-|~|,|;|and) ?(?P<high>{DECIMAL})(?![\d.]*%)"
_P: Final = r"(?:[^.;]{0,3}[;,)\]]? ?\(?P ?(?:value)? ?(?P<sign>[=<>\u2264]) ?(?P<p>0?\.\d{1,6}))?"
_IN_PROSE: Final = rx(
    rf"(?P<adjusted>\badjusted )?(?:{_NAMES})[ ,:=]{{0,3}}(?:\((?:HR|RR|OR|IRR|MD)\) ?)?(?:of |was "
    rf"|is )?(?P<estimate>{DECIMAL})(?![\d.]*%)"
    rf"(?: (?!to\b)[a-z]{{1,12}})?[ ,;(\[]{{1,4}}{_LEVEL}[ ,:=]{{0,3}}[(\[]?{_BOUNDS}{_P}"
)
_HEADER: Final = rx(rf"(?P<adjusted>\badjusted )?(?:{_NAMES}) ?[(\[,] ?{_LEVEL}")
_IN_ROW: Final = rx(
    rf"(?<![\d./])(?P<estimate>{DECIMAL}) [(\[](?P<low>{DECIMAL}) ?(?:to|-|~"
    rf"|,) ?(?P<high>{DECIMAL})[)\]](?: (?P<p><? ?0?\.\d{{1,6}}))?"
)


@dataclass(slots=True, kw_only=True)
class Effect:
    """One estimate, with every place that prints it."""

    key: tuple[str, float, float, float]
    label: str
    outcome: int | None
    hits: dict[str, list[Hit]] = field(default_factory=lambda: {name: [] for name in FIELDS})


def effects(document: Document, known: list[Outcome]) -> list[Effect]:
    """All estimates of the abstract, the results and the tables, each once."""
    found: dict[tuple[str, float, float, float], Effect] = {}
    for one in (*_prose(document, known), *_rows(document, known)):
        same = found.setdefault(one.key, one)
        if same is not one:
            same.outcome = one.outcome if same.outcome is None else same.outcome
            for name, hits in one.hits.items():
                same.hits[name] += hits
    return list(found.values())[:MOST_EFFECTS]


def answers(effect: Effect, key: str) -> dict[str, Answer]:
    """The answers of one row."""
    return {name: agreed(name, hits, key) for name, hits in effect.hits.items()}


def _prose(document: Document, known: list[Outcome]) -> Iterator[Effect]:
    for sentence in findings(document):
        for found in _IN_PROSE.finditer(sentence.text):
            said = f"{found['sign'] if found['sign'] != '=' else ''}{found['p']}" if found["p"] else None
            if one := _made(found, found, sentence, said, known):
                yield one


def _rows(document: Document, known: list[Outcome]) -> Iterator[Effect]:
    """Rows of a table whose header names the measure, once."""
    headers: dict[int, re.Match[str] | None] = {}
    for row in document.sentences:
        if not row.is_row:
            continue
        if found := _HEADER.search(row.text):
            headers[row.table] = found if row.table not in headers else None
        header = headers.get(row.table)
        if header is None or found:
            continue
        estimates = list(_IN_ROW.finditer(row.text))
        if len(estimates) == 1:
            said = estimates[0]["p"].replace(" ", "") if estimates[0]["p"] else None
            if one := _made(estimates[0], header, row, said, known):
                yield one


def _made(
    found: re.Match[str], header: re.Match[str], sentence: Sentence, p: str | None, known: list[Outcome]
) -> Effect | None:
    measure = next(name for name, _ in _MEASURES if header[name])
    estimate, low, high = (decimal(found[name]) for name in ("estimate", "low", "high"))
    if estimate is None or low is None or high is None or not low <= estimate <= high:
        return None
    if measure not in {"MD", "SMD", "RD"} and low < 0:
        return None
    label = f"{measure} {found['estimate']} ({found['low']} to {found['high']})"
    spoken = sentence.text[: found.start()] if sentence.is_row else sentence.text
    effect = Effect(key=(measure, estimate, low, high), label=label, outcome=spoken_of(spoken, known))
    level = decimal(header["level"])
    values: dict[str, Value] = {
        "c_measure": measure, "c_estimate": estimate, "c_ci_low": low, "c_ci_high": high, "c_ci_level": level, "c_p": p,
        "c_adjusted": "yes" if header["adjusted"] else None,
    }  # fmt: skip
    for name, value in values.items():
        # The level and the measure of a row stand in the table's header, so a row alone does not prove them.
        if value is not None:
            place = header.string != sentence.text and name in {"c_measure", "c_ci_level", "c_adjusted"}
            effect.hits[name].append(
                Hit(value=value, sentence=sentence, start=found.start(), end=found.end(), rank=int(place))
            )
    return effect
