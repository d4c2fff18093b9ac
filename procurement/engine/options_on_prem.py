"""On-prem options: one own build serves the whole workload (semantics 13 to 18)."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from procurement.engine.costs.base import BuildUse, Span, line_rate
from procurement.engine.costs.registry import COMPONENTS, build_cost_flows
from procurement.engine.equal_work import Asked, accelerators_at, asked_hours, before, later, shares_at, work_at
from procurement.engine.ledger import Flow, Ledger
from procurement.engine.options_base import BuildPlan, Priced
from procurement.engine.periods import Amount, at_month, months_between
from procurement.engine.setting import Setting, missing_exchange
from procurement.engine.tables import Build, CostLine, Tranche, Workload
from procurement.engine.units import instance_size, least_instances, price_per_accelerator_hour
from procurement.engine.work import Work, units_for

IDLE = "idle_capacity"
RESALE = "resale_forgone"
BRIDGE = "bridge"
MOST_TRANCHES = 12  # beyond it the smallest set is taken greedily


def build_plan(build: Build, workload: Workload) -> BuildPlan | None:
    """Return how a workload sits on a build; None where its type has no published rate or it is too small."""
    plan = need_plan(build, workload)
    return plan if plan is not None and plan.tranches else None


def need_plan(build: Build, workload: Workload) -> BuildPlan | None:
    """Return the same also where the build holds only a part, then without tranches; None without a published rate."""
    node = build.accelerators_per_node or 1
    accelerators = accelerators_at(workload, build.accelerator, node)
    if accelerators is None:
        return None
    tranches = smallest_tranches(build.tranches, accelerators)
    share, useful = shares_at(workload, build, accelerators)
    return BuildPlan(
        build=build.id,
        accelerators=accelerators,
        reserved=units_for(accelerators, float(node)) * node,
        bought=sum(tranche.planned_accelerators for tranche in tranches),
        planned=planned_accelerators(build),
        tranches=tuple(tranche.id for tranche in tranches),
        share=share,
        useful=useful,
        is_whole=not build.committed,
        is_marginal=build.committed,
    )


def planned_accelerators(build: Build) -> int:
    """Return the accelerators of the whole build."""
    return sum(tranche.planned_accelerators for tranche in build.tranches)


def smallest_tranches(tranches: tuple[Tranche, ...], accelerators: int) -> tuple[Tranche, ...]:
    """Return the set of tranches with the fewest accelerators that holds a need, fewest tranches first; () if none."""
    if sum(tranche.planned_accelerators for tranche in tranches) < accelerators:
        return ()
    if len(tranches) > MOST_TRANCHES:
        return _greedy(tranches, accelerators)
    sets = (chosen for size in range(1, len(tranches) + 1) for chosen in combinations(tranches, size))
    holding = (chosen for chosen in sets if _size(chosen) >= accelerators)
    return min(holding, key=lambda chosen: (_size(chosen), len(chosen)))


def _size(tranches: tuple[Tranche, ...]) -> int:
    return sum(tranche.planned_accelerators for tranche in tranches)


def _greedy(tranches: tuple[Tranche, ...], accelerators: int) -> tuple[Tranche, ...]:
    """Return tranches from the largest down until the need is held, then drop what is not needed."""
    chosen: list[Tranche] = []
    for tranche in sorted(tranches, key=lambda entry: -entry.planned_accelerators):
        if _size(tuple(chosen)) < accelerators:
            chosen.append(tranche)
    for tranche in list(chosen):
        rest = tuple(entry for entry in chosen if entry is not tranche)
        if _size(rest) >= accelerators:
            chosen.remove(tranche)
    return tuple(chosen)


def build_priced(plan: BuildPlan, workload: Workload, setting: Setting, asked: Asked | None = None) -> Priced:
    """Return the ledger of a workload at one own build, with the hours it works there.

    Parameters
    ----------
    plan
        What is reserved and bought, and which reading is priced.
    workload, setting
        The workload and how money is valued; the setting holds the build's dates.
    asked
        What is asked of the build where it is not the whole workload (bridge, hybrid).
    """
    asked = asked_hours(workload, setting.assumptions) if asked is None else asked
    build = setting.builds[plan.build]
    dates = setting.dates[plan.build]
    start = workload.start
    usable = dates.usable_months(workload, plan.accelerators)
    ready: Amount = float("nan") if usable is None else usable
    if plan.is_equal_life or plan.is_waiting:
        asked = later(asked, ready)
    missed, asked = _missed(plan, workload, setting, asked, ready)
    work = work_at(asked, plan.accelerators, setting.hours_per_month * build.availability, plan.share, ready)
    span = Span(
        delivery=dates.delivery_months(start),
        usable=ready,
        end=np.maximum(work.finish, asked.end),
        hours_per_month=setting.hours_per_month,
    )
    flows = (*_flows(plan, build, setting, work, span), *_bridge_flows(plan, workload, setting, missed))
    ledger = Ledger(flows, setting.terms)
    hours = work.accelerator_hours()
    return Priced(ledger, hours, work.hours, work.finish, None if plan.useful is None else hours * plan.useful)


def _missed(
    plan: BuildPlan, workload: Workload, setting: Setting, asked: Asked, ready: Amount
) -> tuple[Asked | None, Asked]:
    """Return what falls between the need and a later usable date, to be rented, and the rest (semantics 25).

    A draw pays its own bridge; base figures have no bridge quote and let the work run on.
    """
    if workload.id not in setting.bridge_quotes or plan.is_waiting or plan.is_equal_life:
        return None, asked
    need = max(months_between(workload.start, workload.need_by or workload.start), 0.0)
    hours = before(asked, np.maximum(ready, need)).hours - before(asked, need).hours
    return replace(asked, hours=hours), replace(asked, hours=asked.hours - hours)


def _bridge_flows(plan: BuildPlan, workload: Workload, setting: Setting, missed: Asked | None) -> tuple[Flow, ...]:
    """Return the missed hours at the price of the bridge quote, in its whole instances."""
    if missed is None or not np.any(missed.hours):
        return ()
    quote = setting.quotes[setting.bridge_quotes[workload.id]]
    price = price_per_accelerator_hour(quote, setting.hours_per_month)
    rate = setting.exchange.get(quote.currency or "")
    if price is None or rate is None:
        return ()
    size = instance_size(quote)
    work = Work(plan.accelerators, missed.hours, 0.0, missed.shares_at(plan.accelerators))
    hours = work.unit_hours(size, least_instances(quote))
    return (Flow(BRIDGE, price * size * rate, hours, path="cloud", source=quote.id),)


def _flows(plan: BuildPlan, build: Build, setting: Setting, work: Work, span: Span) -> tuple[Flow, ...]:
    """Return the rows of the reading that the plan names."""
    lines = counted_lines(build, is_marginal=plan.is_marginal)
    charged = plan.bought if plan.is_whole else plan.reserved
    use = BuildUse(
        build=build,
        lines=lines,
        charged_share=charged / plan.planned,
        charged_accelerators=charged,
        used_share=plan.reserved / plan.planned,
        work=work,
        span=span,
        exchange=setting.exchange,
        hardware=hardware_amount(build, setting),
    )
    flows = build_cost_flows(use)
    if plan.is_whole and charged > plan.reserved:
        flows = tuple(part for flow in flows for part in _idle_parts(flow, plan.reserved / charged))
    return (*flows, *resale_flows(use, build)) if plan.is_marginal else flows


def counted_lines(build: Build, *, is_marginal: bool) -> tuple[CostLine, ...]:
    """Return the priced lines that a reading counts: the marginal one leaves out what is spent anyway."""
    counted = (line for line in build.costs if not (is_marginal and is_sunk(line, build)))
    return tuple(line for line in counted if is_line_priced(line, build))


def _idle_parts(flow: Flow, reserved: float) -> tuple[Flow, ...]:
    """Split rows into what the workload reserves and ``idle_capacity``; running hours are charged as used."""
    if flow.is_metered:
        return (flow,)
    return (flow.scaled(reserved), flow.scaled(1.0 - reserved).renamed(IDLE))


def is_sunk(line: CostLine, build: Build) -> bool:
    """Return whether a line is spent whatever is decided: paid or committed, or capital of a committed build."""
    return line.status in ("paid", "committed") or (build.committed and is_paid_once(line))


def is_paid_once(line: CostLine) -> bool:
    """Return whether a line is one payment; energy by the kWh states no basis and is none."""
    return line.basis == "once" and line.price_per_kwh is None


def resale_flows(use: BuildUse, build: Build) -> tuple[Flow, ...]:
    """Return what selling sunk hardware now rather than at the end would bring: its residual, held until the end."""
    sunk = [line for line in build.costs if is_sunk(line, build) and line.basis == "once"]
    sold = [line for line in sunk if line.life_months is not None and np.any(line.residual_fraction)]
    return tuple(flow for line in sold for flow in _resale(line, use))


def _resale(line: CostLine, use: BuildUse) -> tuple[Flow, ...]:
    amount = float("nan") if line.amount is None else line.amount * line_rate(line, use.exchange)
    unit = amount * use.charged_share * line.residual_fraction
    now = at_month(0.0, use.span.count)
    at_end = at_month(use.span.last_month, use.span.count)
    return (
        Flow(RESALE, unit, now, timing="begin", is_recurring=False, is_capital=True, source=line.source),
        Flow(RESALE, -unit, at_end, timing="end", is_recurring=False, is_capital=True, source=line.source),
    )


def hardware_amount(build: Build, setting: Setting) -> Amount:
    """Return the sum of a build's hardware lines, whole build, in the answer's currency."""
    lines = [line for line in build.costs if line.component == "hardware" and line.basis == "once"]
    amounts = [line.amount * line_rate(line, setting.exchange) for line in lines if line.amount is not None]
    return sum(amounts, 0.0)


def on_prem_incomplete(build: Build) -> tuple[str, ...]:
    """Return the expected components that are neither priced, nor covered, nor waived (semantics 18)."""
    settled = {line.component for line in build.costs if is_line_priced(line, build)}
    settled |= {name for line in build.costs for name in line.covers} | {waiver.component for waiver in build.waived}
    expected = [entry for entry in COMPONENTS if entry.expected_on_prem]
    missing = [entry.key for entry in expected if not settled & {entry.key, *entry.alternatives}]
    unpriced = [line.component for line in build.costs if not is_line_priced(line, build)]
    return tuple(dict.fromkeys((*missing, *unpriced)))


def is_line_priced(line: CostLine, build: Build) -> bool:
    """Return whether a line has what its basis needs."""
    if line.price_per_kwh is not None:
        return line.pue is not None and (line.it_kw is not None or build.it_kw_per_node is not None)
    return line.amount is not None and (line.basis != "per_kw_month" or line.kw is not None)


def build_price_reasons(build: Build, setting: Setting) -> tuple[str, ...]:
    """Return why a build cannot be priced: no priced line at all (owning is never free), or a missing rate."""
    priced = [line for line in build.costs if is_line_priced(line, build)]
    if not priced:
        return ("missing:costs",)
    return missing_exchange((line.currency for line in priced), setting)
