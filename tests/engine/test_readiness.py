"""What is usable in all: tranches, pools, sites, statuses, missing facts (sections 5.5 and 5.6, R10, R11)."""

import pytest

from tests.engine.readiness_documents import all_gates, build, document, judged, power, promise, proof, ready

TWO = [{"id": "T1", "planned_accelerators": 512}, {"id": "T2", "planned_accelerators": 512}]
ONE_DOMAIN = [{**tranche, "fabric_domain": "spine"} for tranche in TWO]


def in_tranche(name, **more):
    return all_gates(512, tranche=name, **more)


def test_tranches_add_up_and_a_job_stays_inside_one_domain():
    apart = ready([*in_tranche("T1"), *in_tranche("T2")], tranches=TWO)
    joined = ready([*in_tranche("T1"), *in_tranche("T2")], tranches=ONE_DOMAIN)

    assert apart.usable_accelerators == joined.usable_accelerators == 1024
    assert (apart.largest_multi_node_job, joined.largest_multi_node_job) == (512, 1024)


def test_gates_of_different_tranches_do_not_help_each_other():
    """T1 has everything but power, T2 everything but cooling: the totals are 512 each, and nothing is usable."""
    found = ready([*in_tranche("T1", without=("powered",)), *in_tranche("T2", without=("cooled",))], tranches=TWO)

    assert found.usable_accelerators == 0
    assert found.gate_accelerators["powered"] == found.gate_accelerators["cooled"] == 512
    assert found.binding_gates == ("powered", "cooled")
    assert found.flags == ("missing_date:cooled", "missing_date:powered")


def test_evidence_beyond_the_plan_of_a_tranche_does_not_spill_over():
    statements = [*in_tranche("T1", without=("powered",)), *in_tranche("T2", without=("powered",))]

    assert ready([*statements, power(5000, tranche="T1")], tranches=TWO).usable_accelerators == 512


def test_a_pool_limits_all_tranches_together():
    """Pool 800 kW / 12.4 = 64 nodes = 512; no tranche has power of its own, so the gate is left out of theirs."""
    statements = [*in_tranche("T1", without=("powered",)), *in_tranche("T2", without=("powered",))]

    found = ready([*statements, power(800, tranche="*")], tranches=TWO)

    assert found.usable_accelerators == 512
    assert found.gate_accelerators["powered"] == 512
    assert found.gate_status["powered"] == "partial"
    assert found.binding_gates == ("powered",)
    assert found.flags == ()


def test_a_tranche_with_its_own_evidence_is_still_limited_by_the_pool():
    statements = [*in_tranche("T1", without=("powered",)), *in_tranche("T2", without=("powered",))]

    found = ready([*statements, power(1600, tranche="*"), power(124, tranche="T1")], tranches=TWO)

    assert found.usable_accelerators == 80 + 512


def test_a_lost_pool_takes_every_tranche_with_it():
    statements = [*in_tranche("T1"), *in_tranche("T2"), power(0, "C", "2026-11-29", tranche="*", event="lost")]

    found = ready(statements, tranches=TWO)

    assert found.usable_accelerators == 0
    assert found.availability_status == "suspended"
    assert "recheck_after_loss:scheduled" in found.flags


def test_a_promised_pool_does_not_limit_what_is_proven():
    statements = [*in_tranche("T1"), *in_tranche("T2")]

    assert ready(statements, [promise("powered", "2027-06-01", tranche="*")], tranches=TWO).usable_accelerators == 1024


def test_a_promise_for_the_pool_speaks_for_tranches_without_their_own():
    statements = [*in_tranche("T1", without=("powered",)), *in_tranche("T2", without=("powered",))]

    found = ready(statements, [promise("powered", "2027-06-01", tranche="*")], tranches=TWO)

    assert found.gate_status["powered"] == "planned"
    assert found.flags == ()


def test_a_job_over_all_tranches_proves_its_size_in_all():
    found = ready([proof("job_run", 768, "A", scope="rdma", tranche="*")], tranches=TWO)

    assert found.usable_accelerators == found.largest_multi_node_job == 768


def test_a_job_on_one_tranche_leaves_the_other_without_dates():
    found = ready([proof("job_run", 512, "A", scope="rdma", tranche="T1")], tranches=TWO)

    assert found.usable_accelerators == 512
    assert "missing_date:powered" in found.flags


def site(name, **more):
    return build(all_gates(without=("powered",)), **{"id": name, "site": "north", **more})


def test_a_site_feed_is_shared_by_its_builds_and_never_promised_twice():
    """1,240 kW are 100 nodes for two builds that want 128 each: 50 nodes, 400 accelerators, for each."""
    one = site("one")
    one["evidence"].append(power(1240, tranche="site:north"))

    found = judged(document(one, site("two"))).readiness

    assert [found[name].usable_accelerators for name in ("one", "two")] == [400, 400]


def test_a_site_feed_that_is_enough_limits_nobody():
    one = site("one")
    one["evidence"].append(power(3200, tranche="site:north"))

    found = judged(document(one, site("two"))).readiness

    assert [found[name].usable_accelerators for name in ("one", "two")] == [1024, 1024]


def test_a_site_feed_is_shared_by_power_and_not_by_count():
    """One build draws 12.4, the other 24.8 kW a node: 3/4 of the 4,761.6 kW wanted leave 96 nodes for each."""
    one, two = site("one"), site("two", it_kw_per_node=24.8)
    one["evidence"].append(power(3571.2, tranche="site:north"))

    found = judged(document(one, two)).readiness

    assert [found[name].usable_accelerators for name in ("one", "two")] == [768, 768]


def test_the_order_of_builds_does_not_decide_who_gets_the_feed():
    one, two = site("one"), site("two", tranches=[{"id": "T1", "planned_accelerators": 256}])
    one["evidence"].append(power(1000, tranche="site:north"))

    forth, back = judged(document(one, two)).readiness, judged(document(two, one)).readiness

    assert {name: one.answer() for name, one in forth.items()} == {name: one.answer() for name, one in back.items()}


def test_the_other_builds_of_a_site_see_its_loss():
    one = site("one")
    one["evidence"] += [
        power(3200, tranche="site:north"),
        power(0, "C", "2026-11-29", tranche="site:north", event="lost"),
    ]

    assert judged(document(one, site("two"))).readiness["two"].energization_status == "de_energized"


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "expected"),
    [
        ("covers what is planned", [power(1600)], [], "energized"),
        ("covers part of it", [power(800)], [], "partially_energized"),
        ("lost", [power(1600), power(0, "C", "2026-11-20", event="lost")], [], "de_energized"),
        ("fell to nothing in silence", [power(1600), power(0, "C", "2026-11-20")], [], "disputed"),
        ("aged", [power(1600, observed_on="2026-07-01")], [], "stale"),
        ("claimed", [power(1600, "D")], [promise("powered", "2027-01-15")], "claimed"),
        ("promise passed", [], [promise("powered", "2026-11-01")], "overdue"),
        ("promise to come", [], [promise("powered", "2027-01-15")], "scheduled"),
        ("nothing", [], [], "no_date"),
        ("lost long ago and claimed again", [power(0, "C", "2026-03-01", event="lost"), power(1600, "D")], [],
         "de_energized"),
    ],
)  # fmt: skip
def test_energization_status(_case, statements, promises, expected):
    assert ready([*all_gates(without=("powered",)), *statements], promises).energization_status == expected


DELIVERED = proof("delivered")


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "changes", "expected"),
    [
        ("cancelled on the day", all_gates(), [], {"cancelled_on": "2026-11-30"}, "cancelled"),
        ("cancelled later", all_gates(), [], {"cancelled_on": "2026-12-01"}, "available"),
        ("everything", all_gates(), [], {}, "available"),
        ("a part", all_gates(512), [], {}, "partial"),
        ("power lost", [*all_gates(without=("powered",)), power(0, "C", event="lost")], [], {}, "suspended"),
        ("access lost", [*all_gates(), proof("accessible", 0, "C", "2026-11-29", event="lost")], [], {}, "suspended"),
        ("lost before disputed",
         [*all_gates(without=("powered", "cooled")), power(0, "C", event="lost"),
          proof("cooled", observed_on="2026-11-01"), proof("cooled", 0)], [], {}, "suspended"),
        ("dates that contradict",
         [*all_gates(without=("installed",)), proof("delivered", achieved_on="2026-10-10"),
          proof("installed", achieved_on="2026-10-01")], [], {}, "disputed"),
        ("only aged", [*all_gates(without=("powered",)), power(1600, observed_on="2026-07-01")], [], {}, "unverified"),
        ("aged and another gate missing",
         [*all_gates(without=("powered", "cooled")), power(1600, observed_on="2026-07-01")], [], {}, "awaiting_power"),
        ("closed to this buyer", all_gates(without=("accessible",)), [], {}, "not_open_to_buyer"),
        ("installed without power", [proof("installed")], [], {}, "awaiting_power"),
        ("powered, another gate missing", [power(1600)], [], {}, "blocked"),
        ("delivered", [DELIVERED], [], {}, "building"),
        ("ordered", [proof("ordered")], [], {}, "building"),
        ("only an agreement", [proof("service_agreement", 1600, unit="kw")], [], {}, "announced"),
        ("only a promise", [], [promise("powered", "2027-01-15")], {}, "announced"),
        ("only a claim", [proof("installed", grade="E")], [], {}, "announced"),
        ("nothing", [], [], {}, "unknown"),
    ],
)  # fmt: skip
def test_availability_status_is_the_first_that_applies(_case, statements, promises, changes, expected):
    found = ready(statements, promises, **changes)

    assert found.availability_status == expected


def test_a_cancelled_build_offers_nothing():
    found = ready(all_gates(), cancelled_on="2026-10-01")

    assert (found.usable_accelerators, found.usable_single_node, found.last_known_usable) == (0, 0, 0)


def test_a_single_node_design_is_judged_by_its_front_end():
    statements = [*all_gates(without=("networked",)), proof("networked", 1024, scope="frontend")]

    found = ready(statements, design_class="single_node")

    assert found.availability_status == "available"
    assert (found.usable_single_node, found.usable_multi_node) == (1024, 0)


@pytest.mark.parametrize(
    ("_case", "statements", "expected"),
    [
        ("no evidence says what kind of power it is", [power(1600)], None),
        ("all of it is firm", [power(1600, power_basis="utility_firm")], 1024),
        ("none of it is firm", [power(1600, power_basis="onsite_temporary")], 0),
        ("interruptible is not firm", [power(1600, power_basis="utility_interruptible")], 0),
        ("own permanent plant is firm", [power(1600, power_basis="onsite_permanent")], 1024),
        ("8 MW and turbines of one day: 800 kW = 512 firm of 1,024",
         [power(800, power_basis="utility_firm"), power(800, power_basis="onsite_temporary")], 512),
        ("turbines came later, as part of a larger total",
         [power(800, power_basis="utility_firm"), power(1600, "B", "2026-11-01", power_basis="onsite_temporary")], 512),
    ],
)  # fmt: skip
def test_what_is_usable_on_firm_power_alone(_case, statements, expected):
    found = ready([*all_gates(without=("powered",)), *statements])

    assert found.usable_firm == expected
    assert found.usable_accelerators == 1024


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "missing"),
    [
        ("nothing on record", [], [],
         ("network_design", "power_status", "cooling_readiness", "delivery_date", "buyer_access_terms")),
        ("everything proven", all_gates(), [], ()),
        ("delivery is met by installed", [proof("installed")], [],
         ("network_design", "power_status", "cooling_readiness", "buyer_access_terms")),
        ("delivery is met by delivered", [*all_gates(without=("installed",)), DELIVERED], [], ()),
        ("a promise is on record", all_gates(without=("powered",)), [promise("powered", "2027-01-15")], ()),
        ("a claim is not", [*all_gates(without=("powered",)), power(1600, "D")], [], ("power_status",)),
        ("aged evidence is on record",
         [*all_gates(without=("powered",)), power(1600, observed_on="2025-01-01")], [], ()),
        ("an own job puts everything on record", [proof("job_run", 8, "A", scope="rdma")], [], ()),
    ],
)  # fmt: skip
def test_facts_that_are_missing(_case, statements, promises, missing):
    assert ready(statements, promises).missing_facts == missing


def test_newest_evidence_names_where_it_is_written_down():
    found = ready([power(1600, "C", "2026-10-01"), power(1600, "B", "2026-11-01")])

    assert found.answer()["newest_evidence"]["powered"] == {
        "build": "b", "index": 1, "observed_on": "2026-11-01", "grade": "B",
    }  # fmt: skip


def test_more_evidence_of_a_gate_never_lowers_what_is_usable():
    """Law: one more good statement on top of any subset of gates helps or changes nothing."""
    statements = all_gates()
    for count in range(len(statements)):
        before = ready(statements[:count]).usable_accelerators
        assert ready(statements[: count + 1]).usable_accelerators >= before
