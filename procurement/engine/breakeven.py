"""The three break-evens of an option, simple and discounted (semantics 20)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.figures import Crossing, crossing, first_root
from procurement.engine.options_base import Option, Plan, Priced
from procurement.engine.periods import Numbers
from procurement.engine.setting import Setting
from procurement.engine.tables import Demand, Workload

LEAST_UTILISATION = 1e-6
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


def break_even(option: Option, other: Option, setting: Setting, pricing: Pricing) -> BreakEven | None:
    """Return the break-evens of an option against another; None for an option against itself."""
    if option.priced is None or other.priced is None or option.name == other.name:
        return None
    has_rate = setting.terms.rate is not None
    twin = crossing(option.priced, other.priced, discounted=True) if has_rate else None
    return BreakEven(
        against=other.name,
        simple=crossing(option.priced, other.priced, discounted=False),
        discounted=twin,
        utilisation=equal_utilisation(option, other, setting, pricing, discounted=False),
        utilisation_discounted=None
        if not has_rate
        else equal_utilisation(option, other, setting, pricing, discounted=True),
    )


def equal_utilisation(
    option: Option, other: Option, setting: Setting, pricing: Pricing, *, discounted: bool
) -> float | None:
    """Return the least utilisation in (0, 1] at which both totals over the window are equal; None where there is none.

    The demand becomes u times the month's hours, everything else stays as planned.
    """
    if option.plan is None or other.plan is None:
        return None

    def difference(utilisation: Numbers) -> Numbers:
        workload = at_utilisation(option.workload, utilisation[:, np.newaxis])
        totals = [total(pricing(plan, workload, setting), discounted=discounted) for plan in (option.plan, other.plan)]  # type: ignore[arg-type]
        return np.broadcast_to(totals[0] - totals[1], utilisation.shape)

    return first_root(difference, LEAST_UTILISATION, 1.0)


def at_utilisation(workload: Workload, utilisation: Numbers) -> Workload:
    """Return the workload with its demand replaced by a share of the month's hours."""
    return replace(workload, demand=Demand(utilisation=utilisation), growth_per_year=0.0)  # type: ignore[arg-type]


def total(priced: Priced, *, discounted: bool) -> Numbers:
    """Return the total of a ledger, one entry per row of its inputs."""
    ledger = priced.ledger
    return np.asarray(ledger.total_present() if discounted else ledger.total_nominal())
