"""`manage.py import_prices`: what it says of files, rows and faults; a worker works while it waits."""

from contextlib import nullcontext
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from procurement.management.commands import import_prices
from procurement.models import Job, PriceSheet, Quote
from procurement.services.job_runner import job_work
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.factories import make_provider

pytestmark = pytest.mark.django_db

HEAD = "sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model\n"
GOOD = HEAD + "h100-8,H100 SXM,8,24.00,per_instance_hour,USD,on_demand\n"


@pytest.fixture
def worker(monkeypatch):
    """Let a worker do one job each time the command sleeps."""

    def work(seconds):
        job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda job: nullcontext())

    monkeypatch.setattr(import_prices.time, "sleep", work)


@pytest.fixture
def sheet_file(tmp_path):
    def write(content, name="prices.csv"):
        file = tmp_path / name
        file.write_text(content, encoding="utf-8")
        return str(file)

    return write


def run(*files, **options):
    told = StringIO()
    given = {"observed_on": "2026-11-20", "source": "https://example.org/prices", "provider": "acme", **options}
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if not isinstance(value, bool)]
    flags = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is True]
    call_command("import_prices", *files, *arguments, *flags, stdout=told)
    return told.getvalue()


def test_counts_are_printed_when_the_worker_is_done(worker, sheet_file):
    make_provider("acme")

    told = run(sheet_file(GOOD), wait=True)

    assert "prices.csv: imported as own_csv" in told
    assert "1 rows ready: 1 new, 0 changed, 0 same, 0 held, 0 faulty" in told
    assert Quote.objects.get().price_per_accelerator_hour == 3  # 24.00 for 8


def test_the_same_file_of_the_same_day_is_received_once(worker, sheet_file):
    make_provider("acme")
    file = sheet_file(GOOD)
    run(file, wait=True)

    told = run(file, wait=True)

    assert "already, nothing to do" in told
    assert PriceSheet.objects.count() == Quote.objects.count() == 1


def test_a_dearer_price_of_a_later_day_is_counted_as_changed(worker, sheet_file):
    make_provider("acme")
    run(sheet_file(GOOD), wait=True)

    told = run(sheet_file(GOOD.replace("24.00", "28.00")), wait=True, observed_on="2026-11-27")

    assert "0 new, 1 changed, 0 same" in told


def test_held_rows_are_told_with_what_would_release_them(worker, sheet_file):
    make_provider("acme")

    told = run(sheet_file(GOOD + "q9,Quantum 9,8,24.00,per_instance_hour,USD,on_demand\n"), wait=True)

    assert "1 new, 0 changed, 0 same, 1 held, 0 faulty" in told
    assert "line 3 held: 'Quantum 9' is no known accelerator (map the name" in told


def test_a_file_with_faults_is_refused_with_its_rows_and_an_exit_status(worker, sheet_file):
    make_provider("acme")
    told = StringIO()
    file = sheet_file(GOOD + "h100-4,H100 SXM,4,cheap,per_instance_hour,USD,on_demand\n")

    with pytest.raises(CommandError, match=r"Refused: prices.csv"):
        call_command(
            "import_prices",
            file,
            "--observed-on=2026-11-20",
            "--source=a page",
            "--provider=acme",
            "--wait",
            stdout=told,
        )

    assert "line 3 faulty" in told.getvalue()
    assert "cheap" in told.getvalue()
    assert not Quote.objects.exists()


def test_skip_faulty_imports_the_good_rows(worker, sheet_file):
    make_provider("acme")

    told = run(
        sheet_file(GOOD + "h100-4,H100 SXM,4,cheap,per_instance_hour,USD,on_demand\n"), wait=True, skip_faulty=True
    )

    assert "1 new, 0 changed, 0 same, 0 held, 1 faulty" in told


def test_without_wait_the_import_is_queued(sheet_file):
    make_provider("acme")

    told = run(sheet_file(GOOD))

    assert "A worker imports them" in told
    assert Job.objects.filter(kind="price_sheet_import").count() == 1


@pytest.mark.parametrize(
    ("_case", "options", "message"),
    [
        ("day", {"observed_on": "22.6.2026"}, "--observed-on: 22.6.2026 is no day; write it as 2026-06-22"),
        ("provider", {"provider": "acmee"}, "--provider acmee is no provider on record. Known codes: acme"),
        ("source", {"source": " "}, "--source is empty"),
    ],
)
def test_what_is_stated_wrongly_is_named(_case, options, message, sheet_file):  # noqa: PT019 - names the case
    make_provider("acme")

    with pytest.raises(CommandError, match=message):
        run(sheet_file(GOOD), **options)

    assert not PriceSheet.objects.exists()


def test_a_missing_file_stops_everything_before_anything_is_received(sheet_file):
    make_provider("acme")

    with pytest.raises(CommandError, match=r"nowhere.csv cannot be read: No such file"):
        run(sheet_file(GOOD), "nowhere.csv")

    assert not PriceSheet.objects.exists()


def test_without_a_worker_the_wait_ends_and_says_so(monkeypatch, sheet_file):
    make_provider("acme")
    monkeypatch.setattr(import_prices, "WAIT_SECONDS", -1)

    with pytest.raises(CommandError, match="no worker imported it"):
        run(sheet_file(GOOD), wait=True)

    assert PriceSheet.objects.get().state == "received"


def test_validate_only_tells_what_would_happen_and_puts_nothing_in_force(worker, sheet_file):
    make_provider("acme")
    run(sheet_file(GOOD), wait=True)

    told = run(sheet_file(GOOD.replace("24.00", "28.00")), validate_only=True, observed_on="2026-11-27")

    assert "checked, to be confirmed as own_csv" in told
    assert "1 rows ready: 0 new, 1 changed" in told
    assert Quote.objects.get().price == 24


def test_validate_only_ends_with_a_status_when_rows_are_faulty_and_an_import_may_follow(worker, sheet_file):
    make_provider("acme")
    file = sheet_file(GOOD + "h100-4,H100 SXM,4,cheap,per_instance_hour,USD,on_demand\n")
    with pytest.raises(CommandError, match="Faulty rows"):
        run(file, validate_only=True)

    told = run(file, wait=True, skip_faulty=True)

    assert "imported as own_csv" in told
    assert PriceSheet.objects.count() == Quote.objects.count() == 1


def test_the_columns_of_any_sheet_are_stated_by_a_file(worker, sheet_file):
    make_provider("acme")
    profile = (
        '{"columns": {"GPU": "accelerator", "Rate": "price"}, "constants": {"currency": "USD", '
        '"price_basis": "per_accelerator_hour", "purchase_model": "on_demand"}}'
    )

    run(sheet_file("GPU;Rate\nH100 SXM;2,50\n"), wait=True, profile=sheet_file(profile, "columns.json"), decimal=",")

    assert Quote.objects.get().price == 2.5
