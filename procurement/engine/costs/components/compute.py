"""Compute: the accelerator-hours that a workload uses at a quote (semantics 8, 9)."""

from procurement.engine.costs.base import Component, QuoteUse
from procurement.engine.costs.billing import used_flows
from procurement.engine.ledger import Flow


def compute_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the used hours of the quote, and those bought on demand after the last whole term."""
    return used_flows(use)


COMPONENT = Component(key="compute", path="cloud", expected_cloud=True, quote_flows=compute_flows)
