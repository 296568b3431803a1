"""Answers of the embedded extractor drawn at random from papers of a folder, read by people who do not see the mark.

python3 -m scores.readings draw FOLDER --sheet SHEET.jsonl --key KEY.json [--answers 230] [--unmarked 40] [--most 3]
python3 -m scores.readings silences FOLDER --sheet SHEET.jsonl --key KEY.json [--answers 80]
python3 -m scores.readings count KEY.json READING READING [--settled FILE] [--data FILE]

`draw` answers every PDF and Markdown file of FOLDER. The sheet is for a reader: paper, field, value, quote and the text
around it, verified answers and others mixed. The key holds the verdicts. `silences` draws answers that are
`not_reported`. A reading maps an answer's number to `right`, `partly` or `wrong`, as a JSON object or as JSON lines
with `id` and `reading`; a silence is `wrong` where the paper surely says it. `count` takes two readings and, where they
differ, a third file with those that were settled; `--data` writes identifiers and figures without a sentence of any
paper.
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

from ingather.extraction.findings import Finding, Row, State
from ingather.extraction.template import Template
from ingather.extraction.template.builtin import BUILTIN_IDS, load_builtin_template
from ingather.library.errors import PaperUnreadable
from ingather.library.paper import read_paper
from scores.registry import MARKED, answers_of
from scores.report import wilson

# So many characters on either side of a quote are shown: with fewer a reader must open the paper for most answers.
_AROUND = 1_000
_READINGS = ("right", "partly", "wrong")
_MARKS = frozenset(str(one) for one in MARKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One answer of one paper, with the pages it was read from."""

    paper: Path
    pages: tuple[str, ...]
    row: Row | None
    finding: Finding

    @property
    def is_verified(self) -> bool:
        return self.finding.state is State.REPORTED and self.finding.verdict in MARKED

    @property
    def context(self) -> str:
        """The text around the quote; nothing where there is none."""
        if not self.finding.spans:
            return ""
        first, last = self.finding.spans[0], self.finding.spans[-1]
        end = last.end if last.page == first.page else len(self.pages[first.page])
        return self.pages[first.page][max(0, first.start - _AROUND) : end + _AROUND]


def answered(paper: Path, template: Template) -> Iterator[Drawn]:
    """The answers of one paper; none where it cannot be read."""
    try:
        reading = read_paper(paper)
    except PaperUnreadable:
        return
    rows, findings = answers_of(template, reading)
    by_key = {row.key: row for row in rows}
    pages = tuple(page.text for page in reading.pages)
    askable = {field.id for field in template.fields if field.is_askable}
    for finding in findings:
        if finding.field in askable:
            yield Drawn(paper=paper, pages=pages, row=by_key.get(finding.row), finding=finding)


def draw(
    papers: Sequence[Path], template: Template, *, verified: int, unmarked: int, most: int, seed: int
) -> list[Drawn]:
    """Verified answers and some without the mark, in no order; at most so many of a paper, since they depend."""
    dice = random.Random(seed)
    pools: dict[bool, list[Drawn]] = {True: [], False: []}
    for paper in papers:
        of_paper: dict[bool, list[Drawn]] = defaultdict(list)
        for one in answered(paper, template):
            if one.finding.state is State.REPORTED:
                of_paper[one.is_verified].append(one)
        for mark, found in of_paper.items():
            pools[mark] += dice.sample(found, min(len(found), most))
    chosen = dice.sample(pools[False], min(len(pools[False]), unmarked))
    chosen += dice.sample(pools[True], min(len(pools[True]), verified))
    dice.shuffle(chosen)
    return chosen


def draw_silences(papers: Sequence[Path], template: Template, *, answers: int, seed: int) -> list[Drawn]:
    """Answers that the paper does not report it, at most one of a paper and field, in no order."""
    dice = random.Random(seed)
    found = [
        one
        for paper in papers
        for one in answered(paper, template)
        if one.finding.state is State.NOT_REPORTED and not one.finding.row
    ]
    return dice.sample(found, min(len(found), answers))


def _sheet_line(number: int, one: Drawn, template: Template) -> dict[str, Any]:
    field = template.field(one.finding.field)
    question = {
        "id": number, "paper": str(one.paper), "field": field.id, "label": field.label.en,
        "question": field.instruction, "options": [option.id for option in field.options],
        "row": one.row.label if one.row else "",
    }  # fmt: skip
    if one.finding.state is not State.REPORTED:
        return question
    return question | {"value": one.finding.value, "quote": one.finding.quote, "context": one.context}


def _key_line(number: int, one: Drawn) -> dict[str, Any]:
    is_reported = one.finding.state is State.REPORTED
    return {
        "number": number, "paper": one.paper.stem,
        "paper_sha256": hashlib.sha256(one.paper.read_bytes()).hexdigest(), "kind": one.paper.suffix.lstrip("."),
        "field": one.finding.field, "row": bool(one.finding.row),
        "verdict": str(one.finding.verdict) if is_reported else str(one.finding.state),
    }  # fmt: skip


def count(key: list[dict[str, Any]], readings: Sequence[dict[str, str]], settled: dict[str, str]) -> list[str]:
    """What the readings say of the answers with the mark, or of the silences, as lines."""
    counted = {str(line["number"]): line for line in key if line["verdict"] in {*_MARKS, str(State.NOT_REPORTED)}}
    lines = []
    for place, reading in enumerate(readings, 1):
        of = [number for number in counted if number in reading]
        right = sum(reading[number] == "right" for number in of)
        low, high = wilson(right, len(of))
        lines.append(
            f"reading {place}: {right}/{len(of)} right = {right / max(1, len(of)):.3f} ({low:.3f} to {high:.3f})"
        )
    both = [number for number in counted if all(number in reading for reading in readings)]
    differing = [number for number in both if len({reading[number] for reading in readings}) > 1]
    # The worse of two readings counts until somebody has settled it.
    final = {
        number: settled.get(number, max((one[number] for one in readings), key=_READINGS.index)) for number in both
    }
    tally = Counter(final.values())
    lines.append(
        f"the readings differ in {len(differing)} of {len(both)}, {len(set(differing) - set(settled))} not settled"
    )
    for name in _READINGS:
        low, high = wilson(tally[name], len(both))
        share = tally[name] / max(1, len(both))
        lines.append(f"settled, {name}: {tally[name]} of {len(both)} = {share:.3f} ({low:.3f} to {high:.3f})")
    missed = Counter(counted[number]["field"] for number in both if final[number] != "right")
    lines += [f"not right: {field} {times}" for field, times in missed.most_common()]
    return lines


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scores.readings")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, answers in (("draw", 230), ("silences", 80)):
        drawing = commands.add_parser(name)
        drawing.add_argument("folder", type=Path)
        drawing.add_argument("--sheet", type=Path, required=True)
        drawing.add_argument("--key", type=Path, required=True)
        drawing.add_argument("--answers", type=int, default=answers)
        drawing.add_argument("--unmarked", type=int, default=40)
        drawing.add_argument("--most", type=int, default=3)
        drawing.add_argument("--seed", type=int, default=1)
        drawing.add_argument("--template", choices=BUILTIN_IDS, default="rct")
    counting = commands.add_parser("count")
    counting.add_argument("key", type=Path)
    counting.add_argument("readings", type=Path, nargs="+")
    counting.add_argument("--settled", type=Path)
    counting.add_argument("--data", type=Path)
    options = parser.parse_args(argv)
    return _count(options) if options.command == "count" else _draw(options)


def _draw(options: argparse.Namespace) -> int:
    template = load_builtin_template(options.template)
    papers = sorted((*options.folder.glob("*.pdf"), *options.folder.glob("*.md")))
    if options.command == "draw":
        chosen = draw(
            papers, template, verified=options.answers, unmarked=options.unmarked, most=options.most, seed=options.seed
        )
    else:
        chosen = draw_silences(papers, template, answers=options.answers, seed=options.seed)
    sheet = [json.dumps(_sheet_line(number, one, template), ensure_ascii=False) for number, one in enumerate(chosen, 1)]
    key = [json.dumps(_key_line(number, one)) for number, one in enumerate(chosen, 1)]
    options.sheet.write_text("\n".join(sheet) + "\n", encoding="utf-8")
    options.key.write_text("[\n" + ",\n".join(key) + "\n]\n", encoding="utf-8")
    drawn_from = len({one.paper for one in chosen})
    sys.stdout.write(
        f"{sum(one.is_verified for one in chosen)} verified of {len(chosen)} answers, {drawn_from} papers\n"
    )
    return 0


def _count(options: argparse.Namespace) -> int:
    key = json.loads(options.key.read_text(encoding="utf-8"))
    readings = [_reading(path) for path in options.readings]
    settled = _reading(options.settled) if options.settled else {}
    sys.stdout.write("\n".join(count(key, readings, settled)) + "\n")
    if options.data:
        data = [
            {name: value for name, value in line.items() if name != "paper_sha256"}
            | {"readings": [reading.get(str(line["number"])) for reading in readings]}
            | ({"settled": settled[str(line["number"])]} if str(line["number"]) in settled else {})
            for line in key
        ]
        lines = [json.dumps(line) for line in data]
        options.data.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    return 0


def _reading(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("{") and "\n{" in text.strip():
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        reading = {str(line["id"]): str(line["reading"]) for line in lines}
    else:
        reading = {str(number): str(value) for number, value in json.loads(text).items()}
    if wrong := {value for value in reading.values() if value not in _READINGS}:
        sys.exit(f"{path}: {', '.join(sorted(wrong))} is none of {', '.join(_READINGS)}.")
    return reading


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
