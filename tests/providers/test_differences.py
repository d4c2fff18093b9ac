"""What a new sheet changes, and what a person may put right in it."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from providers import ProviderError, compare_quotes, count_changes, derive_rate, formats_table, read_quotes
from providers.registry import FORMATS
from providers.sheet import Reason

REPOSITORY = Path(__file__).resolve().parents[2]
HEADER = "provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model"


def read(*rows, observed_on=date(2026, 11, 30), **changes):
    text = "\n".join([HEADER, *rows]) + "\n"
    return read_quotes(text.encode(), file_name="q.csv", observed_on=observed_on, source="test", **changes)


def row(sku, price):
    return f"Acme,{sku},H100 SXM,8,{price},per_accelerator_hour,USD,on_demand"


def test_a_requote_shows_what_is_new_changed_the_same_and_gone():
    before = read(row("a", "2.00"), row("b", "2.10"), row("c", "2.20")).ready
    after = read(row("b", "2.10"), row("c", "2.30"), row("d", "2.40"), observed_on=date(2026, 12, 1)).ready

    changes = compare_quotes(before, after)

    assert count_changes(changes) == {"new": 1, "changed": 1, "same": 1, "gone": 1}
    changed = next(change for change in changes if change.kind == "changed")
    assert changed.values == {"price": (Decimal("2.20"), Decimal("2.30"))}


def test_the_same_number_in_other_digits_is_no_change():
    changes = compare_quotes(read(row("a", "2.50")).ready, read(row("a", "2.5")).ready)

    assert [change.kind for change in changes] == ["same"]


def test_a_corrected_cell_is_read_and_the_hash_stays_that_of_the_file():
    wrong = read(row("a", "two"), row("b", "2.10"))
    assert [(fault.line, fault.column) for fault in wrong.faults] == [(2, "price")]

    right = read(row("a", "two"), row("b", "2.10"), corrections={(2, "price"): "2.00"})

    assert right.ready["price"].tolist() == [Decimal("2.00"), Decimal("2.10")]
    assert right.source_hash == wrong.source_hash


@pytest.mark.parametrize("place", [(9, "price"), (2, "prise")])
def test_a_correction_of_a_cell_that_is_not_there_is_refused(place):
    with pytest.raises(ProviderError, match=str(place[0])):
        read(row("a", "2.00"), corrections={place: "1"})


def test_a_completed_quote_gets_its_rate_and_steps():
    held = read(row("a", "0")).held[0]

    rate, steps = derive_rate({**held.quote, "price": Decimal("2.00")})

    assert rate == 2
    assert steps == ["2 USD per accelerator-hour"]
    assert isinstance(derive_rate(held.quote), Reason)


def test_the_readme_holds_the_table_of_formats_with_a_line_for_each():
    lines = formats_table().strip().split("\n")

    assert len(lines) == len(FORMATS) + 2
    assert all(line.count("|") == 6 for line in lines)
    assert formats_table() in (REPOSITORY / "README.md").read_text(encoding="utf-8")
