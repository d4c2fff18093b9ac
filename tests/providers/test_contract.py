"""The quote table has the names of the scenario document, and names every fault of a bad table."""

import dataclasses
from decimal import Decimal

import pandas as pd
import pytest

from procurement.engine import codes
from procurement.engine.tables import Quote
from providers import QUOTES, TableError, contract
from providers.contract import PROVENANCE, row_key
from providers.reading import quote_frame

OF_A_RUN = ("list_price", "price_steps")  # a run writes them when it takes a contract discount off; no file states them
FIELDS = tuple(field for field in dataclasses.fields(Quote) if field.name not in OF_A_RUN)


def test_columns_are_those_of_a_quote_and_where_it_came_from():
    assert (*(field.name for field in FIELDS), *PROVENANCE) == QUOTES.names


def test_columns_have_the_meaning_and_unit_of_the_engine():
    for field in FIELDS:
        column = QUOTES.column(field.name)
        assert (column.meaning, column.unit) == (field.metadata["meaning"], field.metadata["unit"])
        assert column.choices == field.metadata["choices"]


def test_estimates_are_allowed_where_the_engine_takes_them():
    assert tuple(field.name for field in FIELDS if field.metadata["ranged"]) == contract.RANGED


def test_vocabularies_are_those_of_the_engine():
    for name in ("PRICE_BASES", "PURCHASE_MODELS", "PAYMENT_OPTIONS", "INTERCONNECTS", "FABRICS", "CAPACITY_CLASSES"):
        assert getattr(contract, name) == getattr(codes, name)
    assert contract.COMMITTED == codes.COMMITTED_PURCHASE_MODELS


def _row(**changes):
    row = {
        "id": "q", "provider": "p", "accelerator": "H100", "price": Decimal(2), "price_basis": "per_accelerator_hour",
        "currency": "USD", "purchase_model": "on_demand", "quoted_on": pd.Timestamp("2026-11-30").date(),
        "source_file": "f", "source_line": 2, "source_hash": "h", "row_key": "k",
        "price_per_accelerator_hour": Decimal(2), "derivation": {"raw": "2"},
    }  # fmt: skip
    return {**row, **changes}


def test_a_good_table_is_returned_unchanged():
    frame = quote_frame([_row()])

    assert QUOTES.validate(frame) is frame
    assert frame["price"].tolist() == [Decimal(2)]
    assert frame["includes"].tolist() == [()]
    assert frame["zone"].tolist() == [None]


def test_every_fault_is_named_at_once():
    rows = [_row(), _row(price=2.5, source_line=3), _row(price_basis="per_gpu", provider=None, source_line=4)]

    with pytest.raises(TableError) as caught:
        quote_frame(rows)

    assert [(fault.line, fault.column, fault.rule) for fault in caught.value.faults] == [
        (4, "provider", "required"),
        (3, "price", "wrong_kind"),
        (4, "price_basis", "not_a_choice"),
    ]


def test_a_missing_column_is_a_fault():
    frame = quote_frame([_row()]).drop(columns=["currency"])

    with pytest.raises(TableError, match="currency"):
        QUOTES.validate(frame)


def test_the_row_key_ignores_the_price_and_keeps_separators_apart():
    assert row_key({"provider": "a", "price": 1}) == row_key({"provider": "a", "price": 2})
    assert row_key({"provider": "a|b", "sku": ""}) != row_key({"provider": "a", "sku": "b"})
