"""Which part of a paper to read first for a question: the one that speaks most of what is asked. Pure."""

import re
from collections.abc import Sequence
from typing import TypeVar

from ingather.extraction.conversation.questions import MADE
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.cues import Cue, cue, cue_mentions, cues_of
from ingather.extraction.template import Field

T = TypeVar("T")

# Mentions of one field that count: a part that speaks often of one thing must not hide one that speaks of many.
_MOST_MENTIONS = 3
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
# Figures in 1,000 characters of a table of results; running text has about 10.
_FIGURES_OF_A_TABLE = 60
# A study says who its arms are, and what it measured, where it speaks of these: in the abstract and the methods.
_OF_ROWS: tuple[Cue, ...] = tuple(
    map(
        cue,
        (
            "random*",
            "assigned",
            "allocated",
            "control group",
            "placebo",
            "primary outcome",
            "endpoint",
            "随机",
            "对照组",
        ),
    )
)


def ranked_nearest_first(parts: Sequence[tuple[T, str]], fields: Sequence[Field]) -> list[T]:
    """The parts, each given with its text, that speak most of these fields first; as they stand where it is equal."""
    is_about_results = any(field.scope in MADE for field in fields)

    def score(text: str) -> float:
        folded = fold_text(text).text
        spoken = sum(min(_MOST_MENTIONS, len(cue_mentions(cues_of(field).speaks, folded))) for field in fields)
        return spoken + (_MOST_MENTIONS * len(fields) * _table_share_for_ranking(text) if is_about_results else 0.0)

    return [part for part, _ in sorted(parts, key=lambda part: -score(part[1]))]


def ranked_rows_first(parts: Sequence[tuple[T, str]]) -> list[T]:
    """The parts in the order in which arms and outcomes are looked for in them."""
    return [part for part, _ in sorted(parts, key=lambda part: -len(cue_mentions(_OF_ROWS, fold_text(part[1]).text)))]


def _table_share_for_ranking(text: str) -> float:
    """How much of a text looks like a table of results, from 0 to 1."""
    return min(1.0, 1_000 * len(_FIGURE.findall(text)) / max(1, len(text)) / _FIGURES_OF_A_TABLE)
