"""The quantiles and tails that conversions and intervals need, from scipy, with plain floats in and out."""

from functools import cache
from types import ModuleType


@cache
def _special() -> ModuleType:
    """Imported with the first call: it takes a fifth of a second, and most commands compute nothing."""
    from scipy import special  # noqa: PLC0415  see above

    module: ModuleType = special
    return module


def normal_quantile(probability: float) -> float:
    return float(_special().ndtri(probability))


def normal_tail(value: float) -> float:
    """The probability of a value further from 0 than this one, on both sides."""
    return float(2 * _special().ndtr(-abs(value)))


def t_quantile(probability: float, df: float) -> float:
    return float(_special().stdtrit(df, probability))


def chi_square_tail(value: float, df: int) -> float:
    """The probability of a larger value."""
    return float(_special().chdtrc(df, value))


def log_gamma(value: float) -> float:
    return float(_special().gammaln(value))
