"""What one changed price costs beside asking everything anew, through the service and PostgreSQL: `make bench`."""

import random
import sys
import time
from decimal import Decimal

import pytest

from procurement.models import Quote
from procurement.services.job_runner import job_work
from procurement.services.quotes import quote_supersede
from procurement.tasks import JOB_KINDS
from tests.factories import actor, make_assumptions, make_build, make_provider, make_quote, make_workload
from tests.procurement.test_runs import NoPulse

pytestmark = pytest.mark.django_db

QUOTES = 50_000
WORKLOADS = 20
TYPES = (
    "T4", "A10", "A10G", "L4", "L40S", "A100-PCIe-40", "A100-SXM-40", "A100-PCIe-80", "A100-SXM-80", "H100-PCIe-80",
    "H100-SXM-80", "H200-SXM-141", "B200-SXM-180", "B300-SXM-288", "RTX PRO 6000", "MI300X", "MI325X", "MI355X",
    "TPU v5e", "TPU v6e",
)  # fmt: skip


def stored_quotes(model):
    """Store that many copies of an offer: all types, five providers, each with its own price."""
    numbers = random.Random(0)
    providers = [make_provider(f"supplier-{number}") for number in range(5)]
    copies = []
    for number in range(QUOTES):
        values = {field.attname: getattr(model, field.attname) for field in Quote._meta.concrete_fields}
        values |= {
            "id": None, "code": f"offer-{number}", "row_key": f"offer-{number}",
            "provider_id": providers[number % 5].pk,
            "accelerator": TYPES[number % len(TYPES)], "price": Decimal(numbers.randrange(100, 900)) / 100,
        }  # fmt: skip
        copies.append(Quote(**values))
    Quote.objects.bulk_create(copies, batch_size=2000)


def work_off():
    """Work off every due job; return the seconds of each kind."""
    seconds = {}
    while True:
        began = time.perf_counter()
        row = job_work(kinds=JOB_KINDS, pulse=NoPulse)
        if row is None:
            return seconds
        assert row.status == "done", row.last_error
        seconds[row.kind] = seconds.get(row.kind, 0.0) + time.perf_counter() - began


def test_one_changed_price_recomputes_only_what_it_touches():
    make_assumptions(draws=1000)
    make_build()
    stored_quotes(make_quote(code="pattern"))
    for number in range(WORKLOADS):
        make_workload(f"need-{number}", accelerator_types=[TYPES[number % len(TYPES)]])
    whole = work_off()
    quote = Quote.objects.get(code="offer-7", is_current=True)
    quote_supersede(by=actor(), quote=quote, version=quote.version, values={"price": Decimal("1.01")})

    part = work_off()

    for name, seconds in (("whole run", whole), ("after one price", part)):
        stages = ", ".join(f"{kind} {took:.1f}" for kind, took in seconds.items())
        sys.stdout.write(f"\n{name}: {sum(seconds.values()):.1f} s ({stages})")
    sys.stdout.write(f"\n{sum(part.values()) / sum(whole.values()):.1%} of a whole run\n")
