"""Storage: lines of a build, or data kept at a quote's price per GB and month."""

from procurement.engine.costs.base import Component, QuoteUse, build_line_flows, data_flows
from procurement.engine.ledger import Flow


def storage_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the data kept while the workload is there; nothing where price or need is not stated."""
    return data_flows(component, use, use.quote.storage_per_gb_month, use.storage_gb)


COMPONENT = Component(
    key="storage",
    path="cloud",
    expected_on_prem=True,
    expected_cloud=True,
    build_flows=build_line_flows,
    quote_flows=storage_flows,
)
