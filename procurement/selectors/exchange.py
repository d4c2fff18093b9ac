"""Reads of dated exchange rates: what a native price is in the base currency, by which rate of which day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from procurement.models import AssumptionSet
from providers import ProviderError, Rate
from providers.currency import find_rate
from providers.knowledge import BANDS
from providers.rates import rounded

RATE_AGE_LIMIT_DAYS = int(BANDS["fx_age_days"].high or 0)


@dataclass(frozen=True, slots=True)
class BaseAmount:
    """An amount in the base currency beside the native one, which stays as it is; without a rate, the reason."""

    amount: Decimal | None
    currency: str
    rate: Rate | None = None
    age_days: int | None = None
    problem: str = ""

    @property
    def is_converted(self) -> bool:
        """Whether a rate between two currencies was used."""
        return self.rate is not None

    @property
    def is_stale(self) -> bool:
        """Whether the rate is older than a rate may be."""
        return self.age_days is not None and self.age_days > RATE_AGE_LIMIT_DAYS

    @property
    def limit_days(self) -> int:
        """Return how old a rate may be."""
        return RATE_AGE_LIMIT_DAYS


@dataclass(frozen=True, slots=True)
class Exchange:
    """The rates of an assumption set on a day."""

    base: str
    day: date
    rates: Sequence[Rate]

    def amount_in_base(self, amount: Decimal | None, currency: str) -> BaseAmount:
        """Return an amount in the base currency by the latest rate not after the day; rates are never chained."""
        if amount is None:
            return BaseAmount(None, self.base, problem="the price per accelerator-hour cannot be derived")
        if currency == self.base:
            return BaseAmount(Decimal(amount), self.base)
        try:
            rate = find_rate(self.rates, currency, self.base, self.day)
        except ProviderError as error:
            return BaseAmount(None, self.base, problem=str(error))
        if rate is None:
            problem = f"no rate {currency} to {self.base} on or before {self.day}; finance adds one to the assumptions"
            return BaseAmount(None, self.base, problem=problem)
        return BaseAmount(rounded(Decimal(amount) * rate.rate), self.base, rate, (self.day - rate.on).days)


def exchange_of(assumption_set: AssumptionSet | None, day: date) -> Exchange | None:
    """Return the rates of a set on a day, ``None`` before a set is in force: then there is no base currency."""
    if assumption_set is None:
        return None
    return Exchange(assumption_set.currency, day, rates_of(assumption_set))


def rates_of(assumption_set: AssumptionSet) -> tuple[Rate, ...]:
    """Return the dated rates of a set."""
    return tuple(
        Rate(base=rate.base, counter=rate.counter, rate=rate.rate, on=rate.on, source=rate.source)
        for rate in assumption_set.fx.all()
    )
