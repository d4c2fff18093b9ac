"""The tornado: what each uncertain input alone does to the answer (METHOD.md, Uncertainty)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from procurement.engine.dates import drawn_days, reached_by
from procurement.engine.money import finite_money_text
from procurement.engine.options_base import Option
from procurement.engine.periods import Numbers
from procurement.engine.readings import date_name
from procurement.engine.risk import Risk, build_part, cost_function, resting_columns
from procurement.engine.uncertainty import CostFunction, Input

SWING_PROBABILITIES = (0.1, 0.9)  # an input is moved from its P10 to its P90


@dataclass(frozen=True, slots=True)
class Swing:
    """What one input does, moved from its P10 to its P90 with every other input at its likely value."""

    name: str
    values: tuple[float, float]  # of the input, at P10 and at P90
    costs: tuple[float, float]  # present cost of the chosen option there [currency]
    differences: tuple[float, float] | None  # chosen less other; None without another [currency]

    @property
    def size(self) -> float:
        """Size of the swing of the difference, of the cost where there is no other option [currency]."""
        ends = self.costs if self.differences is None else self.differences
        return abs(ends[1] - ends[0])


def swings(cost: CostFunction, inputs: Sequence[Input]) -> tuple[Numbers, tuple[Swing, ...]]:
    """Return the costs at likely values, and the swing of every input, the largest first.

    Parameters
    ----------
    cost : CostFunction
        Costs of shape (1 or 2, n) of the chosen option and of the other one, from inputs of shape (n, inputs).
    inputs : sequence of Input
        Uncertain inputs, in the order of the columns.
    """
    likely = np.array([entry.likely for entry in inputs], dtype=np.float64)
    ends = np.array([entry.at(np.array(SWING_PROBABILITIES)) for entry in inputs]).reshape(len(inputs), 2)
    moved = np.eye(len(inputs), dtype=bool)
    points = np.concatenate([
        likely[np.newaxis], np.where(moved, ends[:, 0], likely), np.where(moved, ends[:, 1], likely),
    ])  # fmt: skip
    costs = cost(points)
    found = []
    for column, entry in enumerate(inputs):
        low, high = costs[:, 1 + column], costs[:, 1 + len(inputs) + column]
        gaps = (float(low[0] - low[1]), float(high[0] - high[1])) if costs.shape[0] > 1 else None
        values = (float(ends[column, 0]), float(ends[column, 1]))
        found.append(Swing(entry.name, values, (float(low[0]), float(high[0])), gaps))
    return costs[:, 0], tuple(sorted(found, key=lambda swing: (-swing.size, swing.name)))


def tornado_answer(risk: Risk | None, chosen: Option, other: Option | None, currency: str) -> dict[str, Any]:
    """Return the tornado of the answer document: every input with both ends, the largest swing first.

    Nothing uncertain: no inputs. ``difference`` is the chosen option less the other, negative where the chosen is
    cheaper; an end at which it changes sign turns the answer.
    """
    against = None if other is None else other.name
    if risk is None:
        return {"against": against, "npv": None, "difference": None, "inputs": []}
    compared = (chosen,) if other is None else (chosen, other)
    inputs = inputs_behind(risk, compared)
    cost = cost_function(risk.reader, chosen.workload, compared, inputs, is_exact=True)
    base, found = swings(cost, inputs)
    gap = None if other is None else float(base[0] - base[1])
    return {
        "against": against,
        "npv": finite_money_text(float(base[0]), currency),
        "difference": None if gap is None else finite_money_text(gap, currency),
        "inputs": [_input_answer(swing, gap, risk, compared, currency) for swing in found],
    }


def inputs_behind(risk: Risk, compared: Sequence[Option]) -> tuple[Input, ...]:
    """Return the inputs on which the compared options rest; those of further options would say nothing."""
    inputs = risk.draws.inputs
    columns = {
        column for option in compared for column in resting_columns(risk.reader, option.workload, option, inputs)
    }
    return tuple(inputs[column] for column in sorted(columns))


def _input_answer(
    swing: Swing, gap: float | None, risk: Risk, compared: Sequence[Option], currency: str
) -> dict[str, Any]:
    gaps = swing.differences
    low, high = (shown_value(swing.name, value, risk, compared) for value in swing.values)
    return {
        "input": swing.name,
        "low": low,
        "high": high,
        "npv_low": finite_money_text(swing.costs[0], currency),
        "npv_high": finite_money_text(swing.costs[1], currency),
        "difference_low": None if gaps is None else finite_money_text(gaps[0], currency),
        "difference_high": None if gaps is None else finite_money_text(gaps[1], currency),
        "swing": finite_money_text(swing.size, currency),
        "turns": gap is not None and gaps is not None and any(end * gap < 0.0 for end in gaps),
    }


def shown_value(name: str, value: float, risk: Risk, compared: Sequence[Option]) -> float | str | None:
    """Return the value of an input; that of a date is the day its build is usable, null where it may never be."""
    for option in compared:
        plan = build_part(option.plan)
        if plan is None or name != date_name(plan.build):
            continue
        reader = risk.reader
        build, forecast = reader.base.builds[plan.build], reader.forecasts[plan.build]
        reached = reached_by(forecast, build, option.workload, plan.accelerators)
        if reached is None or value > float(reached[-1]):
            return None
        days = max(float(drawn_days(reached, np.array([value]))[0]), 0.0)
        return (reader.scenario.as_of + timedelta(days=days)).isoformat()
    return round(value, 10)
