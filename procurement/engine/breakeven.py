"""The three break-evens of an option, simple and discounted (semantics 20)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.figures import Crossing, crossing, first_grid_root
from procurement.engine.options_base import Option, Plan, Priced
from procurement.engine.periods import Numbers
from procurement.engine.setting import Setting
from procurement.engine.tables import Demand, Workload

GRID = np.linspace(1e-6, 1.0, 33)  # shares of the month's hours between which a change of sign is looked for
Pricing = Callable[[Plan, Workload, Setting], Priced]


@dataclass(frozen=True, slots=True)
class BreakEven:
    """When and at which utilisation an option has paid off against another."""

    against: str
    simple: Crossing
    discounted: Crossing | None  # None without a discount rate
    utilisation: float | None
    utilisation_discounted: float | None

    def answer(self) -> dict[str, Any]:
        """Return the fields of the answer document."""
        twin = self.discounted
        return {
            "against": self.against,
            "hours": shown(self.simple.hours),
            "months": shown(self.simple.months),
            "utilisation": shown(self.utilisation),
            "discounted": {
                "hours": None if twin is None else shown(twin.hours),
                "months": None if twin is None else shown(twin.months),
                "utilisation": shown(self.utilisation_discounted),
                "reason": None if twin is None else twin.reason,
                **beyond(twin),
            },
            "reason": self.simple.reason,
            **beyond(self.simple),
        }


def beyond(found: Crossing | None) -> dict[str, float | None]:
    """Return the figure at the last month's rate where the crossing lies beyond the window."""
    if found is None or found.months_beyond is None:
        return {}
    return {"months_beyond_window": shown(found.months_beyond), "hours_beyond_window": shown(found.hours_beyond)}


def shown(number: float | None) -> float | None:
    """Return a number with ten digits after the point, so that binary noise is not shown."""
    return None if number is None else round(number, 10)


@dataclass(frozen=True, slots=True, eq=False)
class UtilisationTotals:
    """What a plan costs at every share of the month's hours, nominal and present, each of the grid's shape."""

    plan: Plan
    workload: Workload
    setting: Setting
    pricing: Pricing
    nominal: Numbers
    present: Numbers

    def at(self, utilisation: Numbers, *, discounted: bool) -> Numbers:
        """Return the totals at other shares, of the same shape."""
        priced = self.pricing(self.plan, at_utilisation(self.workload, utilisation[:, np.newaxis]), self.setting)
        return np.broadcast_to(total(priced, discounted=discounted), utilisation.shape)


def utilisation_totals(option: Option, setting: Setting, pricing: Pricing) -> UtilisationTotals | None:
    """Return what an option costs over the grid of utilisations; None where it is not planned."""
    if option.plan is None or option.priced is None:
        return None
    priced = pricing(option.plan, at_utilisation(option.workload, GRID[:, np.newaxis]), setting)
    nominal, present = (np.broadcast_to(total(priced, discounted=kind), GRID.shape) for kind in (False, True))
    return UtilisationTotals(option.plan, option.workload, setting, pricing, nominal, present)


def break_even(
    option: Option, other: Option, setting: Setting, pricing: Pricing, against: UtilisationTotals | None
) -> BreakEven | None:
    """Return the break-evens of an option against another, whose totals by utilisation are known; None against itself.

    The demand becomes u times the month's hours, everything else stays as planned.
    """
    if option.priced is None or other.priced is None or option.name == other.name:
        return None
    has_rate = setting.terms.rate is not None
    own = utilisation_totals(option, setting, pricing)
    return BreakEven(
        against=other.name,
        simple=crossing(option.priced, other.priced, discounted=False),
        discounted=crossing(option.priced, other.priced, discounted=True) if has_rate else None,
        utilisation=equal_utilisation(own, against, discounted=False),
        utilisation_discounted=equal_utilisation(own, against, discounted=True) if has_rate else None,
    )


def equal_utilisation(
    own: UtilisationTotals | None, other: UtilisationTotals | None, *, discounted: bool
) -> float | None:
    """Return the least utilisation in (0, 1] at which both totals over the window are equal; None without one."""
    if own is None or other is None:
        return None
    ahead = own.present - other.present if discounted else own.nominal - other.nominal

    def difference(utilisation: Numbers) -> Numbers:
        return np.asarray(own.at(utilisation, discounted=discounted) - other.at(utilisation, discounted=discounted))

    return first_grid_root(difference, GRID, np.asarray(ahead))


def at_utilisation(workload: Workload, utilisation: Numbers) -> Workload:
    """Return the workload with its demand replaced by a share of the month's hours."""
    return replace(workload, demand=Demand(utilisation=utilisation), growth_per_year=0.0)  # type: ignore[arg-type]


def total(priced: Priced, *, discounted: bool) -> Numbers:
    """Return the total of a ledger, one entry per row of its inputs."""
    ledger = priced.ledger
    return np.asarray(ledger.total_present() if discounted else ledger.total_nominal())
