"""Exit: a fee once at the end of the contract."""

from procurement.engine.costs.base import Component, QuoteUse, fee_flows
from procurement.engine.costs.billing import contract_months
from procurement.engine.ledger import Flow
from procurement.engine.periods import whole_months


def exit_flows(component: Component, use: QuoteUse) -> tuple[Flow, ...]:
    """Return the fee at the end of the last month of the contract."""
    return fee_flows(component, use, use.quote.exit_fee, whole_months(contract_months(use)) - 1, "end")


COMPONENT = Component(key="exit", quote_flows=exit_flows)
