"""Hardware: the accelerators and their servers; a recurring line is rent or lease, due in advance."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="hardware",
    timing="begin",
    expected_on_prem=True,
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
