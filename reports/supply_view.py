"""What a recommendation rests on: offers and why they cannot serve, builds and how ready they are, useful work."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.models import AvailabilityRow, EnergizationRow, Run
from reports.option_view import decimal_of
from reports.places import Places
from reports.reason_facts import ReasonFacts
from reports.reasons import exclusion_name, reason_sentence, reason_sentences
from reports.sentences import counted, words
from reports.templatetags.figures import day_text, known, money_text, number_text

OFFERS_SHOWN = 8
GATE_ORDER = ("installed", "powered", "cooled", "networked", "scheduled", "accessible")
_USABLE_FIRST = ("usable_assured", "usable_if_booked", "best_effort", "not_bookable_yet", "unverified", "not_usable")


@dataclass(frozen=True, slots=True)
class OfferView:
    """One quote for this workload: whether it can be booked, and every reason why not."""

    code: str
    name: str
    verdict: str
    reasons: Sequence[str]
    notes: Sequence[str]
    assumed: str
    unproven: str
    sign_by: str
    quoted_on: str


@dataclass(frozen=True, slots=True)
class GateView:
    """One gate of a build."""

    name: str
    status: str
    accelerators: int | None
    is_binding: bool


@dataclass(frozen=True, slots=True)
class BuildView:
    """Readiness of one build that an option uses."""

    code: str
    name: str
    availability_status: str
    energization_status: str
    usable: int
    planned: int
    energized: int
    accessible: int
    p50_on: date | None
    p80_on: date | None
    p90_on: date | None
    gates: Sequence[GateView]
    flags: Sequence[str]
    missing: str


@dataclass(frozen=True, slots=True)
class ThroughputView:
    """How much of an hour is useful work at one place, factor by factor."""

    place: str
    name: str
    efficiency: Decimal | None
    goodput: Decimal | None
    feed: Decimal | None
    useful_share: Decimal | None
    pessimistic_useful_share: Decimal | None
    step_s: Decimal | None
    mtbf_h: Decimal | None
    notes: Sequence[str]
    audit: Sequence[dict[str, Any]]


def offer_views(offers: Collection[AvailabilityRow], places: Places, facts: ReasonFacts) -> list[OfferView]:
    """Return the offers nearest to being usable, best verdict and fewest reasons first."""

    def nearest(offer: AvailabilityRow) -> tuple[int, int, str]:
        rank = _USABLE_FIRST.index(offer.verdict) if offer.verdict in _USABLE_FIRST else len(_USABLE_FIRST)
        return rank, len(offer.reasons), offer.quote_code

    return [_offer_view(offer, places, facts) for offer in sorted(offers, key=nearest)[:OFFERS_SHOWN]]


def _offer_view(offer: AvailabilityRow, places: Places, facts: ReasonFacts) -> OfferView:
    detail = offer.detail
    quote = places.quotes.get(offer.quote_code, {})
    return OfferView(
        code=offer.quote_code,
        name=places.quote(offer.quote_code),
        verdict=offer.verdict,
        reasons=reason_sentences(facts.of_quote(offer.quote_code, offer.reasons)),
        notes=reason_sentences(detail.get("notes")),
        assumed=words(detail.get("assumed") or []),
        unproven=words(detail.get("unproven") or []),
        sign_by=day_text(detail.get("sign_by")),
        quoted_on=day_text(quote.get("quoted_on")),
    )


def discount_views(codes: Collection[str], places: Places) -> list[tuple[str, Sequence[str]]]:
    """Return how the prices of offers follow from their list prices, as the run froze them; none without discount."""
    steps = {code: places.quotes.get(code, {}).get("price_steps") or () for code in codes}
    return [(places.quote(code), told) for code, told in steps.items() if told]


def excluded_view(excluded: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return how many offers each constraint removed, the most first; an offer may fail several."""
    names = [(exclusion_name(reason), int(count)) for reason, count in excluded.items() if count]
    counts = [(name[:1].upper() + name[1:], count) for name, count in names]
    return sorted(counts, key=lambda entry: (-entry[1], entry[0]))


def build_views(run: Run, codes: Collection[str], places: Places) -> list[BuildView]:
    """Return the readiness of builds in this run, as it was on its day."""
    rows = EnergizationRow.objects.filter(run=run, build_code__in=codes).order_by("build_code")
    return [_build_view(row, places) for row in rows]


def _build_view(row: EnergizationRow, places: Places) -> BuildView:
    readiness = row.readiness
    counts = readiness.get("gate_accelerators") or {}
    statuses = readiness.get("gate_status") or {}
    binding = set(readiness.get("binding_gates") or ())
    missing = [*(readiness.get("missing_facts") or ()), *(row.forecast.get("missing") or ())]
    return BuildView(
        code=row.build_code,
        name=places.build(row.build_code),
        availability_status=row.availability_status,
        energization_status=row.energization_status,
        usable=row.usable_accelerators,
        planned=row.planned_accelerators,
        energized=row.energized_accelerators,
        accessible=row.accessible_accelerators,
        p50_on=row.p50_on,
        p80_on=row.p80_on,
        p90_on=row.p90_on,
        gates=[
            GateView(words(gate).capitalize(), str(statuses.get(gate) or ""), counts.get(gate), gate in binding)
            for gate in GATE_ORDER
        ],
        flags=reason_sentences(readiness.get("flags")),
        missing=words(list(dict.fromkeys(missing))),
    )


def throughput_views(throughput: Mapping[str, Any], places: Places, codes: Sequence[str]) -> list[ThroughputView]:
    """Return the useful share of the places that are compared, in their order."""
    shown = [code for code in dict.fromkeys(codes) if isinstance(throughput.get(code), Mapping)]
    return [_throughput_view(code, throughput[code], places) for code in shown]


def _throughput_view(code: str, figures: Mapping[str, Any], places: Places) -> ThroughputView:
    return ThroughputView(
        place=code,
        name=places.place(code),
        efficiency=decimal_of(figures.get("efficiency")),
        goodput=decimal_of(figures.get("goodput")),
        feed=decimal_of(figures.get("feed")),
        useful_share=decimal_of(figures.get("useful_share")),
        pessimistic_useful_share=decimal_of(figures.get("pessimistic_useful_share")),
        step_s=decimal_of(figures.get("step_s")),
        mtbf_h=decimal_of(figures.get("mtbf_h")),
        notes=[reason_sentence(note) for note in figures.get("notes") or ()],
        audit=[_audit_row(row) for row in figures.get("audit") or ()],
    )


def _audit_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return one factor with the numbers behind it, so that it can be redone on paper."""
    numbers = {key: value for key, value in (row.get("numbers") or {}).items() if known(value)}
    told = [
        f"{words(key)} {number_text(value) if isinstance(value, int | float) else value}"
        for key, value in numbers.items()
    ]
    return {
        "factor": words(row.get("factor")).capitalize(),
        "value": decimal_of(row.get("value")),
        "numbers": ", ".join(told),
    }


def need_facts(need: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what the engine advises on the size of the workload; what it did not work out is left out."""
    named = (
        ("fewest_by_memory", "Fewest that hold the model"),
        ("fewest_by_deadline", "Fewest that meet the deadline"),
        ("best_n", "Cheapest size for the same work"),
    )
    facts = [
        {"name": name, "value": counted(need[key], "accelerator")}
        for key, name in named
        if known(need.get(key)) and not isinstance(need.get(key), Mapping)
    ]
    facts.append({"name": "Does it need a cluster?", "value": cluster_sentence(need)})
    facts += fleet_facts(need.get("fleet"))
    notes = [reason_sentence(note) for note in need.get("notes") or ()]
    return [*facts, *({"name": "Note", "value": note} for note in notes)]


def fleet_facts(fleet: Any) -> list[dict[str, str]]:
    """Return how the size of an inference service is made up: mean, peak, queue, spare, whole nodes."""
    if not isinstance(fleet, Mapping):
        return []
    named = (
        ("for_mean", "Service: for the mean rate of tokens"),
        ("for_peak", "Service: for the peak rate"),
        ("for_queue", "Service: so that few requests wait"),
        ("redundant", "Service: spare"),
        ("total", "Service: in all, whole nodes"),
    )
    facts = [
        {"name": name, "value": counted(fleet[key], "accelerator")} for key, name in named if known(fleet.get(key))
    ]
    rate = fleet.get("rate")
    if isinstance(rate, Mapping):
        each = f"{number_text(rate['tokens_per_second'], 0)} tokens per second ({words(rate['basis'])})"
        facts.append({"name": "Service: usable rate of an accelerator", "value": each})
    return facts


CLUSTER_BECAUSE = {
    "memory": "the model needs {accelerators} to fit in memory",
    "deadline": "{accelerators} finish in time",
    "stated_size": "{accelerators} are asked for; neither memory nor deadline says how many are needed",
    "stated_interconnect": "it asks for a network between nodes",
    "parts_work_alone": "its parts work alone, each on {accelerators}",
}


def cluster_sentence(need: Mapping[str, Any]) -> str:
    """Return whether the workload needs a cluster, and by what; a node is what one server holds."""
    found = need.get("cluster")
    if not isinstance(found, Mapping):
        single = need.get("single_node_sufficient")
        return "not worked out" if single is None else "no: one node is enough" if single else "yes"
    because = CLUSTER_BECAUSE[found["because"]].format(accelerators=counted(found["accelerators"], "accelerator"))
    return f"{found['answer']}: {because}; a node holds {number_text(found['node'])}"


@dataclass(frozen=True, slots=True)
class BridgeView:
    """What waiting for a build would mean."""

    build: str
    facts: Sequence[str]


def bridge_views(bridge: Mapping[str, Any], places: Places, currency: str) -> list[BridgeView]:
    """Return what waiting for each build would mean; a build that is there in time is left out."""
    views = []
    for code, plan in bridge.items():
        wait = decimal_of(plan.get("expected_wait_days"))
        idle = decimal_of(plan.get("expected_idle_depreciation"))
        if not wait and not idle:
            continue
        told = [f"Expected wait after the need: {counted(round(wait), 'day')}." if wait else ""]
        told.append(f"Rented on demand until then: {_money(plan, 'expected_bridge_cost_on_demand', currency)}.")
        if known(plan.get("reserve_days")):
            until = day_text(plan.get("reserve_until"))
            cost = _money(plan, "expected_bridge_cost", currency)
            told.append(f"Cheapest: reserve {counted(plan['reserve_days'], 'day')}, until {until}: {cost} expected.")
        if idle:
            days = counted(round(decimal_of(plan.get("expected_idle_days")) or 0), "day")
            told.append(
                f"Delivered hardware is expected to stand idle {days}: {money_text(idle, currency)} of depreciation."
            )
        views.append(BridgeView(places.build(code), [*(fact for fact in told if fact and "–" not in fact)]))
    return [view for view in views if view.facts]


def _money(plan: Mapping[str, Any], key: str, currency: str) -> str:
    return money_text(decimal_of(plan.get(key)), currency)
