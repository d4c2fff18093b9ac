"""The answer of each workload: figures of its options, and the recommendation (scenario.md, Out)."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from procurement.engine.answers import option_answer
from procurement.engine.breakeven import BreakEven, break_even
from procurement.engine.comparisons import Comparison
from procurement.engine.confidence import Confidence
from procurement.engine.options import SHOWN, Case
from procurement.engine.options_base import Option
from procurement.engine.pricing import plan_priced
from procurement.engine.quote_terms import approval_days
from procurement.engine.recommend import (
    Advice,
    Ranked,
    ranked_by_cost,
    recommendation,
    without_discount_rate,
)

ON_DEMAND = "on_demand"


def options_answer(case: Case, comparison: Comparison, ranked: Sequence[Ranked]) -> list[dict[str, Any]]:
    """Return the options that are shown: the best, every infeasible on-prem option, current and those kept."""
    against = comparator(case, comparison.options)
    return [_shown(case, option, against) for option in shown_options(case, comparison, ranked)]


def shown_options(case: Case, comparison: Comparison, ranked: Sequence[Ranked]) -> list[Option]:
    """Return the options of semantics 43, the ranked ones first and in order."""
    best = [entry.option for entry in ranked[:SHOWN]]
    kept = set(case.setting.assumptions.keep_options)
    names = {option.name for option in best}
    more = [
        option
        for option in comparison.options
        if option.name not in names and (option.kind in ("on_prem", "current", "wait") or option.name in kept)
    ]
    return best + more


def comparator(case: Case, options: Sequence[Option]) -> Option | None:
    """Return what break-evens are against: the cheapest feasible on-demand option, else the cheapest feasible cloud."""
    cloud = [entry.option for entry in ranked_by_cost(options) if entry.option.kind == "cloud"]
    quotes = case.setting.quotes
    on_demand = [option for option in cloud if quotes[option.places[0]].purchase_model == ON_DEMAND]
    return next(iter((*on_demand, *cloud)), None)


def _shown(case: Case, option: Option, against: Option | None) -> dict[str, Any]:
    even: BreakEven | None = None
    why = "no_cloud_option"
    if option.priced is None:
        why = "not_priced"
    elif against is not None:
        even = break_even(option, against, case.setting, plan_priced)
        why = "against_itself"
    return option_answer(option, case.setting, even, why)


def recommended(case: Case, comparison: Comparison, ranked: Sequence[Ranked]) -> dict[str, Any]:
    """Return the recommendation of a workload."""
    advice = Advice(
        currency=case.setting.assumptions.currency,
        materiality=case.setting.assumptions.materiality,
        options=comparison.options,
        ranked=ranked,
        excluded=comparison.excluded,
        offers=comparison.offers,
        confidence={entry.option.name: confidence_of(case, entry.option) for entry in ranked},
        oldest_input_on=oldest_input(case, comparison.options),
        more_conditions={entry.option.name: approval_conditions(case, entry) for entry in ranked},
    )
    if case.setting.terms.rate is None:
        return without_discount_rate(advice)
    return recommendation(advice)


def confidence_of(case: Case, option: Option) -> Confidence:
    """Return how complete, old and well proven the inputs of an option are."""
    return Confidence(
        as_of=case.as_of,
        oldest_on=min(dates_of(case, option), default=None),
        worst_grade=worst_grade(case, option),
        incomplete=option.incomplete_cost,
        unproven=option.unproven,
        assumed=option.assumed,
    )


def dates_of(case: Case, option: Option) -> list[date]:
    """Return the days on which the inputs of an option were stated or observed."""
    setting = case.setting
    days: list[date] = []
    for place in option.places:
        quote, build = setting.quotes.get(place), setting.builds.get(place)
        if quote is not None and quote.quoted_on is not None:
            days.append(quote.quoted_on)
        if build is not None:
            days += [entry.observed_on for entry in case.readiness[build.id].newest_evidence.values()]
            days += [promise.stated_on for promise in build.promises]
    return days


def worst_grade(case: Case, option: Option) -> str | None:
    """Return the weakest grade among the newest evidence of an option's builds."""
    known = [case.readiness[place] for place in option.places if place in case.readiness]
    grades = [entry.grade for readiness in known for entry in readiness.newest_evidence.values()]
    return max(grades, default=None)


def oldest_input(case: Case, options: Sequence[Option]) -> date | None:
    """Return the day of the oldest input among feasible options and the exchange rates that were used."""
    feasible = [option for option in options if option.is_feasible]
    days = [day for option in feasible for day in dates_of(case, option)]
    return min(days, default=None)


def approval_conditions(case: Case, entry: Ranked) -> tuple[str, ...]:
    """Return ``approval_too_slow`` where approving that amount takes longer than the offer can wait."""
    sign_by = entry.option.sign_by
    days = approval_days(case.policy, entry.value)
    if sign_by is None or days is None:
        return ()
    return ("approval_too_slow",) if (sign_by - case.as_of).days < days else ()


def answers_of(case: Case, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return options, exclusions and recommendation of every workload."""
    found: dict[str, dict[str, Any]] = {"options": {}, "excluded": {}, "recommendation": {}}
    for comparison in comparisons:
        name = comparison.workload.id
        ranked = ranked_by_cost(comparison.options)
        found["options"][name] = options_answer(case, comparison, ranked)
        found["excluded"][name] = dict(comparison.excluded)
        found["recommendation"][name] = recommended(case, comparison, ranked)
    return found

