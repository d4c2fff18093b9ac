"""The ledger: dated monthly rows of one option, the only source of every figure (method/tco.md, section 1)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from procurement.engine.periods import (
    Amount,
    Numbers,
    present_factors,
    price_growth,
    timing_of,
    whole_years,
)

ROW_COLUMNS = ("month", "component", "amount", "currency", "timing", "source")


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The rows of one cost over all months, in factored form: unit x quantity x price path.

    ``unit`` is a number or a column of shape (draws, 1); ``quantity`` has shape (months,) or (draws, months).
    """

    component: str
    unit: Amount  # [currency per unit of quantity]
    quantity: Numbers
    timing: str = "mid"
    path: str | None = None  # name of the price path the rows follow
    price_years: Numbers | None = None  # whole years at which each month's price was fixed; floor(m / 12) by default
    is_recurring: bool = True
    is_capital: bool = False
    is_committed: bool = False  # recurring rows that stay owed when the work ends early
    is_metered: bool = False  # charged by the running hour, so nothing of it is idle capacity
    source: str = ""

    @property
    def count(self) -> int:
        """Number of months the flow reaches."""
        return int(self.quantity.shape[-1])

    def scaled(self, factor: Amount) -> "Flow":
        """Return the same rows with every amount multiplied by ``factor``."""
        return replace(self, unit=self.unit * factor)

    def renamed(self, component: str) -> "Flow":
        """Return the same rows under another component."""
        return replace(self, component=component)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """How rows are valued: discount rate, timing switch, price paths and the answer's currency."""

    currency: str
    rate: Amount | None  # effective nominal [fraction per year]; None: no present value
    switch: str = "as_ledger"
    paths: Mapping[str, Amount] = field(default_factory=dict)  # [fraction per year]

    def growth(self, flow: Flow) -> Numbers | float:
        """Return the price path of a flow by month, 1 where it is flat."""
        if flow.path is None:
            return 1.0
        change = self.paths.get(flow.path, 0.0)
        if not (change if isinstance(change, float) else np.any(change)):
            return 1.0
        years = whole_years(flow.count) if flow.price_years is None else flow.price_years
        return price_growth(change, years)

    def grown(self, flow: Flow) -> Numbers:
        """Return the quantity of each month times its price path."""
        growth = self.growth(flow)
        return flow.quantity if isinstance(growth, float) else np.asarray(flow.quantity * growth)

    def factors(self, flow: Flow) -> Numbers:
        """Return the present value of one unit in each month of a flow."""
        if self.rate is None:
            return np.full(flow.count, np.nan)
        timing = timing_of(flow.timing, is_recurring=flow.is_recurring, switch=self.switch)
        return present_factors(self.rate, flow.count, timing)


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """All rows of one option of one workload."""

    flows: tuple[Flow, ...]
    terms: Terms

    def amounts(self, flow: Flow) -> Numbers:
        """Return the nominal amount of each month, shape (months,) or (draws, months) [currency]."""
        return np.asarray(flow.unit * self.terms.grown(flow))

    def nominal(self, flow: Flow) -> Amount:
        """Return the nominal sum of one flow, a number or shape (draws,) [currency]."""
        return _times(flow.unit, self.terms.grown(flow).sum(axis=-1))

    def present(self, flow: Flow) -> Amount:
        """Return the present value of one flow, a number or shape (draws,) [currency]."""
        return _times(flow.unit, (self.terms.grown(flow) * self.terms.factors(flow)).sum(axis=-1))

    def total_present(self) -> Amount:
        """Return the present cost of all rows, a number or shape (draws,) [currency]."""
        return sum((self.present(flow) for flow in self.flows), 0.0)

    def total_nominal(self) -> Amount:
        """Return the nominal cost of all rows, a number or shape (draws,) [currency]."""
        return sum((self.nominal(flow) for flow in self.flows), 0.0)

    def nominal_by_component(self) -> dict[str, float]:
        """Return the nominal sum of each component, in the order in which rows were laid down [currency]."""
        return self._by_component(lambda flow: float(self.nominal(flow)))

    def present_by_component(self) -> dict[str, float]:
        """Return the present value of each component [currency]."""
        return self._by_component(lambda flow: float(self.present(flow)))

    def _by_component(self, value: Callable[[Flow], float]) -> dict[str, float]:
        sums: dict[str, float] = {}
        for flow in self.flows:
            sums[flow.component] = sums.get(flow.component, 0.0) + value(flow)
        return sums

    def by_month(self) -> Numbers:
        """Return the nominal amount of every month, shape (months,) [currency]."""
        total = np.zeros(self.count)
        for flow in self.flows:
            total[: flow.count] += self.amounts(flow)
        return total

    def present_by_month(self, *, recurring: bool) -> Numbers:
        """Return present values by month of the recurring or of the one-off rows, shape (months,) [currency]."""
        return self._selected(recurring=recurring, discounted=True)

    def nominal_by_month(self, *, recurring: bool) -> Numbers:
        """Return nominal amounts by month of the recurring or of the one-off rows, shape (months,) [currency]."""
        return self._selected(recurring=recurring, discounted=False)

    def _selected(self, *, recurring: bool, discounted: bool) -> Numbers:
        total = np.zeros(self.count)
        for flow in self.flows:
            if flow.is_recurring == recurring:
                amounts = self.amounts(flow)
                total[: flow.count] += amounts * self.terms.factors(flow) if discounted else amounts
        return total

    @property
    def count(self) -> int:
        """Number of months the longest flow reaches."""
        return max((flow.count for flow in self.flows), default=1)

    def capital(self) -> float:
        """Return the nominal sum of capital rows, credits included [currency]."""
        return float(sum((float(self.nominal(flow)) for flow in self.flows if flow.is_capital), 0.0))

    def rows(self) -> pd.DataFrame:
        """Return the rows themselves: month, component, amount, currency, timing, source; zero rows left out."""
        tables = [self._rows_of(flow) for flow in self.flows]
        if not tables:
            return pd.DataFrame(columns=list(ROW_COLUMNS))
        return pd.concat(tables, ignore_index=True)

    def _rows_of(self, flow: Flow) -> pd.DataFrame:
        amounts = self.amounts(flow)
        months = np.flatnonzero(amounts)
        timing = timing_of(flow.timing, is_recurring=flow.is_recurring, switch=self.terms.switch)
        return pd.DataFrame(
            {
                "month": months,
                "component": flow.component,
                "amount": amounts[months],
                "currency": self.terms.currency,
                "timing": timing,
                "source": flow.source,
            }
        )

    def with_flows(self, flows: Iterable[Flow]) -> "Ledger":
        """Return a ledger with further rows."""
        return Ledger((*self.flows, *flows), self.terms)

    def only(self, components: Iterable[str]) -> "Ledger":
        """Return the rows of some components."""
        wanted = frozenset(components)
        return Ledger(tuple(flow for flow in self.flows if flow.component in wanted), self.terms)


def _times(unit: Amount, quantity: Amount) -> Amount:
    """Multiply a unit amount, which may be a column over draws, with a sum over months."""
    if isinstance(unit, np.ndarray) and unit.ndim:
        return np.asarray(unit[..., 0] * quantity)
    return unit * quantity
