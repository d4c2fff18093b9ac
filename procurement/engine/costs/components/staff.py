"""Staff: full-time equivalents times what one costs a year."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="staff",
    path="staff",
    expected_on_prem=True,
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
