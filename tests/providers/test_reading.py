"""From bytes to a checked sheet: duplicates, conflicts, bands, rates, mappings, and what a person must say."""

import io
import json
from datetime import date
from decimal import Decimal

import pytest
import xlsxwriter

from providers import AmbiguousFormat, NotAPriceList, ProviderError, Rate, UnknownFormat, read_quotes
from providers.contract import PROVENANCE
from providers.registry import FORMATS, detect_format

HEADER = (
    "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model,region,term_months"
)


def read(*rows, header=HEADER, **changes):
    text = "\n".join(["# quotes/1; decimal=point", header, *rows]) + "\n"
    return read_quotes(
        text.encode(), **{"file_name": "q.csv", "observed_on": date(2026, 11, 30), "source": "test", **changes}
    )


def row(price="2.00", sku="a", accelerator="H100 SXM", currency="USD", model="on_demand", count="8", term=""):
    return f"Acme,{sku},{accelerator},{count},{price},per_accelerator_hour,{currency},{model},eu-1,{term}"


def codes(sheet):
    return [held.codes for held in sheet.held]


def test_prices_are_exact_decimals_and_days_are_days():
    quote = read(row("2.10")).ready.iloc[0]

    assert quote["price"] == Decimal("2.10")
    assert quote["quoted_on"] == date(2026, 11, 30)
    assert quote["source_line"] == 3


def test_identical_rows_merge_and_say_so():
    sheet = read(row(), row(), row(sku="b"))

    assert len(sheet.ready) == 2
    assert [(found.line, found.kept_line) for found in sheet.duplicates] == [(4, 3)]


def test_one_offer_at_two_prices_stops_both():
    sheet = read(row("2.00"), row("2.10"), row("2.00", sku="b"))

    assert codes(sheet) == [("conflicting_price",), ("conflicting_price",)]
    assert "lines 3, 4" in sheet.held[0].reasons[0].message
    assert sheet.ready["sku"].tolist() == ["b"]


def test_the_order_of_rows_changes_nothing():
    rows = [row(sku=name) for name in "abc"]

    one, other = read(*rows), read(*reversed(rows))

    drop = ["source_line", "source_hash"]
    assert one.ready.drop(columns=drop).equals(other.ready.drop(columns=drop).iloc[::-1].reset_index(drop=True))


def test_an_unknown_name_waits_for_its_mapping_and_is_ready_after_it():
    assert codes(read(row(accelerator="Wunderchip"))) == [("unknown_accelerator",)]

    sheet = read(row(accelerator="Wunderchip"), aliases={"wunder-chip": "H100 SXM"})

    assert sheet.ready["accelerator"].tolist() == ["H100-SXM-80"]


def test_a_mapped_sku_and_region_are_ready():
    header, line = "region,arm_sku,price_usd_hour", "moonbase1,Standard_NC999_X9_v9,5.0"
    content = f"{header}\n{line}\n".encode()
    given = {"file_name": "k.csv", "observed_on": date(2026, 11, 30), "source": "test"}
    assert codes(read_quotes(content, **given)) == [("unknown_region", "unknown_sku")]

    mapped = {"region:moonbase1": "eastus", "sku:azure/Standard_NC999_X9_v9": "4x H100 NVL"}
    quote = read_quotes(content, **given, aliases=mapped).ready.iloc[0]

    assert (quote["region"], quote["accelerator"]) == ("eastus", "H100-NVL-94")
    assert quote["price_per_accelerator_hour"] == Decimal("1.25")


@pytest.mark.parametrize(("price", "code"), [("0.009", "outside_absolute_band"), ("200", "outside_absolute_band"),
                                             ("0", "price_not_positive"), ("-1", "price_not_positive")])  # fmt: skip
def test_a_price_that_cannot_be_is_held(price, code):
    assert codes(read(row(price))) == [(code,)]


def test_a_price_far_from_the_median_of_its_model_is_held():
    rows = [row("2.00", sku=f"s{number}") for number in range(5)]

    sheet = read(*rows, row("9.00", sku="dear"), row("0.40", sku="cheap"), row("7.90", sku="edge"))

    assert [held.quote["sku"] for held in sheet.held] == ["dear", "cheap"]
    assert {code for found in codes(sheet) for code in found} == {"outside_model_band"}


def test_a_known_median_holds_even_a_single_row():
    assert codes(read(row("2.00"), medians={"H100-SXM-80": Decimal("10")})) == [("outside_model_band",)]


def test_spot_is_not_measured_with_the_median_of_on_demand():
    rows = [row("8.00", sku=f"s{number}") for number in range(5)]

    assert not read(*rows, row("1.00", sku="s0", model="spot")).held


@pytest.mark.parametrize(
    ("first", "second", "flag"),
    [
        (row("2.00"), row("2.10", model="spot"), "spot_above_on_demand"),
        (row("2.00"), row("2.00", model="spot"), "spot_without_discount"),
        (row("2.00"), row("2.10", model="reserved", term="12"), "commitment_above_on_demand"),
        (row("2.00", model="reserved", term="12"), row("2.10", model="reserved", term="36"), "longer_term_dearer"),
    ],
)
def test_relations_between_ways_of_buying_are_flagged(first, second, flag):
    assert read(first, second).ready["flags"].tolist() == [(), (flag,)]


def test_eight_accelerators_at_the_price_of_one_are_held():
    lines = [f"Acme,box-{count}x,H100 SXM,{count},4.00,per_instance_hour,USD,on_demand,eu-1," for count in (1, 8)]

    assert codes(read(*lines)) == [("count_price_mismatch",), ("count_price_mismatch",)]


def test_another_currency_needs_a_dated_rate():
    assert codes(read(row(currency="EUR"))) == [("no_rate_for_bands",)]
    later = Rate("EUR", "USD", Decimal("1.08"), date(2026, 12, 1))
    assert codes(read(row(currency="EUR"), rates=[later])) == [("no_rate_for_bands",)]

    inverse = Rate("USD", "EUR", Decimal("0.925"), date(2026, 11, 1))
    quote = read(row(currency="EUR"), rates=[inverse]).ready.iloc[0]

    assert (quote["price"], quote["currency"]) == (Decimal("2.00"), "EUR")


def test_a_rate_of_one_between_currencies_is_an_error():
    with pytest.raises(ProviderError, match="true rate"):
        read(row(currency="EUR"), rates=[Rate("EUR", "USD", Decimal(1), date(2026, 11, 1))])


def test_a_future_price_waits_for_its_day():
    sheet = read(f"{row()},2026-12-24", header=f"{HEADER},valid_from")

    assert codes(sheet) == [("not_yet_effective",)]
    assert sheet.held[0].reasons[0].release == "wait until 2026-12-24"
    assert not read(f"{row()},2026-12-24", header=f"{HEADER},valid_from", observed_on=date(2026, 12, 24)).held


def test_a_held_row_keeps_its_quote_and_how_it_was_written():
    held = read(row("0")).held[0]

    assert held.raw["price"] == "0"
    assert held.quote["accelerator"] == "H100-SXM-80"
    assert held.quote["price_per_accelerator_hour"] is None


def test_counts_add_up():
    sheet = read(row(), row(), row("x", sku="b"), row("0", sku="c"))

    assert sheet.counts == {"rows": 4, "ready": 1, "held": 1, "faulty": 1, "duplicates": 1, "ignored": 0, "realised": 0}
    assert sheet.held_by_reason == {"price_not_positive": 1}


def test_every_fault_of_a_sheet_is_named_with_row_and_column():
    sheet = read(
        row("x"), row('"1,50"', sku="b"), row(sku="c", model="rented"), row(sku="d", count="0"),
        row(sku="e", model="contract"),
        ",f,H100,8,2,per_accelerator_hour,USD,on_demand,eu-1,",
    )  # fmt: skip

    assert [(fault.line, fault.column, fault.rule) for fault in sheet.faults] == [
        (3, "price", "not_a_number"),
        (4, "price", "other_decimal_sign"),
        (5, "purchase_model", "not_a_choice"),
        (6, "accelerators_per_instance", "not_positive"),
        (7, "term_months", "required"),
        (8, "provider", "required"),
    ]


def test_a_misspelt_header_is_a_fault_with_a_suggestion():
    sheet = read(f"{row()},2026-12-31", header=f"{HEADER},valid_untill")

    assert [(fault.line, fault.rule) for fault in sheet.faults] == [(2, "unknown_column")]
    assert "valid_until" in sheet.faults[0].hint
    assert sheet.unknown_columns == ("valid_untill",)


def test_provider_and_currency_may_come_from_the_person():
    header = "sku,accelerator,price,price_basis,purchase_model"
    line = "a,H100 SXM,2.00,per_accelerator_hour,on_demand"
    bare = read(line, header=header)
    assert [fault.column for fault in bare.faults] == ["currency", "provider"]

    quote = read(line, header=header, provider="Acme", currency="USD").ready.iloc[0]

    assert (quote["provider"], quote["currency"]) == ("Acme", "USD")


def test_known_providers_have_one_name():
    for written in ("Amazon Web Services", "AWS", "aws"):
        assert read(row().replace("Acme", written).replace("eu-1", "eu-west-1")).ready["provider"].tolist() == ["aws"]


def test_a_catalog_in_dollars_is_not_read_in_another_currency():
    with pytest.raises(ProviderError, match="USD"):
        read_quotes(
            b"instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\na,b,1,1,H100,80,False\n",
            file_name="vultr.csv", observed_on=date(2026, 11, 30), source="test", currency="EUR",
        )  # fmt: skip


def test_a_catalog_without_a_provider_asks():
    content = b"instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\na,b,1,1,H100,80,False\n"

    with pytest.raises(ProviderError, match="name"):
        read_quotes(content, file_name="catalog.csv", observed_on=date(2026, 11, 30), source="test")


@pytest.mark.parametrize(("changes", "words"), [({"decimal": ";"}, "decimal"), ({"currency": "EURO"}, "currency"),
                                                ({"format_key": "nope"}, "nope")])  # fmt: skip
def test_what_a_person_says_wrongly_is_named(changes, words):
    with pytest.raises(ProviderError, match=words):
        read(row(), **changes)


def test_an_unknown_file_is_refused_with_what_it_begins_with():
    with pytest.raises(UnknownFormat, match="apples"):
        read_quotes(b"apples,pears\n1,2\n", file_name="fruit.csv", observed_on=date(2026, 11, 30), source="test")


def test_two_formats_at_once_ask(monkeypatch):
    twice = (*FORMATS, FORMATS[0])
    monkeypatch.setattr("providers.registry.FORMATS", twice)

    with pytest.raises(AmbiguousFormat) as caught:
        read(row())

    assert caught.value.candidates == ("own_csv", "own_csv")
    assert detect_format


def test_a_bill_is_no_price_list():
    content = b"identity/LineItemId,lineItem/UsageType,lineItem/UnblendedCost\n1,BoxUsage,2\n"

    with pytest.raises(NotAPriceList, match="FOCUS"):
        read_quotes(content, file_name="cur.csv", observed_on=date(2026, 11, 30), source="test")


def test_the_columns_are_those_of_the_contract_and_rows_have_their_source():
    frame = read(row()).ready

    assert set(PROVENANCE) <= set(frame.columns)
    assert frame["source_hash"].str.len().tolist() == [64]


def test_amounts_in_json_keep_their_digits():
    page = {"Items": [{"armRegionName": "eastus", "armSkuName": "Standard_NC24ads_A100_v4", "type": "Consumption",
                       "unitOfMeasure": "1 Hour", "currencyCode": "USD", "retailPrice": 3.6730000001}]}  # fmt: skip
    sheet = read_quotes(json.dumps(page).encode(), file_name="p.json", observed_on=date(2026, 11, 30), source="test")

    assert sheet.ready["price"].tolist() == [Decimal("3.6730000001")]


def test_a_catalog_saved_as_a_workbook_is_read_alike():
    rows = [
        ["InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region", "AvailabilityZone"],
        ["p5.48xlarge", "H100", 8, 55.04, 33.1, "us-east-1", "use1-az1"],
        ["p4d.24xlarge", "A100", 8, 32.7726, None, "us-east-1"],
    ]
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as workbook:
        sheet = workbook.add_worksheet()
        for line, row_cells in enumerate(rows):
            sheet.write_row(line, 0, row_cells)
    text = "\n".join(",".join("" if cell is None else str(cell) for cell in (*cells, "")[:7]) for cells in rows)
    given = {"observed_on": date(2026, 11, 30), "source": "test"}

    book = read_quotes(out.getvalue(), file_name="aws/vms.xlsx", **given)
    table = read_quotes(text.encode(), file_name="aws/vms.csv", **given)

    assert len(book.ready) == 3
    assert book.ready["price"].tolist() == table.ready["price"].tolist()
    assert book.ready["row_key"].tolist() == table.ready["row_key"].tolist()


def test_an_unknown_unit_waits_for_its_mapping():
    header = "Meter name,Meter region,Unit of measure,Unit price,Currency code"
    content = f"{header}\nNC24ads A100 v4,US East,10 Furlongs,36.73,USD\n".encode()
    given = {"file_name": "p.csv", "observed_on": date(2026, 11, 30), "source": "test"}
    assert codes(read_quotes(content, **given)) == [("unknown_unit",)]

    sheet = read_quotes(content, **given, aliases={"unit:10 Furlongs": "10 hours"})

    assert sheet.ready["price_per_accelerator_hour"].tolist() == [Decimal("3.673")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GH200 480GB", "GH200"),  # NVIDIA names the superchip with the memory of its CPU
        ("h100-sxm-5", "H100-SXM-80"),
        ("H100_NVLINK_80GB", "H100-80"),
        ("NVIDIA RTX PRO 4500 Blackwell Server Edition", "RTX PRO 4500"),
        ("RTXPRO6000MAXQ", "RTX PRO 6000-workstation"),
    ],
)
def test_names_that_mislead_are_read_as_what_they_mean(name, expected):
    assert read(row(accelerator=name)).ready["accelerator"].tolist() == [expected]


@pytest.mark.parametrize("name", ["RTX 4090 48GB", "L40 40GB", "H100 NVL 80GB", "A100 20GB"])
def test_a_name_with_the_memory_of_no_variant_is_held(name):
    assert codes(read(row(accelerator=name))) == [("memory_differs",)]


def test_of_two_prices_in_force_the_newer_holds_and_a_future_one_waits():
    header = f"{HEADER},valid_from"
    rows = [
        f"{row(price)},{day}" for price, day in (("2.00", "2026-01-01"), ("2.50", "2026-06-01"), ("2.20", "2027-01-01"))
    ]

    sheet = read(*rows, header=header)

    assert sheet.ready["price"].tolist() == [Decimal("2.50")]
    assert [(found.line, found.reason) for found in sheet.duplicates] == [(3, "superseded by the price of 2026-06-01")]
    assert codes(sheet) == [("not_yet_effective",)]
