"""Cost components: each with numbers worked by hand, the shelf complete, the pitfalls of published models avoided."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from procurement.engine.costs import components, registry
from procurement.engine.costs.base import BuildUse, QuoteUse, Span
from procurement.engine.costs.billing import terms_begun
from procurement.engine.ledger import Ledger, Terms
from procurement.engine.tables import Build, CostLine, Quote, Tranche, Workload
from procurement.engine.units import instances_billed, price_per_accelerator_hour
from procurement.engine.work import Work

USD = {"USD": 1.0, "EUR": 1.1, "GBP": None}


def flows(*lines, months=12.0, hours=300.0, share=1.0, delivery=0.0, usable=0.0, accelerators=8, **changes):
    """Return the rows of lines on a build of 8 accelerators that works so many hours a month."""
    span = Span(delivery, usable, months, 730.0)
    work = Work(accelerators, np.full(span.count, hours), months)
    build = Build(
        id="b", accelerator="H100", accelerators_per_node=8, tranches=(Tranche(planned_accelerators=8),), costs=lines,
        it_kw_per_node=10.0,
    )  # fmt: skip
    use = BuildUse(build, lines, share, accelerators * share, share, work, span, USD, **changes)
    return registry.build_cost_flows(use)


def sums(rows, **paths):
    return Ledger(tuple(rows), Terms("USD", 0.0, "as_ledger", paths)).nominal_by_component()


def line(component, amount=None, basis="once", **changes):
    return CostLine(component=component, amount=amount, currency="USD", basis=basis, **changes)


def test_the_shelf_and_its_files_agree():
    folder = Path(components.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}

    assert files == {component.key for component in registry.COMPONENTS}
    assert len(registry.COMPONENT_BY_KEY) == len(registry.COMPONENTS)


def test_every_component_has_its_section_in_the_method():
    text = (Path(registry.__file__).parents[1] / "METHOD.md").read_text(encoding="utf-8")

    assert [key for key in registry.COMPONENT_BY_KEY if f"#### {key}\n" not in text] == []


@pytest.mark.parametrize(
    ("_case", "entry", "expected"),
    [
        ("once", line("network", 500.0), {"network": 500.0}),
        ("per month", line("licences", 10.0, "per_month"), {"licences": 120.0}),
        ("per year", line("insurance", 1200.0, "per_year"), {"insurance": 1200.0}),
        ("per accelerator and month", line("licences", 2.0, "per_accelerator_month"), {"licences": 2 * 8 * 12}),
        ("per running hour", line("operations", 3.0, "per_running_hour"), {"operations": 3 * 300 * 12}),
        ("committed kW", line("colocation", 150.0, "per_kw_month", kw=20.0), {"colocation": 150 * 20 * 12}),
        ("people", line("staff", 100000.0, "per_year", fte=0.5), {"staff": 50000.0}),
        ("for some months", line("space", 10.0, "per_month", months=4, at_month=6), {"space": 40.0}),
        ("from a later month", line("space", 10.0, "per_month", at_month=9), {"space": 30.0}),
    ],
)
def test_a_line_is_priced_by_its_basis(_case, entry, expected):
    assert sums(flows(entry)) == pytest.approx(expected)


def test_a_fraction_of_hardware_is_of_the_hardware_lines():
    rows = flows(line("maintenance", 0.12, "fraction_of_hardware_per_year"), hardware=100000.0)

    assert sums(rows) == pytest.approx({"maintenance": 12000.0})


def test_a_share_of_the_build_pays_its_share():
    rows = flows(line("network", 500.0), line("licences", 2.0, "per_accelerator_month"), share=0.5)

    assert sums(rows) == pytest.approx({"network": 250.0, "licences": 2 * 4 * 12})


def test_another_currency_is_converted_at_its_rate():
    rows = flows(CostLine(component="network", amount=100.0, currency="EUR"))

    assert sums(rows) == pytest.approx({"network": 110.0})


def test_recurring_lines_run_from_delivery():
    # delivered half a month in: 11.5 of 12 months; hours are worked and paid from the usable date by the schedule
    assert sums(flows(line("space", 10.0, "per_month"), delivery=0.5)) == pytest.approx({"space": 115.0})


# --- residual value and lives -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("_case", "entry", "months", "credit"),
    [
        ("no life, no credit", line("hardware", 1000.0), 12, None),
        ("straight line", line("hardware", 1000.0, life_months=60), 12, -800.0),  # 1 - 12/60
        ("to a residual", line("hardware", 1000.0, life_months=60, residual_fraction=0.1), 12, -820.0),  # .9 x .8 + .1
        ("at the end of its life", line("hardware", 1000.0, life_months=12, residual_fraction=0.1), 12, -100.0),
        ("age from payment", line("hardware", 1000.0, life_months=60, at_month=6), 12, -900.0),  # 1 - 6/60
    ],
)
def test_what_is_left_is_credited_at_the_end(_case, entry, months, credit):
    assert sums(flows(entry, months=float(months))).get("residual") == (
        None if credit is None else pytest.approx(credit)
    )


def test_a_life_that_ends_inside_the_window_is_bought_again():
    # 24 months of life in 60 months: bought at 0, 24, 48; the first two give back 10 %, the third is half used:
    # 0.9 x 0.5 + 0.1 = 0.55
    rows = flows(line("hardware", 1000.0, life_months=24, residual_fraction=0.1), months=60.0)

    assert sums(rows) == pytest.approx({"hardware": 3000.0, "residual": -(100 + 100 + 550)})


def test_facility_and_accelerators_never_share_a_life():
    rows = flows(line("hardware", 1000.0, life_months=60), line("installation", 1000.0, life_months=180), months=60.0)

    # the hardware is used up, the hall keeps two thirds
    assert sums(rows)["residual"] == pytest.approx(-1000 * (1 - 60 / 180))


def test_disposal_falls_due_at_the_end():
    row = next(flow for flow in flows(line("disposal", 50.0)) if flow.component == "disposal")

    assert row.timing == "end"
    assert np.flatnonzero(row.quantity).tolist() == [11]


# --- power ------------------------------------------------------------------------------------------------------------
def power(**changes):
    stated = {"it_kw": 10.0, "pue": 1.2, "price_per_kwh": 0.10, "idle_fraction": 0.25}
    return line("power", basis="per_month", **{**stated, **changes})


def test_power_counts_pue_and_idle_once_each():
    # kWh a month = 10 x 1.2 x (300 + 0.25 x (730 - 300)) = 12 x 407.5 = 4,890; x 0.10 x 12 months
    assert sums(flows(power())) == pytest.approx({"power": 4890 * 0.10 * 12})


def test_power_is_not_zero_at_idle():
    assert sums(flows(power(), hours=0.0)) == pytest.approx({"power": 12 * 0.25 * 730 * 0.10 * 12})


def test_power_without_an_idle_share_follows_use_alone():
    assert sums(flows(power(idle_fraction=0.0))) == pytest.approx({"power": 12 * 300 * 0.10 * 12})


def test_power_starts_when_the_build_is_usable():
    late = sums(flows(power(idle_fraction=1.0), hours=0.0, usable=6.0))

    assert late == pytest.approx({"power": 12 * 730 * 0.10 * 6})


def test_power_takes_the_nodes_where_the_line_states_no_kw():
    assert sums(flows(power(it_kw=None))) == sums(flows(power(it_kw=10.0)))


def test_committed_kw_is_billed_powered_or_not():
    idle = sums(flows(line("colocation", 150.0, "per_kw_month", kw=20.0), hours=0.0, usable=9.0))

    assert idle == pytest.approx({"colocation": 150 * 20 * 12})  # kW a month, neither kWh nor hours


def test_price_paths_reach_their_own_lines_only():
    rows = flows(power(), line("staff", 1200.0, "per_year", fte=1.0), line("space", 10.0, "per_month"), months=24.0)

    flat, dear = sums(rows), sums(rows, power=1.0, staff=0.5, colocation=2.0)
    assert dear["power"] == pytest.approx(flat["power"] / 2 * 3)  # 1 + 2 instead of 1 + 1
    assert dear["staff"] == pytest.approx(flat["staff"] / 2 * 2.5)
    assert dear["space"] == pytest.approx(flat["space"] / 2 * 4)


# --- cloud ------------------------------------------------------------------------------------------------------------
def quote(**changes):
    stated = {"id": "q", "accelerator": "H100", "accelerators_per_node": 8, "price": 2.0, "currency": "USD"}
    return Quote(**{**stated, **changes})


def cloud(offer, months=12.0, hours=300.0, accelerators=8, paths=None, **changes):
    count = int(np.ceil(months))
    weights = np.clip(months - np.arange(count), 0, 1)
    use = QuoteUse(
        quote=offer,
        workload=Workload(id="w", accelerators=accelerators, start=date(2027, 1, 1)),
        work=Work(accelerators, hours * weights, months),
        span=Span(0.0, 0.0, months, 730.0),
        exchange=USD,
        terms_begun=terms_begun(offer, months),
        billed_accelerators=8,
        **changes,
    )
    return sums(registry.quote_cost_flows(use), **(paths or {}))


@pytest.mark.parametrize(
    ("_case", "basis", "price", "expected"),
    [
        ("an accelerator-hour", "per_accelerator_hour", 2.0, 2 * 8 * 300 * 12),
        ("an instance-hour: never times the accelerators", "per_instance_hour", 16.0, 16 * 300 * 12),
        ("a slice-hour", "per_slice_hour", 16.0, 16 * 300 * 12),
        ("a month", "per_month", 730.0, 730 / 730 * 300 * 12),
    ],
)
def test_a_price_is_read_by_its_basis(_case, basis, price, expected):
    assert cloud(quote(price=price, price_basis=basis)) == pytest.approx({"compute": expected})


def test_a_supplier_of_four_week_months_is_dearer_by_the_hour():
    # 672 a month of 672 hours is 1.00 an hour, not 672 / 730
    offer = quote(price=672.0, price_basis="per_month", price_hours_per_month=672.0)

    assert cloud(offer) == pytest.approx({"compute": 300 * 12})


@pytest.mark.parametrize(
    ("_case", "offer", "need", "instances"),
    [
        ("whole nodes", quote(), 9, 2),
        ("whole instances", quote(accelerators_per_instance=4.0), 9, 3),
        ("parts of an accelerator", quote(accelerators_per_instance=0.5), 1, 2),
        ("nothing stated", quote(accelerators_per_node=None), 9, 9),
        ("at least the minimum", quote(min_accelerators=60), 9, 8),
    ],
)
def test_a_need_is_billed_in_whole_instances(_case, offer, need, instances):
    assert instances_billed(offer, need) == instances


def test_a_commitment_bills_every_hour_used_or_not():
    # 16 an hour for 730 hours of 12 months; 300 of them are used
    offer = quote(purchase_model="reserved", term_months=12)

    assert cloud(offer) == pytest.approx({"compute": 16 * 300 * 12, "unused_commitment": 16 * 430 * 12})


def test_a_term_is_billed_to_its_end_past_the_window():
    offer = quote(purchase_model="reserved", term_months=12)
    found = cloud(offer, months=9.0, hours=730.0)

    assert sum(found.values()) == pytest.approx(16 * 730 * 12)
    assert found["unused_commitment"] == pytest.approx(16 * 730 * 3)


def test_a_second_term_begins_when_the_window_passes_the_first():
    offer = quote(purchase_model="reserved", term_months=12)

    assert sum(cloud(offer, months=13.0).values()) == pytest.approx(16 * 730 * 24)


def test_a_renewal_follows_the_price_path_and_a_running_term_does_not():
    offer = quote(purchase_model="reserved", term_months=24)
    found = sum(cloud(offer, months=48.0, paths={"cloud": -0.1}).values())

    assert found == pytest.approx(16 * 730 * (24 + 24 * 0.9**2))  # fixed for 24 months, then at the price of year 2


def test_upfront_is_paid_per_instance_at_each_term():
    offer = quote(purchase_model="reserved", term_months=12, upfront=100.0, price=0.0)
    found = cloud(offer, months=24.0, hours=730.0)

    assert found["compute"] == pytest.approx(100 * 8 * 2)  # per accelerator of the basis, 8 of them, two terms


def test_upfront_is_part_of_the_effective_rate():
    offer = quote(purchase_model="reserved", term_months=12, upfront=8760.0, price=1.0)

    assert price_per_accelerator_hour(offer, 730.0) == pytest.approx(2.0)  # 8,760 / (12 x 730) + 1


def test_all_upfront_pays_the_whole_term_at_its_start():
    offer = quote(purchase_model="reserved", term_months=12, payment_option="all")
    rows = cloud(offer, hours=730.0)

    assert rows == pytest.approx({"compute": 16 * 730 * 12, "unused_commitment": 0.0})


def test_a_term_total_is_the_price_of_one_instance_for_the_term():
    offer = quote(purchase_model="reserved", term_months=12, price=87600.0, price_basis="term_total")

    assert sum(cloud(offer).values()) == pytest.approx(87600.0)


def test_minimum_days_bill_hours_that_nobody_uses():
    # 10 hours a month are used in one month, 2 days are billed: 48 - 10 = 38 hours of 16
    found = cloud(quote(min_days=2), months=1.0, hours=10.0)

    assert found == pytest.approx({"compute": 160.0, "unused_commitment": 16 * 38})


def test_support_is_a_fraction_of_recurring_rows():
    offer = quote(support_fraction=0.1, setup_fee=500.0, storage_per_gb_month=0.02, egress_per_gb=0.05)
    found = cloud(offer, storage_gb=100.0, egress_gb_per_month=20.0)

    compute, storage, egress = 16 * 300 * 12, 100 * 0.02 * 12, 20 * 0.05 * 12
    assert found == pytest.approx(
        {"compute": compute, "storage": storage, "egress": egress, "setup": 500.0,
         "support": 0.1 * (compute + storage + egress)}
    )  # fmt: skip


def test_a_price_that_is_not_given_is_not_zero():
    found = cloud(quote(), storage_gb=100.0, egress_gb_per_month=20.0)

    assert set(found) == {"compute"}


def test_fees_stand_at_the_begin_and_the_end():
    offer = quote(setup_fee=10.0, exit_fee=20.0, purchase_model="reserved", term_months=12)
    found = cloud(offer, months=9.0)

    assert (found["setup"], found["exit"]) == (10.0, 20.0)


def test_an_unknown_currency_is_not_a_number():
    assert np.isnan(cloud(quote(currency="GBP"))["compute"])


def test_further_lines_of_a_quote_are_priced():
    offer = quote(costs=(CostLine(component="operations", amount=5.0, currency="USD", basis="per_month"),))

    assert cloud(offer)["operations"] == pytest.approx(60.0)
