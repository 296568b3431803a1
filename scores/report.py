"""What a board says: counts of right, wrong and silent, and a share with its 95 % interval."""

from dataclasses import dataclass, field
from math import sqrt

# The 97.5 % quantile of the normal distribution: intervals have a level of 95 %.
_Z = 1.959963984540054


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score method; from 0 to 1 where nothing was counted."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = right / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`right` of `of`, under a name. `target` is the share that is wanted, if any; `at_most` turns it around."""

    name: str
    right: int
    of: int
    target: float | None = None
    at_most: bool = False

    @property
    def value(self) -> float | None:
        return self.right / self.of if self.of else None

    @property
    def is_met(self) -> bool | None:
        if self.target is None or self.value is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target

    def line(self) -> str:
        if self.value is None:
            return f"{self.name}: nothing to count"
        low, high = wilson(self.right, self.of)
        wanted = ""
        if self.target is not None:
            sign = "at most" if self.at_most else "at least"
            wanted = f", wanted {sign} {self.target:.3g}: {'met' if self.is_met else 'missed'}"
        return f"{self.name}: {self.right}/{self.of} = {self.value:.3f} ({low:.3f} to {high:.3f}){wanted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one board says, with its misses: a miss is one line that lets a reader find the place in the paper."""

    board: str
    shares: list[Share]
    misses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
