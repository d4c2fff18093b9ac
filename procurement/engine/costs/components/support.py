"""Support: a fraction of all other recurring rows of a quote."""

from procurement.engine.costs.base import Component

COMPONENT = Component(key="support", expected_cloud=True)  # laid on the finished rows by the registry
