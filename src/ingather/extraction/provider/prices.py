"""What calls cost, and what they may cost. A price that is not known is None; it is never guessed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Final, Self
from zoneinfo import ZoneInfo

from ingather.extraction.provider.wire import Usage

_MILLION = Decimal(1_000_000)  # prices are per million tokens
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CJK = re.compile(
    r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_BEYOND_LATIN = re.compile(r"[\u0250-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The hours in which the full price holds, by the provider's clock; all other calls cost `otherwise` times that.

    Days are counted from Monday, 0; hours are whole, the last not included.
    """

    zone: str
    days: frozenset[int]
    hours: frozenset[int]
    otherwise: Decimal

    def has(self, moment: datetime) -> bool:
        there = moment.astimezone(ZoneInfo(self.zone))
        return there.weekday() in self.days and there.hour in self.hours


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Per million tokens. `cached` is input read from the provider's cache; None means it costs as other input."""

    input: Decimal
    cached: Decimal | None = None
    output: Decimal
    currency: str
    as_of: date
    peak: Peak | None = None

    def of(self, usage: Usage, at: datetime | None = None) -> Decimal:
        """What a call costs that was made at this moment; without one, what it costs at most."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.prompt - usage.cached
        full = (fresh * self.input + usage.cached * cached + usage.completion * self.output) / _MILLION
        return full if at is None or self.peak is None or self.peak.has(at) else full * self.peak.otherwise

    @property
    def least(self) -> Decimal:
        """The share of the full price that is paid at the best hour."""
        return Decimal(1) if self.peak is None else self.peak.otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRange:
    """A cost before it arises: `low` from the cache where it can be and at the best hour, `high` in neither way."""

    low: Decimal
    high: Decimal
    currency: str

    def __add__(self, other: Self) -> "CostRange":
        if self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added.")
        return CostRange(low=self.low + other.low, high=self.high + other.high, currency=self.currency)


@cache
def _known_prices() -> tuple[tuple[re.Pattern[str], Price], ...]:
    import yaml  # noqa: PLC0415, only those who ask for a price pay for it

    text = files("ingather.extraction").joinpath("prices.yaml").read_text(encoding="utf-8")
    return tuple(
        (
            re.compile(entry["pattern"], re.IGNORECASE),
            Price(
                input=Decimal(entry["input"]),
                cached=Decimal(entry["cached"]) if "cached" in entry else None,
                output=Decimal(entry["output"]),
                currency=entry["currency"],
                as_of=entry["as_of"],
                peak=_peak_hours(entry["peak"]) if "peak" in entry else None,
            ),
        )
        for entry in yaml.safe_load(text)
    )


def _peak_hours(entry: dict[str, Any]) -> Peak:
    return Peak(
        zone=entry["zone"],
        days=frozenset(_DAYS.index(day) for day in entry["days"]),
        hours=frozenset(hour for first, last in entry["hours"] for hour in range(first, last)),
        otherwise=Decimal(entry["otherwise"]),
    )


def price_of(model: str) -> Price | None:
    """The price of a model by the name that the API returns, or None."""
    return next((price for pattern, price in _known_prices() if pattern.fullmatch(model)), None)


def cost(model: str, usage: Usage, at: datetime | None = None, *, price: Price | None = None) -> Decimal | None:
    """What a call cost, in the currency of the price. `price` is the user's own and goes before ours."""
    price = price or price_of(model)
    return None if price is None else price.of(usage, at)


def estimate(
    model: str, *, tokens_in: int, tokens_out: int, repeated_in: int = 0, price: Price | None = None
) -> CostRange | None:
    """What calls may cost. `repeated_in` is the part of `tokens_in` that was sent before and may be in the cache."""
    price = price or price_of(model)
    if price is None:
        return None
    return CostRange(
        low=price.least * price.of(Usage(prompt=tokens_in, cached=min(repeated_in, tokens_in), completion=tokens_out)),
        high=price.of(Usage(prompt=tokens_in, completion=tokens_out)),
        currency=price.currency,
    )


def estimate_tokens(texts: str | Iterable[str]) -> int:
    """About how many tokens a text has: one per 4 Latin characters, per 2 of another script, per 1 of Chinese.

    A rule of thumb, there to size a bill before anything was sent. On one
    tokenizer (cl100k) English papers were measured at 4.33 characters per
    token and Chinese at 0.75; newer ones are kinder. `Usage` is the truth.
    """
    total = 0.0
    for text in [texts] if isinstance(texts, str) else texts:
        cjk = len(_CJK.findall(text))
        other = len(_BEYOND_LATIN.findall(text)) - cjk
        total += cjk + other / 2 + (len(text) - cjk - other) / 4
    return round(total + 0.49)
