"""The shelf's list: every cost component in the order of the page, and the rows of a whole place."""

from dataclasses import replace

from procurement.engine.costs.base import BuildUse, Component, QuoteUse
from procurement.engine.costs.components import (
    colocation,
    compute,
    disposal,
    duty,
    egress,
    exit,
    hardware,
    installation,
    insurance,
    licences,
    maintenance,
    network,
    operations,
    other,
    power,
    residual,
    setup,
    space,
    spares,
    staff,
    storage,
    support,
    tax,
    unused_commitment,
)
from procurement.engine.ledger import Flow

COMPONENTS: tuple[Component, ...] = (
    compute.COMPONENT,
    unused_commitment.COMPONENT,
    hardware.COMPONENT,
    network.COMPONENT,
    storage.COMPONENT,
    installation.COMPONENT,
    spares.COMPONENT,
    power.COMPONENT,
    space.COMPONENT,
    colocation.COMPONENT,
    maintenance.COMPONENT,
    staff.COMPONENT,
    licences.COMPONENT,
    operations.COMPONENT,
    insurance.COMPONENT,
    tax.COMPONENT,
    duty.COMPONENT,
    disposal.COMPONENT,
    other.COMPONENT,
    residual.COMPONENT,
    egress.COMPONENT,
    support.COMPONENT,
    setup.COMPONENT,
    exit.COMPONENT,
)
COMPONENT_BY_KEY = {component.key: component for component in COMPONENTS}
SUPPORT = "support"


def build_cost_flows(use: BuildUse) -> tuple[Flow, ...]:
    """Return every row of one workload at one build, in the order of the shelf."""
    return tuple(flow for component in COMPONENTS for flow in component.build_flows(component, use))


def quote_cost_flows(use: QuoteUse) -> tuple[Flow, ...]:
    """Return every row of one workload at one quote, support included, in the order of the shelf."""
    flows = tuple(flow for component in COMPONENTS for flow in component.quote_flows(component, use))
    return (*flows, *_support_flows(use, flows))


def _support_flows(use: QuoteUse, flows: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """Return support as a fraction of all other recurring rows (semantics 8)."""
    fraction = use.quote.support_fraction
    if fraction is None:
        return ()
    return tuple(replace(flow.scaled(fraction), component=SUPPORT, timing="mid") for flow in flows if flow.is_recurring)
