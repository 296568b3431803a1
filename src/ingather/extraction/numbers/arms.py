"""The arms of a trial: the names its tables and its text give them, with their sizes and roles. Pure.

Every number of a trial hangs on one of these. `arms_of` reads them from a paper; whoever lets a person confirm or
mend the list keeps the same type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from ingather.extraction.numbers.arm_match import ArmLabel, arm_queries_of, match_arms, names_control_arm
from ingather.extraction.numbers.label import TableLabel, bare_n_of_label, unmarked_labels
from ingather.extraction.numbers.mentions import mentions_of, name_as_mentioned
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion
from ingather.extraction.numbers.sizes import ArmSize, size_named_in_text, sizes_of, sizes_of_arm
from ingather.extraction.numbers.terms import terms_of
from ingather.extraction.numbers.view import TableView, ViewEntry

# More headers than this side by side are no arms.
_MOST_ARMS: Final = 8
# Six things speak for labels being arms: each has its number of people, one is called a control, they are called
# groups, the title or abstract has their words, a p-value stands beside them, several tables have them.
_HAS_N: Final = 3.0
_HAS_CONTROL: Final = 2.0
_ARE_GROUPS: Final = 2.0
_IN_ABSTRACT: Final = 1.0
_HAS_P: Final = 1.0
_AGAIN: Final = 0.5
# Columns are arms more often than rows are.
_IN_ROWS: Final = -0.5
# So many characters from the beginning are title and abstract.
_ABSTRACT: Final = 3_000
_GROUP_TERMS: Final = frozenset(terms_of("group groups arm arms cohort"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialArm:
    """One arm: its name as a table has it, its size as printed or nothing, and whether it is called a control.

    `names` are all the names that tables give it, this one first.
    """

    name: str
    n: str
    is_control: bool
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _ArmLabels:
    """Labels side by side that may be the arms, and what speaks for it."""

    labels: tuple[TableLabel, ...]
    sizes: tuple[str, ...]
    score: float


# Papers whose arms are kept: a session asks one paper many questions, and seldom several papers in turn.
_KEPT: Final = 4


@lru_cache(maxsize=_KEPT)
def arms_of(paper: NumbersPaper) -> tuple[TrialArm, ...]:
    """The arms, in the order of the labels that name them; none where no labels look like arms."""
    rows = [row for view in paper.views for row in _possible_arms_of_table(view, paper)]
    scores: dict[frozenset[tuple[str, ...]], float] = {}
    for row in rows:
        key = frozenset(label.core for label in row.labels)
        scores[key] = max(row.score, scores[key]) + _AGAIN if key in scores else row.score
    if not scores or max(scores.values()) < _HAS_CONTROL:
        return ()
    best = max(scores, key=lambda key: scores[key])
    same = [row for row in rows if frozenset(label.core for label in row.labels) == best]
    sizes = sizes_of(paper)
    return tuple(_trial_arm(label, same, sizes) for label in same[0].labels)


def _trial_arm(label: TableLabel, rows: Sequence[_ArmLabels], sizes: Sequence[ArmSize]) -> TrialArm:
    own = [
        (other, n) for row in rows for other, n in zip(row.labels, row.sizes, strict=True) if other.core == label.core
    ]
    n = next((n for _, n in own if n), "") or size_named_in_text(label, sizes)
    return TrialArm(
        name=name_as_mentioned(label.text),
        n=n,
        is_control=names_control_arm(label.text),
        names=tuple(dict.fromkeys(name_as_mentioned(other.text) for other, _ in own)),
    )


def _possible_arms_of_table(view: TableView, paper: NumbersPaper) -> Iterator[_ArmLabels]:
    depth = max((len(entry.columns) for entry in view.entries), default=0)
    for level in range(depth):
        found: dict[tuple[str, ...], tuple[TableLabel, str]] = {}
        has_p = False
        for entry in sorted(view.entries, key=lambda entry: entry.cell.column):
            if level < len(entry.columns):
                has_p = has_p or entry.columns[level].is_comparison
                _note_possible_arm(found, entry.columns[level], _arm_n_below_header(view, entry, level), paper)
        yield from _possible_arms(found, paper, _HAS_P * has_p)
    found = {}
    for entry in view.entries:
        if entry.rows:
            size = entry.content.first if entry.columns and entry.columns[-1].is_total_n else ""
            _note_possible_arm(found, entry.rows[-1], size, paper)
    yield from _possible_arms(found, paper, _IN_ROWS)


def _arm_n_below_header(view: TableView, entry: ViewEntry, level: int) -> str:
    """The number of people below a header: in a row of its own, or in a header under it."""
    below = next((label.n for label in entry.columns[level + 1 :] if label.n and not label.core), "")
    return below or view.column_n.get(entry.cell.column, "")


def _note_possible_arm(
    found: dict[tuple[str, ...], tuple[TableLabel, str]], label: TableLabel, n: str, paper: NumbersPaper
) -> None:
    (label,) = unmarked_labels([label], paper.vocabulary)
    if (
        not label.core
        or label.is_comparison
        or label.is_everyone
        or label.is_total_n
        or label.moment
        or label.is_change
    ):
        return
    known = found.get(label.core)
    if known is None or not known[1]:
        found[label.core] = (known[0] if known else label, label.n or n)


def _possible_arms(
    found: dict[tuple[str, ...], tuple[TableLabel, str]], paper: NumbersPaper, score: float
) -> Iterator[_ArmLabels]:
    if not 2 <= len(found) <= _MOST_ARMS:
        return
    labels, sizes = zip(*found.values(), strict=True)
    bare = [bare_n_of_label(label.text) for label in labels]
    if not any(sizes) and all(bare):
        sizes = tuple(bare)
    abstract = {term for text in paper.pages[:1] for term in terms_of(text[:_ABSTRACT])}
    score += _HAS_N * all(sizes) + _HAS_CONTROL * any(names_control_arm(label.text) for label in labels)
    score += _ARE_GROUPS * all(_GROUP_TERMS & set(label.core) or label.core[0].startswith("group0") for label in labels)
    own = [any(term in abstract for term in label.core) for label in labels]
    yield _ArmLabels(labels, sizes, score + _IN_ABSTRACT * sum(own) / len(own))


def arms_of_question(question: NumbersQuestion, paper: NumbersPaper) -> tuple[TrialArm, TrialArm] | None:
    """Which two arms a question compares; none where the names do not decide it."""
    arms = arms_of(paper)
    labels = {ArmLabel(arm.name, tuple(terms_of(arm.name))): arm for arm in arms}
    both = arm_queries_of(question.intervention, question.comparator, paper.short)
    assigned = match_arms(list(labels), both, paper.short, partial(mentions_of, paper), paper.known_names)
    return None if assigned is None else (labels[assigned[0]], labels[assigned[1]])


def n_of_compared_arms(question: NumbersQuestion, paper: NumbersPaper) -> tuple[str, str]:
    """The sizes of both arms of a question, where the paper gives one number for each; else nothing."""
    if (both := arms_of_question(question, paper)) is not None and all(arm.n for arm in both):
        return both[0].n, both[1].n
    arms = arm_queries_of(question.intervention, question.comparator, paper.short)
    found = []
    for at, text in enumerate((question.intervention, question.comparator)):
        firm, every = sizes_of_arm(ArmLabel(text, terms_of(text)), at, arms, sizes_of(paper), paper)
        ns = firm or every
        found.append(ns[0] if len(ns) == 1 else "")
    return found[0], found[1]
