"""Licences: software paid per month, year or accelerator."""

from procurement.engine.costs.base import Component, build_line_flows, quote_line_flows

COMPONENT = Component(
    key="licences",
    build_flows=build_line_flows,
    quote_flows=quote_line_flows,
)
