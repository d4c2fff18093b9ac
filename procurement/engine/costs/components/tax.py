"""Tax: property and similar taxes that a line states; income tax is a switch of the assumptions."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="tax",
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
