"""How well the embedded extractor reads the sample papers: precision and recall, by template and by field.

    python -m tests.extraction.scores

Precision is the share of what it reports that is right; recall is the share
of what stands in the papers that it reports rightly. Only fields that an
answers file lists are judged, and of rows only scopes that it lists. A row
that matches none of the file's is judged too: all it says is wrong.
"""

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.template.builtin import load_builtin_template
from ingather.library.parse import parse_in_jail

SAMPLES = Path(__file__).parents[2] / "samples"
SETS = {"samples": SAMPLES, "held_out": SAMPLES / "held_out"}
ENOUGH = 0.6


@dataclass(slots=True, kw_only=True)
class Score:
    """Counts for a field, a template or a set of papers."""

    right: int = 0
    wrong: int = 0
    to_find: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.to_find if self.to_find else 1.0

    def add(self, other: "Score") -> None:
        self.right += other.right
        self.wrong += other.wrong
        self.to_find += other.to_find


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A field on which the extractor and the answers file differ."""

    paper: str
    field: str
    expected: object
    given: object


Scores = dict[tuple[str, str], Score]


@cache
def page_texts(path: Path) -> tuple[str, ...]:
    """The text of each page, as the library reads it; none of a scan."""
    return tuple(page.text for page in parse_in_jail(path).pages)


def papers(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each PDF of a folder with its right answers."""
    for path in sorted(folder.glob("*.answers.yaml")):
        yield (
            path.with_name(path.name.replace(".answers.yaml", ".pdf")),
            yaml.safe_load(path.read_text(encoding="utf-8")),
        )


def judge(folder: Path) -> tuple[Scores, list[Mistake]]:
    """The scores of a folder, by template and field, and what was not right."""
    scores: Scores = defaultdict(Score)
    mistakes: list[Mistake] = []
    for path, right in papers(folder):
        pages = page_texts(path)
        for template, scopes in right.items():
            rows, answers = extract_by_rules(load_builtin_template(template).fields, pages)
            for field, score, mistake in judged(scopes, rows, answers):
                scores[template, field].add(score)
                if mistake is not None:
                    mistakes.append(Mistake(paper=path.stem, field=field, expected=mistake[0], given=mistake[1]))
    return scores, mistakes


def judged(
    scopes: dict[str, Any], rows: list[Row], answers: list[Answer]
) -> Iterator[tuple[str, Score, tuple[object, object] | None]]:
    """Each field that the file lists or a row was found for: its counts, and what differs where it is not right."""
    by_row: dict[str, dict[str, Answer]] = defaultdict(dict)
    for answer in answers:
        by_row[answer.row][answer.field] = answer
    for scope, expected in scopes.items():
        if scope == "study":
            yield from _fields(expected, by_row[""])
            continue
        mine = [row for row in rows if row.scope == scope]
        left = list(mine)
        for entry in expected:
            match = max(left, key=lambda row: _likeness(entry, row, by_row[row.key], rows), default=None)
            if match is None or _likeness(entry, match, by_row[match.key], rows) == 0:
                yield from _fields(entry, {})
                continue
            left.remove(match)
            yield from _fields(entry, by_row[match.key])
        named = {name for entry in expected for name in entry}
        for row in left:
            for name, answer in by_row[row.key].items():
                if answer.state is State.REPORTED and (name in named or not expected):
                    yield name, Score(wrong=1), ("no such row", answer.value)


def _likeness(entry: dict[str, Any], row: Row, given: dict[str, Answer], rows: list[Row]) -> int:
    """How many fields of a row are as a row of the file says; for results, only if it is the same arm."""
    if "arm" in entry:
        label = next((other.label for other in rows if other.key == row.parts.get("arm")), "")
        if plain(label) != plain(entry["arm"]):
            return 0
        if all(expected_answer.get("state") == "unclear" for name, expected_answer in entry.items() if name != "arm"):
            return 1
    if row.scope == "domain":
        return 1
    names = {"arm_label", "group_label", "outcome_name", "c_estimate", "r_events", "r_mean"} & set(entry)
    return sum(name in given and is_right(entry[name], given[name]) for name in names)


def _fields(
    expected: dict[str, Any], given: dict[str, Answer]
) -> Iterator[tuple[str, Score, tuple[object, object] | None]]:
    for name, expected_answer in expected.items():
        if name == "arm":
            continue
        is_there = expected_answer.get("state", "reported") == "reported"
        answer = given.get(name)
        if answer is None or answer.state is not State.REPORTED:
            given_instead = answer.state.value if answer is not None else "no such row"
            yield name, Score(to_find=int(is_there)), (expected_answer["value"], given_instead) if is_there else None
        elif is_right(expected_answer, answer):
            yield name, Score(right=1, to_find=1), None
        else:
            yield (
                name,
                Score(wrong=1, to_find=int(is_there)),
                (expected_answer.get("value", expected_answer.get("state")), answer.value),
            )


def is_right(expected_answer: dict[str, Any], answer: Answer) -> bool:
    """Whether an answer says what the file says. Words may say more, but must hold the file's."""
    if expected_answer.get("state", "reported") != answer.state.value:
        return False
    if answer.state is not State.REPORTED:
        return True
    expected, given = expected_answer["value"], answer.value
    if isinstance(expected, list):
        return isinstance(given, list) and {plain(x) for x in given} == {plain(x) for x in expected}
    if isinstance(given, str) and isinstance(expected, str):
        if given == expected:
            return True
        short = len(plain(expected)) < 4 or answer.field in {"arm_label", "group_label", "c_p"}
        return plain(given) == plain(expected) if short else plain(expected) in plain(given)
    return bool(given == expected)


def plain(text: object) -> str:
    """The text without spaces, case, width and punctuation."""
    return re.sub(r"[\s,.;:、。]+", "", unicodedata.normalize("NFKC", str(text))).casefold()


def total(scores: Scores, template: str | None = None) -> Score:
    """All fields of a template, or of all of them."""
    everything = Score()
    for (name, _), score in scores.items():
        if template in {None, name}:
            everything.add(score)
    return everything


def main() -> int:
    """Print a table for each set of papers; with `-v`, every mistake as well."""
    for name, folder in SETS.items():
        scores, mistakes = judge(folder)
        print(f"\n{name}: {sum(1 for _ in papers(folder))} papers\n")
        print(f"| {'template':8} | {'field':24} | right | wrong | to find | precision | recall |")
        print(f"|{'-' * 10}|{'-' * 26}|------:|------:|--------:|----------:|-------:|")
        lines = [(*key, score) for key, score in sorted(scores.items())]
        lines += [(key, "all", total(scores, key)) for key in sorted({key for key, _ in scores})]
        for template, field, score in [*lines, ("all", "all", total(scores))]:
            counts = f"{score.right:5} | {score.wrong:5} | {score.to_find:7}"
            print(f"| {template:8} | {field:24} | {counts} | {score.precision:9.2f} | {score.recall:6.2f} |")
        if "-v" in sys.argv:
            for mistake in mistakes:
                print(f"{mistake.paper:22} {mistake.field:22} expected {mistake.expected!r}, given {mistake.given!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
