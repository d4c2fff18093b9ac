"""Egress: data that leaves, at a quote's price per GB."""

from procurement.engine.costs.base import Component, QuoteUse, data_flows
from procurement.engine.ledger import Flow


def egress_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the data that leaves while the workload is there; nothing where price or need is not stated."""
    return data_flows(component, use, use.quote.egress_per_gb, use.egress_gb_per_month)


COMPONENT = Component(key="egress", path="cloud", expected_cloud=True, quote_flows=egress_flows)
