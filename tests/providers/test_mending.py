"""Cells of JSON lists that a person corrects: the format reads the list as if it had been written so."""

import json
from datetime import date
from decimal import Decimal

import pytest

from providers import ProviderError, read_quotes
from providers.mending import objects_as_written

LAMBDA = {
    "data": {
        "gpu_8x_h100_sxm5": {
            "instance_type": {
                "name": "gpu_8x_h100_sxm5", "gpu_description": "H100 (80 GB SXM5)", "price_cents_per_hour": 2392,
                "specs": {"gpus": 8},
            },
            "regions_with_capacity_available": [{"name": "us-west-1"}, {"name": "us-east-1"}],
        },
        "gpu_1x_new": {
            "instance_type": {
                "name": "gpu_1x_new", "gpu_description": "Quark 1", "price_cents_per_hour": "1o9", "specs": {"gpus": 1},
            },
            "regions_with_capacity_available": [],
        },
    }
}  # fmt: skip
AZURE = {
    "BillingCurrency": "USD", "NextPageLink": None, "Items": [
        {
            "currencyCode": "USD", "retailPrice": 98.32, "unitPrice": 98.32, "armRegionName": "eastus",
            "skuName": "ND96isr H100 v5", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Year",
            "type": "Consumption", "armSkuName": "Standard_ND96isr_H100_v5", "meterName": "ND96isrH100v5",
            "productName": "Virtual Machines NDsr H100 v5 Series", "effectiveStartDate": "2023-08-01T00:00:00Z",
        }
    ],
}  # fmt: skip


def _read(document, corrections=None):
    return read_quotes(
        json.dumps(document).encode(), file_name="list.json", observed_on=date(2026, 11, 29), source="api",
        corrections=corrections,
    )  # fmt: skip


def test_a_price_that_is_no_number_is_mended_at_its_path():
    assert [fault.line for fault in _read(LAMBDA).faults] == [2]

    mended = _read(LAMBDA, {(2, "instance_type.price_cents_per_hour"): "109"})

    assert mended.faults == ()
    assert [(row.line, row.codes) for row in mended.held] == [(2, ("unknown_accelerator",))]


def test_a_name_that_nobody_knows_is_mended_and_the_row_is_ready():
    corrections = {
        (2, "instance_type.price_cents_per_hour"): "109", (2, "instance_type.gpu_description"): "L40S (48 GB)",
    }  # fmt: skip

    ready = _read(LAMBDA, corrections).ready

    assert ready["price"].tolist() == [Decimal("23.92"), Decimal("23.92"), Decimal("1.09")]  # cents over 100
    assert ready["accelerator"].tolist()[-1] == "L40S"


def test_the_unit_of_an_item_is_mended_in_the_list_of_another_format():
    assert [row.codes for row in _read(AZURE).held] == [("unknown_unit",)]

    ready = _read(AZURE, {(1, "unitOfMeasure"): "1 Hour"}).ready

    assert ready["price_per_accelerator_hour"].tolist() == [Decimal("12.29")]  # 98.32 over 8


@pytest.mark.parametrize("cell", [(3, "instance_type.name"), (1, "instance_type.colour"), (0, "key")])
def test_a_cell_that_is_not_there_is_refused(cell):
    with pytest.raises(ProviderError, match="has no cell at line"):
        _read(LAMBDA, {cell: "x"})


def test_objects_are_shown_by_the_paths_of_their_cells_as_corrected():
    content = json.dumps(LAMBDA).encode()

    shown = objects_as_written(content, "list.json", {2}, rows=2, corrections={(2, "instance_type.specs.gpus"): "2"})

    assert shown == {
        2: {
            "key": "gpu_1x_new", "instance_type.name": "gpu_1x_new", "instance_type.gpu_description": "Quark 1",
            "instance_type.price_cents_per_hour": "1o9", "instance_type.specs.gpus": "2",
            "regions_with_capacity_available": "",
        }
    }  # fmt: skip


def test_nothing_is_shown_where_a_format_counts_other_things_than_the_objects():
    assert objects_as_written(json.dumps(LAMBDA).encode(), "list.json", {1}, rows=3, corrections={}) == {}
