"""Operations: what running costs beside power and staff."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="operations",
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
