"""The quantiles and tails that conversions and intervals need, from scipy, with plain floats in and out."""

from scipy import special


def normal_quantile(probability: float) -> float:
    return float(special.ndtri(probability))


def normal_tail(value: float) -> float:
    """The probability of a value further from 0 than this one, on both sides."""
    return float(2 * special.ndtr(-abs(value)))


def t_quantile(probability: float, df: float) -> float:
    return float(special.stdtrit(df, probability))


def chi_square_tail(value: float, df: int) -> float:
    """The probability of a larger value."""
    return float(special.chdtrc(df, value))


def log_gamma(value: float) -> float:
    return float(special.gammaln(value))
