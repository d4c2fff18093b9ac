"""Money at the border: dated exchange rates, rounding once, splits by largest remainder (semantics 22, 23)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Protocol, TypeVar

from procurement.engine.tables import FxRate


class DatedPair(Protocol):
    """A pair of currencies with a day; records and rows alike."""

    @property
    def base(self) -> str:
        """The currency that is priced."""

    @property
    def counter(self) -> str:
        """The currency it is priced in."""

    @property
    def on(self) -> date:
        """The day of the rate."""


Dated = TypeVar("Dated", bound=DatedPair)
MINOR_DIGITS = {  # digits after the point, ISO 4217; every other currency has two
    "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
    "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3,
    "TND": 3,
}  # fmt: skip
CHAIN_PLACES = Decimal("0.000001")  # a float sum becomes a Decimal of six places before it is rounded
RATE_PLACES = Decimal("0.000001")  # rates per hour or per unit are shown with six places


def minor_unit(currency: str) -> Decimal:
    """Return the smallest amount of a currency, for example 0.01 for USD and 1 for JPY."""
    return Decimal(1).scaleb(-MINOR_DIGITS.get(currency, 2))


def rounded(amount: float, currency: str) -> Decimal:
    """Return an amount rounded once: to six places, then half up to the currency's minor unit (semantics 22)."""
    exact = Decimal(repr(float(amount))).quantize(CHAIN_PLACES, rounding=ROUND_HALF_UP)
    return exact.quantize(minor_unit(currency), rounding=ROUND_HALF_UP)


def rounded_parts(parts: Mapping[str, float], currency: str) -> dict[str, Decimal]:
    """Return each part rounded for itself; a total of them is the sum of what is returned."""
    return {name: rounded(amount, currency) for name, amount in parts.items()}


def split_exactly(total: Decimal, weights: Sequence[float], currency: str) -> list[Decimal]:
    """Return parts that sum to ``total`` exactly, each within one minor unit of its weight (largest remainder).

    Parameters
    ----------
    total
        What the parts must add up to, already rounded [currency].
    weights
        Unrounded parts, of any sign [currency].
    currency
        ISO 4217 code, which fixes the minor unit.
    """
    unit = minor_unit(currency)
    exact = [Decimal(repr(float(weight))) / unit for weight in weights]
    floors = [value.to_integral_value(rounding=ROUND_FLOOR) for value in exact]
    missing = int(total / unit - sum(floors, Decimal(0)))
    order = sorted(range(len(exact)), key=lambda index: (-(exact[index] - floors[index]), index))
    shares = list(floors)
    step = 1 if missing >= 0 else -1
    sequence = order if missing >= 0 else order[::-1]
    for position in range(abs(missing) if exact else 0):
        shares[sequence[position % len(sequence)]] += step
    return [(share * unit).quantize(unit) for share in shares]


def money_text(amount: Decimal | None) -> str | None:
    """Return an amount as plain text, a credit too small to show as plain 0, or None where there is none."""
    return None if amount is None else f"{amount or abs(amount):f}"


def finite_money_text(amount: float, currency: str) -> str | None:
    """Return an unrounded amount as text in minor units, or None where it is infinite or unknown."""
    return money_text(rounded(amount, currency)) if math.isfinite(amount) else None


def rate_text(amount: float | None) -> str | None:
    """Return a rate (currency per hour or per unit of work) as text with six places, or None where there is none."""
    if amount is None or not math.isfinite(amount):
        return None
    return f"{Decimal(repr(float(amount))).quantize(RATE_PLACES, rounding=ROUND_HALF_UP):f}"


def exchange_rate(source: str, target: str, rates: Iterable[FxRate], as_of: date) -> float | None:
    """Return how much of ``target`` one ``source`` costs, or None where no dated rate says so.

    The latest rate not after ``as_of`` holds, in either direction; rates are never chained (semantics 23).
    """
    if source == target:
        return 1.0
    newest = newest_rate(source, target, rates, as_of)
    if newest is None:
        return None
    return newest.rate if newest.base == source else 1.0 / newest.rate


def newest_rate(source: str, target: str, rates: Iterable[Dated], as_of: date) -> Dated | None:
    """Return the dated rate that holds between two currencies: the latest not after the day, in either direction."""
    known = [fx for fx in rates if fx.on <= as_of and {fx.base, fx.counter} == {source, target}]
    return max(known, key=lambda fx: (fx.on, fx.base == source), default=None)
