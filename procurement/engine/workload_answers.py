"""The answer of each workload: figures of its options, and the recommendation (scenario.md, Out)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from procurement.engine.answers import option_answer
from procurement.engine.breakeven import BreakEven, UtilisationTotals, break_even, utilisation_totals
from procurement.engine.budgets import shared_rules
from procurement.engine.comparisons import Comparison
from procurement.engine.confidence import Confidence
from procurement.engine.dates import BuildDates, dates_at
from procurement.engine.figures import total_costs
from procurement.engine.improve import improve_option
from procurement.engine.money import money_text, rounded
from procurement.engine.option_details import detail_answers
from procurement.engine.options import SHOWN, Case
from procurement.engine.options_base import Option
from procurement.engine.pricing import plan_priced
from procurement.engine.quote_terms import approval_days
from procurement.engine.recommend import (
    Advice,
    Choice,
    Ranked,
    choice_of,
    ranked_by_cost,
    recommendation,
    without_discount_rate,
)
from procurement.engine.risk import Risk, best_at_dates, bridge_quote, risk_of
from procurement.engine.sensitivity import flip_points_of
from procurement.engine.tornado import tornado_answer

CAUTIOUS_QUANTILE = 0.9  # of dates, for the question whether the answer flips
ON_DEMAND = "on_demand"


def options_answer(
    case: Case, options: Sequence[Option], against: Option | None, risk: Risk | None
) -> list[dict[str, Any]]:
    """Return options with their figures, break-evens and what the draws say of them."""
    totals = None if against is None else utilisation_totals(against, case.setting, plan_priced)
    details = detail_answers(case, options, against if is_metered(case, against) else None)
    return [
        _shown(case, option, against, totals) | drawn_answer(case, option, risk) | details[option.name]
        for option in options
    ]


def is_metered(case: Case, option: Option | None) -> bool:
    """Return whether an option is bought on demand."""
    return option is not None and case.setting.quotes[option.places[0]].purchase_model == ON_DEMAND


def improvement(case: Case, options: Sequence[Option]) -> tuple[Option, dict[str, Any]] | None:
    """Return the present fleet at its best month, before anything is bought; None where nothing is known of it."""
    current = next((option for option in options if option.kind == "current"), None)
    return improve_option(current, case.setting)


def drawn_answer(case: Case, option: Option, risk: Risk | None) -> dict[str, Any]:
    """Return mean and quantiles over the draws; where nothing is uncertain all of them are the present cost."""
    names = ("npv_mean", "npv_p10", "npv_p50", "npv_p80", "npv_p90")
    row = None if risk is None else risk.row(option)
    currency = case.setting.assumptions.currency
    if risk is None or row is None:
        terms = case.setting.terms
        npv = None if option.priced is None or terms.rate is None else money_text(total_costs(option.priced.ledger).npv)
        return dict.fromkeys(names, npv) | {"probability_cheapest": None}
    summary = risk.summary
    values = (summary.mean[row], summary.p10[row], summary.p50[row], summary.p80[row], summary.p90[row])
    shown = {name: money_text(rounded(float(value), currency)) for name, value in zip(names, values, strict=True)}
    return shown | {"probability_cheapest": risk.probability_cheapest.get(option.name)}


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


def _shown(case: Case, option: Option, against: Option | None, totals: UtilisationTotals | None) -> dict[str, Any]:
    even: BreakEven | None = None
    why = "no_cloud_option"
    if option.priced is None:
        why = "not_priced"
    elif against is not None:
        even = break_even(option, against, case.setting, plan_priced, totals)
        why = "against_itself"
    return option_answer(option, case.setting, even, why)


def recommended(
    case: Case, comparison: Comparison, ranked: Sequence[Ranked], risk: Risk | None, cautious: Mapping[str, BuildDates]
) -> dict[str, Any]:
    """Return the recommendation of a workload."""
    advice = Advice(
        currency=case.setting.assumptions.currency,
        materiality=case.setting.assumptions.materiality,
        options=comparison.options,
        ranked=ranked,
        excluded=comparison.excluded,
        offers=comparison.offers,
        confidence={entry.option.name: confidence_of(case, entry.option, risk) for entry in ranked},
        oldest_input_on=oldest_input(case, comparison.options),
        shared_rules=shared_rules(case.policy, len(case.setting.scenario.workloads)),
        more_conditions={entry.option.name: approval_conditions(case, entry) for entry in ranked},
    )
    if case.setting.terms.rate is None:
        return without_discount_rate(advice)
    flips = best_at_dates(case, comparison.workload, ranked, cautious)
    choice = choice_of(advice)
    if choice is None:
        return recommendation(advice)
    other = other_answer(choice, ranked)
    bridge = bridge_quote(case, comparison.workload, comparison.options)
    points = [] if other is None else flip_points_of(choice.best.option, other, case.setting, bridge)
    cheapest = None if not ranked else ranked[0].option.name
    advice = replace(advice, flips_at_p90=None if flips == cheapest else flips, flip_points=points)
    second = None if choice.runner_up is None else choice.runner_up.option
    tornado = tornado_answer(risk, choice.best.option, second, advice.currency)
    return recommendation(advice) | {"tornado": tornado}


def other_answer(choice: Choice, ranked: Sequence[Ranked]) -> Option | None:
    """Return what the chosen option is held against: the best option of another kind, else the runner-up."""
    best = choice.best.option
    others = (entry.option for entry in ranked if entry.option.kind != best.kind)
    second = None if choice.runner_up is None else choice.runner_up.option
    return next(others, second)


def confidence_of(case: Case, option: Option, risk: Risk | None) -> Confidence:
    """Return how complete, old and well proven the inputs of an option are."""
    return Confidence(
        as_of=case.as_of,
        oldest_on=min(dates_of(case, option), default=None),
        worst_grade=worst_grade(case, option),
        incomplete=option.incomplete_cost,
        unproven=option.unproven,
        assumed=option.assumed,
        probability_cheapest=None if risk is None else risk.probability_cheapest.get(option.name),
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
    setting = case.setting
    cautious = dates_at(setting.builds, case.forecasts, case.as_of, CAUTIOUS_QUANTILE)
    for comparison in comparisons:
        name = comparison.workload.id
        options = shown_options(case, comparison, ranked_by_cost(comparison.options))
        risk = risk_of(case, comparison.workload, options)
        ranked = ranked_by_cost(options) if risk is None else risk_ranked(case, risk)
        shown = shown_options(case, comparison, ranked)
        found["options"][name] = options_answer(case, shown, comparator(case, comparison.options), risk)
        better = improvement(case, comparison.options)
        if better is not None:
            entry = options_answer(case, [better[0]], comparator(case, comparison.options), None)[0]
            found["options"][name].append(entry | {"improvement": better[1]})
        found["excluded"][name] = dict(comparison.excluded)
        found["recommendation"][name] = recommended(case, comparison, ranked, risk, cautious)
    return found


def risk_ranked(case: Case, risk: Risk) -> list[Ranked]:
    """Return what the draws rank, by the amount that the assumptions name."""
    assumptions = case.setting.assumptions
    return risk.ranked(assumptions.rank_by, assumptions.risk_quantile)
