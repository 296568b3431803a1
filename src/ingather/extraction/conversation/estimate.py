"""What a task will take, before it is started: calls, tokens, money and time, each from a low to a high number. Pure.

The questions are made as an interview would make them, about a plain paper
and about a rich one; what a model will write is assumed from what models
wrote. So it is a range, and the ledger is the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.interview import Earlier
from ingather.extraction.conversation.questions import (
    Listed,
    QuestionGroup,
    row_question_groups,
    rows_to_question_from,
    scopes_to_list_before_questions,
    study_question_groups,
)
from ingather.extraction.conversation.sizes import Sizes, fits_call_size
from ingather.extraction.provider import CostRange, estimate_tokens
from ingather.extraction.provider import estimate as cost_of
from ingather.extraction.template import Scope, Template
from ingather.library.port import Length

# Documents that an estimate looks at; of more, an even sample. Reading lengths takes a millisecond for each.
MOST_LOOKED_AT = 300
OVERHEAD_TOKENS = 30  # of a call: the roles of its messages, page marks, the lines around the paper
# Seconds per 10,000 characters, and per document for all around it, on one worker; measured on the sample papers.
RULES_S = (0.1, 0.4)
AROUND_S = (0.05, 0.3)  # per document


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRange:
    low: float
    high: float

    def times(self, factor: float) -> "EstimateRange":
        return EstimateRange(low=self.low * factor, high=self.high * factor)

    def plus(self, other: "EstimateRange") -> "EstimateRange":
        return EstimateRange(low=self.low + other.low, high=self.high + other.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate of a whole task. `cost` is None if no price is known, or if nothing is to be paid."""

    documents: int
    calls: EstimateRange
    tokens_in: EstimateRange
    tokens_out: EstimateRange
    cost: CostRange | None
    seconds: EstimateRange


@dataclass(frozen=True, slots=True, kw_only=True)
class _Assumed:
    """A kind of paper, and a kind of model."""

    arms: int
    outcomes: int
    times: int
    cell_tokens: int  # an answer without a quote
    quote_tokens: int  # the quote of an answer or of a row
    wait_s: float  # until a call begins to be answered
    tokens_per_s: int
    repeated_share: float  # calls that have to be repeated, as a share of all


_PLAIN = _Assumed(
    arms=2, outcomes=1, times=1, cell_tokens=20, quote_tokens=12, wait_s=0.5, tokens_per_s=80, repeated_share=0.0
)
_RICH = _Assumed(
    arms=3, outcomes=4, times=2, cell_tokens=26, quote_tokens=45, wait_s=2.0, tokens_per_s=40, repeated_share=0.1
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interview:
    """All calls about one part of a document, without the document."""

    calls: float
    question_tokens: float
    answer_tokens: float


def estimated_document_tokens(length: Length) -> int:
    """As `estimate_tokens`, without the text: a character of Chinese has three bytes, one of most others one."""
    wide = (length.bytes - length.characters) / 2
    return math.ceil(wide + (length.characters - wide) / 4)


def estimate_by_model(
    template: Template,
    lengths: Sequence[Length],
    *,
    context: str = "",
    sizes: Sizes,
    at_once: int,
    model: str = "",
    call_s: float | None = None,
    earlier: Sequence[Earlier] | None = None,
) -> Estimate:
    """The calls to a model for these documents, what they may cost, and how long they may take.

    `call_s` is how long its calls took lately; without it, a usual model is
    assumed. `earlier` is what is known of each document, if they were asked
    about before: only the rest is foreseen.
    """
    low, high = (
        _all_calls_estimated(template, lengths, assumed, context, sizes, earlier) for assumed in (_PLAIN, _RICH)
    )
    calls = EstimateRange(low=low.calls, high=high.calls)
    tokens_in = EstimateRange(low=low.paper_tokens + low.question_tokens, high=high.paper_tokens + high.question_tokens)
    tokens_out = EstimateRange(low=low.answer_tokens, high=high.answer_tokens)
    if call_s is None:
        waits = EstimateRange(
            low=calls.low * _PLAIN.wait_s + tokens_out.low / _PLAIN.tokens_per_s,
            high=calls.high * _RICH.wait_s + tokens_out.high / _RICH.tokens_per_s,
        )
    else:
        waits = EstimateRange(low=calls.low * call_s, high=calls.high * call_s)
    return Estimate(
        documents=len(lengths),
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        # The first call about a document brings it into the provider's cache; those after it may find it there.
        cost=_estimated_cost_range(model, tokens_in, tokens_out, repeated=round(low.paper_tokens - low.papers_once)),
        seconds=waits.times(1 / max(1, min(at_once, len(lengths)))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calls:
    """All calls about some documents. `papers_once`: the tokens of the documents that are asked about, each once."""

    calls: float
    paper_tokens: float
    papers_once: float
    question_tokens: float
    answer_tokens: float


def _all_calls_estimated(
    template: Template,
    lengths: Sequence[Length],
    assumed: _Assumed,
    context: str,
    sizes: Sizes,
    earlier: Sequence[Earlier] | None,
) -> _Calls:
    if earlier is None:
        interviews = [_interview_assumed_for_estimate(template, assumed, context, sizes)] * len(lengths)
    else:
        interviews = [_interview_assumed_for_estimate(template, assumed, context, sizes, one) for one in earlier]
    tokens = [estimated_document_tokens(length) for length in lengths]
    parts = [max(1, math.ceil(one / sizes.document)) for one in tokens]
    return _Calls(
        calls=sum(one.calls * n for one, n in zip(interviews, parts, strict=True)),
        # Every call carries the part of the document that it is about, so a document is sent once for each question.
        paper_tokens=sum(one.calls * n for one, n in zip(interviews, tokens, strict=True)),
        papers_once=sum(n for one, n in zip(interviews, tokens, strict=True) if one.calls),
        question_tokens=sum(one.question_tokens * n for one, n in zip(interviews, parts, strict=True)),
        answer_tokens=sum(one.answer_tokens * n for one, n in zip(interviews, parts, strict=True)),
    )


def estimated_seconds_at(
    found: Estimate, lengths: Sequence[Length], *, reading: float, writing: float
) -> EstimateRange:
    """How long calls one after another take at measured speeds, in tokens a second.

    At best every document is read once, since the server keeps what it has
    read; at worst it is read anew for every question.
    """
    once = sum(estimated_document_tokens(length) for length in lengths)
    return EstimateRange(
        low=once / reading + found.tokens_out.low / writing,
        high=found.tokens_in.high / reading + found.tokens_out.high / writing,
    )


def estimate_by_rules(lengths: Sequence[Length], *, workers: int) -> Estimate:
    """Our own rules: no call, no cost, some time."""
    nothing = EstimateRange(low=0, high=0)
    low, high = (
        sum(around + pace * length.characters / 10_000 for length in lengths)
        for pace, around in zip(RULES_S, AROUND_S, strict=True)
    )
    return Estimate(
        documents=len(lengths),
        calls=nothing,
        tokens_in=nothing,
        tokens_out=nothing,
        cost=None,
        seconds=EstimateRange(low=low, high=high).times(1 / max(1, workers)),
    )


def estimates_together(one: Estimate, other: Estimate) -> Estimate:
    """The estimate for the documents of both, one after the other."""
    cost = one.cost or other.cost
    if one.cost and other.cost:
        cost = CostRange(
            low=one.cost.low + other.cost.low, high=one.cost.high + other.cost.high, currency=one.cost.currency
        )
    return Estimate(
        documents=one.documents + other.documents,
        calls=one.calls.plus(other.calls),
        tokens_in=one.tokens_in.plus(other.tokens_in),
        tokens_out=one.tokens_out.plus(other.tokens_out),
        cost=cost,
        seconds=one.seconds.plus(other.seconds),
    )


def scaled_estimate(found: Estimate, documents: int) -> Estimate:
    """The estimate for more documents, from that for some of them."""
    if found.documents in {0, documents}:
        return found
    factor = documents / found.documents
    cost = found.cost
    share = Decimal(documents) / found.documents
    return Estimate(
        documents=documents,
        calls=found.calls.times(factor),
        tokens_in=found.tokens_in.times(factor),
        tokens_out=found.tokens_out.times(factor),
        cost=cost and CostRange(low=cost.low * share, high=cost.high * share, currency=cost.currency),
        seconds=found.seconds.times(factor),
    )


def _estimated_cost_range(
    model: str, tokens_in: EstimateRange, tokens_out: EstimateRange, *, repeated: int
) -> CostRange | None:
    cheap = cost_of(model, tokens_in=round(tokens_in.low), tokens_out=round(tokens_out.low), repeated_in=repeated)
    dear = cost_of(model, tokens_in=round(tokens_in.high), tokens_out=round(tokens_out.high))
    return CostRange(low=cheap.low, high=dear.high, currency=cheap.currency) if cheap and dear else None


def _interview_assumed_for_estimate(
    template: Template, assumed: _Assumed, context: str, sizes: Sizes, earlier: Earlier | None = None
) -> _Interview:
    """The calls about one part; `earlier` is what is known already."""
    scopes = scopes_to_list_before_questions(template)
    rows, settled = [], frozenset[tuple[str, str]]()
    if earlier is not None:
        scopes = tuple(scope for scope in scopes if scope not in earlier.scopes)
        rows, settled = list(earlier.rows), earlier.settled
    listed = _listed_assumed_for_estimate(scopes, assumed)
    rows += rows_to_question_from(listed, template)[0]
    whole = [*study_question_groups(template), *row_question_groups(template, rows)]
    left = [group for one in whole if (group := one.without(settled))]
    groups = [group for one in left for group in one.fitting(partial(fits_call_size, sizes=sizes, context=context))]
    questions = [prompt.fields_prompt(group, context).content for group in groups]
    answers = sum(_estimated_answer_tokens(group, assumed) for group in groups)
    if scopes:
        questions.append(prompt.listing_prompt(scopes, context).content)
        answers += len(listed) * (assumed.cell_tokens + assumed.quote_tokens)
    fixed = estimate_tokens(prompt.SYSTEM) + OVERHEAD_TOKENS
    again = 1 + assumed.repeated_share
    return _Interview(
        calls=len(questions) * again,
        question_tokens=(estimate_tokens(questions) + fixed * len(questions)) * again,
        answer_tokens=answers * again,
    )


def _listed_assumed_for_estimate(scopes: Sequence[Scope], assumed: _Assumed) -> list[Listed]:
    times = tuple(f"at {time} months" for time in range(1, assumed.times + 1))
    made = {
        Scope.ARM: [
            Listed(scope=Scope.ARM, label=f"the group {n}", is_reference=n == assumed.arms)
            for n in range(1, assumed.arms + 1)
        ],
        Scope.OUTCOME: [
            Listed(scope=Scope.OUTCOME, label=f"the outcome {n}", timepoints=times)
            for n in range(1, assumed.outcomes + 1)
        ],
        Scope.DOMAIN: [Listed(scope=Scope.DOMAIN, label="the primary outcome at the end of the trial")],
    }
    return [entry for scope in scopes for entry in made[scope]]


def _estimated_answer_tokens(group: QuestionGroup, assumed: _Assumed) -> int:
    cells = len(group.fields) * max(1, len(group.rows))
    quotes = cells if group.has_quote_per_field else len(group.rows)
    return cells * assumed.cell_tokens + quotes * assumed.quote_tokens
