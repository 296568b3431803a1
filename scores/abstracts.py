"""The number randomised in abstracts of trials, held against what people marked in them.

FOLDER/pico holds brat files (`.txt` and `.ann`) of an annotated corpus of trial abstracts, such as PICO-Corpus. The
truth is what is marked as the total of participants; an abstract without that mark is not counted.
"""

import hashlib
import re
from pathlib import Path
from typing import Final

from ingather.extraction.findings import EMBEDDED
from ingather.extraction.proof.assess import assess
from ingather.extraction.rules import extract_by_rules
from ingather.extraction.rules.printed_numbers import printed_count
from ingather.extraction.template import load_builtin_template
from scores.registry import is_marked
from scores.report import Report, Share

_TOTAL: Final = re.compile(r"^T\d+\ttotal-participants \d+ \d+\t(.+)$", re.MULTILINE)
_FIELD: Final = "n_randomised"


def score(folder: Path) -> Report:
    """Precision and recall, for all abstracts and for the half that no rule was made with."""
    files = sorted((folder / "pico").rglob("*.ann"))
    if not files:
        raise FileNotFoundError("no .ann files below pico")
    template = load_builtin_template("rct")
    fields = [field for field in template.fields if field.id == _FIELD]
    counts = {True: [0, 0, 0], False: [0, 0, 0]}
    misses = []
    for path in files:
        truths = {value for text in _TOTAL.findall(path.read_text(encoding="utf-8")) if (value := printed_count(text))}
        if not truths:
            continue
        pages = [path.with_suffix(".txt").read_text(encoding="utf-8")]
        rows, answers = extract_by_rules(fields, pages)
        findings, _flags = assess(template, pages, rows, answers, source=EMBEDDED)
        given = next((one.value for one in findings if one.field == _FIELD and is_marked(one)), None)
        of_half = counts[is_held_back(path.stem)]
        of_half[0] += given in truths
        of_half[1] += given is not None
        of_half[2] += 1
        if given is not None and given not in truths:
            misses.append(f"{path.stem} {given}, marked {sorted(truths)}")
    shares = []
    whole = [sum(both) for both in zip(*counts.values(), strict=True)]
    for name, (right, answered, of) in (("held back", counts[True]), ("all", whole)):
        shares.append(Share(name=f"{name}, right of those answered", right=right, of=answered, target=0.97))
        shares.append(Share(name=f"{name}, right of all", right=right, of=of, target=0.5))
    return Report(board="abstracts", shares=shares, misses=misses)


def is_held_back(name: str) -> bool:
    """Whether a paper is of the half that is kept for measuring, by a hash of its name."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1
