"""What a task's results give an analyst."""

from typing import Literal

from ingather.web.schemas.forms import NoticeView, Wire


class PooledView(Wire):
    """A pooled effect as people read it: a ratio as a ratio."""

    estimate: float
    low: float
    high: float
    p: float
    i2: float
    tau2: float


class PoolView(Wire):
    """The studies of one question by one measure. `plot` is a drawing in SVG.

    A group of it with `data-cell` belongs to the cell of the table with that
    address: document, row and field, parted by `~`. `repeated` counts
    comparisons whose people another one counts already.
    """

    question: int
    outcome: str
    timepoint: str
    kind: Literal["binary", "continuous", "reported"]
    is_change: bool
    measure: Literal["RR", "OR", "RD", "HR", "MD", "SMD"]
    studies: int
    unreviewed: int
    repeated: int
    common: PooledView | None
    random: PooledView | None
    plot: str


class InputView(Wire):
    """A number that another one was computed from: its cell in the table, and its words in the paper."""

    row: str
    field: str
    printed: str
    quote: str


class ComputedView(Wire):
    """A number that no paper prints, with its formula and everything that went into it."""

    study: str
    ordinal: int
    about: str
    column: str
    number: str
    formula: str
    source: str
    inputs: list[InputView]


class RefusedView(Wire):
    """A comparison that is not sound enough, and the cell that a person can mend."""

    study: str
    ordinal: int
    about: str
    row: str
    field: str
    why: NoticeView


class AnalysisView(Wire):
    """`bias`, `bias_summary` and `flow` are drawings in SVG; those of the bias are empty where nothing was judged.

    `unjoined`: suggestions of the project's studies that nobody has decided.
    Reports that are one study count as several until then.
    """

    comparisons: int
    unjoined: int
    pools: list[PoolView]
    computed: list[ComputedView]
    refused: list[RefusedView]
    bias: str
    bias_summary: str
    flow: str
    methods: str
