"""Disposal: taking the hardware away at the end of the last month held."""

from dataclasses import replace

import numpy as np

from procurement.engine.costs.base import BuildUse, Component, build_line_flows, quote_line_flows
from procurement.engine.ledger import Flow
from procurement.engine.periods import at_month


def disposal_flows(component: Component, use: BuildUse) -> tuple[Flow, ...]:
    """Return one-off lines at the end of the last month held; recurring lines stay where they fall due."""
    return tuple(flow if flow.is_recurring else _at_the_end(flow, use) for flow in build_line_flows(component, use))


def _at_the_end(flow: Flow, use: BuildUse) -> Flow:
    quantity = np.asarray(at_month(use.span.last_month, use.span.count))
    return replace(flow, quantity=quantity, timing="end")


COMPONENT = Component(key="disposal", build_flows=disposal_flows, quote_flows=quote_line_flows)
