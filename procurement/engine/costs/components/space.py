"""Space: hall rent, due in advance."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="space",
    timing="begin",
    path="colocation",
    expected_on_prem=True,
    alternatives=("colocation",),
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
