"""Whether a quote can be had (R14, semantics 10 to 12, 39, 40): one row per rule, edges included."""

import time
from datetime import date

import numpy as np
import pytest

from tests.engine.readiness_documents import (
    all_gates,
    booked,
    build,
    document,
    judged,
    power,
    promise,
    quote,
    workload,
)  # fmt: skip

LIST = {  # a line of a price list: no quantity, domain, scale or start
    "capacity_class": None, "quantity_available": None, "largest_domain_accelerators": None, "interconnect": None,
    "earliest_start": None,
}  # fmt: skip
LONGEST_SECONDS = 5.0


@pytest.mark.parametrize(
    ("_case", "offer", "need", "verdict", "reasons"),
    [
        ("fits", {}, {}, "usable_if_booked", ()),
        ("exactly the quantity", {}, {"accelerators": 512}, "usable_if_booked", ()),
        ("one too many", {}, {"accelerators": 513, "shape": "replicas"}, "not_usable", ("quantity_too_small",)),
        ("one job beyond one domain", {"quantity_available": 1024}, {"accelerators": 513}, "not_usable",
         ("one_domain_too_small",)),
        ("replicas may span domains", {"quantity_available": 1024}, {"accelerators": 513, "shape": "replicas"},
         "usable_if_booked", ()),
        ("other accelerator", {"accelerator": "A100"}, {}, "not_usable", ("wrong_accelerator",)),
        ("any accelerator is accepted when none is named", {"accelerator": "A100"}, {"accelerator_types": []},
         "usable_if_booked", ()),
        ("a variant of the model", {"accelerator": "H100 SXM 80GB"}, {}, "usable_if_booked", ()),
        ("PCIe never stands in for SXM", {"accelerator": "H100 PCIe"}, {"accelerator_types": ["H100 SXM"]},
         "not_usable", ("wrong_accelerator",)),
        ("weaker network", {"interconnect": "single_node"}, {}, "not_usable", ("interconnect_too_weak",)),
        ("stronger network", {"interconnect": "cluster_scale"}, {}, "usable_if_booked", ()),
        ("multi node is not cluster scale", {}, {"interconnect": "cluster_scale"}, "not_usable",
         ("interconnect_too_weak",)),
        ("one job across nodes needs a fabric even if it does not say so", {"interconnect": "single_node"},
         {"interconnect": None}, "not_usable", ("interconnect_too_weak",)),
        ("independent jobs do not", {"interconnect": "single_node"},
         {"interconnect": None, "shape": "independent_jobs"}, "usable_if_booked", ()),
        ("accepted fabric", {"fabric": "roce"}, {"fabrics": ["roce", "infiniband"]}, "usable_if_booked", ()),
        ("other fabric", {"fabric": "ethernet"}, {"fabrics": ["infiniband"]}, "not_usable", ("fabric_not_accepted",)),
        ("unknown fabric is not a yes", {}, {"fabrics": ["infiniband"]}, "unverified", ("missing:fabric",)),
        ("enough memory", {}, {"min_memory_gb": 80}, "usable_if_booked", ()),
        ("too little memory", {}, {"min_memory_gb": 81}, "not_usable", ("memory_too_small",)),
        ("unknown memory", {"accelerator": "Novel9"}, {"accelerator_types": ["Novel9"], "min_memory_gb": 8},
         "unverified", ("missing:memory_gb",)),
        ("longest time it may be held", {"max_days": 28}, {}, "usable_if_booked", ()),
        ("a day too long", {"max_days": 27}, {}, "not_usable", ("duration_over_max",)),
        ("a year of months is 365 days", {"max_days": 365}, {"months": 12, "days": None}, "usable_if_booked", ()),
        ("starts on the day of need", {"earliest_start": "2026-12-15"}, {}, "usable_if_booked", ()),
        ("starts a day after", {"earliest_start": "2026-12-16"}, {}, "not_usable", ("starts_after_need",)),
        ("need_by gives it time", {"earliest_start": "2026-12-16"}, {"need_by": "2026-12-20"}, "usable_if_booked", ()),
        ("held to the last day: 2026-12-15 + 28 days", {"available_to": "2027-01-11"}, {}, "usable_if_booked", ()),
        ("ends a day early", {"available_to": "2027-01-10"}, {}, "not_usable", ("ends_before_done",)),
        ("enough quota", {"quota_accelerators": 128}, {}, "usable_if_booked", ()),
        ("quota short", {"quota_accelerators": 127}, {}, "not_usable", ("quota_short",)),
        ("booking closes today", {"lead_time_days": 15}, {}, "usable_if_booked", ()),
        ("booking closed yesterday", {"lead_time_days": 16}, {}, "not_usable", ("too_late_to_book",)),
        ("allowed provider", {}, {"allowed_providers": ["example"]}, "usable_if_booked", ()),
        ("other provider", {}, {"allowed_providers": ["Other"]}, "not_usable", ("provider_not_allowed",)),
        ("unknown provider", {"provider": None}, {"allowed_providers": ["Other"]}, "unverified", ("missing:provider",)),
        ("spot for work that survives it", {"purchase_model": "spot", "quoted_on": "2026-11-30"},
         {"interruptible": True}, "usable_if_booked", ()),
        ("spot for work that does not", {"purchase_model": "spot", "quoted_on": "2026-11-30"}, {}, "not_usable",
         ("not_interruptible",)),
        ("window opens on the day", {"booking_horizon_days": 15}, {}, "usable_if_booked", ()),
        ("window not yet open", {"booking_horizon_days": 14}, {}, "not_bookable_yet", ()),
        ("a hard fault comes before the window", {"booking_horizon_days": 14, "max_days": 7}, {}, "not_usable",
         ("duration_over_max",)),
        ("every fault is named", {"max_days": 7, "quota_accelerators": 8, "accelerator": "A100"}, {}, "not_usable",
         ("wrong_accelerator", "quota_short", "duration_over_max")),
        ("what is missing comes before what is wrong", {"largest_domain_accelerators": None, "max_days": 7}, {},
         "unverified", ("missing:largest_domain_accelerators", "duration_over_max")),
    ],
)  # fmt: skip
def test_verdict_and_reasons(_case, offer, need, verdict, reasons):
    found = booked(quote(**offer), workload(**need))

    assert (found.verdict, set(found.reasons)) == (verdict, set(reasons))


@pytest.mark.parametrize(
    "field", ["accelerator", "interconnect", "quantity_available", "largest_domain_accelerators", "earliest_start"]
)
@pytest.mark.parametrize("capacity_class", ["confirmed", "reservation_offer", "pending"])
def test_reservations_and_offers_may_lack_nothing(capacity_class, field):
    found = booked(quote(capacity_class=capacity_class, **{field: None}), workload())

    assert (found.verdict, found.reasons) == ("unverified", (f"missing:{field}",))


def test_a_block_or_contract_must_say_how_firm_it_is():
    found = booked(quote(capacity_class=None, purchase_model="contract"), workload())

    assert (found.verdict, found.reasons) == ("unverified", ("missing:capacity_class",))


@pytest.mark.parametrize(
    ("capacity_class", "verdict"),
    [("confirmed", "usable_assured"), ("reservation_offer", "usable_if_booked"), ("on_demand", "best_effort"),
     ("queue", "best_effort"), ("spot", "best_effort"), ("pending", "best_effort")],
)  # fmt: skip
def test_verdict_follows_the_class(capacity_class, verdict):
    assert booked(quote(capacity_class=capacity_class), workload()).verdict == verdict


@pytest.mark.parametrize(
    ("_case", "offer", "verdict", "reasons"),
    [
        ("on its thirtieth day", {"quoted_on": "2026-10-31"}, "usable_if_booked", ()),
        ("on its thirty-first day", {"quoted_on": "2026-10-30"}, "unverified", ("quote_expired",)),
        ("valid through its last day", {"quoted_on": "2026-01-01", "valid_until": "2026-11-30"},
         "usable_if_booked", ()),
        ("a day later", {"quoted_on": "2026-11-20", "valid_until": "2026-11-29"}, "unverified", ("quote_expired",)),
        ("a market price holds a day", {"purchase_model": "market_floor", "quoted_on": "2026-11-29"},
         "usable_if_booked", ()),
        ("and no longer", {"purchase_model": "market_floor", "quoted_on": "2026-11-28"}, "unverified",
         ("quote_expired",)),
        ("not yet quoted on that day", {"quoted_on": "2026-12-01"}, "unverified", ("missing:quoted_on",)),
    ],
)  # fmt: skip
def test_age_of_a_quote(_case, offer, verdict, reasons):
    found = booked(quote(**offer), workload())

    assert (found.verdict, found.reasons) == (verdict, reasons)


def test_a_list_price_is_best_effort_and_says_what_is_assumed():
    found = booked(quote(**LIST), workload(accelerators=8, interconnect="single_node"))

    assert (found.verdict, found.reasons) == ("best_effort", ())
    assert set(found.assumed) == {
        "capacity_class", "quantity_available", "largest_domain_accelerators", "interconnect", "earliest_start",
    }  # fmt: skip


def test_a_list_price_is_one_node_and_no_more():
    found = booked(quote(**LIST), workload(accelerators=16, interconnect=None))

    assert set(found.reasons) == {"one_domain_too_small", "interconnect_too_weak"}


@pytest.mark.parametrize("model", ["reserved", "savings_plan", "cud"])
def test_a_discount_on_a_price_list_reserves_nothing(model):
    need = workload(shape="independent_jobs", interconnect=None)

    assert booked(quote(**LIST, purchase_model=model, term_months=12), need).verdict == "best_effort"


@pytest.mark.parametrize(
    ("_case", "offer", "need", "is_candidate"),
    [
        ("firm capacity", {"capacity_class": "confirmed"}, {"need_by": "2026-12-20"}, True),
        ("best effort for one job with a hard day", {"capacity_class": "on_demand"}, {"need_by": "2026-12-20"}, False),
        ("best effort for one job without a day", {"capacity_class": "on_demand"}, {}, True),
        ("best effort for one job with a soft day", {"capacity_class": "on_demand"},
         {"need_by": "2026-12-20", "deadline_policy": "soft"}, True),
        ("best effort for one job that says hard", {"capacity_class": "on_demand"}, {"deadline_policy": "hard"}, False),
        ("best effort for replicas", {"capacity_class": "on_demand"},
         {"need_by": "2026-12-20", "shape": "replicas"}, True),
        ("best effort inside one node", {"capacity_class": "on_demand"},
         {"need_by": "2026-12-20", "accelerators": 8}, True),
        ("not bookable yet", {"booking_horizon_days": 1}, {}, False),
        ("expired", {"quoted_on": "2026-01-01"}, {}, False),
    ],
)  # fmt: skip
def test_candidates(_case, offer, need, is_candidate):
    assert booked(quote(**offer), workload(**need)).is_candidate is is_candidate


@pytest.mark.parametrize(
    ("_case", "offer", "need", "notes"),
    [
        ("sign fourteen days before", {"lead_time_days": 14}, {}, ("book_by:2026-12-01",)),
        ("bookable fourteen days before", {"booking_horizon_days": 14}, {}, ("bookable_from:2026-12-01",)),
        ("256 x 365 bought for 128 x 28", {"min_accelerators": 256, "min_days": 365}, {},
         ("overbuy_accelerator_days:89856", "book_by:2026-12-15")),
        ("0.9 to the power of 16 nodes x 28/30", {"capacity_class": "spot", "monthly_interruption": 0.1}, {},
         ("p_no_interruption:0.207",)),
        ("nothing is noted of what cannot be had", {"max_days": 1, "monthly_interruption": 0.1}, {}, ()),
    ],
)  # fmt: skip
def test_notes(_case, offer, need, notes):
    assert booked(quote(**offer), workload(**need)).notes == notes


@pytest.mark.parametrize(
    ("_case", "offer", "expected"),
    [
        ("start less lead time", {"lead_time_days": 14, "valid_until": "2026-12-31"}, "2026-12-01"),
        ("the quote ends before", {"lead_time_days": 2, "valid_until": "2026-12-05"}, "2026-12-05"),
        ("its age ends before: 2026-11-10 + 30", {"quoted_on": "2026-11-10"}, "2026-12-10"),
    ],
)
def test_last_day_to_sign(_case, offer, expected):
    assert booked(quote(**offer), workload()).sign_by == date.fromisoformat(expected)


@pytest.mark.parametrize(("days", "is_slow"), [(5, False), (6, True)])
def test_an_approval_that_ends_after_the_last_day_to_sign(days, is_slow):
    policy = {"approval_days": [{"up_to": 1000, "days": days}, {"days": 60}]}

    found = booked(quote(valid_until="2026-12-05"), workload(), policy=policy)

    assert ("approval_too_slow" in found.notes) is is_slow


@pytest.mark.parametrize(
    ("_case", "region", "residency", "reason"),
    [
        ("its own country", "DE", ["DE"], None),
        ("another country", "US", ["DE"], "residency"),
        ("a member of the EU", "DE", ["EU"], None),
        ("Norway is in the EEA", "NO", ["EEA"], None),
        ("and not in the EU", "NO", ["EU"], "residency"),
        ("the United Kingdom is in neither", "GB", ["EU", "EEA"], "residency"),
        ("a region of the provider", "eu-central-1", ["DE"], None),
        ("an unknown region", "moon-1", ["DE"], "residency_unknown"),
        ("no region", None, ["DE"], "residency_unknown"),
        ("an own site only", "DE", ["site:north"], "residency"),
        ("anywhere", "moon-1", [], None),
    ],
)
def test_residency(_case, region, residency, reason):
    found = booked(quote(region=region, provider="aws"), workload(residency=residency))

    assert found.reasons == ((reason,) if reason else ())


def test_what_no_record_proves_is_said():
    many, one = booked(quote(), workload()), booked(quote(), workload(accelerators=8))

    assert many.unproven == ("powered", "cooled")
    assert one.unproven == ()
    assert many.facts["power_status"] == many.facts["cooling_readiness"] == "unknown"
    assert many.facts["size"] == "512"


def cluster(evidence=None, promises=(), **more):
    return build(all_gates() if evidence is None else evidence, promises, id="hall", operator="Example", **more)


def served(need=None, offer=None, evidence=None, promises=(), **more):
    return booked(quote(cluster="hall", **(offer or {})), workload(**(need or {})), cluster(evidence, promises, **more))


def test_a_cluster_that_is_ready_proves_the_quote():
    found = served()

    assert (found.verdict, found.unproven) == ("usable_if_booked", ())
    assert found.facts["power_status"] == "energized"


LATE = all_gates(without=("powered",))


@pytest.mark.parametrize(
    ("_case", "evidence", "promises", "verdict", "reasons"),
    [
        ("power comes too late", LATE, [promise("powered", "2027-03-31")], "not_usable", ("not_ready_by_need",)),
        ("power comes in time", LATE,
         [promise("powered", "2026-12-02", "2026-11-20") | {"class": "equipment_delivery"}], "usable_if_booked", ()),
        ("nobody says when", LATE, [], "not_usable", ("no_forecast",)),
        ("closed to this buyer", all_gates(without=("accessible",)), [], "not_usable", ("no_forecast",)),
        ("evidence that only aged flips nothing", [*LATE, power(1600, observed_on="2026-07-01")], [],
         "usable_if_booked", ()),
    ],
)  # fmt: skip
def test_readiness_decides_for_a_quote_that_names_its_cluster(_case, evidence, promises, verdict, reasons):
    found = served(evidence=evidence, promises=promises)

    assert (found.verdict, found.reasons) == (verdict, reasons)


def test_aged_evidence_of_a_cluster_asks_to_be_renewed():
    assert "renew:powered" in served(evidence=[*LATE, power(1600, observed_on="2026-07-01")]).notes


def test_a_cluster_fills_what_the_quote_leaves_out():
    offer = dict.fromkeys(("quantity_available", "largest_domain_accelerators", "interconnect", "earliest_start"))

    assert served(offer=offer).verdict == "usable_if_booked"


def test_a_multi_node_cluster_meets_cluster_scale_in_one_domain():
    assert served({"interconnect": "cluster_scale"}).verdict == "usable_if_booked"


def test_a_job_must_fit_one_domain_of_the_cluster():
    halves = [{"id": "T1", "planned_accelerators": 64}, {"id": "T2", "planned_accelerators": 64}]
    evidence = [*all_gates(64, tranche="T1"), *all_gates(64, tranche="T2")]

    assert "no_forecast" in served(evidence=evidence, tranches=halves).reasons
    assert served({"shape": "replicas"}, evidence=evidence, tranches=halves).verdict == "usable_if_booked"


def test_another_type_is_scaled_by_its_published_rate_and_rounded_to_nodes():
    """The need is stated in H100; fewer B200 do the same work, in whole nodes of 8."""
    offer = quote(accelerator="B200", quantity_available=120, largest_domain_accelerators=120)
    known = judged(document(quotes=[offer], workloads=[workload(accelerator_types=["H100", "B200"])]))

    needed = known.bookings.checks.needed.at(0, 0)

    assert needed < 128
    assert needed % 8 == 0
    assert known.bookings.offer("w", "q").verdict == "usable_if_booked"


def test_a_type_without_published_rate_is_named():
    found = booked(quote(accelerator="Novel9"), workload(accelerator_types=["H100", "Novel9"]))

    assert (found.verdict, found.reasons) == ("not_usable", ("no_rate:Novel9",))


def test_reasons_are_counted_over_the_quotes_that_are_no_candidates():
    offers = [
        quote(id="a", accelerator="A100"), quote(id="b", max_days=7), quote(id="c", max_days=7, accelerator="A100"),
        quote(id="d"), quote(id="e", earliest_start=None), quote(id="f", booking_horizon_days=1),
    ]  # fmt: skip
    known = judged(document(quotes=offers, workloads=[workload()]))

    assert known.bookings.counts("w") == {
        "duration_over_max": 2, "missing:earliest_start": 1, "not_bookable_yet": 1, "wrong_accelerator": 2,
    }  # fmt: skip
    assert list(known.bookings.candidates("w")) == [False, False, False, True, False, False]


def test_matrices_say_of_each_pair_what_it_would_be_told_alone():
    """Law: a thousand pairs together, and each for itself."""
    offers = [quote(id=f"q{i}", max_days=10 + 9 * i, quantity_available=64 * (i + 1)) for i in range(6)]
    needs = [workload(id=f"w{i}", accelerators=60 * (i + 1), days=15 * (i + 1), need_by="2026-12-20") for i in range(5)]
    together = judged(document(quotes=offers, workloads=needs)).bookings

    for offer in offers:
        for need in needs:
            alone = booked(offer | {"id": "q"}, need | {"id": "w"})
            pair = together.offer(need["id"], offer["id"])
            assert (pair.verdict, pair.reasons, pair.notes, pair.is_candidate) == (
                alone.verdict, alone.reasons, alone.notes, alone.is_candidate,
            )  # fmt: skip


def test_frame_holds_a_row_for_each_pair():
    known = judged(document(quotes=[quote(id="a"), quote(id="b")], workloads=[workload()]))

    frame = known.bookings.frame()

    assert list(frame["quote"]) == ["a", "b"]
    assert set(frame["verdict"]) == {"usable_if_booked"}


def test_half_a_million_pairs_are_judged_at_once():
    """A tenth of a second on an idle machine; the bound leaves room for a busy one."""
    types = ("H100", "H100 SXM 80GB", "A100", "B200", "MI300X", "L40S")
    offers = [
        quote(id=f"q{i}", provider=f"p{i % 30}", accelerator=types[i % 6], max_days=i % 500 + 1) for i in range(2000)
    ]
    needs = [workload(id=f"w{i}", accelerators=i + 1, residency=[[], ["DE"], ["EU"]][i % 3]) for i in range(250)]
    known = judged(document(quotes=offers, workloads=needs))

    begin = time.perf_counter()
    verdicts = known.bookings.verdicts

    assert time.perf_counter() - begin < LONGEST_SECONDS
    assert verdicts.shape == (250, 2000)
    assert verdicts.dtype == np.int8
