"""Colocation: committed kW billed whether powered or not, due in advance."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="colocation",
    timing="begin",
    path="colocation",
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
