"""What the review's questions add to the estimate of a task: calls with the tables of each paper in them. Pure."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ingather.extraction.conversation.estimate import Estimate, EstimateRange, estimated_document_tokens
from ingather.extraction.numbers.by_model import ANSWER_TOKENS, MOST_AT_ONCE, SYSTEM
from ingather.extraction.provider import CostRange, estimate_tokens
from ingather.extraction.provider import estimate as cost_of
from ingather.extraction.template import ReviewQuestions
from ingather.library.port import Length

# Tokens of a question in the words of the review.
_QUESTION_TOKENS: Final = 60
# Seconds of a call to a slow model, where it is not known how long calls took lately.
_SLOW_CALL_S: Final = 20.0


def estimate_with_question_calls(
    found: Estimate,
    lengths: Sequence[Length],
    questions: ReviewQuestions,
    *,
    at_once: int,
    model: str,
    call_s: float | None,
) -> Estimate:
    """The estimate with the calls for these questions.

    A paper without tables needs none of them, so the low ends stay. At most
    its tables, with an id for each cell, are as long as all of its text.
    """
    count = len(questions.comparisons) * len(questions.outcomes)
    if not count or not lengths:
        return found
    calls = math.ceil(count / MOST_AT_ONCE) * len(lengths)
    papers = sum(estimated_document_tokens(length) for length in lengths) * math.ceil(count / MOST_AT_ONCE)
    tokens_in = papers + calls * estimate_tokens([SYSTEM]) + count * len(lengths) * _QUESTION_TOKENS
    tokens_out = count * len(lengths) * ANSWER_TOKENS
    slow = _SLOW_CALL_S if call_s is None else call_s
    share = max(1, min(at_once, len(lengths)))
    dear = cost_of(model, tokens_in=tokens_in, tokens_out=tokens_out)
    cost = (
        found.cost
        and dear
        and CostRange(low=found.cost.low, high=found.cost.high + dear.high, currency=found.cost.currency)
    )
    return replace(
        found,
        calls=EstimateRange(low=found.calls.low, high=found.calls.high + calls),
        tokens_in=EstimateRange(low=found.tokens_in.low, high=found.tokens_in.high + tokens_in),
        tokens_out=EstimateRange(low=found.tokens_out.low, high=found.tokens_out.high + tokens_out),
        cost=cost or None,
        seconds=EstimateRange(low=found.seconds.low, high=found.seconds.high + calls * slow / share),
    )
