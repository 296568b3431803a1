"""What an analyst decides and no paper says: how groups that several comparisons share are counted, and a correlation.

Pure. The choices belong to one analysis: nothing that was extracted depends
on them.
"""

from dataclasses import dataclass
from enum import StrEnum

from ingather.extraction.analysis.conversions import Unusable
from ingather.notice import notice


class SharedGroups(StrEnum):
    """What becomes of a group that several comparisons of one study use (Cochrane Handbook, 23.3.4)."""

    SPLIT = "split"  # each comparison counts its part of the group
    COMBINE = "combine"  # the groups that are compared with it become one group


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """`correlation` of baseline and final values: with it, change scores are computed where a paper has both."""

    shared: SharedGroups = SharedGroups.SPLIT
    correlation: float | None = None

    def __post_init__(self) -> None:
        if self.correlation is not None and not -1 <= self.correlation <= 1:
            raise Unusable(notice("analysis.correlation_outside", "A correlation lies between -1 and 1."))
