"""What the number behind a mean is: an SD, an SE, an interval, as header, caption or footnote say. Pure."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final


class Spread(StrEnum):
    """What may stand behind a mean or a median."""

    SD = "SD"
    SE = "SE"
    CI = "CI"
    IQR = "IQR"
    RANGE = "range"


_TERMS: Final = (
    (Spread.SD, r"s\.?d\.?s?|std\.? ?dev(?:iations?)?\.?|standard deviations?|stdev|标准差"),
    (Spread.SE, r"s\.?e\.?m?\.?s?|std\.? ?err(?:ors?)?\.?|standard errors?(?: of the mean)?|标准误"),
    (Spread.CI, r"(?:9[059] ?% ?)?c\.?i\.?s?|(?:9[059] ?% ?)?confidence (?:intervals?|limits?)|置信区间|可信区间"),
    (Spread.IQR, r"i\.?q\.?r\.?|inter-?quartile(?: range)?s?|q1|quartiles?|25(?:th)?-75(?:th)?|四分位"),
    (Spread.RANGE, r"range|minimum|min ?[-/,\u2013] ?max|全距"),
)
_PATTERN: Final = re.compile(
    "|".join(rf"(?P<{name.name}>(?<![a-z])(?:{pattern})(?![a-z]))" for name, pattern in _TERMS), re.IGNORECASE
)
# A definition below a table says what letters stand for, and not which column holds it.
_DEFINITION: Final = re.compile(
    r"\b(?:S\.?D\.?|S\.?E\.?M?\.?|C\.?I\.?|IQR)\s?[:=,\u2013-]?\s?(?:and )?(?:standard (?:deviations?"
    r"|errors?(?: of (?:the )?means?)?)"
    r"|(?:95% )?confidence intervals?|inter-?quartile ranges?)"
    r"|\b(?:standard (?:deviations?|errors?(?: of (?:the )?means?)?)|confidence intervals?|inter-?quartile ranges?)"
    r"\s?[:=]\s?(?:SD|SEM?|CI|IQR)\b",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(
    r"(?:means?|averages?|values?|data|results|numbers|figures|variables|均数|均值)[^.;]{0,120}"
    r"|(?:\u00b1|\+/-)[^.;]{0,30}",
    re.IGNORECASE,
)


def spreads_in(text: str) -> set[Spread]:
    """All that a text names."""
    return {Spread[str(found.lastgroup)] for found in _PATTERN.finditer(text)}


def spread_in(text: str) -> Spread | None:
    """The one that a text names; none where it names several, or none."""
    found = spreads_in(text)
    return next(iter(found)) if len(found) == 1 else None


def spread_of_second_number(labels: Sequence[str], notes: Iterable[str]) -> tuple[Spread | None, str]:
    """What the second number of `x ± y` or `x (y)` is, and the text that says so; nearest label first, then the notes.

    A label or a note that names both an SD and an SE leaves it open, and so
    do one that names an interval, and silence.
    """
    for label in labels:
        if found := spreads_in(label):
            known = found & {Spread.SD, Spread.SE}
            return (next(iter(known)) if len(known) == 1 else None), label
    for note in notes:
        stated = " ".join(_STATEMENT.findall(_DEFINITION.sub(" ", note)))
        found = spreads_in(stated) & {Spread.SD, Spread.SE}
        if found:
            return (next(iter(found)) if len(found) == 1 else None), note
    return None, ""


def spread_defined(notes: Iterable[str]) -> Spread | None:
    """The only one of SD and SE that the notes of a table explain as a short form."""
    found = {one for note in notes for piece in _DEFINITION.findall(note) for one in spreads_in(piece)}
    found &= {Spread.SD, Spread.SE}
    return next(iter(found)) if len(found) == 1 else None
