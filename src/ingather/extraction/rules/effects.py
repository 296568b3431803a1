"""Effect estimates with their intervals: one row for each that is printed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ingather.extraction.findings import Answer, Value
from ingather.extraction.rules.hits import Hit, agreed, findings, rx
from ingather.extraction.rules.outcomes import Outcome, outcome_is_spoken_of
from ingather.extraction.rules.printed_numbers import DECIMAL, printed_decimal
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"c_measure", "c_estimate", "c_ci_low", "c_ci_high", "c_ci_level", "c_p", "c_adjusted"})
# Rows of contrasts of one paper. A paper that prints more prints them in tables of many outcomes.
MOST_EFFECTS: Final = 60
# An estimate says what it is about in so many terms at least. One with fewer was cut off from its sentence.
_LEAST_ABOUT: Final = 1
# So many characters of its clause name a row whose outcome is none of those that the paper lists.
_LONGEST_ABOUT: Final = 80

# A sentence or a table about predictors, prognostic models or subgroups compares no arms and no exposures.
_PREDICTORS: Final = rx(
    r"\bpredict|\bprognos|\brisk factors?\b|\bmultivaria|\bunivaria|\bindependent(?:ly)? (?:associat|risk|of\b)"
    r"|\binteraction\b|\bsub-?groups?\b|\bmutation|\bgenotype|\bexpression\b|\bpolymorphism|\bprotective factor"
    r"|\bcompared with (?:white|male|female)s?\b"
)
# In a trial, doses of a characteristic and parts of the people compare no arms either; in a cohort they may.
_NOT_ARMS: Final = rx(
    r"\bper (?:1|one|unit|SD|standard|year|10|each|additional)\b|\b(?:quartile|tertile|quintile)s?\b|\bcarriers?\b"
    r"|\bcorrelat|\bcovaria|\bhistory of\b|\b(?:in|among|for|of) (?:those|men|women|girls|boys"
    r"|(?:the )?(?:[\w-]+ )?(?:patients|subjects"
    r"|participants|people|children)) (?:with|who|having|aged|over|under|without)\b|\b(?:men|women) (?:had"
    r"|were)\b|\byounger\b"
    r"|\bolder\b|\bsmok|\binequit|\bvalidation (?:set|cohort)|\bbaseline (?:\w+ )?(?:was|were|had)\b|\bpreviously\b"
)
# A sentence that compares two arms names a comparator, or says that something became more or less.
_COMPARES: Final = rx(
    r"\b(?:vs\.?|versus|compared (?:with|to)|than|placebo|controls?|sham|usual care|standard care|comparator"
    r"|between[- ]group"
    r"|between (?:the )?(?:two |treatment )?(?:groups|arms)|both (?:groups|arms)|given|fewer|less|lower|higher"
    r"|better|worse|greater"
    r"|smaller|longer|shorter|reduc\w+|increas\w+|improv\w+|differ\w+|similar|effects?)\b|组|对照"
)

_MEASURES: Final = (
    ("IRR", r"(?:incidence )?rate ratios?|\bIRR\b"),
    ("HR", r"hazards? ratios?|\ba?HR\b|风险比"),
    ("OR", r"odds ratios?|\ba?OR\b|比值比"),
    ("RR", r"risk ratios?|relative risks?|\ba?RR\b|相对危险度"),
    ("RD", r"(?:absolute )?risk differences?|\bRD\b"),
    ("SMD", r"standardi[sz]ed mean differences?|\bSMD\b"),
    ("MD", r"mean differences?|differences? in means?|\bMD\b|均数差"),
)
_NAMES: Final = "|".join(f"(?P<{name}>{terms})" for name, terms in _MEASURES)
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
class PrintedEffect:
    """One estimate, with every place that prints it. `about`: the words of its own clause, or of its row."""

    key: tuple[str, float, float, float]
    label: str
    outcome: int | None
    about: str
    hits: dict[str, list[Hit]] = field(default_factory=lambda: {name: [] for name in sorted(FIELDS)})


def printed_effects(document: Document, known: list[Outcome], *, is_trial: bool = True) -> list[PrintedEffect]:
    """All estimates of the abstract, the results and the tables, each once."""
    found: dict[tuple[str, float, float, float], PrintedEffect] = {}
    for one in (
        *_effects_in_prose(document, known, is_trial=is_trial),
        *_effects_in_rows(document, known, is_trial=is_trial),
    ):
        same = found.setdefault(one.key, one)
        if same is not one:
            same.outcome, same.about = (one.outcome, one.about) if same.outcome is None else (same.outcome, same.about)
            for name, hits in one.hits.items():
                same.hits[name] += hits
    return list(found.values())[:MOST_EFFECTS]


def effect_answers(effect: PrintedEffect, key: str) -> dict[str, Answer]:
    """The answers of one row."""
    return {name: agreed(name, hits, key) for name, hits in effect.hits.items()}


def _effects_in_prose(document: Document, known: list[Outcome], *, is_trial: bool) -> Iterator[PrintedEffect]:
    for sentence in findings(document):
        if not _compares(sentence, is_trial=is_trial):
            continue
        # Each estimate belongs to the words between it and the estimate before. Where those of a later one name no
        # outcome, the estimates of the sentence are of arms, times or parts of the people, and none is taken.
        clause = 0
        effects: list[PrintedEffect | None] = []
        for found in _IN_PROSE.finditer(sentence.text):
            p = f"{found['sign'] if found['sign'] != '=' else ''}{found['p']}" if found["p"] else None
            about = sentence.text[clause : found.start()]
            one = _effect_made(found, found, sentence, p, about, known)
            effects.append(one if one and (not clause or one.outcome is not None) else None)
            clause = found.end()
        if None not in effects:
            yield from (one for one in effects if one is not None)


def _compares(sentence: Sentence, *, is_trial: bool) -> bool:
    """Whether a sentence may compare arms or exposures."""
    if _PREDICTORS.search(sentence.text):
        return False
    return not is_trial or (_COMPARES.search(sentence.text) is not None and not _NOT_ARMS.search(sentence.text))


def _effects_in_rows(document: Document, known: list[Outcome], *, is_trial: bool) -> Iterator[PrintedEffect]:
    """Rows of a table whose header names the measure, once, and that is no table of predictors."""
    headers: dict[int, re.Match[str] | None] = {}
    unfit = {row.table for row in document.sentences if row.is_row and _PREDICTORS.search(row.text)}
    if is_trial:
        unfit |= {row.table for row in document.sentences if row.is_row and _NOT_ARMS.search(row.text)}
    for row in document.sentences:
        if not row.is_row or row.table in unfit:
            continue
        if found := _HEADER.search(row.text):
            headers[row.table] = found if row.table not in headers else None
        header = headers.get(row.table)
        if header is None or found:
            continue
        estimates = list(_IN_ROW.finditer(row.text))
        if len(estimates) == 1:
            p = estimates[0]["p"].replace(" ", "") if estimates[0]["p"] else None
            about = row.text[: estimates[0].start()]
            if one := _effect_made(estimates[0], header, row, p, about, known):
                yield one


def _short_clause(about: str) -> str:
    """The last whole terms of a clause, without the end of a bracket that opened before them."""
    short = about if len(about) <= _LONGEST_ABOUT else about[-_LONGEST_ABOUT:].partition(" ")[2]
    closing = short.find(")")
    if closing >= 0 and short.find("(", 0, closing) < 0:
        short = short[closing + 1 :]
    return short.strip(" ,;:|")


# A verdict of a clause, such as `the rate of falls was lower`, stands behind its subject.
_MEASURED: Final = re.compile(
    r"(?:^|[,;:] |\bthat |\bin |\bon |\bfor |\bof )(?P<what>(?:[Tt]he )?[A-Za-z][A-Za-z0-9/' -]{3,70}?)"
    r" (?:was|were|is|did|had|occurred|improved|decreased|increased|differed|favou?red)\b"
)
# People are no outcome, and a subject that compares is a piece of another clause.
_NO_OUTCOME: Final = rx(
    r"\b(?:patients?|participants?|subjects?|recipients?|wom[ae]n|m[ae]n|children|groups?|arms?|those|we|who"
    r"|there|it|this"
    r"|results?|differences?|analys[ei]s|than|vs|versus|compared|respectively|which|these|both|they|risk|effect|model"
    r"|placebo|controls?|intervention|treatment|therapy)\b"
)


def _measured_in_clause(about: str) -> str:
    """What a clause of prose speaks of: the subject of its last verb; empty where that is no outcome."""
    found = [one["what"] for one in _MEASURED.finditer(about) if not _NO_OUTCOME.search(one["what"])]
    return re.sub(r"^the ", "", found[-1].strip(), flags=re.IGNORECASE) if found else ""


def _effect_made(
    found: re.Match[str], header: re.Match[str], sentence: Sentence, p: str | None, about: str, known: list[Outcome]
) -> PrintedEffect | None:
    """The estimate, if it lies within its interval and the words of its own clause say what it is about."""
    measure = next(name for name, _ in _MEASURES if header[name])
    estimate, low, high = (printed_decimal(found[name]) for name in ("estimate", "low", "high"))
    if estimate is None or low is None or high is None or not low <= estimate <= high:
        return None
    about = about.strip(" ,;:([|")
    outcome = outcome_is_spoken_of(about, known)
    short = _short_clause(re.split(r"\s\d", about)[0]) if sentence.is_row else _measured_in_clause(about)
    if (measure not in {"MD", "SMD", "RD"} and low < 0) or len(re.findall(r"[^\W\d_]{2,}", about)) < _LEAST_ABOUT:
        return None
    label = f"{measure} {found['estimate']} ({found['low']} to {found['high']})"
    effect = PrintedEffect(
        key=(measure, estimate, low, high), label=label, outcome=outcome, about=short,
    )  # fmt: skip
    level = printed_decimal(header["level"])
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
