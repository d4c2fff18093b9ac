"""What is shown beside an option: its load-duration curve, when to sign it, and what a lease may cost."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from procurement.engine.commitments import commitment_answer
from procurement.engine.lease import lease_answer
from procurement.engine.options import Case
from procurement.engine.options_base import CloudPlan, HybridPlan, Option
from procurement.engine.split_curve import split_answer
from procurement.engine.units import is_committed

MOST_COMMITMENTS = 3  # of a workload's options, the best ones


def detail_answers(case: Case, options: Sequence[Option], metered: Option | None) -> dict[str, dict[str, Any]]:
    """Return the details of options by name; an option without any is left out.

    Parameters
    ----------
    case
        The evaluation.
    options
        Options of one workload that are shown, in their order.
    metered
        Its cheapest feasible on-demand option; None where there is none.
    """
    found: dict[str, dict[str, Any]] = {option.name: {} for option in options}
    committed = [option for option in options if option.is_feasible and is_commitment(case, option)]
    for option in committed[:MOST_COMMITMENTS]:
        candidates = candidate_quotes(case, option)
        found[option.name]["commitment"] = commitment_answer(option, case.setting, metered, candidates)
    further = [option.plan for option in (*committed[:1], *((metered,) if metered else ()))]
    rents = [plan for plan in further if isinstance(plan, CloudPlan)]
    for option in options:
        if isinstance(option.plan, HybridPlan):
            found[option.name]["load_curve"] = split_answer(option, rents, case.setting)
        if option.kind == "on_prem":
            found[option.name]["lease"] = lease_answer(option, case.setting)
    return {name: {key: value for key, value in details.items() if value} for name, details in found.items()}


def is_commitment(case: Case, option: Option) -> bool:
    """Return whether an option signs for a term."""
    return isinstance(option.plan, CloudPlan) and is_committed(case.setting.quotes[option.plan.quote])


def candidate_quotes(case: Case, option: Option) -> list[Any]:
    """Return the quotes that could be had for an option's workload."""
    quotes = case.setting.scenario.quotes
    return [quotes[index] for index in np.flatnonzero(case.offers.candidates(option.workload.id))]
