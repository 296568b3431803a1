"""Results by arm, where one sentence or one row of a table names the arm and its number plainly."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.arms import Arm
from ingather.extraction.rules.hits import Hit, agreed, findings, rx
from ingather.extraction.rules.outcomes import Outcome, outcome_is_spoken_of
from ingather.extraction.rules.printed_numbers import printed_decimal
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"r_n", "r_events", "r_pct", "r_mean", "r_sd"})
# Results of one paper. A paper that gives more gives them in tables, which are read elsewhere.
MOST_RESULTS: Final = 120

_WHOLE: Final = r"\d{1,3}(?:,\d{3})+|\d{1,7}"
_EVENTS: Final = re.compile(
    rf"(?<![\d.,/])(?P<events>{_WHOLE}) ?(?:of|out of"
    rf"|/) ?(?P<n>{_WHOLE})(?: [a-z]+){{0,3}} ?\((?P<pct>\d{{1,3}}(?:\.\d{{1,2}})?) ?%?\)"
)
_MEAN: Final = rx(
    r"(?<![\d.])(?P<mean>-?\d{1,6}(?:\.\d{1,4})?) ?\((?:SD"
    r"|standard deviation)[ =:,]{0,2}(?P<sd>\d{1,6}(?:\.\d{1,4})?)\)"
)
_BASELINE: Final = rx(r"\bbaseline\b|\bage\b|\bage[ds]?\b|年龄|基线")


@dataclass(slots=True, kw_only=True)
class Result:
    """What one arm had of one outcome. `outcome` is None where the words do not tell which it was."""

    arm: int
    outcome: int | None
    hits: dict[str, list[Hit]] = field(default_factory=lambda: {name: [] for name in sorted(FIELDS)})

    def values(self, name: str) -> set[object]:
        return {hit.value for hit in self.hits[name]}


def results_by_arm(document: Document, arms: list[Arm], known: list[Outcome]) -> list[Result]:
    """One row for each arm and outcome. Where two sentences differ about a row, it is unclear."""
    merged: list[Result] = []
    for one in (*_results_in_prose(document, arms, known), *_results_in_rows(document, arms, known)):
        same = next((old for old in merged if _is_same_result(old, one)), None)
        if same is None:
            merged.append(one)
            continue
        same.outcome = one.outcome if same.outcome is None else same.outcome
        for name, hits in one.hits.items():
            same.hits[name] += hits
    return merged[:MOST_RESULTS]


def result_answers(result: Result, key: str) -> dict[str, Answer]:
    """The answers of one row."""
    return {name: agreed(name, hits, key) for name, hits in result.hits.items()}


def _is_same_result(one: Result, other: Result) -> bool:
    """The same arm, and the same outcome or else the very same numbers."""
    if one.arm != other.arm:
        return False
    kinds = [bool(result.hits["r_mean"]) for result in (one, other)]
    if kinds[0] != kinds[1]:
        return False
    if one.outcome is not None and one.outcome == other.outcome:
        return True
    is_open = one.outcome is None or other.outcome is None
    return is_open and all(one.values(name) == other.values(name) for name in FIELDS)


def _results_in_prose(document: Document, arms: list[Arm], known: list[Outcome]) -> Iterator[Result]:
    for sentence in findings(document):
        if _BASELINE.search(sentence.text):
            continue
        for pattern in (_EVENTS, _MEAN):
            yield from _results_in_sentence(sentence, list(pattern.finditer(sentence.text)), arms, known)
        yield from _results_in_chinese(sentence, arms, known)


def _results_in_sentence(
    sentence: Sentence, found: list[re.Match[str]], arms: list[Arm], known: list[Outcome]
) -> Iterator[Result]:
    """Each number belongs to the arm named right after it, or before all of them; nothing else is plain."""
    if len(found) != len(arms) or len(arms) < 2:
        return
    ends = [*(m.start() for m in found[1:]), len(sentence.text)]
    after = [sentence.text[m.end() : min(end, m.end() + 90)] for m, end in zip(found, ends, strict=True)]
    starts = [0, *(m.end() for m in found[:-1])]
    before = [sentence.text[start : m.start()] for m, start in zip(found, starts, strict=True)]
    for texts in (after, before):
        owners = [_only(text, arms) for text in texts]
        if None not in owners and len(set(owners)) == len(arms):
            outcome = outcome_is_spoken_of(sentence.text, known)
            for owner, m in zip(owners, found, strict=True):
                assert owner is not None
                yield _result_made(owner, outcome, m, sentence)
            return


def _only(text: str, arms: list[Arm]) -> int | None:
    """The one arm that a text names; the longest name counts where one holds another."""
    named = [n for n, arm in enumerate(arms) if arm.is_named(text)]
    longest = [n for n in named if not any(arms[n].label.lower() in arms[o].label.lower() and n != o for o in named)]
    return longest[0] if len(longest) == 1 else None


def _results_in_chinese(sentence: Sentence, arms: list[Arm], known: list[Outcome]) -> Iterator[Result]:
    """`治疗组缓解45例(75.0%)` and `干预组收缩压为(132.4±10.2)`: the name stands first."""
    if all(arm.label.isascii() for arm in arms):
        return
    patterns = (
        r"[^,。;组]{0,10}?(?P<events>\d{1,6}) ?例\((?P<pct>\d{1,3}(?:\.\d{1,2})?) ?%\)",
        r"[^,。;组]{0,12}?\(?(?P<mean>\d{1,6}(?:\.\d{1,4})?)±\d{1,6}(?:\.\d{1,4})?",
    )
    for pattern in patterns:
        found = [re.search(re.escape(arm.label) + pattern, sentence.text) for arm in arms]
        if all(found):
            outcome = outcome_is_spoken_of(sentence.text, known)
            for n, m in enumerate(found):
                assert m is not None
                yield _result_made(n, outcome, m, sentence)


def _results_in_rows(document: Document, arms: list[Arm], known: list[Outcome]) -> Iterator[Result]:
    """Rows such as `Response 78/151 (51.7) 49/151 (32.5)`, in a table whose header names the arms in order."""
    ordered: dict[int, bool] = {}
    for row in document.sentences:
        if not row.is_row:
            continue
        places = [row.text.lower().find(arm.label.lower()) for arm in arms]
        if arms and min(places) >= 0 and places == sorted(places):
            ordered[row.table] = True
            continue
        found = list(_EVENTS.finditer(row.text))
        if ordered.get(row.table) and len(found) == len(arms) >= 2:
            outcome = outcome_is_spoken_of(row.text[: found[0].start()], known)
            for n, m in enumerate(found):
                yield _result_made(n, outcome, m, row)


def _result_made(arm: int, outcome: int | None, found: re.Match[str], sentence: Sentence) -> Result:
    result = Result(arm=arm, outcome=outcome)
    groups = found.groupdict()
    for name, group in (("r_events", "events"), ("r_n", "n"), ("r_pct", "pct"), ("r_mean", "mean"), ("r_sd", "sd")):
        if groups.get(group) is None:
            continue
        number = printed_decimal(groups[group])
        value = int(number) if number is not None and name in {"r_events", "r_n"} else number
        result.hits[name].append(Hit(value=value, sentence=sentence, start=found.start(), end=found.end()))
    return result
