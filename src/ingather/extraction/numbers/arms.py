"""The arms of a trial as the headers of its tables name them, each with its size where one is given. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.numbers.arm_match import ArmLabel, names_a_control, queries_of
from ingather.extraction.numbers.label import TableLabel
from ingather.extraction.numbers.mentions import bare_name
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion
from ingather.extraction.numbers.sizes import candidates_of, sizes_of
from ingather.extraction.numbers.terms import terms_of
from ingather.extraction.numbers.view import TableView, unmarked

# More headers than this side by side are no arms.
_MOST_ARMS: Final = 10
# Three things speak for headers being arms: each has its number of people, one is called a control, several tables have
# them.
_HAS_N: Final = 3.0
_HAS_CONTROL: Final = 2.0
_AGAIN: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialArm:
    """One arm: its name as a table has it, its size as printed or nothing, and whether it is called a control."""

    name: str
    n: str
    is_control: bool


def arms_of(paper: NumbersPaper) -> tuple[TrialArm, ...]:
    """The arms, in the order of the headers that name them; none where no headers look like arms."""
    found: dict[frozenset[tuple[str, ...]], tuple[float, tuple[TrialArm, ...]]] = {}
    for view in paper.views:
        for labels in _side_by_side(view, paper):
            arms = tuple(
                TrialArm(name=bare_name(label.text), n=label.n, is_control=names_a_control(label.text))
                for label in labels
            )
            key = frozenset(label.core for label in labels)
            score = _HAS_N * all(arm.n for arm in arms) + _HAS_CONTROL * any(arm.is_control for arm in arms)
            known = found.get(key)
            found[key] = (max(score, known[0]) + _AGAIN, known[1]) if known else (score, arms)
    likely = [(score, arms) for score, arms in found.values() if score >= _HAS_CONTROL]
    return max(likely, key=lambda one: one[0])[1] if likely else ()


def _side_by_side(view: TableView, paper: NumbersPaper) -> Iterator[Sequence[TableLabel]]:
    depth = max((len(entry.columns) for entry in view.entries), default=0)
    for level in range(depth):
        labels: dict[tuple[str, ...], TableLabel] = {}
        for entry in sorted(view.entries, key=lambda entry: entry.cell.column):
            if level >= len(entry.columns):
                continue
            (label,) = unmarked([entry.columns[level]], paper.vocabulary)
            if label.core and not (label.is_comparison or label.is_everyone or label.is_total_n or label.moment):
                labels.setdefault(label.core, label)
        if 2 <= len(labels) <= _MOST_ARMS:
            yield tuple(labels.values())


def sizes_for(question: NumbersQuestion, paper: NumbersPaper) -> tuple[str, str]:
    """The sizes of both arms of a question, where the paper gives one number for each; else nothing."""
    arms = queries_of(question.intervention, question.comparator, paper.short)
    found = []
    for at, text in enumerate((question.intervention, question.comparator)):
        firm, every = candidates_of(ArmLabel(text, terms_of(text)), at, arms, sizes_of(paper), paper)
        ns = firm or every
        found.append(ns[0] if len(ns) == 1 else "")
    return found[0], found[1]
