"""Improve: what the present fleet gives at its best measured month, and where its money goes (METHOD.md, Improve).

Before anything is bought: every hour that is paid for is useful, or lost to communication, failures, waiting for data
or idle time, in that order of division. The shares add up to 1, so the money lost adds up to what the fleet costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from procurement.engine.equal_work import asked_hours
from procurement.engine.measured import MeasuredMonth
from procurement.engine.money import money_text, rounded, rounded_parts
from procurement.engine.options_base import Option, Priced
from procurement.engine.periods import day_at
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload
from procurement.engine.throughput import useful_share

IMPROVE = "improve"
FACTORS = ("efficiency", "goodput", "feed")
LOSSES = ("communication", "failures", "feed", "idle")


@dataclass(frozen=True, slots=True)
class Month:
    """How one month's hours of the present fleet divide, as shares of all hours that are paid for."""

    month: date
    utilisation: float
    efficiency: float
    goodput: float
    feed: float

    @property
    def useful(self) -> float:
        """Share of all hours that was useful work."""
        return self.utilisation * self.efficiency * self.goodput * self.feed

    def lost(self) -> dict[str, float]:
        """Return the share of all hours lost to each cause; with the useful share they add up to 1."""
        at_work = self.utilisation
        undisturbed = at_work * self.efficiency
        running = undisturbed * self.goodput
        return {
            "communication": at_work - undisturbed,
            "failures": undisturbed - running,
            "feed": running - self.useful,
            "idle": 1.0 - at_work,
        }


def improve_option(current: Option | None, setting: Setting) -> tuple[Option, dict[str, Any]] | None:
    """Return the present fleet at its best month as an option beside the others, and where its money goes.

    It costs what the fleet costs today and ranks nowhere: it says what could be had before anything is bought. None
    where the present cost is not known, or neither measured months nor a stated use say how the hours were used.
    """
    if current is None or current.priced is None:
        return None
    workload = current.workload
    months, modelled = months_of(workload, setting)
    measured = () if workload.current is None else workload.current.measured
    if not months or (not measured and all(month.useful >= 1.0 for month in months)):
        return None  # nothing is known of the fleet, or a plan without any loss
    best = max(months, key=lambda month: (month.useful, month.month))
    window = asked_hours(workload, setting.assumptions).window
    offered = window.weights * setting.hours_per_month * workload.accelerators
    priced = replace(current.priced, useful_hours=offered * best.useful)
    option = replace(
        current, name=IMPROVE, kind=IMPROVE, priced=priced, reasons=(), conditions=(), explained=(), ranks=False
    )
    return option, _answer(workload, setting, priced, months, best, modelled)


def months_of(workload: Workload, setting: Setting) -> tuple[list[Month], tuple[str, ...]]:
    """Return the months that are known, and the factors that were not measured and come from the model.

    Measured months of the present place; without them the use that the demand states, which is a plan.
    """
    modelled = modelled_factors(workload, setting)
    measured = () if workload.current is None else workload.current.measured
    if measured:
        known = [_measured_month(entry, modelled) for entry in measured]
        missing = [name for name in FACTORS if any(getattr(entry, name) is None for entry in measured)]
        return known, tuple(missing)
    demand = workload.demand
    if demand is None or (demand.utilisation is None and not demand.monthly and demand.hours_per_month is None):
        return [], ()
    asked = asked_hours(workload, setting.assumptions)
    offered = asked.window.weights * setting.hours_per_month
    used = np.clip(np.divide(asked.hours, offered, out=np.zeros_like(asked.hours), where=offered > 0.0), 0.0, 1.0)
    factors = [_factor(None, modelled[name]) for name in FACTORS]
    return [Month(day_at(workload.start, index), float(share), *factors) for index, share in enumerate(used)], FACTORS


def _measured_month(entry: MeasuredMonth, modelled: Mapping[str, float | None]) -> Month:
    efficiency, goodput, feed = (_factor(getattr(entry, name), modelled[name]) for name in FACTORS)
    return Month(entry.month, float(entry.utilisation), efficiency, goodput, feed)


def modelled_factors(workload: Workload, setting: Setting) -> dict[str, float | None]:
    """Return efficiency, goodput and feed of the present place by the model; None where the place is not on record."""
    name = "" if workload.current is None else workload.current.place
    place = setting.quotes.get(name) or setting.builds.get(name)
    if place is None:
        return dict.fromkeys(FACTORS)
    found = useful_share(workload, place, workload.accelerators)
    return {name: getattr(found, name) for name in FACTORS}


def _factor(measured: float | None, modelled: float | None) -> float:
    """Return a factor as measured, else by the model, else 1: what is not known is counted as no loss, and said so."""
    return float(measured if measured is not None else 1.0 if modelled is None else modelled)


def _answer(  # noqa: PLR0913 - one argument per part of the answer
    workload: Workload, setting: Setting, priced: Priced, months: Sequence[Month], best: Month,
    modelled: tuple[str, ...],
) -> dict[str, Any]:  # fmt: skip
    currency = setting.assumptions.currency
    window = asked_hours(workload, setting.assumptions).window
    per_month = float(priced.ledger.total_nominal()) / window.length
    mean = {name: float(np.mean([month.lost()[name] for month in months])) for name in LOSSES}
    useful = float(np.mean([month.useful for month in months]))
    parts = rounded_parts({"useful": useful * per_month, **{name: mean[name] * per_month for name in LOSSES}}, currency)
    hours = setting.hours_per_month * workload.accelerators
    has_measured = workload.current is not None and bool(workload.current.measured)
    unknown = [name for name in modelled if modelled_factors(workload, setting)[name] is None]
    gain = 1.0 - useful / best.useful if best.useful else 0.0  # of the money that buys the same work at the best month
    return {
        "basis": "measured" if has_measured else "planned",
        "months": [
            {"month": month.month.isoformat(), "utilisation": round(month.utilisation, 6),
             "useful_share": round(month.useful, 6)}
            for month in months
        ],
        "best_month": best.month.isoformat(),
        "best_useful_share": round(best.useful, 6),
        "mean_useful_share": round(useful, 6),
        "useful_hours_per_month": round(useful * hours, 4),
        "useful_hours_at_best": round(best.useful * hours, 4),
        "more_useful_hours_per_month": round((best.useful - useful) * hours, 4),
        "worth_per_month": money_text(rounded(per_month * gain, currency)),
        "cost_per_month": money_text(sum(parts.values(), rounded(0.0, currency))),
        "lost_per_month": {name: money_text(parts[name]) for name in LOSSES},
        "useful_per_month": money_text(parts["useful"]),
        "modelled": [name for name in modelled if name not in unknown],
        "not_measured": unknown,
    }  # fmt: skip
