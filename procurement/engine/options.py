"""All options of one workload: cloud, on-prem, hybrid, bridge, wait and what it runs on today (semantics 8 to 19)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from procurement.engine.bookability import Booking, Bookings
from procurement.engine.budgets import budget_reasons
from procurement.engine.cloud_ranking import cloud_costs
from procurement.engine.dates import renewals
from procurement.engine.demand import deadline_months, late_by_days
from procurement.engine.equal_work import accelerators_at, asked_hours, unknown_share_reasons
from procurement.engine.forecast import Forecast
from procurement.engine.need import Need
from procurement.engine.obstacles import BuildFacts, build_reasons, date_reasons, size_reasons
from procurement.engine.options_base import BuildPlan, Option, Priced
from procurement.engine.options_cloud import (
    cloud_incomplete,
    cloud_not_modelled,
    cloud_plan,
    price_reasons,
    with_tail,
)
from procurement.engine.options_on_prem import (
    build_plan,
    build_price_reasons,
    on_prem_incomplete,
)
from procurement.engine.periods import Numbers
from procurement.engine.pricing import plan_priced
from procurement.engine.readiness import Readiness
from procurement.engine.setting import Setting
from procurement.engine.tables import Policy, Quote, Workload

Flags = NDArray[np.bool_]

SHOWN = 20  # options shown per workload (semantics 43)
BEST_EFFORT = "best_effort"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything that the options of all workloads need."""

    setting: Setting
    offers: Bookings
    builds: Mapping[str, BuildFacts]  # own builds
    needs: Mapping[str, Need]
    readiness: Mapping[str, Readiness]  # of every build
    forecasts: Mapping[str, Forecast]

    @property
    def policy(self) -> Policy:
        """Rules of the organisation."""
        return self.setting.scenario.policy

    @property
    def as_of(self) -> date:
        """Day of the evaluation."""
        return self.setting.scenario.as_of


@dataclass(frozen=True, slots=True, eq=False)
class CloudRow:
    """The cloud side of one workload, entries of shape (quotes,)."""

    costs: Numbers  # NaN where it cannot be priced
    is_late: Flags  # ends after a hard deadline
    is_candidate: Flags  # by bookability
    name_order: NDArray[np.intp] | None = None  # place of each quote by name; None: as they stand in the document

    def ranked(self) -> list[int]:
        """Return what may be chosen, from the cheapest to the dearest, then by name."""
        known = np.flatnonzero(self.is_candidate & ~self.is_late & np.isfinite(self.costs))
        names = known if self.name_order is None else self.name_order[known]
        return [int(index) for index in known[np.lexsort((names, self.costs[known]))]]


def cloud_rows(workloads: Sequence[Workload], offers: Bookings, setting: Setting) -> dict[str, CloudRow]:
    """Return cost and verdict of every quote for each workload, from one factored computation."""
    quotes = setting.scenario.quotes
    found = cloud_costs(workloads, quotes, setting)
    names = np.empty(len(quotes), dtype=np.intp)
    names[sorted(range(len(quotes)), key=lambda index: quotes[index].id)] = np.arange(len(quotes))
    return {
        workload.id: CloudRow(found.costs[row], found.late.of_workload(row), offers.candidates(workload.id), names)
        for row, workload in enumerate(workloads)
    }


def cloud_option(case: Case, workload: Workload, quote: Quote) -> Option:
    """Return one quote as an option, priced where it can be, with the reasons against it."""
    name = f"cloud:{quote.id}"
    offer = case.offers.offer(workload.id, quote.id)
    setting = case.setting
    reasons = [*offer_reasons(offer), *price_reasons(quote, setting), *need_reasons(case, workload)]
    plan = cloud_plan(quote, workload, setting)
    if plan is None:
        reasons.append(f"no_rate:{quote.accelerator}")
        return Option(name, "cloud", workload, (quote.id,), reasons=tuple(dict.fromkeys(reasons)))
    if plan.useful is None or not plan.share > 0.0:
        reasons += unknown_share_reasons(workload, quote, plan.accelerators)
    if not plan.share > 0.0:
        return Option(name, "cloud", workload, (quote.id,), plan, reasons=tuple(reasons))
    priced = None
    if not price_reasons(quote, setting):
        plan = with_tail(plan, workload, setting, partners_of(case, workload, quote))
        priced = plan_priced(plan, workload, setting)
        reasons += [*lateness(workload, setting, priced), *budget_reasons(case.policy, priced)]
    return Option(
        name, "cloud", workload, (quote.id,), plan, priced,
        reasons=tuple(dict.fromkeys(reasons)),
        conditions=offer_conditions(offer),
        notes=offer.notes,
        incomplete_cost=cloud_incomplete(quote),
        not_modelled=cloud_not_modelled(quote, workload),
        unproven=offer.unproven,
        assumed=offer.assumed,
        sign_by=offer.sign_by,
    )  # fmt: skip


def partners_of(case: Case, workload: Workload, quote: Quote) -> tuple[Quote, ...]:
    """Return the on-demand quotes of the same provider that may serve the tail of a commitment."""
    quotes = case.setting.scenario.quotes
    return tuple(other for other in quotes if other.provider == quote.provider and other.purchase_model == "on_demand")


def offer_reasons(offer: Booking) -> tuple[str, ...]:
    """Return why an offer is no candidate (semantics 10)."""
    if offer.is_candidate:
        return ()
    return offer.reasons or ("best_effort_only" if offer.verdict == BEST_EFFORT else offer.verdict,)


def offer_conditions(offer: Booking) -> tuple[str, ...]:
    """Return what must hold before an offer is signed."""
    conditions = [note for note in offer.notes if note.startswith(("book_by:", "renew:", "approval_too_slow"))]
    if offer.sign_by is not None:
        conditions.append(f"sign_by:{offer.sign_by.isoformat()}")
    if offer.unproven:
        conditions.append("evidence_before_prepayment")
    return tuple(conditions)


def need_reasons(case: Case, workload: Workload) -> tuple[str, ...]:
    """Return ``memory_too_small`` where the workload asks for fewer accelerators than hold its model."""
    need = case.needs.get(workload.id)
    return ("memory_too_small",) if need is not None and need.is_memory_too_small else ()


def lateness(workload: Workload, setting: Setting, priced: Priced) -> tuple[str, ...]:
    """Return ``late_by_days:<n>`` where the work ends after a hard deadline (semantics 6)."""
    window = asked_hours(workload, setting.assumptions).window
    late = late_by_days(float(np.max(priced.finish)), deadline_months(workload, window))
    return () if late is None else (f"late_by_days:{late}",)


def on_prem_options(case: Case, workload: Workload, facts: BuildFacts) -> tuple[Option, ...]:
    """Return the loaded and the marginal reading of one own build; the one that does not rank is shown beside."""
    build, setting = facts.build, case.setting
    accelerators = accelerators_at(workload, build.accelerator, build.accelerators_per_node or 1)
    barred = build_reasons(facts, workload)
    sizes = () if "wrong_accelerator" in barred else size_reasons(build, accelerators)
    reasons = [*barred, *sizes, *need_reasons(case, workload)]
    plan = build_plan(build, workload)
    if plan is not None and (plan.useful is None or not plan.share > 0.0):
        reasons += unknown_share_reasons(workload, build, plan.accelerators)
    if plan is None or not plan.share > 0.0:
        return (_unpriced(case, workload, facts, tuple(dict.fromkeys(reasons))),)
    reasons += date_reasons(facts, workload, plan.accelerators, case.as_of, case.setting.assumptions.risk_quantile)
    reasons += build_price_reasons(build, setting)
    if can_price(case, workload, plan) and "missing:costs" not in reasons:
        return _readings(case, workload, facts, plan, reasons)
    return (_unpriced(case, workload, facts, tuple(dict.fromkeys(reasons))),)


def can_price(case: Case, workload: Workload, plan: BuildPlan) -> bool:
    """Return whether a usable date and exchange rates are known."""
    setting = case.setting
    usable = setting.dates[plan.build].usable_months(workload, plan.accelerators)
    reasons = build_price_reasons(setting.builds[plan.build], setting)
    return usable is not None and not reasons


def _unpriced(case: Case, workload: Workload, facts: BuildFacts, reasons: tuple[str, ...]) -> Option:
    return Option(
        f"on_prem:{facts.build.id}", "on_prem", workload, (facts.build.id,), reasons=reasons,
        incomplete_cost=on_prem_incomplete(facts.build),
    )  # fmt: skip


def _readings(
    case: Case, workload: Workload, facts: BuildFacts, plan: BuildPlan, reasons: list[str]
) -> tuple[Option, ...]:
    """Return the option that ranks and the other rate beside it, both with their other charge and reading."""
    build = facts.build
    options = []
    for is_marginal in (False, True):
        own = replace(plan, is_marginal=is_marginal, is_equal_life=is_equal_life(case))
        priced = plan_priced(own, workload, case.setting)
        name = f"on_prem:{build.id}#marginal" if is_marginal else f"on_prem:{build.id}"
        late = () if own.is_equal_life else lateness(workload, case.setting, priced)
        options.append(
            Option(
                name, "on_prem", workload, (build.id,), own, priced,
                reasons=tuple(dict.fromkeys((*reasons, *late, *budget_reasons(case.policy, priced)))),
                conditions=renewals(facts.forecast, build, workload, plan.accelerators),
                rate_basis="marginal" if is_marginal else "loaded",
                charge_basis="whole" if own.is_whole else "share",
                other_charge=plan_priced(replace(own, is_whole=not own.is_whole), workload, case.setting),
                other_reading=plan_priced(
                    replace(own, is_equal_life=not own.is_equal_life), workload, case.setting
                ),
                incomplete_cost=on_prem_incomplete(build),
                ranks=is_marginal == build.committed,
            )
        )  # fmt: skip
    return tuple(options)


def is_equal_life(case: Case) -> bool:
    """Return whether a late build is read as serving as long as an early one."""
    return case.setting.assumptions.readings == "equal_service_life"
