"""Other: any further priced line."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="other",
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
