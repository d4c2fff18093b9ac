"""When a build will be usable (R12, semantics 33 to 37): hand-worked days, laws, and independent draws."""

import math
import time
from datetime import date

import numpy as np
import pytest
from scipy.stats import norm

from procurement.engine.milestones import PHYSICAL_GATES
from procurement.engine.slip import DEFAULT_SLIPS, GRID_DAYS, reconfirmation
from tests.engine.readiness_documents import all_gates, build, document, forecast, judged, power, promise, proof

OPEN = all_gates(without=("powered",))
LONGEST_SECONDS = 3.0
Z90 = 1.2815515655446004


def closed_form(day: str, stated_on: str, as_of: str, p: float, p10: float, p90: float) -> date:
    """Return the first day with F >= p from the closed form of the conditioned lognormal, without the grid."""
    stated, promised, today = (date.fromisoformat(one) for one in (stated_on, day, as_of))
    mu, sigma = (math.log(p10) + math.log(p90)) / 2, (math.log(p90) - math.log(p10)) / (2 * Z90)
    duration = max((promised - stated).days, 14)
    elapsed = max((today - stated).days, 0)
    before = norm.cdf((math.log(elapsed / duration) - mu) / sigma) if elapsed else 0.0
    quantile = before + p * (1 - before)
    days = duration * math.exp(mu + sigma * norm.ppf(quantile))
    return date.fromordinal(stated.toordinal() + math.ceil(days))


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8, 0.9])
@pytest.mark.parametrize(
    ("_case", "day", "stated_on"),
    [
        ("a promise to come", "2027-03-31", "2026-03-31"),
        ("a promise that passed a month ago", "2026-10-31", "2025-10-31"),
        ("a promise made yesterday", "2027-06-01", "2026-11-29"),
    ],
)
def test_one_promise_follows_the_closed_form(_case, day, stated_on, p):
    found = forecast(OPEN, [promise("powered", day, stated_on)])

    assert found.quantile_date(p) == closed_form(day, stated_on, "2026-11-30", p, 1.0, 1.7174)


def test_an_overdue_gate_is_never_forecast_in_the_past():
    found = forecast(OPEN, [promise("powered", "2020-01-01", "2019-01-01")])

    assert found.p10 > date(2026, 11, 30)


def test_a_promised_duration_is_at_least_fourteen_days():
    """One day promised counts as 14: median 14 x sqrt(1.7174) = 18.35 days, so the nineteenth day."""
    found = forecast(OPEN, [promise("powered", "2026-12-01", "2026-11-30")])

    assert found.p50 == date(2026, 12, 19)


def test_parallel_gates_multiply():
    """Two gates of one promise: both there with probability F squared, so P50 is where F = sqrt(0.5)."""
    days = {"date": "2027-03-31", "stated_on": "2026-11-30"}
    both = forecast(
        all_gates(without=("powered", "cooled")), [{"gate": gate, **days} for gate in ("powered", "cooled")]
    )

    expected = closed_form("2027-03-31", "2026-11-30", "2026-11-30", math.sqrt(0.5), 1.0, 1.7174)

    assert both.p50 == expected


def test_bring_up_follows_the_gates():
    """A gate without spread on 2027-01-29, then 20 days without spread: exactly 20 days later."""
    exact = {"slip_classes": {"bringup": {"p10": 1, "p90": 1}, "exact": {"p10": 1, "p90": 1}}}

    found = forecast(
        OPEN, [promise("powered", "2027-01-29", "2026-11-30", **{"class": "exact"})], assumptions=exact, bringup_days=20
    )

    assert found.p10 == found.p90 == date(2027, 2, 18)


def test_independent_draws_agree_within_two_days():
    promises = [
        promise("powered", "2027-03-31", "2026-03-31"),
        promise("cooled", "2027-03-15", "2026-05-01"),
        promise("installed", "2027-03-01", "2026-06-01"),
    ]
    found = forecast(all_gates(without=("powered", "cooled", "installed")), promises, bringup_days=21)
    draws = np.random.Generator(np.random.PCG64(1))
    today, latest = date(2026, 11, 30), np.zeros(400_000)
    for one, slip in zip(promises, ("construction_power", "construction_power", "equipment_delivery"), strict=True):
        stated, promised = date.fromisoformat(one["stated_on"]), date.fromisoformat(one["date"])
        when = (promised - stated).days * _ratios(draws, slip) - (today - stated).days
        latest = np.maximum(latest, np.where(when > 0, when, np.nan))
    usable = np.ceil(latest + 21 * _ratios(draws, "bringup"))

    for p in (0.1, 0.5, 0.9):
        assert abs((found.quantile_date(p) - today).days - np.nanquantile(usable, p)) <= 2


def _ratios(draws, name):
    slip = DEFAULT_SLIPS[name]
    mu = (math.log(slip.p10) + math.log(slip.p90)) / 2
    sigma = (math.log(slip.p90) - math.log(slip.p10)) / (2 * Z90)
    return np.exp(draws.normal(mu, sigma, 400_000))


def test_a_changed_promise_gains_nothing():
    """First promise a year ahead; later ones of "next month" never bring the date before the first one's."""
    first = promise("powered", "2027-03-31", "2026-03-31")
    later = promise("powered", "2026-12-20", "2026-11-25")

    alone, changed = forecast(OPEN, [first]), forecast(OPEN, [first, later])

    assert changed.p50 == alone.p50
    assert np.all(changed.cdf_all <= alone.cdf_all + 1e-12)


def test_a_promise_that_moved_out_moves_the_forecast():
    first = promise("powered", "2026-12-31", "2026-03-31")
    later = promise("powered", "2027-12-31", "2026-11-01")

    assert forecast(OPEN, [first, later]).p50 == forecast(OPEN, [later]).p50


def test_of_many_promises_the_first_and_the_latest_count():
    first, middle, latest = (
        promise("powered", "2026-12-31", "2026-03-31"),
        promise("powered", "2029-12-31", "2026-06-01"),
        promise("powered", "2027-06-30", "2026-11-01"),
    )

    assert forecast(OPEN, [latest, first, middle]).p50 == forecast(OPEN, [first, latest]).p50


@pytest.mark.parametrize(
    ("_case", "records", "slip"),
    [
        ("no agreement is asked for", [], "construction_power"),
        ("the agreement is accepted", [proof("service_agreement", 1600, unit="kw")], "construction_power"),
        ("the agreement is only claimed", [proof("service_agreement", 1600, "D", unit="kw")], "power_uncommitted"),
        ("the agreement was ended",
         [proof("service_agreement", 1600, unit="kw", observed_on="2026-10-01"),
          proof("service_agreement", 0, unit="kw", event="lost")], "power_uncommitted"),
    ],
)  # fmt: skip
def test_default_class_of_power_follows_the_service_agreement(_case, records, slip):
    days = promise("powered", "2027-03-31", "2026-03-31")

    assert forecast([*OPEN, *records], [days]).p50 == forecast(OPEN, [days | {"class": slip}]).p50


def test_a_promised_service_agreement_is_a_missing_one():
    days = promise("powered", "2027-03-31", "2026-03-31")
    agreement = promise("service_agreement", "2027-01-31", "2026-11-01")

    assert forecast(OPEN, [days, agreement]).p50 == forecast(OPEN, [days | {"class": "power_uncommitted"}]).p50


@pytest.mark.parametrize(
    ("gate", "slip"),
    [("cooled", "construction_power"), ("installed", "equipment_delivery"), ("networked", "equipment_delivery"),
     ("scheduled", "bringup"), ("accessible", "bringup")],
)  # fmt: skip
def test_default_class_of_other_gates(gate, slip):
    statements, days = all_gates(without=(gate,)), promise(gate, "2027-03-31", "2026-03-31")

    assert forecast(statements, [days]).p90 == forecast(statements, [days | {"class": slip}]).p90


def test_slip_classes_of_the_assumptions_replace_the_defaults():
    days = promise("powered", "2027-01-29", "2026-11-30")
    exact = {"slip_classes": {"construction_power": {"p10": 2, "p90": 2}}}

    assert forecast(OPEN, [days], assumptions=exact).p50 == date(2027, 3, 30)  # 2 x 60 days


@pytest.mark.parametrize(
    ("_case", "without", "promises", "more", "missing"),
    [
        ("a gate without promise", ("powered", "cooled"), [promise("powered", "2027-03-31")], {}, ("cooled",)),
        ("scheduled needs a promise without bring-up", ("scheduled",), [], {}, ("scheduled",)),
        ("bring-up stands in for scheduled and accessible", ("powered", "scheduled", "accessible"),
         [promise("powered", "2027-03-31")], {"bringup_days": 21}, ()),
        ("bring-up stands in for no physical gate", ("powered",), [], {"bringup_days": 21}, ("powered",)),
        ("one of two media", ("cooled",), [promise("cooled", "2027-03-31", medium="air")],
         {"cooling_kw_per_node": {"air": 4, "liquid": 8}}, ("cooled",)),
        ("a promise without medium covers both", ("cooled",), [promise("cooled", "2027-03-31")],
         {"cooling_kw_per_node": {"air": 4, "liquid": 8}}, ()),
    ],
)  # fmt: skip
def test_a_gate_without_date_leaves_no_forecast(_case, without, promises, more, missing):
    found = forecast(all_gates(without=without), promises, **more)

    assert found.missing == missing
    assert found.status == ("no_forecast" if missing else "ok")
    assert (found.p50 is None) == bool(missing)


def test_without_forecast_the_other_gates_say_not_before():
    one = [promise("powered", "2027-03-31", "2026-03-31")]

    partly = forecast(all_gates(without=("powered", "cooled")), one)

    assert partly.not_before_p50 == forecast(OPEN, one).p50
    assert forecast(all_gates(without=("cooled",))).not_before_p50 is None


def test_a_promise_of_access_multiplies_in_after_bring_up():
    promises = [promise("powered", "2027-01-31", "2026-11-30"), promise("accessible", "2028-01-31", "2026-11-30")]

    found = forecast(all_gates(without=("powered", "accessible")), promises, bringup_days=21)

    assert found.p50 >= found.per_gate["accessible"]["p50"]
    assert found.p90 == found.per_gate["accessible"]["p90"]


def test_only_bring_up_is_left_when_the_physical_gates_are_there():
    """Median of 21 days x sqrt(1.00 x 2.50) = 33.2: the 34th day from today."""
    assert forecast(all_gates(without=("scheduled",)), bringup_days=21).p50 == date(2027, 1, 3)


def test_what_is_verified_is_done():
    found = forecast(all_gates())

    assert (found.status, found.p50, found.missing) == ("done", date(2026, 11, 30), ())


def test_a_cancelled_build_has_no_forecast():
    found = forecast(OPEN, [promise("powered", "2027-03-31")], cancelled_on="2026-11-01")

    assert (found.status, found.missing, found.cdf_for(8)) == ("no_forecast", ("cancelled",), None)


def test_a_gate_that_only_aged_is_confirmed_again():
    """P10, P50, P90 of 1, 5, 15 days from 2026-11-30."""
    found = forecast([*OPEN, power(1600, observed_on="2026-07-01")])

    assert found.conditions == ("renew:powered",)
    assert (found.p10, found.p50, found.p90) == (date(2026, 12, 1), date(2026, 12, 5), date(2026, 12, 15))
    assert (found.usable_now, found.renewable_now) == (0, 1024)


def test_renewal_needs_no_second_bring_up():
    aged = [*OPEN, power(1600, observed_on="2026-07-01")]

    assert forecast(aged, bringup_days=60).p50 == date(2026, 12, 5)


def test_an_aged_part_still_needs_a_promise_for_the_rest():
    aged = [*OPEN, power(800, observed_on="2026-07-01")]

    assert forecast(aged).missing == ("powered",)
    assert forecast(aged, [promise("powered", "2027-03-31")]).p50 > date(2027, 3, 31)


def test_a_lost_gate_is_not_saved_by_the_promise_it_once_kept():
    lost = [*OPEN, power(1600), power(0, "C", "2026-11-20", event="lost")]

    assert forecast(lost, [promise("powered", "2026-09-30", "2025-09-30")]).missing == ("powered",)
    assert forecast(lost, [promise("powered", "2027-01-31", "2026-11-25")], bringup_days=5).status == "ok"


def test_a_build_whose_node_lists_do_not_meet_has_no_date():
    lists = [{"gate": gate, "nodes": nodes, "grade": "C", "observed_on": "2026-11-20"}
             for gate, nodes in (("installed", [1, 128]), ("powered", [129, 256]))]  # fmt: skip

    found = forecast([*all_gates(without=("installed", "powered")), *lists])

    assert (found.status, found.missing) == ("no_forecast", ("installed", "powered"))


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "accepted", "at_p50"),
    [
        ("accepted delivery by its achieved day",
         [proof("delivered", observed_on="2026-11-01", achieved_on="2026-10-15")], [], date(2026, 10, 15), None),
        ("else installed by its observed day",
         [proof("installed", observed_on="2026-11-05")], [], date(2026, 11, 5), None),
        ("else the forecast of the promise",
         [], [promise("delivered", "2027-01-29", "2026-11-30") | {"class": "exact"}], None, date(2027, 1, 29)),
        ("else nothing", [], [], None, None),
    ],
)  # fmt: skip
def test_day_of_delivery(_case, statements, promises, accepted, at_p50):
    exact = {"slip_classes": {"exact": {"p10": 1, "p90": 1}}}

    found = forecast(statements, promises, assumptions=exact)

    assert found.delivered_on == accepted
    assert found.delivery_date(0.5) == (accepted or at_p50)


def test_distributions_rise_from_nothing_towards_certainty():
    promises = [promise(gate, "2027-03-31", "2026-03-31") for gate in PHYSICAL_GATES]
    found = forecast(all_gates(without=PHYSICAL_GATES), promises, bringup_days=21)

    assert found.cdf_all.shape == found.days.shape == (GRID_DAYS + 1,)
    assert found.cdf_all[0] == pytest.approx(0)
    assert np.all(np.diff(found.cdf_all) >= 0)
    assert found.cdf_all[-1] == pytest.approx(1)


def test_one_more_open_gate_never_brings_the_date_forward():
    promises = [promise(gate, "2027-03-31", "2026-03-31") for gate in PHYSICAL_GATES]
    dates = [
        forecast(all_gates(without=PHYSICAL_GATES[:count]), promises[:count]).p50
        for count in range(1, len(promises) + 1)
    ]

    assert dates == sorted(dates)


def test_a_quantile_beyond_twenty_years_is_not_given():
    found = forecast(OPEN, [promise("powered", "2050-01-01", "2026-11-30")])

    assert (found.status, found.p50) == ("ok", None)


def test_renewal_meets_its_three_quantiles():
    assert reconfirmation()[[0, 1, 5, 15]] == pytest.approx([0, 0.1, 0.5, 0.9])


def test_fifty_builds_are_forecast_quickly():
    """Well under a second on an idle machine; the bound leaves room for a busy one."""
    promises = [promise(gate, "2027-03-31", "2026-03-31") for gate in PHYSICAL_GATES]
    one = build(all_gates(without=PHYSICAL_GATES), promises, bringup_days=21)
    known = judged(document(*(one | {"id": f"b{index}"} for index in range(50))))

    begin = time.perf_counter()
    assert len(known.forecasts) == 50
    assert time.perf_counter() - begin < LONGEST_SECONDS
