"""All that the recommendation of one workload says, read from a finished run: page, memo and workbook share it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.models import Answer, EnergizationRow, OptionRow, Run
from procurement.selectors.runs import answer_of
from procurement.selectors.sources import sources_failing_of
from reports.answer_words import (
    age_sentence,
    breakeven_sentences,
    change_lead,
    change_sentences,
    conditions_of,
    lost_sentences,
    premium_sentence,
    sure_sentences,
    what_sentence,
    why_not_sentences,
    why_sentences,
)
from reports.detail_view import Details, details_of
from reports.errors import ReportUnavailable
from reports.months import add_months
from reports.option_view import OptionView, decimal_of, option_view
from reports.places import Places, option_parts, places_of
from reports.reason_facts import ReasonFacts
from reports.reasons import not_modelled_sentence
from reports.selectors import run_assumptions, run_parts
from reports.supply_view import (
    BridgeView,
    BuildView,
    OfferView,
    ThroughputView,
    bridge_views,
    build_views,
    discount_views,
    excluded_view,
    need_facts,
    offer_views,
    throughput_views,
)
from reports.templatetags.figures import (
    day_text,
    known,
    money_text,
    number_text,
    percent_text,
)

Fact = dict[str, str]


@dataclass(frozen=True, slots=True)
class Twin:
    """One figure of the recommended option beside the same figure of doing nothing; the unit stands once."""

    name: str
    unit: str
    value: str
    twin: str
    difference: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RecommendationPage:
    """One answer with everything it rests on."""

    run: Run
    answer: Answer
    workload: Mapping[str, Any]
    assumptions: Mapping[str, Any]
    places: Places
    options: Sequence[OptionView]
    recommended: OptionView | None
    runner_up: OptionView | None
    current: OptionView | None
    what: str
    why: Sequence[str]
    sure: Sequence[str]
    changes_lead: str
    changes: Sequence[str]
    conditions: Sequence[str]
    lost: Sequence[str]
    passed_over: Sequence[str]
    premium: str
    age: str
    breakeven: Sequence[str]
    twins: Sequence[Twin]
    split: Sequence[tuple[str, Decimal]]
    excluded: Sequence[tuple[str, int]]
    offers: Sequence[OfferView]
    offers_count: int
    discounts: Sequence[tuple[str, Sequence[str]]]
    failing_sources: Sequence[str]
    builds: Sequence[BuildView]
    throughput: Sequence[ThroughputView]
    bridges: Sequence[BridgeView]
    details: Details
    not_modelled: Sequence[str]
    facts: Sequence[Fact]
    assumption_facts: Sequence[Fact]

    @property
    def currency(self) -> str:
        """Currency of every amount."""
        return self.answer.currency

    @property
    def start(self) -> date:
        """First day of the window: month 0."""
        return date.fromisoformat(str(self.workload["start"]))

    @property
    def faults(self) -> list[str]:
        """What does not add up; empty is how it must be."""
        wrong = [option.name for option in self.options if not option.adds_up]
        return [f"The parts of `{name}` do not add up to its total." for name in wrong]

    @property
    def compared(self) -> list[OptionView]:
        """Options whose cash is drawn: the recommended one, the runner-up and doing nothing, each once."""
        chosen = (self.recommended, self.runner_up, self.current)
        found = {option.code: option for option in chosen if option is not None and option.months}
        return list(found.values())

    @property
    def components(self) -> list[str]:
        """Components of any option, in the order in which they first occur."""
        return list(dict.fromkeys(part for option in self.options for part in option.components))

    def month_on(self, month: int) -> date:
        """Return the first day of a month of the window."""
        return add_months(self.start, month)


def recommendation_page(run: Run, workload_code: str) -> RecommendationPage:
    """Return what a run says of a workload; refuses a workload that the run does not hold."""
    answer = answer_of(run, workload_code)
    workload = run_parts(run, "workloads", {workload_code}).get(workload_code)
    if answer is None or workload is None:
        raise ReportUnavailable(f"Run {run.pk} holds no workload `{workload_code[:60]}`.")
    rows = list(answer.options.all())
    offers = list(answer.availability.all())
    ready_on = dict(EnergizationRow.objects.filter(run=run).values_list("build_code", "p80_on"))
    throughput_places = set(answer.throughput)
    place_codes = (
        throughput_places
        | set(_detail_places(rows))
        | set(answer.bridge)
        | {offer.quote_code for offer in offers}
        | set(_split(answer))
    )
    places = places_of(run, [row.option for row in rows] + [answer.option, answer.runner_up], place_codes)
    facts = ReasonFacts(workload, places, ready_on)
    views = [option_view(row, places, answer, facts) for row in rows]
    recommended = next((view for view in views if view.is_recommended), None)
    runner_up = next((view for view in views if view.is_runner_up), None)
    current = next((view for view in views if view.is_current), None)
    assumptions = run_assumptions(run)
    used_builds = {option_parts(row.option).build for row in rows} - {""}
    used_quotes = list(dict.fromkeys(option_parts(row.option).quote for row in rows if option_parts(row.option).quote))
    shown_places = _shown_places(recommended, runner_up, current)
    return RecommendationPage(
        run=run,
        answer=answer,
        workload=workload,
        assumptions=assumptions,
        places=places,
        options=views,
        recommended=recommended,
        runner_up=runner_up,
        current=current,
        what=what_sentence(answer, places, _current_place(workload, places)),
        why=why_sentences(answer, places),
        sure=sure_sentences(answer, recommended),
        changes_lead=change_lead(answer, places),
        changes=change_sentences(answer),
        conditions=conditions_of(answer),
        lost=lost_sentences(recommended, runner_up, answer),
        passed_over=why_not_sentences(answer, places),
        premium=premium_sentence(answer),
        age=age_sentence(answer, run.as_of),
        breakeven=breakeven_sentences(recommended, places) if recommended else (),
        twins=_twins(recommended, current, answer.currency),
        split=[(places.place(place), share) for place, share in _split(answer).items()],
        excluded=excluded_view(answer.excluded),
        offers=offer_views(offers, places, facts),
        offers_count=len(offers),
        discounts=discount_views(used_quotes, places),
        failing_sources=[source.words for source in sources_failing_of(used_quotes)],
        builds=build_views(run, used_builds, places),
        throughput=throughput_views(answer.throughput, places, shown_places),
        not_modelled=_not_modelled(answer, recommended),
        facts=[*_workload_facts(workload), *need_facts(answer.need)],
        bridges=bridge_views(answer.bridge, places, answer.currency),
        details=details_of(answer, views, places),
        assumption_facts=_assumption_facts(assumptions, run),
    )


def _detail_places(rows: Sequence[OptionRow]) -> list[str]:
    """Return the places that only the details of options name."""
    details = [row.detail for row in rows]
    ways = [way for detail in details for way in (detail.get("commitment") or {}).get("alternatives", ())]
    curves = [detail["load_curve"].get("three_prices") or {} for detail in details if detail.get("load_curve")]
    return [*(way["quote"] for way in ways), *(place for curve in curves for place in curve.get("accelerators", ()))]


def approval_note(page: RecommendationPage) -> str:
    """Return what the amount for approval is: the P80 where cases were drawn, else the present cost."""
    detail = page.recommended.detail if page.recommended else {}
    is_drawn = known(detail.get("npv_p80"))
    return f"{'not exceeded in 8 of 10 cases' if is_drawn else 'present cost'}, excluding tax"


def _split(answer: Answer) -> dict[str, Decimal]:
    shares = answer.recommendation.get("split") or {}
    return {place: Decimal(str(share)) for place, share in shares.items() if known(share)} if len(shares) > 1 else {}


def _current_place(workload: Mapping[str, Any], places: Places) -> str:
    current = workload.get("current") or {}
    return places.place(str(current["place"])) if current.get("place") else ""


def _shown_places(*options: OptionView | None) -> list[str]:
    parts = [option_parts(option.code) for option in options if option is not None]
    return [place for part in parts for place in (part.build, part.quote) if place]


def _twins(recommended: OptionView | None, current: OptionView | None, currency: str) -> list[Twin]:
    if recommended is None:
        return []
    figures = (
        ("Present cost", "npv", currency, ""),
        ("Nominal cost", "nominal_cost", currency, ""),
        ("Capital", "capital", currency, ""),
        ("Useful accelerator-hour", "cost_per_useful_accelerator_hour", f"{currency} each", "rate"),
    )
    twins = []
    for name, key, unit, kind in figures:
        value: Decimal | None = getattr(recommended, key)
        twin: Decimal | None = getattr(current, key) if current else None
        gap = None if value is None or twin is None or recommended is current else value - twin
        told = [_amount(amount, currency, kind) for amount in (value, twin)]
        note = (
            f"expected {_amount(recommended.expected, currency, kind)}" if key == "npv" and recommended.expected else ""
        )
        twins.append(Twin(name, unit, told[0], told[1], _gap(gap, currency, kind), note))
    return twins


def _amount(value: Decimal | None, currency: str, kind: str) -> str:
    return number_text(value, 4) if kind == "rate" else money_text(value, currency).removeprefix(f"{currency} ")


def _gap(gap: Decimal | None, currency: str, kind: str) -> str:
    if gap is None:
        return "–"
    if not gap:
        return "the same"
    return f"{_amount(abs(gap), currency, kind)} {'less' if gap < 0 else 'more'}"


def _not_modelled(answer: Answer, recommended: OptionView | None) -> list[str]:
    codes = list(answer.recommendation.get("not_modelled") or ())
    told = [not_modelled_sentence(code) for code in codes]
    return list(dict.fromkeys([*told, *(recommended.not_modelled if recommended else ())]))


def _workload_facts(workload: Mapping[str, Any]) -> list[Fact]:
    demand = workload.get("demand") or {}
    facts = [
        ("Kind", str(workload.get("kind", "experimentation")).replace("_", " ")),
        ("Shape", str(workload.get("shape", "one_job")).replace("_", " ")),
        ("Accelerators", number_text(workload.get("accelerators"))),
        ("Accepted types", ", ".join(workload.get("accelerator_types") or ()) or "any"),
        ("Window", _window(workload)),
        ("Needed by", day_text(workload.get("need_by") or workload.get("start"))),
        ("Demand", _demand(demand)),
        ("Data may be in", ", ".join(workload.get("residency") or ()) or "any place"),
    ]
    return [{"name": name, "value": value} for name, value in facts]


def _window(workload: Mapping[str, Any]) -> str:
    start = day_text(workload.get("start"))
    for key, unit in (("months", "months"), ("days", "days")):
        if known(workload.get(key)):
            return f"{number_text(_likely(workload[key]))} {unit} from {start}"
    return f"{start} to {day_text(workload['end'])}" if workload.get("end") else f"from {start}"


def _demand(demand: Mapping[str, Any]) -> str:
    if known(demand.get("utilisation")):
        return f"{percent_text(_likely(demand['utilisation']), 0)} of all hours"
    if known(demand.get("hours_per_month")):
        return f"{number_text(_likely(demand['hours_per_month']))} hours a month"
    if known(demand.get("peak")):
        base, peak = number_text(_likely(demand.get("base"))), number_text(_likely(demand["peak"]))
        return f"{base} to {peak} accelerators, {demand.get('curve') or 'linear'} curve"
    if known(demand.get("tokens_per_second")):
        return f"{number_text(_likely(demand['tokens_per_second']))} tokens per second on average"
    for key, words in (("monthly", "hours stated month by month"), ("hourly", "stated hour by hour")):
        if demand.get(key):
            return words
    return "around the clock"


def _likely(value: Any) -> Any:
    return value.get("likely") if isinstance(value, Mapping) else value


def _assumption_facts(assumptions: Mapping[str, Any], run: Run) -> list[Fact]:
    rate = decimal_of(_likely(assumptions.get("discount_rate")))
    facts = [
        ("Assumption set", str(run.assumption_set)),
        ("Discount rate", f"{percent_text(rate, 2)} a year, effective nominal" if rate is not None else "not stated"),
        ("Longest window", f"{number_text(assumptions.get('horizon_months', 60))} months"),
        ("Hours in a month", number_text(_likely(assumptions.get("hours_per_month", 730)))),
        ("Dates that decide", f"kept in {percent_text(assumptions.get('risk_quantile', '0.8'))} of cases"),
        ("Amounts", f"{run.currency}, excluding tax; prices of the day each quote states"),
    ]
    return [{"name": name, "value": value} for name, value in facts]
