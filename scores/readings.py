"""Answers marked verified, drawn at random from papers of a folder and read by people who do not see the mark.

python3 -m scores.readings draw FOLDER --sheet SHEET.json --key KEY.json [--answers 260] [--seed 1] [--template rct]
python3 -m scores.readings count KEY.json READING.json READING.json [SETTLED.json] [--data FILE]

`draw` answers every PDF of FOLDER with the embedded extractor. The sheet is what a reader gets: paper, field, value and
quote, verified answers and others mixed. The key holds the verdicts. A reading maps an answer's number to `right`,
`partly` or `wrong`. `count` takes two readings and, where they differ, what was settled afterwards; `--data` writes
identifiers and figures without a sentence of any paper.
"""

import argparse
import hashlib
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingather.extraction.findings import Finding, Row, State, Verdict
from ingather.extraction.template import Template
from ingather.extraction.template.builtin import BUILTIN_IDS, load_builtin
from ingather.library.parse import parse
from scores.registry import answers_of
from scores.report import wilson

VERIFIED = {Verdict.VERIFIED, Verdict.VERIFIED_FUZZY}

# The share of a sheet's answers without the mark: enough that a reader cannot guess the mark from being asked.
_UNMARKED = 0.2

# More answers of one paper would make them depend on one another: a mistake about a paper repeats in its answers.
_MOST_OF_A_PAPER = 5

_READINGS = ("right", "partly", "wrong")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One answer of one paper."""

    paper: Path
    row: Row | None
    finding: Finding

    @property
    def is_verified(self) -> bool:
        return self.finding.verdict in VERIFIED


def answered(paper: Path, template: Template) -> Iterator[Drawn]:
    """The reported answers of one paper; none where it cannot be read."""
    reading = parse(paper)
    if reading.problem is not None:
        return
    rows, findings = answers_of(template, reading)
    by_key = {row.key: row for row in rows}
    askable = {field.id for field in template.fields if field.is_askable}
    for finding in findings:
        if finding.state is State.REPORTED and finding.field in askable:
            yield Drawn(paper=paper, row=by_key.get(finding.row), finding=finding)


def draw(papers: Sequence[Path], template: Template, *, answers: int, seed: int) -> list[Drawn]:
    """Verified answers and some without the mark, in no order."""
    dice = random.Random(seed)
    pools: dict[bool, list[Drawn]] = {True: [], False: []}
    for place, paper in enumerate(papers):
        sys.stderr.write(f"\r{place + 1} of {len(papers)} papers")
        of_paper: dict[bool, list[Drawn]] = defaultdict(list)
        for one in answered(paper, template):
            of_paper[one.is_verified].append(one)
        for mark, found in of_paper.items():
            pools[mark] += dice.sample(found, min(len(found), _MOST_OF_A_PAPER))
    sys.stderr.write("\n")
    unmarked = min(len(pools[False]), round(answers * _UNMARKED))
    chosen = dice.sample(pools[False], unmarked)
    chosen += dice.sample(pools[True], min(len(pools[True]), answers - unmarked))
    dice.shuffle(chosen)
    return chosen


def _sheet_line(number: int, one: Drawn, template: Template) -> dict[str, Any]:
    field = template.field(one.finding.field)
    return {
        "number": number,
        "paper": one.paper.name,
        "field": field.id,
        "label": field.label.to_dict(),
        "instruction": field.instruction,
        "options": [option.id for option in field.options],
        "row": one.row.label if one.row else "",
        "value": one.finding.value,
        "quote": one.finding.quote,
        "page": one.finding.spans[0].page + 1 if one.finding.spans else None,
    }


def _key_line(number: int, one: Drawn) -> dict[str, Any]:
    return {
        "number": number,
        "paper_sha256": hashlib.sha256(one.paper.read_bytes()).hexdigest(),
        "field": one.finding.field,
        "row": one.finding.row,
        "verdict": one.finding.verdict.value,
    }


def count(key: list[dict[str, Any]], readings: Sequence[dict[str, str]], settled: dict[str, str]) -> list[str]:
    """What the readings say of the answers with the mark, as lines."""
    verified = {str(line["number"]): line for line in key if line["verdict"] in VERIFIED}
    lines = []
    for place, reading in enumerate(readings, 1):
        of = [number for number in verified if number in reading]
        right = sum(reading[number] == "right" for number in of)
        low, high = wilson(right, len(of))
        lines.append(
            f"reading {place}: {right}/{len(of)} right = {right / max(1, len(of)):.3f} ({low:.3f} to {high:.3f})"
        )
    both = [number for number in verified if all(number in reading for reading in readings)]
    differing = [number for number in both if len({reading[number] for reading in readings}) > 1]
    final = {number: settled.get(number, readings[0][number]) for number in both}
    tally = Counter(final.values())
    low, high = wilson(tally["right"], len(both))
    lines.append(
        f"the readings differ in {len(differing)} of {len(both)}, {len(set(differing) - set(settled))} not settled"
    )
    lines.append(
        f"settled: {tally['right']} right, {tally['partly']} partly, {tally['wrong']} wrong of {len(both)}: "
        f"{tally['right'] / max(1, len(both)):.3f} ({low:.3f} to {high:.3f})"
    )
    missed = Counter(verified[number]["field"] for number in both if final[number] != "right")
    lines += [f"not right: {field} {times}" for field, times in missed.most_common()]
    return lines


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scores.readings")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--sheet", type=Path, required=True)
    drawing.add_argument("--key", type=Path, required=True)
    drawing.add_argument("--answers", type=int, default=260)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--template", choices=BUILTIN_IDS, default="rct")
    counting = commands.add_parser("count")
    counting.add_argument("key", type=Path)
    counting.add_argument("readings", type=Path, nargs="+")
    counting.add_argument("--settled", type=Path)
    counting.add_argument("--data", type=Path)
    options = parser.parse_args(argv)
    return _draw(options) if options.command == "draw" else _count(options)


def _draw(options: argparse.Namespace) -> int:
    template = load_builtin(options.template)
    chosen = draw(sorted(options.folder.glob("*.pdf")), template, answers=options.answers, seed=options.seed)
    sheet = [_sheet_line(number, one, template) for number, one in enumerate(chosen, 1)]
    key = [_key_line(number, one) for number, one in enumerate(chosen, 1)]
    options.sheet.write_text(json.dumps(sheet, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    options.key.write_text(json.dumps(key, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{sum(one.is_verified for one in chosen)} verified of {len(chosen)} answers\n")
    return 0


def _count(options: argparse.Namespace) -> int:
    key = json.loads(options.key.read_text())
    readings = [_reading(path) for path in options.readings]
    settled = _reading(options.settled) if options.settled else {}
    sys.stdout.write("\n".join(count(key, readings, settled)) + "\n")
    if options.data:
        data = [
            line
            | {"readings": [reading.get(str(line["number"])) for reading in readings]}
            | ({"settled": settled[str(line["number"])]} if str(line["number"]) in settled else {})
            for line in key
        ]
        options.data.write_text(json.dumps(data, indent=1) + "\n")
    return 0


def _reading(path: Path) -> dict[str, str]:
    reading: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    if wrong := {value for value in reading.values() if value not in _READINGS}:
        sys.exit(f"{path}: {', '.join(sorted(wrong))} is none of {', '.join(_READINGS)}.")
    return reading


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
