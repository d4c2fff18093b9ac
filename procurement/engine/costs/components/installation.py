"""Installation: what it costs to put the hardware up."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="installation",
    expected_on_prem=True,
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
