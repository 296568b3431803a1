"""Numbers of real trials: events and N, or mean, SD and N, of both arms, by rules from a PDF in each house style.

FOLDER/numbers/labels.json holds the questions with what people read; FOLDER/pdf the papers as NAME.STYLE.pdf. A row is
right when all four (binary) or all six (continuous) numbers are right, strictly: the same number, no tolerance. Rows
whose labels are not complete are answered too, and counted apart: an answer may be right beyond the label.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import sqrt
from pathlib import Path
from typing import Any, Final

from ingather.extraction.numbers.answer import AnswerState, NumbersAnswer
from ingather.extraction.numbers.answering import answer_numbers
from ingather.extraction.numbers.arms import n_of_compared_arms
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersKind, NumbersQuestion
from ingather.library.paper import read_paper
from scores.report import Report, Share

# Published with the board: GPT-4 answered with the paper and the question in hand. There, "unknown" was right where
# the label is unknown, and all rows count; here only rows with complete labels do.
_PUBLISHED: Final = {NumbersKind.BINARY: "GPT-4 65.5 %, GPT-3.5 29.8 %, Mistral 7B 16.4 %",
                     NumbersKind.CONTINUOUS: "GPT-4 48.7 %, GPT-3.5 28.0 %, Mistral 7B 9.5 %"}  # fmt: skip
_WANTED: Final = {NumbersKind.BINARY: 0.60, NumbersKind.CONTINUOUS: 0.45}
# An SD that is this near to our number times the root of N, as a share: our number was the SE.
_SE_TOLERANCE: Final = 0.03
_FIELDS: Final = {
    NumbersKind.BINARY: (("events", "{}_events"), ("n", "{}_group_size")),
    NumbersKind.CONTINUOUS: (("mean", "{}_mean"), ("sd", "{}_standard_deviation"), ("n", "{}_group_size")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question in one house style with its label and our answer: numbers by arm, none where there is none."""

    paper: str
    style: str
    id: str
    kind: NumbersKind
    place: str
    is_complete: bool
    label: tuple[tuple[Decimal | None, ...], ...]
    answer: tuple[tuple[Decimal | None, ...], ...]
    state: AnswerState
    why: str
    sizes: tuple[Decimal | None, ...]
    """What the paper is found to say of both arms' sizes, whatever became of the answer."""

    @property
    def is_answered(self) -> bool:
        return self.state is AnswerState.REPORTED

    @property
    def is_right(self) -> bool:
        return self.is_answered and all(
            want is None or want == got for wants, gots in zip(self.label, self.answer, strict=True)
            for want, got in zip(wants, gots, strict=True)
        )  # fmt: skip

    @property
    def is_swapped(self) -> bool:
        return self.is_answered and not self.is_right and self.answer == tuple(reversed(self.label))

    @property
    def has_se_as_sd(self) -> bool:
        if self.kind is not NumbersKind.CONTINUOUS or not self.is_answered:
            return False
        return any(_is_se(want[1], got[1], got[2]) for want, got in zip(self.label, self.answer, strict=True))


def _is_se(want: Decimal | None, got: Decimal | None, n: Decimal | None) -> bool:
    if want is None or got is None or not n or want == got:
        return False
    return abs(float(got) * sqrt(float(n)) - float(want)) <= _SE_TOLERANCE * float(want)


@dataclass(slots=True)
class _Run:
    """All rows of a house style, and the processor time that answering took beyond reading."""

    rows: list[Row] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def score(folder: Path) -> Report:
    """Every question of the board in every house style there is."""
    labels = folder / "numbers" / "labels.json"
    if not labels.is_file():
        raise FileNotFoundError("no numbers/labels.json below it")
    by_paper: dict[str, list[dict[str, Any]]] = {}
    for label in json.loads(labels.read_text(encoding="utf-8")):
        by_paper.setdefault(f"PMC{label['pmcid']}", []).append(label)
    runs: dict[str, _Run] = {}
    for name, prompts in sorted(by_paper.items()):
        for pdf in sorted((folder / "pdf").glob(f"{name}.*.pdf")):
            _answer(name, pdf, prompts, runs.setdefault(pdf.name.split(".")[1], _Run()))
    if not runs:
        raise FileNotFoundError("no pdf/NAME.STYLE.pdf of its papers below it")
    shares, notes, misses = [], [], []
    for style, run in sorted(runs.items()):
        shares += list(_shares(style, run.rows))
        notes += list(_notes(style, run))
        misses += [_miss(row) for row in run.rows if row.is_complete and not row.is_right]
    return Report(board="numbers", shares=shares, misses=misses, notes=notes)


def _answer(name: str, pdf: Path, prompts: list[dict[str, Any]], run: _Run) -> None:
    reading = read_paper(pdf)
    questions = [
        NumbersQuestion(
            id=str(label["id"]), outcome=label["outcome"], intervention=label["intervention"],
            comparator=label["comparator"], kind=NumbersKind(label["outcome_type"]),
        )
        for label in prompts
    ]  # fmt: skip
    start = time.process_time()
    paper = NumbersPaper([page.text for page in reading.pages], reading.tables)
    answers = answer_numbers(questions, paper)
    run.seconds.append(time.process_time() - start)
    style = pdf.name.split(".")[1]
    for label, question, answer in zip(prompts, questions, answers, strict=True):
        sizes = tuple(_number(n) for n in n_of_compared_arms(question, paper))
        run.rows.append(_row(name, style, label, answer, sizes))


def _row(name: str, style: str, label: dict[str, Any], answer: NumbersAnswer, sizes: tuple[Decimal | None, ...]) -> Row:
    kind = NumbersKind(label["outcome_type"])
    arms = (("intervention", answer.intervention), ("comparator", answer.comparator))
    return Row(
        paper=name, style=style, id=answer.id, kind=kind, place=_place(label),
        is_complete=label["is_data_complete"] == "TRUE",
        label=tuple(tuple(_number(label[key.format(arm)]) for _, key in _FIELDS[kind]) for arm, _ in arms),
        answer=tuple(tuple(_number(getattr(ours, name)) for name, _ in _FIELDS[kind]) for _, ours in arms),
        state=answer.state, why=answer.why, sizes=sizes,
    )  # fmt: skip


def _place(label: dict[str, Any]) -> str:
    if label["is_data_in_figure_graphics"] == "TRUE":
        return "figure"
    return "table" if label["is_relevant_data_in_table"] == "TRUE" else "sentence"


def _number(value: Any) -> Decimal | None:
    return None if value in {"", None} else Decimal(str(value).replace(",", "")).normalize()


def _shares(style: str, rows: list[Row]) -> Iterator[Share]:
    complete = [row for row in rows if row.is_complete]
    for kind in NumbersKind:
        of = [row for row in complete if row.kind is kind]
        right = sum(row.is_right for row in of)
        yield Share(name=f"{style}: complete {kind} rows right", right=right, of=len(of), target=_WANTED[kind])
    answered = [row for row in complete if row.is_answered]
    right = sum(row.is_right for row in answered)
    yield Share(name=f"{style}: of the complete rows answered, right", right=right, of=len(answered), target=0.95)
    every = [row for row in rows if row.is_answered]
    yield _sizes(style, rows)
    swapped = sum(row.is_swapped for row in every)
    yield Share(name=f"{style}: arms swapped", right=swapped, of=len(every), target=0.005, at_most=True)
    as_sd = sum(row.has_se_as_sd for row in every)
    yield Share(name=f"{style}: an SE taken for an SD", right=as_sd, of=len(every), target=0.0, at_most=True)
    partly = [row for row in rows if not row.is_complete and row.is_answered]
    right = sum(row.is_right for row in partly)
    yield Share(name=f"{style}: rows with incomplete labels answered, known numbers right", right=right, of=len(partly))


def _sizes(style: str, rows: list[Row]) -> Share:
    """Both sizes of a question's arms, where both were found."""
    found = [row for row in rows if all(row.sizes)]
    right = sum(row.sizes == tuple(arm[-1] for arm in row.label) for row in found)
    return Share(name=f"{style}: N of both arms right, where found", right=right, of=len(found), target=0.90)


def _notes(style: str, run: _Run) -> Iterator[str]:
    complete = [row for row in run.rows if row.is_complete]
    for kind in NumbersKind:
        for place in ("table", "sentence", "figure"):
            of = [row for row in complete if row.kind is kind and row.place == place]
            counts = Counter(_outcome(row) for row in of)
            if of:
                counted = ", ".join(f"{counts[one]} {one}" for one in ("right", "wrong", "silent"))
                yield f"  {style}, {kind}, in a {place}: {counted}"
        yield f"  {style}, {kind}: of all rows, published: {_PUBLISHED[kind]} (there silence counts where it is right)"
    silent = Counter(_reason(row.why) for row in complete if not row.is_answered)
    for why, count in silent.most_common():
        yield f"  {style}, silent {count} times: {why}"
    if run.seconds:
        mean = sum(run.seconds) / len(run.seconds)
        yield f"  {style}: {mean:.2f} s of processor time a paper beyond reading, {max(run.seconds):.2f} s at most"


def _outcome(row: Row) -> str:
    return "right" if row.is_right else "wrong" if row.is_answered else "silent"


def _reason(why: str) -> str:
    """A reason without its numbers and quotes, so that alike ones are counted together."""
    return re.sub(r"\d[\d.,]*|'[^']*'|\"[^\"]*\"", "#", why)


def _miss(row: Row) -> str:
    return (
        f"{row.paper} {row.style} {row.id} {row.kind} in a {row.place}: {_outcome(row)}, "
        f"label {_shown(row.label)}, ours {_shown(row.answer)}. {row.why}"
    )


def _shown(arms: tuple[tuple[Decimal | None, ...], ...]) -> str:
    return " v ".join("/".join("-" if number is None else f"{number:f}" for number in arm) for arm in arms)
