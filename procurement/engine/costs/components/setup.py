"""Setup: a fee once per contract."""

from procurement.engine.costs.base import Component, QuoteUse, fee_flows
from procurement.engine.ledger import Flow


def setup_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the fee at the begin of month 0."""
    return fee_flows(component, use, use.quote.setup_fee, 0, "begin")


COMPONENT = Component(key="setup", quote_flows=setup_flows)
