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
    """The studies of one outcome at one time by one measure. `plot` is a drawing in SVG.

    A group of it with `data-cell` belongs to the cell of the table with that
    address: document, row and field, parted by `~`.
    """

    outcome: str
    timepoint: str
    kind: Literal["binary", "continuous", "reported"]
    measure: Literal["RR", "OR", "RD", "HR", "MD", "SMD"]
    studies: int
    unreviewed: int
    common: PooledView | None
    random: PooledView | None
    plot: str


class RefusedView(Wire):
    """A comparison that is not sound enough, and the cell that a person can mend."""

    study: str
    ordinal: int
    about: str
    row: str
    field: str
    why: NoticeView


class AnalysisView(Wire):
    """`bias` is a drawing of the judgements of the risk of bias, empty where there are none."""

    comparisons: int
    pools: list[PoolView]
    refused: list[RefusedView]
    bias: str
