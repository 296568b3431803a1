"""Pairs of numbers in running text: `12/45 (27 %)`, `12 (27 %)`, `8.2 (SD 3.1)`, `8.2 ± 3.1`. Pure; on folded text."""

import re
from dataclasses import dataclass
from typing import Final

from ingather.extraction.numbers.question import NumbersKind
from ingather.extraction.numbers.spread import Spread, spread_in

_COUNT: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_NUMBER: Final = r"-?[0-9]+(?:\.[0-9]+)?"
_PEOPLE: Final = "(?:patients?|participants?|subjects?|women|men|children|infants?|people|individuals|cases|events)"
_WHO: Final = rf"(?: (?:of the )?{_PEOPLE})?"
_UNIT: Final = r"(?: ?[a-zµμ%°/]{1,8})?"
_EVENTS: Final = re.compile(
    rf"(?<![0-9./-])(?P<e>{_COUNT}){_WHO} ?(?:/|of|out of)(?: the| a total of)? ?(?P<n>{_COUNT})(?![0-9/]|[.,][0-9])"
    rf"(?:{_WHO} ?[\[(,;] ?(?P<p>{_NUMBER}) ?%)?"
    rf"|(?<![0-9./-])(?P<p2>{_NUMBER}) ?% ?[\[(;,] ?(?P<e2>{_COUNT}) ?(?:/|of) ?(?P<n2>{_COUNT})(?![0-9])"
    rf"|(?<![0-9./-])(?P<e3>{_COUNT}){_WHO} ?[\[(] ?(?P<p3>{_NUMBER}) ?% ?[\])]"
    rf"|(?<![0-9./-])(?P<p4>{_NUMBER}) ?% ?[\[(] ?(?:n ?= ?)?(?P<e4>{_COUNT}){_WHO} ?[\])]"
)
# A count of people alone; who were divided among arms are no events.
_PERSONS: Final = re.compile(rf"(?<![0-9./-])(?P<e>{_COUNT}) {_PEOPLE}\b")
_DIVIDING: Final = re.compile(
    r"random|assign|allocat|divided|enrol|recruit|screened|eligible|complet|exclu|lost|withdr"
)
_MEANS: Final = re.compile(
    rf"(?<![0-9./-])(?P<m>{_NUMBER}){_UNIT} ?(?:\u00b1|\+ ?/ ?-) ?(?P<s>{_NUMBER})"
    rf"|(?<![0-9./-])(?P<m2>{_NUMBER}){_UNIT} ?[\[(,] ?(?:\u00b1"
    rf"|(?P<says>s\.?d\.?|s\.?e\.?m?\.?|standard deviation|standard error)(?: of)? ?[:=]?,?) ?(?P<s2>{_NUMBER})"
)
_BARE: Final = re.compile(rf"(?<![0-9./-])(?P<m>{_NUMBER}){_UNIT} ?[\[(] ?(?P<s>{_NUMBER}) ?[\])]")
_MEAN_AND_SD: Final = re.compile(r"means? ?[\[(±,]? ?(?:\+/-)? ?[\[(]?(?:s\.?d\.?|standard deviation)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPair:
    """Two numbers that stand together: events with N or a percentage, or a mean with what stands behind it."""

    start: int
    end: int
    events: str = ""
    n: str = ""
    percent: str = ""
    mean: str = ""
    second: str = ""
    spread: Spread | None = None


def phrase_pairs_in(text: str, kind: NumbersKind) -> list[NumberPair]:
    """The pairs of a folded sentence that can answer a question of this kind."""
    if kind is NumbersKind.BINARY:
        counted = [_events_phrase(one) for one in _EVENTS.finditer(text)]
        if counted or _DIVIDING.search(text):
            return counted
        return [NumberPair(start=one.start(), end=one.end(), events=one["e"]) for one in _PERSONS.finditer(text)]
    found = [_mean_phrase(one) for one in _MEANS.finditer(text)]
    if not found and _MEAN_AND_SD.search(text):
        found = [
            NumberPair(start=one.start(), end=one.end(), mean=one["m"], second=one["s"], spread=Spread.SD)
            for one in _BARE.finditer(text)
        ]
    return found


def _events_phrase(found: re.Match[str]) -> NumberPair:
    parts = {name: text or "" for name, text in found.groupdict().items()}
    return NumberPair(
        start=found.start(),
        end=found.end(),
        events=parts["e"] or parts["e2"] or parts["e3"] or parts["e4"],
        n=parts["n"] or parts["n2"],
        percent=parts["p"] or parts["p2"] or parts["p3"] or parts["p4"],
    )


def _mean_phrase(found: re.Match[str]) -> NumberPair:
    return NumberPair(
        start=found.start(), end=found.end(), mean=found["m"] or found["m2"], second=found["s"] or found["s2"],
        spread=spread_in(found["says"] or ""),
    )  # fmt: skip
