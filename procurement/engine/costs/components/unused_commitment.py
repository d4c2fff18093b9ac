"""Unused commitment: hours that a term or a minimum bills and nobody uses, past the window too (semantics 9)."""

from procurement.engine.costs.base import Component, QuoteUse
from procurement.engine.costs.billing import unused_flows
from procurement.engine.ledger import Flow


def unused_commitment_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the billed hours that the workload does not use."""
    return unused_flows(use)


COMPONENT = Component(key="unused_commitment", path="cloud", quote_flows=unused_commitment_flows)
