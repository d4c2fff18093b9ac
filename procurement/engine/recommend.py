"""The recommendation of one workload: order, ties, verdict, coded reasons, runner-up (semantics 26 to 28)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from procurement.engine.confidence import Confidence
from procurement.engine.figures import total_costs
from procurement.engine.money import money_text, rounded
from procurement.engine.options_base import Option, Reason, reason
from procurement.engine.options_cloud import worth

REASON_CODES = (
    # why an option was chosen
    "cheapest", "cheaper_than_runner_up", "only_feasible", "tie", "tie_smaller_commitment", "tie_lower_cost",
    "tie_settled_by", "beats_in_draws", "decided_by_rate", "pays_back", "flips_at_p90", "partial_total",
    "cheaper_than_current", "current_is_cheapest", "owned_base", "bridged_until", "waited_until",
    "rules_of_portfolio",
    # why another was not
    "runner_up_dearer", "runner_up_unproven", "cheaper_but_infeasible", "on_prem_passed_over", "second_place_not_worth",
    # why nothing was
    "none_feasible", "nothing_fits", "constraint", "missing",
)  # fmt: skip

VERDICTS = {
    "cloud": "cloud", "on_prem": "on_prem", "hybrid": "hybrid", "bridge": "bridge_then_on_prem", "wait": "wait",
    "current": "stay",
}  # fmt: skip
TIE_SHARE = 0.02  # of the cheaper: a smaller difference is a tie
TIE_CONFIDENCE = 0.70  # of paired draws that the best must win


@dataclass(frozen=True, slots=True)
class Ranked:
    """An option with the amount that ranks it."""

    option: Option
    value: float  # mean present cost over the draws, or the present cost where nothing is uncertain [currency]
    draws: np.ndarray | None = None  # present cost in each draw
    p80: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen option, the one it was weighed against, and whether the two are a tie."""

    best: Ranked
    runner_up: Ranked | None
    is_tie: bool
    difference: float | None = None  # runner-up less best, in ranked amounts [currency]
    threshold: float | None = None
    won: float | None = None  # share of paired draws
    is_turned: bool = False  # the tie went to the dearer of the two


@dataclass(frozen=True, slots=True)
class Advice:
    """What the parts of an evaluation say about one workload, gathered for its recommendation."""

    currency: str
    materiality: float
    options: Sequence[Option]
    ranked: Sequence[Ranked]
    excluded: Mapping[str, int]
    offers: int
    confidence: Mapping[str, Confidence] = field(default_factory=dict)
    flips_at_p90: str | None = None
    flip_points: Sequence[Mapping[str, Any]] = ()
    oldest_input_on: date | None = None
    shared_rules: Sequence[str] = ()  # rules that bind all workloads together and no single answer
    more_conditions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def ranked_options(values: Mapping[str, Ranked]) -> list[Ranked]:
    """Return options from the cheapest to the dearest, then by name."""
    return sorted(values.values(), key=lambda entry: (entry.value, entry.option.name))


def worthwhile(ranked: Sequence[Ranked], materiality: float) -> tuple[list[Ranked], list[Ranked]]:
    """Return what may be chosen, and the two-place options that do not beat the best single place by what matters.

    A hybrid or a bridge is worth its trouble only where it is cheaper by more than the materiality (semantics 19).
    """
    single = [entry.value for entry in ranked if entry.option.kind not in ("hybrid", "bridge")]
    best = min(single, default=None)
    if best is None:
        return list(ranked), []

    def is_worth(entry: Ranked) -> bool:
        return entry.option.kind not in ("hybrid", "bridge") or entry.value < best - materiality

    return [entry for entry in ranked if is_worth(entry)], [entry for entry in ranked if not is_worth(entry)]


def chosen(ranked: Sequence[Ranked], materiality: float) -> Choice | None:
    """Return the choice among options in order; None where there is none (semantics 27)."""
    if not ranked:
        return None
    best = ranked[0]
    if len(ranked) == 1:
        return Choice(best, None, is_tie=False)
    second = ranked[1]
    difference = second.value - best.value
    threshold = max(TIE_SHARE * abs(best.value), materiality)
    won = share_of_draws_won(best, second)
    is_tie = difference < threshold or (won is not None and won < TIE_CONFIDENCE)
    if not is_tie:
        return Choice(best, second, False, difference, threshold, won)
    first, other = sorted((best, second), key=tie_order)
    return Choice(first, other, True, other.value - first.value, threshold, won, is_turned=first is second)


def tie_order(entry: Ranked) -> tuple[bool, float, float, str]:
    """Return what settles a tie: proven facts, then the smaller commitment, then lower cost, then the name."""
    option = entry.option
    return (bool(option.unproven), round(commitment(option), 2), entry.value, option.name)


def commitment(option: Option) -> float:
    """Return the nominal sum that stays owed if the workload ended after month 1 [currency].

    One-off payments are owed whenever they fall due; of recurring rows only terms and minimums that have begun.
    """
    if option.priced is None:
        return float("inf")
    ledger = option.priced.ledger
    total = 0.0
    for flow in ledger.flows:
        amounts = np.asarray(ledger.amounts(flow)).reshape(-1, flow.count)[0]
        if not flow.is_recurring:
            total += float(np.maximum(amounts, 0.0).sum())
        elif flow.is_committed:
            total += float(amounts[1:].sum())
    return total


def share_of_draws_won(best: Ranked, second: Ranked) -> float | None:
    """Return the share of paired draws in which the best costs less; None where nothing was drawn."""
    if best.draws is None or second.draws is None:
        return None
    return float(np.mean(np.where(best.draws == second.draws, 0.5, best.draws < second.draws)))


def choice_of(advice: Advice) -> Choice | None:
    """Return the choice among the options of a workload; None where nothing is feasible."""
    candidates, _ = worthwhile(advice.ranked, advice.materiality)
    return chosen(candidates, advice.materiality)


def recommendation(advice: Advice) -> dict[str, Any]:
    """Return the recommendation of a workload as in the answer document."""
    _, not_worth = worthwhile(advice.ranked, advice.materiality)
    choice = choice_of(advice)
    if choice is None:
        return none_feasible(advice)
    best = choice.best.option
    currency = advice.currency
    cheapest = min(advice.ranked, key=lambda entry: entry.value)
    sure = advice.confidence.get(best.name)
    approval = stated(choice.best, currency) if choice.best.p80 is None else rounded(choice.best.p80, currency)
    return {
        "verdict": VERDICTS[best.kind],
        "option": best.name,
        "runner_up": None if choice.runner_up is None else choice.runner_up.option.name,
        "tie": choice.is_tie,
        "reasons": [*why(choice, advice), *why_not(choice, advice, not_worth)],
        "conditions": list(dict.fromkeys((*best.conditions, *advice.more_conditions.get(best.name, ())))),
        "flip_points": list(advice.flip_points),
        "premium_over_cheapest": money_text(max(gap(choice.best, cheapest, currency), rounded(0.0, currency))),
        "approval_amount": money_text(approval),
        "how_sure": None if sure is None else sure.answer(margin(choice)),
        "not_modelled": list(best.not_modelled),
        "oldest_input_on": None if advice.oldest_input_on is None else advice.oldest_input_on.isoformat(),
        "split": best.split or dict.fromkeys(best.places[:1], 1.0),
    }


def margin(choice: Choice) -> float | None:
    """Return by what share of its cost the chosen option beats the runner-up; None without one."""
    if choice.difference is None or not choice.best.value:
        return None
    return choice.difference / abs(choice.best.value)


def amount(value: float, currency: str) -> str | None:
    """Return an amount as text, rounded to the minor unit."""
    return money_text(rounded(value, currency))


def stated(entry: Ranked, currency: str) -> Decimal:
    """Return the amount that ranks an option, to the same cents as its figures show it (semantics 22, 26)."""
    if entry.draws is not None or entry.option.priced is None:
        return rounded(entry.value, currency)
    totals = total_costs(entry.option.priced.ledger)
    return totals.nominal_cost if totals.npv is None else totals.npv


def gap(dearer: Ranked, cheaper: Ranked, currency: str) -> Decimal:
    """Return the difference of two amounts as they are shown."""
    return stated(dearer, currency) - stated(cheaper, currency)


def present_costs(entry: Ranked, currency: str) -> dict[str, str | None]:
    """Return the present cost of an option as its figures show it and, named apart, the amount that ranks it.

    ``npv`` is at likely values. Over draws the mean ranks, or the quantile that the assumptions name; it stands beside
    where it is another amount.
    """
    if entry.draws is None or entry.option.priced is None:
        return {"npv": money_text(stated(entry, currency))}
    shown = {"npv": money_text(total_costs(entry.option.priced.ledger).npv)}
    is_mean = entry.value == float(np.mean(entry.draws))
    ranking = money_text(stated(entry, currency))
    basis = {"basis": "expected"} if is_mean else {}
    return shown | basis | ({} if ranking == shown["npv"] else {"npv_mean" if is_mean else "npv_quantile": ranking})


def why(choice: Choice, advice: Advice) -> list[Reason]:
    """Return why the chosen option was chosen, with numbers."""
    best, currency = choice.best, advice.currency
    reasons = []
    if choice.runner_up is None:
        reasons.append(reason("only_feasible", option=best.option.name, **present_costs(best, currency)))
    elif choice.is_tie:
        reasons += _tie_reasons(choice, advice)
    else:
        reasons.append(reason("cheapest", option=best.option.name, **present_costs(best, currency)))
        reasons.append(
            reason(
                "cheaper_than_runner_up", option=choice.runner_up.option.name,
                difference=money_text(gap(choice.runner_up, best, currency)),
                share=(choice.difference or 0.0) / choice.runner_up.value if choice.runner_up.value else None,
            )
        )  # fmt: skip
    if choice.won is not None:
        reasons.append(reason("beats_in_draws", share=choice.won))
    return [*reasons, *_own_reasons(choice, advice)]


def _tie_reasons(choice: Choice, advice: Advice) -> list[Reason]:
    """Return that it is too close to call, what decided, and the one measurement that would settle it."""
    assert choice.runner_up is not None  # noqa: S101 - a tie has two sides
    best, second, currency = choice.best, choice.runner_up, advice.currency
    difference = abs(choice.difference or 0.0)
    cheaper = min(best.value, second.value)
    reasons = [
        reason(
            "tie", option=second.option.name, difference=money_text(abs(gap(second, best, currency))),
            share=difference / cheaper if cheaper else None, threshold=amount(choice.threshold or 0.0, currency),
        )
    ]  # fmt: skip
    owed, other = commitment(best.option), commitment(second.option)
    if bool(best.option.unproven) != bool(second.option.unproven):
        reasons.append(reason("runner_up_unproven", option=second.option.name, facts=list(second.option.unproven)))
    elif round(owed, 2) != round(other, 2):
        reasons.append(
            reason(
                "tie_smaller_commitment", commitment=amount(owed, currency),
                runner_up_commitment=amount(other, currency),
            )
        )  # fmt: skip
    else:
        reasons.append(reason("tie_lower_cost", **present_costs(best, currency)))
    reasons.append(reason("tie_settled_by", measurement=settling_measurement(best.option, second.option)))
    return reasons


def settling_measurement(one: Option, other: Option) -> str:
    """Return the one measurement that would tell two close options apart."""
    kinds = {one.kind, other.kind}
    if one.unproven or other.unproven:
        return "evidence_of_power_and_cooling"
    if kinds == {"cloud"}:
        return "measured_allreduce_gbps" if one.workload.training is not None else "firm_quotes"
    return "measured_utilisation" if kinds & {"on_prem", "hybrid", "bridge"} else "firm_quotes"


def _own_reasons(choice: Choice, advice: Advice) -> list[Reason]:
    best, currency = choice.best.option, advice.currency
    reasons = []
    if best.rate_basis is not None:
        reasons.append(reason("decided_by_rate", rate_basis=best.rate_basis, charge_basis=best.charge_basis))
    if best.kind == "current":
        reasons.append(reason("current_is_cheapest", **present_costs(choice.best, currency)))
    reasons += [dict(entry) for entry in best.explained]
    current = next((entry for entry in advice.ranked if entry.option.kind == "current"), None)
    if current is not None and best.kind != "current":
        saved = money_text(gap(current, choice.best, currency))
        reasons.append(reason("cheaper_than_current", difference=saved))
    if advice.flips_at_p90 is not None and advice.flips_at_p90 != best.name:
        reasons.append(reason("flips_at_p90", option=advice.flips_at_p90))
    if best.incomplete_cost:
        reasons.append(reason("partial_total", components=list(best.incomplete_cost)))
    return [*reasons, *rule_reasons(advice)]


def rule_reasons(advice: Advice) -> list[Reason]:
    """Return which rules of the organisation this answer leaves to the portfolio."""
    return [reason("rules_of_portfolio", rules=list(advice.shared_rules))] if advice.shared_rules else []


def why_not(choice: Choice, advice: Advice, not_worth: Sequence[Ranked]) -> list[Reason]:
    """Return why the runner-up lost, and why owned capacity was passed over."""
    reasons = []
    currency = advice.currency
    if choice.runner_up is not None and not choice.is_tie:
        second = choice.runner_up
        reasons.append(
            reason(
                "runner_up_dearer", option=second.option.name, **present_costs(second, currency),
                difference=money_text(gap(second, choice.best, currency)), component=dearest(choice),
            )
        )  # fmt: skip
    for entry in not_worth[:1]:
        over = money_text(gap(entry, choice.best, currency))
        reasons.append(reason("second_place_not_worth", option=entry.option.name, difference=over))
    passed = [option for option in advice.options if option.kind == "on_prem" and option.reasons and option.ranks]
    reasons += [reason("on_prem_passed_over", option=option.name, because=list(option.reasons)) for option in passed]
    return reasons


def dearest(choice: Choice) -> str | None:
    """Return the component in which the runner-up costs most more than the chosen option."""
    if choice.runner_up is None or choice.runner_up.option.priced is None or choice.best.option.priced is None:
        return None
    other = choice.runner_up.option.priced.ledger.present_by_component()
    own = choice.best.option.priced.ledger.present_by_component()
    return max(other, key=lambda name: other[name] - own.get(name, 0.0), default=None)


def none_feasible(advice: Advice) -> dict[str, Any]:
    """Return the answer where nothing fits: each constraint with the number of offers it removes."""
    reasons = [reason("nothing_fits", offers=advice.offers)]
    ordered = sorted(advice.excluded.items(), key=lambda entry: (-entry[1], entry[0]))
    reasons += [reason("constraint", constraint=name, offers=count) for name, count in ordered]
    passed = [option for option in advice.options if option.kind == "on_prem" and option.ranks]
    reasons += [reason("on_prem_passed_over", option=option.name, because=list(option.reasons)) for option in passed]
    return {**empty_recommendation(reasons), "verdict": "none_feasible", **_dated(advice)}


def without_discount_rate(advice: Advice) -> dict[str, Any]:
    """Return the answer where no discount rate is stated: no verdict (semantics 3)."""
    return {**empty_recommendation([reason("missing:discount_rate")]), **_dated(advice)}


def _dated(advice: Advice) -> dict[str, str | None]:
    return {"oldest_input_on": None if advice.oldest_input_on is None else advice.oldest_input_on.isoformat()}


def empty_recommendation(reasons: list[Reason]) -> dict[str, Any]:
    """Return a recommendation of nothing, with its reasons."""
    return {
        "verdict": None, "option": None, "runner_up": None, "tie": False, "reasons": reasons, "conditions": [],
        "flip_points": [], "tornado": None, "premium_over_cheapest": None, "approval_amount": None, "how_sure": None,
        "not_modelled": [], "oldest_input_on": None, "split": {},
    }  # fmt: skip


def ranked_by_cost(options: Sequence[Option]) -> list[Ranked]:
    """Return feasible, ranking options by present cost where nothing is uncertain."""
    usable = [option for option in options if option.is_feasible and option.ranks and option.priced is not None]
    entries = [Ranked(option, worth(option.priced.ledger)) for option in usable if option.priced is not None]
    return sorted(entries, key=lambda entry: (entry.value, entry.option.name))
