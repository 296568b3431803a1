"""Pools the effects of several studies: one common effect, and a distribution of effects (REML). Pure.

The formulas are those of inverse variance and of restricted maximum
likelihood by Fisher scoring (Viechtbauer 2005); the same as `rma` of R's
metafor with `method="EE"` and `method="REML"`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingather.extraction.analysis.distributions import chi_square_tail, normal_quantile, normal_tail
from ingather.extraction.analysis.effects import Effect

# Fisher scoring ends when the variance between studies moves less than this part of the studies' own variances. A
# larger one ends sooner and shows in the sixth digit.
STEP: Final = 1e-12
# It converges in ten to twenty steps as a rule; a set of effects that needs more is given the last step's value.
MOST_STEPS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """A pooled effect on the pooled scale, and how much the studies differ.

    `weights` are those of the studies in their order, in per cent. `i2` is in
    per cent, `tau2` the variance between studies: 0 for a common effect.
    """

    estimate: float
    se: float
    low: float
    high: float
    p: float
    weights: tuple[float, ...]
    tau2: float
    q: float
    q_p: float
    i2: float


def pool_common(effects: Sequence[Effect]) -> Pooled:
    """As if all studies estimated one effect."""
    q = _q(effects)
    df = len(effects) - 1
    return _pooled_with_tau(effects, tau2=0.0, q=q, i2=max(0.0, 100 * (q - df) / q) if q > 0 else 0.0)


def pool_random(effects: Sequence[Effect]) -> Pooled:
    """As if the studies' effects were drawn from a normal distribution."""
    tau2 = _tau2(effects)
    i2 = 100 * tau2 / (tau2 + _typical_variance(effects)) if len(effects) > 1 else 0.0
    return _pooled_with_tau(effects, tau2=tau2, q=_q(effects), i2=i2)


def _pooled_with_tau(effects: Sequence[Effect], *, tau2: float, q: float, i2: float) -> Pooled:
    weights = [1 / (effect.variance + tau2) for effect in effects]
    total = sum(weights)
    estimate, se = _weighted_mean(effects, weights), math.sqrt(1 / total)
    reach = normal_quantile(0.975) * se
    df = len(effects) - 1
    return Pooled(
        estimate=estimate,
        se=se,
        low=estimate - reach,
        high=estimate + reach,
        p=normal_tail(estimate / se),
        weights=tuple(100 * weight / total for weight in weights),
        tau2=tau2,
        q=q,
        q_p=chi_square_tail(q, df) if df else 1.0,
        i2=i2,
    )


def _tau2(effects: Sequence[Effect]) -> float:
    """The variance between studies, by restricted maximum likelihood."""
    if len(effects) < 2:
        return 0.0
    scale = _typical_variance(effects)
    tau2 = max(0.0, (_q(effects) - (len(effects) - 1)) * scale / (len(effects) - 1))
    for _ in range(MOST_STEPS):
        weights = [1 / (effect.variance + tau2) for effect in effects]
        total, squares = sum(weights), sum(weight**2 for weight in weights)
        mean = _weighted_mean(effects, weights)
        spread = sum(weight**2 * (effect.estimate - mean) ** 2 for weight, effect in zip(weights, effects, strict=True))
        # With P = W - w wᵀ ÷ Σw: the step is (yᵀPPy - tr P) ÷ tr PP.
        trace = total - squares / total
        trace_of_square = squares - 2 * sum(weight**3 for weight in weights) / total + (squares / total) ** 2
        step = (spread - trace) / trace_of_square
        before, tau2 = tau2, max(0.0, tau2 + step)
        if abs(tau2 - before) <= STEP * scale:
            break
    return tau2


def _typical_variance(effects: Sequence[Effect]) -> float:
    """The variance within a typical study (Higgins and Thompson 2002)."""
    weights = [1 / effect.variance for effect in effects]
    total = sum(weights)
    return (len(effects) - 1) * total / (total**2 - sum(weight**2 for weight in weights))


def _q(effects: Sequence[Effect]) -> float:
    """Cochran's Q."""
    weights = [1 / effect.variance for effect in effects]
    mean = _weighted_mean(effects, weights)
    return sum(weight * (effect.estimate - mean) ** 2 for weight, effect in zip(weights, effects, strict=True))


def _weighted_mean(effects: Sequence[Effect], weights: Sequence[float]) -> float:
    return sum(weight * effect.estimate for weight, effect in zip(weights, effects, strict=True)) / sum(weights)
