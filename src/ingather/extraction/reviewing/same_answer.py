"""Whether two reviewers have given the same answer. Pure."""

import unicodedata
from collections.abc import Hashable

from ingather.extraction.analysis.agreement import Rating
from ingather.extraction.findings import State, Value
from ingather.extraction.reviewing.votes import Outcome, VotePair


def answer_key(outcome: Outcome) -> Hashable:
    """What two answers are compared by: 102 is 102.0; spaces, case and a full stop at the end make no difference."""
    state, value = outcome
    return (state.value, _value_key(value)) if state is State.REPORTED else (state.value, None)


def is_same_answer(one: Outcome, other: Outcome) -> bool:
    return answer_key(one) == answer_key(other)


def _value_key(value: Value) -> Hashable:
    if isinstance(value, list):
        return tuple(sorted(map(_text_key, value)))
    return _text_key(value) if isinstance(value, str) else value


def _text_key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".")


def rating_of(pair: VotePair) -> Rating:
    """What both sides say of a cell, in a form that can be compared."""
    return answer_key(pair.first.outcome), answer_key(pair.second.outcome)
