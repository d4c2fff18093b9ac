"""Power: metered energy with PUE and idle share once each, or a committed line (semantics 16)."""

from procurement.engine.costs.base import BuildUse, Component, build_line_flows, line_rate, quote_line_flows
from procurement.engine.ledger import Flow
from procurement.engine.periods import Numbers, overlap, to_count
from procurement.engine.tables import CostLine

KEY = "power"
PATH = "power"


def power_flows(component: Component, use: BuildUse) -> tuple[Flow, ...]:
    """Return metered energy of each power line and the rows of lines that have another basis."""
    metered = [line for line in use.lines if line.component == KEY and line.price_per_kwh is not None]
    return (*(_metered(line, use) for line in metered), *build_line_flows(component, use))


def power_hours(line: CostLine, use: BuildUse) -> Numbers:
    """Return hours at full power by month: hours used, plus the idle share of the hours held and not used.

    kWh = it_kw x pue x (hours used + idle_fraction x (basis - hours used)); power is drawn from the usable date on.
    """
    held = overlap(use.span.usable, use.span.end, use.span.count) * use.span.hours_per_month
    used = to_count(use.work.full_hours(), use.span.count)
    return used + line.idle_fraction * (held - used).clip(min=0.0)


def _metered(line: CostLine, use: BuildUse) -> Flow:
    it_kw = line.it_kw if line.it_kw is not None else _nameplate_kw(use)
    price = float("nan") if line.price_per_kwh is None else line.price_per_kwh * line_rate(line, use.exchange)
    pue = float("nan") if line.pue is None else line.pue
    unit = it_kw * use.charged_share * pue * price
    return Flow(KEY, unit, power_hours(line, use), path=PATH, source=line.source or "per_kwh")


def _nameplate_kw(use: BuildUse) -> float:
    """Return the IT power of the whole build from its nodes where the line does not state it."""
    if use.build.it_kw_per_node is None:
        return float("nan")
    planned = sum(tranche.planned_accelerators for tranche in use.build.tranches)
    return use.build.it_kw_per_node * planned / use.build.accelerators_per_node


COMPONENT = Component(key=KEY, path=PATH, expected_on_prem=True, build_flows=power_flows, quote_flows=quote_line_flows)
