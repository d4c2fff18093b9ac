"""On-prem options: tranches and shares, loaded and marginal, delivery and delay, what speaks against a build."""

import pytest

from procurement.engine.options_on_prem import smallest_tranches
from procurement.engine.tables import Tranche
from tests.engine.cost_documents import answered, build, document, evidence, late_build, option, quote, workload

HARDWARE = {"component": "hardware", "amount": "320000", "currency": "USD", "basis": "once"}


def tranches(*sizes):
    return tuple(Tranche(id=f"T{index}", planned_accelerators=size) for index, size in enumerate(sizes))


@pytest.mark.parametrize(
    ("_case", "sizes", "need", "bought"),
    [
        ("one that fits", (16, 64, 32), 30, [32]),
        ("two that fit better than one", (16, 64, 24), 40, [16, 24]),
        ("fewest tranches among equals", (16, 16, 32), 32, [32]),
        ("all", (16, 16), 32, [16, 16]),
        ("none", (16, 16), 33, []),
    ],
)
def test_the_smallest_set_of_tranches_is_bought(_case, sizes, need, bought):
    assert [tranche.planned_accelerators for tranche in smallest_tranches(tranches(*sizes), need)] == bought


def test_many_tranches_are_taken_from_the_largest_and_trimmed():
    found = smallest_tranches(tranches(*([8] * 13), 64), 60)

    assert sum(tranche.planned_accelerators for tranche in found) == 64


def owned(builds=None, needs=None, **assumptions):
    return answered(
        document(quotes=[quote()], builds=builds or [build()], workloads=needs or [workload()], **assumptions)
    )


def test_what_is_not_reserved_of_whole_tranches_is_idle_capacity():
    # 320,000 for 32 accelerators in one tranche, 16 reserved: half of it is idle
    found = option(owned([build(32, costs=[HARDWARE])]), "on_prem:own")

    assert found["components"] == {"hardware": "160000.00", "idle_capacity": "160000.00"}
    assert found["charge_basis"] == "whole"
    assert found["other_charge"] == "160000.00"  # the share alone


def test_running_hours_are_charged_as_used_without_idle_capacity():
    lines = [{"component": "operations", "amount": "3.20", "currency": "USD", "basis": "per_running_hour"}]
    found = option(owned([build(32, costs=lines)]), "on_prem:own")

    assert found["components"] == {"operations": "14016.00"}  # 3.20 x 16 / 32 x 8,760


def test_a_committed_build_charges_its_share():
    found = option(owned([build(32, costs=[{**HARDWARE, "status": "paid"}], committed=True)]), "on_prem:own")

    assert found["charge_basis"] == "share"
    assert found["nominal_cost"] == "160000.00"
    assert found["other_charge"] == "320000.00"


def test_a_need_is_rounded_up_to_whole_nodes_of_the_share():
    answer = owned([build(32, costs=[HARDWARE], committed=True)], [workload(accelerators=9)])

    assert option(answer, "on_prem:own")["nominal_cost"] == "160000.00"  # 9 is 2 nodes of 4


# --- loaded and marginal ----------------------------------------------------------------------------------------------
LINES = [
    {**HARDWARE, "status": "paid", "life_months": 60, "residual_fraction": "0.25"},
    {"component": "staff", "amount": "12000", "currency": "USD", "basis": "per_year", "fte": 1, "status": "committed"},
    {"component": "operations", "amount": "1.00", "currency": "USD", "basis": "per_running_hour"},
]


def test_the_marginal_rate_counts_only_what_changes():
    answer = owned([build(costs=LINES, committed=True)])
    marginal = option(answer, "on_prem:own#marginal")

    assert marginal["components"] == {"operations": "8760.00", "resale_forgone": "0.00"}
    assert marginal["ranks"]
    assert answer["recommendation"]["w"]["option"] == "on_prem:own#marginal"


def test_resale_forgone_is_the_time_value_of_the_residual():
    answer = owned([build(costs=LINES, committed=True)], discount_rate="0.10")
    marginal = option(answer, "on_prem:own#marginal")

    # 80,000 now instead of in a year at 10 %: 80,000 x (1 - 1 / 1.1)
    assert float(marginal["components_npv"]["resale_forgone"]) == pytest.approx(80000 * (1 - 1 / 1.1), abs=0.01)


def test_the_loaded_rate_is_shown_beside():
    answer = owned([build(costs=LINES, committed=True)])
    loaded = option(answer, "on_prem:own")

    assert not loaded["ranks"]
    # 320,000 + 12,000 + 8,760 less 320,000 x (0.75 x 0.8 + 0.25)
    assert loaded["nominal_cost"] == "68760.00"


def test_the_loaded_rate_ranks_where_the_build_is_not_committed():
    answer = owned([build()])

    assert option(answer, "on_prem:own")["ranks"]
    assert not option(answer, "on_prem:own#marginal")["ranks"]


def test_on_prem_is_never_free():
    found = option(owned([build(costs=[])]), "on_prem:own")

    assert found["reasons"] == ["missing:costs"]
    assert found["npv"] is None


def test_unpriced_components_make_the_total_partial():
    lines = [
        HARDWARE,
        {"component": "space", "amount": "0", "currency": "USD", "basis": "per_month", "covers": ["power"]},
    ]
    waived = [{"component": "staff", "reason": "run by the neighbours"}]
    found = option(owned([build(costs=lines, waived=waived)]), "on_prem:own")

    assert found["incomplete_cost"] == ["network", "storage", "installation", "maintenance"]
    assert found["is_partial"]


# --- delivery and delay -----------------------------------------------------------------------------------------------
def test_hardware_is_paid_from_delivery():
    delivered = [*evidence(16, 20), {"gate": "delivered", "qty": 16, "grade": "A", "observed_on": "2026-10-01"}]
    found = option(owned([build(evidence=delivered, costs=[HARDWARE])]), "on_prem:own")

    assert found["by_month"][0]["amount"] == "320000.00"  # before the start: month 0


def test_hardware_that_is_delivered_later_is_paid_later():
    late = late_build(costs=[HARDWARE])
    late["evidence"] = [entry for entry in late["evidence"] if entry["gate"] != "installed"]
    late["promises"] += [
        {"gate": gate, "date": "2027-03-01", "stated_on": "2026-10-01", "class": "equipment_delivery"}
        for gate in ("delivered", "installed")
    ]
    months = [float(entry["amount"]) for entry in option(owned([late]), "on_prem:own")["by_month"]]

    # promised 151 days after it was stated; the median slip of 1.24 makes that early April, month 4
    assert months.index(320000.0) == 4


def test_a_late_build_is_infeasible_and_explains_itself():
    answer = owned([late_build()])
    found = option(answer, "on_prem:own")

    assert (found["feasible"], found["reasons"]) == (False, ["not_ready_by_need"])
    passed = [entry for entry in answer["recommendation"]["w"]["reasons"] if entry["code"] == "on_prem_passed_over"]
    assert passed[0]["because"] == ["not_ready_by_need"]


def test_a_need_that_can_wait_finds_the_same_build_ready():
    answer = owned([late_build()], [workload(need_by="2028-12-01")])

    assert option(answer, "on_prem:own")["feasible"]


def test_work_that_a_delay_pushes_past_its_deadline_is_late():
    answer = owned([late_build()], [workload(need_by="2028-06-01")])

    assert option(answer, "on_prem:own")["reasons"][0].startswith("late_by_days:")


def test_hours_that_a_delay_takes_are_worked_later():
    answer = owned([late_build(costs=[LINES[2]])], [workload(need_by="2028-06-01")])
    found = option(answer, "on_prem:own")

    assert found["components"] == {"operations": "8760.00"}  # the same useful hours
    assert len(found["by_month"]) > 12


def test_nothing_is_free_after_energization_slips():
    early, late = (
        option(owned([late_build(promised)], [workload(need_by="2028-12-01")]), "on_prem:own")
        for promised in ("2027-01-15", "2027-09-01")
    )

    assert float(late["nominal_cost"]) > float(early["nominal_cost"])


def test_both_readings_of_a_delay_are_shown():
    fixed = option(owned([late_build()], [workload(need_by="2028-06-01", demand={"utilisation": 0.3})]), "on_prem:own")
    equal = option(
        owned([late_build()], [workload(need_by="2028-06-01", demand={"utilisation": 0.3})],
              readings="equal_service_life"), "on_prem:own",
    )  # fmt: skip

    assert fixed["other_reading"] == equal["npv"]
    assert equal["other_reading"] == fixed["npv"]
    assert fixed["npv"] != equal["npv"]


def test_availability_takes_hours_and_work_runs_on():
    whole = option(owned([build(costs=[LINES[2]], availability="0.5")]), "on_prem:own")

    assert len(whole["by_month"]) == 24  # twice as long for the same hours


# --- obstacles --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("_case", "changes", "needs", "reason"),
    [
        ("another accelerator", {"accelerator": "MI300X"}, {}, "wrong_accelerator"),
        ("too few", {}, {"accelerators": 24}, "quantity_too_small"),
        ("one node design", {"design_class": "single_node"}, {"interconnect": "multi_node"}, "interconnect_too_weak"),
        ("fabric", {}, {"fabrics": ["roce"]}, "fabric_not_accepted"),
        ("memory", {}, {"min_memory_gb": 141}, "memory_too_small"),
        ("residency", {"region": "US"}, {"residency": ["DE"]}, "residency"),
        ("unknown region", {}, {"residency": ["DE"]}, "residency_unknown"),
        ("cancelled", {"cancelled_on": "2026-11-01"}, {}, "cancelled"),
    ],
)
def test_an_obstacle_is_a_reason(_case, changes, needs, reason):
    found = option(owned([build(**changes)], [workload(**needs)]), "on_prem:own")

    assert not found["feasible"]
    assert reason in found["reasons"]


def test_one_job_needs_one_domain():
    parts = [{"id": name, "planned_accelerators": 8, "fabric_domain": name} for name in ("A", "B")]
    needs = [workload(shape="one_job")]
    proven = [{**entry, "tranche": "*"} for entry in evidence(16, 20)]
    found = option(owned([build(tranches=parts, evidence=proven)], needs), "on_prem:own")

    assert "one_domain_too_small" in found["reasons"]


def test_more_capital_than_the_budget_is_infeasible():
    answer = answered(document(quotes=[quote()], builds=[build()], policy={"capital_budget": 100000}))

    assert option(answer, "on_prem:own")["reasons"] == ["budget_exceeded"]


def test_a_missing_exchange_rate_stops_that_option_only():
    lines = [{**HARDWARE, "currency": "EUR"}]
    answer = owned([build(costs=lines)])

    assert option(answer, "on_prem:own")["reasons"] == ["missing:fx:EUR>USD"]
    assert answer["recommendation"]["w"]["verdict"] == "cloud"


def test_a_providers_build_is_no_on_prem_option():
    answer = owned([build(operator="Cloud")])

    assert [entry["option"] for entry in answer["options"]["w"]] == ["cloud:od"]


def test_energy_is_never_sunk_whatever_its_line_leaves_out():
    # a power line states no basis; in a hall that is paid for, its kWh are what running the work there costs
    line = {"component": "power", "it_kw": 20, "pue": "1.5", "price_per_kwh": "0.10", "currency": "USD"}
    hall = {"component": "hardware", "amount": "100000", "currency": "USD", "basis": "once"}
    answer = answered(document(quotes=[quote()], builds=[build(committed=True, costs=[hall, line])]))
    found = option(answer, "on_prem:own#marginal")

    assert {name: amount for name, amount in found["components"].items() if amount != "0.00"} == {
        "power": "26280.00"  # 20 x 1.5 x 8,760 x 0.10
    }
