"""The nouns about a document: answers as given, findings as checked, the flags of the rules, reviews by people.

An answer comes from a model or from the embedded extractor and is believed by nobody. Grounding its quote and checking
its value makes a finding of it. A person who has looked at it makes a review.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ingather.library.port import Box, Passage

EMBEDDED = "embedded"  # the source of what our own rules found
REVIEWER = "reviewer"  # the source of what a person gave


class State(StrEnum):
    """What an answer says of its field."""

    REPORTED = "reported"
    NOT_REPORTED = "not_reported"
    NOT_APPLICABLE = "not_applicable"
    UNCLEAR = "unclear"
    FAILED = "failed"  # no usable answer was had; the finding's note says why
    REJECTED = "rejected"  # a person refused the answer, and gave no other


class Verdict(StrEnum):
    """What the code says of a value and its quote. Only the first two may be believed without looking.

    They need both: the words stand in the document, and the value is theirs.
    `unbound` says that the words stand and that the second is not established.
    """

    VERIFIED = "verified"
    VERIFIED_FUZZY = "verified_fuzzy"
    UNBOUND = "unbound"
    QUOTE_NOT_FOUND = "quote_not_found"
    NUMBER_MISMATCH = "number_mismatch"
    POLARITY_MISMATCH = "polarity_mismatch"
    UNSUPPORTED_VALUE = "unsupported_value"
    NO_QUOTE = "no_quote"


BELIEVED = frozenset({Verdict.VERIFIED, Verdict.VERIFIED_FUZZY})


class Reason(StrEnum):
    """Why a value whose quote stands in the document is `unbound`: what the code looked for and did not find."""

    ECHO = "echo"  # it repeats the question, the field's name, or an example from the instruction
    STATE = "state"  # it is a state such as `not_applicable`, given as a value
    PARAPHRASE = "paraphrase"  # a text that is not made of its quote's words
    NO_CUE = "no_cue"  # nothing in the quote speaks of this field
    NO_OPTION = "no_option"  # nothing in the quote carries this choice
    OTHER_OPTION = "other_option"  # the quote carries another choice, or more than one
    PART_OF_NAME = "part_of_name"  # the figure is part of a name, a label, a citation or another number
    OTHER_MEASURE = "other_measure"  # the figure is another quantity: an N for events, an SE for an SD
    OTHER_ARM = "other_arm"
    OTHER_OUTCOME = "other_outcome"
    OTHER_TIME = "other_time"
    NO_SUBJECT = "no_subject"  # the quote does not name the arm, the outcome or the time
    SIGNS = "signs"  # it hangs on a sign such as < or ±, and the signs of the document could not all be read
    ELSEWHERE = "elsewhere"  # it stands where a paper speaks of other papers, or not where this is printed
    JOINED = "joined"  # its parts stand in several sentences, which are not shown to be one statement
    PART = "part"  # the paper says more of what the field asks for in full


Value = str | int | float | list[str] | None

# The version of the checks that give verdicts. Version 1 looked for a quote's words and a value's figures in it;
# version 2 also binds the value to its words, version 3 reads lists and comparisons. No version stored: the first.
FIRST_CHECKS = 1
CHECKS_VERSION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A place in a document: characters `start` to `end` of the text of page `page`, all from 0, `end` not included."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlace:
    """The cell of a table that a value was read from, with the labels of its row and column.

    `table` counts the tables of the document from 0, as the parser of the
    result found them; row, column and page count from 0 too. Boxes are in
    points from the top left corner of the page, and none where there is no
    page (Markdown).
    """

    table: int
    label: str
    page: int
    row: int
    column: int
    row_path: tuple[str, ...] = ()
    column_path: tuple[str, ...] = ()
    box: Box | None = None
    row_boxes: tuple[Box, ...] = ()
    column_boxes: tuple[Box, ...] = ()


class ArmRole(StrEnum):
    """What an arm of a document is in the comparisons of the review."""

    INTERVENTION = "intervention"
    COMPARATOR = "comparator"
    OTHER = "other"  # in no comparison
    OPEN = "open"  # its words decide, question by question


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentArm:
    """An arm under the names that the tables of a document give it. `n` is its size as printed, or nothing."""

    name: str
    other_names: tuple[str, ...] = ()
    role: ArmRole = ArmRole.OPEN
    n: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.other_names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One arm, outcome, result or contrast of a study: what the fields of a repeated scope are asked of.

    `key` names it within its document, such as `arm/2`; `parts` names the
    rows it is made of, such as `{"outcome": "outcome/1", "arm": "arm/2"}`.
    A question of the review has its words there instead.
    """

    scope: str
    key: str
    label: str
    parts: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer to one field, as a model or a rule gave it. `row` is empty in the scope `study`."""

    field: str
    row: str = ""
    state: State
    value: Value = None
    quote: str = ""
    page: int | None = None
    note: str = ""
    is_part: bool = False  # a rule saw that the paper says more of what the field asks for in full


class Action(StrEnum):
    """What a person does with a finding."""

    ACCEPTED = "accepted"
    EDITED = "edited"  # another value stands instead
    NOT_REPORTED = "not_reported"
    NOT_APPLICABLE = "not_applicable"
    UNCLEAR = "unclear"
    REJECTED = "rejected"  # wrong, and nothing stands instead
    WITHDRAWN = "withdrawn"  # the review before this one no longer counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A person's judgement of what stands in one cell: the answer to one field of one row of one document.

    It is written once. A cell's reviews are numbered by `revision`, from 1.
    `finding_sha256` is of what was judged: a review never speaks for another
    value. A review that mends the arms of a document has what was read anew,
    and one whose value was taken from a table has its cell, or from the
    page its passage.
    """

    ordinal: int
    row: str
    field: str
    revision: int
    action: Action
    value: Value = None
    note: str = ""
    reviewer: str
    reviewed_at: datetime
    finding_sha256: str
    reread: "Reread | None" = None
    cell: CellPlace | None = None
    passage: Passage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What a finding said before a person, or an answer that a person gave, changed it."""

    state: State
    value: Value
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One answer to one field of one document, with the words that prove it and what the code says of them.

    A finding whose quote was not found is kept and shown as that: hiding it
    would make the model look better than it is. `source` is a model's name,
    `embedded` for the rules of this package, `computed`, or `reviewer`.

    `value_spans` are where the value itself stands within the quote, and
    `subject_spans` the words that make it this value: an arm, an outcome, a
    time, the field's own words. `reason` says why a value is `unbound`.

    `state` and `value` are what stands: after a review that changed them,
    `extracted` has what was found. Quote and verdict speak of that. A review
    that `is_outdated` judged something else and counts for nothing. A value
    that was read from a table has its `cell`, and no spans.
    """

    field: str
    row: str
    state: State
    value: Value
    quote: str
    verdict: Verdict
    spans: tuple[Span, ...]
    source: str
    note: str = ""
    value_spans: tuple[Span, ...] = ()
    subject_spans: tuple[Span, ...] = ()
    reason: Reason | None = None
    extracted: Extracted | None = None
    review: Review | None = None
    is_outdated: bool = False
    cell: CellPlace | None = None

    @property
    def is_reviewed(self) -> bool:
        return self.review is not None and not self.is_outdated

    @property
    def standing_cell(self) -> CellPlace | None:
        """The cell in which the value stands that counts: one that a person has taken, or the one that was read."""
        if self.review is not None and self.is_reviewed and self.review.cell is not None:
            return self.review.cell
        return None if self.source == REVIEWER else self.cell

    @property
    def pages(self) -> list[int]:
        """The pages that its proof stands on."""
        cell = self.standing_cell or self.cell
        return sorted({span.page for span in self.spans} | ({cell.page} if cell else set()))

    @property
    def is_open(self) -> bool:
        """Whether it is no answer at all: our own rules did not look, and nobody else has said anything."""
        return self.state is State.UNCLEAR and self.source == EMBEDDED and not self.quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """The answers to the review's questions once a person has mended the arms: read anew from the same cells.

    It holds for as long as the result has the text and tables of this parser.
    """

    arms: tuple[DocumentArm, ...]
    findings: tuple[Finding, ...]
    parser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A rule of the template that findings break. `fields` are those a reader should look at; `row` as in a finding."""

    rule: str
    row: str
    fields: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentResult:
    """All that a task has to say about one of its documents, finished or not.

    `state` is that of its item: pending, running, completed, error or
    cancelled. `problem` is the sentence that says why, where it is an error.
    `reviews` are all there ever were, withdrawn and outdated ones included.
    `checks_version` is of the checks that gave the verdicts. `arms` are those
    that the answers to the review's questions hang on. `study` is the name of
    the study that it is a report of, and `study_id` its number; 0 for none.
    """

    ordinal: int
    document_id: int
    file_name: str
    sha256: str
    state: str
    problem: str = ""
    rows: tuple[Row, ...] = ()
    findings: tuple[Finding, ...] = ()
    flags: tuple[Flag, ...] = ()
    reviews: tuple[Review, ...] = ()
    checks_version: int = CHECKS_VERSION
    arms: tuple[DocumentArm, ...] = ()
    parser: str = ""
    study: str = ""
    study_id: int = 0
    conflicts: tuple[tuple[str, str], ...] = ()  # row and field of cells about which two reviewers differ


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSummary:
    """What a reader of a table must know of how it came about. `extractor`: the model, or our rules."""

    task_id: int
    project: str
    template_id: str
    template_version: int
    extractor: str
    settings: dict[str, str]
    created_at: str
    closed_at: str | None
    counts: dict[str, int]
