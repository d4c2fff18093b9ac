"""Residual: the credit for what is left of hardware at the end; laid down with each once line."""

from procurement.engine.costs.base import Component

COMPONENT = Component(key="residual", timing="end")
