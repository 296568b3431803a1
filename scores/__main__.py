"""Scores on boards: real papers with known answers, in a folder that is not part of the project.

python3 dev.py scores --board FOLDER [--only NAMES] [--misses] [--json FILE]
python3 dev.py scores --model --kept FILE [--board FOLDER] [--papers N] [--fields IDS] [--misses]

FOLDER holds one subfolder for each board (`numbers`, `tables`, `registry`, `pdf`). A board that is not there is left
out and said to be. Strict match: the same number at the precision printed. Silence is counted apart from error.
"""

import argparse
import importlib
import json
import sys
from dataclasses import asdict
from pathlib import Path

from scores.report import Report, wilson

# A board's name is its module's in this package; each has `score(folder) -> Report`, or raises FileNotFoundError.
BOARDS: tuple[str, ...] = (
    "abstracts", "careless", "grounding", "lies", "numbers", "papers", "pico", "registry", "relations", "tables",
)  # fmt: skip


def main(argv: list[str]) -> int:
    if "--model" in argv:
        report, misses = importlib.import_module("scores.model").measured([one for one in argv if one != "--model"])
        _print(report, misses=misses)
        return 0
    parser = argparse.ArgumentParser(prog="dev.py scores", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--board", type=Path, required=True, metavar="FOLDER", help="the folder with the boards")
    parser.add_argument("--only", default=",".join(BOARDS), metavar="NAMES", help="boards, separated by commas")
    parser.add_argument("--misses", action="store_true", help="list every miss")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as JSON, too")
    options = parser.parse_args(argv)
    names = [name.strip() for name in options.only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in BOARDS]:
        parser.error(f"There is no board named {', '.join(unknown)}. There is: {', '.join(BOARDS)}.")
    if not options.board.is_dir():
        parser.error(f"{options.board} is not a folder.")
    reports = [report for name in names if (report := _score(name, options.board)) is not None]
    for report in reports:
        _print(report, misses=options.misses)
    if options.json:
        options.json.write_text(json.dumps([_figures(report) for report in reports], indent=1) + "\n")
    return 0 if reports else 1


def _score(name: str, folder: Path) -> Report | None:
    try:
        report: Report = importlib.import_module(f"scores.{name}").score(folder)
    except FileNotFoundError as error:
        sys.stderr.write(f"{name}: left out, {error}\n")
        return None
    return report


def _print(report: Report, *, misses: bool) -> None:
    lines = [f"== {report.board}", *(share.line() for share in report.shares), *report.notes]
    if misses:
        lines += [f"  miss: {miss}" for miss in report.misses]
    sys.stdout.write("\n".join(lines) + "\n")


def _figures(report: Report) -> dict[str, object]:
    shares = [{**asdict(share), "interval": wilson(share.right, share.of)} for share in report.shares]
    return {"board": report.board, "shares": shares, "misses": report.misses, "notes": report.notes}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
