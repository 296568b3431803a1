"""How large the parts of a call may be for a model's context: the document, the questions, the answer. Pure."""

from dataclasses import dataclass, replace

from ingather.extraction.conversation import prompt
from ingather.extraction.conversation.questions import QuestionGroup
from ingather.extraction.provider import MARGIN, estimate_tokens
from ingather.extraction.template.field_types import TRAITS

# Tokens of a document in one call when the model's context is unknown: most models take 128,000 in all. A smaller
# budget cuts more papers into parts; a larger one is refused by smaller models.
BUDGET_TOKENS = 60_000
# The share of a small context for the questions and the answer. At 4,096 tokens that is five fields with their
# quotes; more would leave less than a page for the paper, less would ask the same page more often.
SHARE_OF_REST = 0.45
# The questions and the answer of the largest group, 60 cells, take this much. A larger context needs no more.
FULL_REST = 12_000
# Tokens of the policy, which opens every call, and of the marks around messages.
POLICY_TOKENS = 650
# A document that is too long is cut down to this many tokens, a column of a page. Below it no quote has its context.
SMALLEST_DOCUMENT = 500
# A paper in several parts of at least this many tokens is read whole with every question, so that two parts that
# differ are noticed. In smaller parts a paper has so many that this would take a slow model days: there only what no
# part has answered is asked of the next one.
READ_WHOLE_FROM = 16_000

# Tokens of an answer: one without its quote, a quote (300 characters, of which digits take one token each), and a
# value in sentences. More room is no harm where there is any; with less, answers are cut off and asked in halves.
CELL_TOKENS = 70
QUOTE_TOKENS = 130
SENTENCES_TOKENS = 150
FRAME_TOKENS = 100  # the brackets and names around all answers
# A list of arms and outcomes: real papers have fewer than 20 entries with a quote.
LIST_TOKENS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Tokens for a part of the document, and for the questions and their answer; `rest` is None where unknown."""

    document: int
    rest: int | None = None

    @property
    def is_read_whole(self) -> bool:
        """Whether every part is asked everything."""
        return self.document >= READ_WHOLE_FROM

    def smaller(self, document: int) -> "Sizes":
        return replace(self, document=min(self.document, document))


def call_sizes_for(context_tokens: int | None) -> Sizes:
    """What fits into a context of that size; without one, into that of most models."""
    if context_tokens is None:
        return Sizes(document=BUDGET_TOKENS)
    rest = min(FULL_REST, int(SHARE_OF_REST * context_tokens))
    document = int((context_tokens - rest - POLICY_TOKENS) / MARGIN)
    return Sizes(document=max(SMALLEST_DOCUMENT, document), rest=rest)


def fits_call_size(group: QuestionGroup, *, sizes: Sizes, context: str = "") -> bool:
    """Whether a group's questions and their answer fit beside a part of the document."""
    if sizes.rest is None:
        return True
    return (
        MARGIN * estimate_tokens(prompt.fields_prompt(group, context).content) + answer_size_in_call(group)
        <= sizes.rest
    )


def answer_size_in_call(group: QuestionGroup) -> int:
    """Tokens that the answers to a group may take."""
    sentences = sum(TRAITS[field.type].is_free_text for field in group.fields) * max(1, len(group.rows))
    cells = len(group.places)
    quotes = cells if group.has_quote_per_field else len(group.rows)
    return FRAME_TOKENS + CELL_TOKENS * cells + QUOTE_TOKENS * quotes + SENTENCES_TOKENS * min(sentences, cells)
