"""What all options of an evaluation share: how money is valued, which rates hold, when each build is there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from procurement.engine.costs.base import Exchange
from procurement.engine.dates import BuildDates
from procurement.engine.ledger import Terms
from procurement.engine.money import exchange_rate
from procurement.engine.tables import Assumptions, Build, Quote, Scenario


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One reading of a scenario: its records by id, and how amounts are valued."""

    scenario: Scenario
    terms: Terms
    exchange: Exchange
    quotes: Mapping[str, Quote]
    builds: Mapping[str, Build]
    dates: Mapping[str, BuildDates] = field(default_factory=dict)
    bridge_quotes: Mapping[str, str] = field(default_factory=dict)  # by workload: where a late build's hours are rented

    @property
    def assumptions(self) -> Assumptions:
        """The assumption set."""
        return self.scenario.assumptions

    @property
    def hours_per_month(self) -> float:
        """Basis of a month [hours]."""
        return self.assumptions.hours_per_month


def setting_of(scenario: Scenario) -> Setting:
    """Return how a scenario values money: one rate per currency, price paths, discount rate and timing."""
    assumptions = scenario.assumptions
    return Setting(
        scenario=scenario,
        terms=terms_of(assumptions),
        exchange=exchange_of(assumptions, currencies_of(scenario), scenario.as_of),
        quotes={quote.id: quote for quote in scenario.quotes},
        builds={build.id: build for build in scenario.builds},
    )


def terms_of(assumptions: Assumptions) -> Terms:
    """Return the discount rate, timing switch and price paths of an assumption set."""
    change = assumptions.price_change_per_year
    return Terms(
        currency=assumptions.currency,
        rate=assumptions.discount_rate,
        switch=assumptions.discount_timing,
        paths={
            "cloud": change.cloud, "power": change.power, "staff": change.staff, "colocation": change.colocation,
        },
    )  # fmt: skip


def currencies_of(scenario: Scenario) -> set[str]:
    """Return every currency that a price of the scenario is stated in."""
    places: tuple[Quote | Build, ...] = (*scenario.quotes, *scenario.builds)
    lines = [line for place in places for line in place.costs]
    return {quote.currency for quote in scenario.quotes if quote.currency} | {line.currency for line in lines}


def exchange_of(assumptions: Assumptions, currencies: Iterable[str], as_of: date) -> Exchange:
    """Return what one unit of each currency costs in the answer's; None where no dated rate says so."""
    target = assumptions.currency
    return {source: exchange_rate(source, target, assumptions.fx, as_of) for source in currencies}


def missing_exchange(currencies: Iterable[str | None], setting: Setting) -> tuple[str, ...]:
    """Return the reasons ``missing:fx:EUR>USD`` of currencies for which no rate is known (semantics 23)."""
    target = setting.assumptions.currency
    unknown = {currency for currency in currencies if currency and setting.exchange.get(currency) is None}
    return tuple(f"missing:fx:{currency}>{target}" for currency in sorted(unknown))
