"""Bridge, wait and current: renting until the build is there, waiting for it, and staying where the work runs today."""

from dataclasses import replace

import numpy as np

from procurement.engine.equal_work import Asked, asked_hours, before, later, work_at
from procurement.engine.ledger import Flow, Ledger
from procurement.engine.options_base import BridgePlan, BuildPlan, CurrentPlan, Priced
from procurement.engine.options_cloud import cloud_priced
from procurement.engine.options_hybrid import merged, overhead_flows
from procurement.engine.options_on_prem import build_priced
from procurement.engine.periods import Amount, at_month, overlap, whole_months
from procurement.engine.setting import Setting
from procurement.engine.tables import Workload

CURRENT = "current"
FOREGONE = "foregone_value"
SWITCHING = "switching_cost"


def bridge_priced(plan: BridgePlan, workload: Workload, setting: Setting) -> Priced:
    """Return the ledger of renting until the build is usable and owning from then on.

    What the quote has done by the usable date need not be done by the build; the rest waits for it.
    """
    asked = asked_hours(workload, setting.assumptions)
    usable = setting.dates[plan.build.build].usable_months(workload, plan.build.accelerators)
    ready: Amount = float("nan") if usable is None else usable
    rented_hours, left = bridged(plan, asked, setting, ready)
    if plan.build.is_equal_life:
        left = later(asked, ready)  # the build serves as long as one that was there at the start
    owned = build_priced(replace(plan.build, is_equal_life=False), workload, setting, left)
    overhead = overhead_flows(workload, setting, ready)
    if not np.any(rented_hours.hours):
        return owned
    rented = cloud_priced(plan.quote, workload, setting, rented_hours)
    return merged(owned, rented, overhead)


def bridged(plan: BridgePlan, asked: Asked, setting: Setting, ready: Amount) -> tuple[Asked, Asked]:
    """Return what the quote does before the build is there, and what is left for the build."""
    rented = work_at(asked, plan.quote.accelerators, setting.hours_per_month, plan.quote.share)
    worked = replace(asked, hours=rented.hours[..., : asked.window.count])
    early = before(worked, ready)
    done = early.hours * plan.quote.share
    left = np.maximum(asked.hours - done, 0.0)
    latest = whole_months(min(float(np.max(ready)), asked.window.length))
    shorter = np.minimum(ready, asked.window.length) - asked.window.length
    return replace(early, hours=early.hours[..., :latest], moved=shorter), replace(asked, hours=left)


def wait_priced(plan: BuildPlan, workload: Workload, setting: Setting) -> Priced:
    """Return the ledger of waiting for the build: the window moves, and the work foregone meanwhile has its value."""
    priced = build_priced(replace(plan, is_waiting=True), workload, setting)
    value = workload.value_per_accelerator_hour
    if value is None:
        return priced
    asked = asked_hours(workload, setting.assumptions)
    usable = setting.dates[plan.build].usable_months(workload, plan.accelerators)
    waited = before(asked, float("nan") if usable is None else usable).hours
    work = work_at(replace(asked, hours=waited), plan.accelerators, setting.hours_per_month)
    hours = work.accelerator_hours()
    return priced.with_flows((Flow(FOREGONE, value, hours, source="value_per_accelerator_hour"),))


def current_priced(plan: CurrentPlan, workload: Workload, setting: Setting) -> Priced:
    """Return the ledger of staying: the stated cost of each month of the window."""
    asked = asked_hours(workload, setting.assumptions)
    work = work_at(asked, workload.accelerators, setting.hours_per_month)
    stated = None if workload.current is None else workload.current.cost_per_month
    cost: Amount = float("nan") if stated is None else stated
    months = overlap(0.0, asked.window.length, asked.window.count)
    flow = Flow(CURRENT, cost, months, source=plan.place)
    hours = work.accelerator_hours()
    return Priced(Ledger((flow,), setting.terms), hours, work.hours, work.finish, hours)


def switching_flows(workload: Workload, places: tuple[str, ...]) -> tuple[Flow, ...]:
    """Return what leaving today's place costs, once at the start; nothing where the option stays there."""
    current = workload.current
    if current is None or workload.switching_cost is None or current.place in places:
        return ()
    return (
        Flow(
            SWITCHING, workload.switching_cost, at_month(0.0, 1), timing="begin", is_recurring=False,
            source=f"leaving {current.place}",
        ),
    )  # fmt: skip
