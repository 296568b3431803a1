"""Seeded lies: true sentences of annotated abstracts under values that they do not prove. None may get the mark.

FOLDER/pico as in `scores.pico`. Each lie takes an annotated number and asks for something else with it: the other arm,
a count for a percentage, a total for an arm, a standard error for an SD, a median for a mean, a number of the next
sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.assess import assess_answers
from ingather.extraction.proof.figures import printed_figures
from ingather.extraction.template import load_builtin_template
from scores.pico import MARKED, Case, cases_of, entities_of
from scores.report import Report, Share

# An SE that the sentence itself calls so, right before the figure: `(SE 1.4)`, `SEM = 0.3`.
_SE: Final = re.compile(r"\b(?:SEM?|standard error(?: of the mean)?)\b[ =:,]{0,3}$")
_OTHER_KIND: Final = {
    "r_pct": ("a percentage as a number of people", ("r_events", "r_n")),
    "r_events": ("events as the number analysed or as a mean", ("r_mean",)),
    "r_mean": ("a mean as a median, an SD or events", ("r_median", "r_sd", "r_events")),
    "r_median": ("a median as a mean or an SD", ("r_mean", "r_sd")),
    "r_sd": ("an SD as a mean or an SE", ("r_mean", "r_se")),
}  # fmt: skip


def score(folder: Path) -> Report:
    """How many lies of each kind get the mark. Any is a mistake."""
    files = sorted((folder / "pico").rglob("*.ann")) or sorted(folder.rglob("*.ann"))
    if not files:
        raise FileNotFoundError("no .ann files below it")
    template = load_builtin_template("rct")
    counts: dict[str, list[int]] = {}
    misses: list[str] = []
    for path in files:
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        rows, cases = cases_of(path.stem, text, entities_of(path.read_text(encoding="utf-8")))
        lies = [*_lies(rows, [case for case in cases if case.is_honest])]
        answers = [
            Answer(field=case.field, row=case.row, state=State.REPORTED, value=case.value, quote=case.quote)
            for _, case in lies
        ]
        for (kind, case), finding in zip(
            lies, assess_answers(template, [text], rows, answers, source="board"), strict=True
        ):
            is_marked = finding.verdict in MARKED
            for key in (kind, "all lies"):
                right, of = counts.setdefault(key, [0, 0])
                counts[key] = [right + is_marked, of + 1]
            if is_marked:
                misses.append(f"{case.name} {kind}: {case.field} = {case.value} {case.row} {case.quote}")
    shares = [Share(name=kind, right=r, of=of, target=0.0, at_most=True) for kind, (r, of) in sorted(counts.items())]
    return Report(board="lies", shares=shares, misses=misses)


def _lies(rows: Sequence[Row], honest: Sequence[Case]) -> Iterator[tuple[str, Case]]:
    true = {(case.field, case.row, case.value, case.quote) for case in honest}
    keys = {row.key for row in rows}
    for kind, case in _made(honest):
        if kind.startswith("arms swapped") and _is_printed_twice(case):
            continue  # both arms may have it
        if (case.field, case.row, case.value, case.quote) not in true and (not case.row or case.row in keys):
            yield kind, case


def _is_printed_twice(case: Case) -> bool:
    return sum(float(one.value) == case.value for one in printed_figures(fold_text(case.quote).text)) > 1


def _made(honest: Sequence[Case]) -> Iterator[tuple[str, Case]]:
    for case in honest:
        if case.field == "n_randomised":
            for side in ("iv", "cv"):
                yield "a total as an arm", replace(case, field="arm_n_randomised", row=f"arm/{side}")
        elif case.field == "arm_n_randomised":
            yield "an arm as the total", replace(case, field="n_randomised", row="")
            yield "arms swapped: randomised", replace(case, row=_other(case.row))
        else:
            kind, fields = _OTHER_KIND[case.field]
            # A whole number can be of either kind only if it is whole.
            whole = float(case.value).is_integer() if isinstance(case.value, int | float) else False
            for field in fields:
                if field == "r_se" and _is_called_se(case):
                    continue  # the annotators knew no SE
                if whole or field not in {"r_events", "r_n"}:
                    yield kind, replace(case, field=field)
            yield "arms swapped: results", replace(case, row=_other(case.row))
        yield from _standard_errors(case)
    for case, following in pairwise(honest):
        if following.quote != case.quote:
            yield "another sentence's number", replace(case, value=following.value)


def _is_called_se(case: Case) -> bool:
    """Whether the sentence itself calls the number an SE."""
    text = fold_text(case.quote)
    return any(
        float(one.value) == case.value and _SE.search(case.quote[: text.origin[one.start]])
        for one in printed_figures(text.text)
    )


def _standard_errors(case: Case) -> Iterator[tuple[str, Case]]:
    """Every figure that the sentence calls an SE, as the SD of the result that is asked about."""
    if case.field in {"r_mean", "r_sd"}:
        text = fold_text(case.quote)
        for figure in printed_figures(text.text):
            if _SE.search(case.quote[: text.origin[figure.start]]):
                yield "an SE as an SD", replace(case, field="r_sd", value=float(figure.value))


def _other(row: str) -> str:
    return row.replace("/iv", "/??").replace("/cv", "/iv").replace("/??", "/cv")
