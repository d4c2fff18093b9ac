"""The main flow through the front doors: a price file comes in, a worker answers, the mail says the same numbers."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from django.conf import settings as project_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from procurement.config.embedded_valkey import EmbeddedValkey
from procurement.models import AuditEntry, Job, PriceSheet, Quote
from procurement.selectors.runs import answer_of, run_latest_finished
from tests.chaos.harness import database_url
from tests.factories import make_assumptions, make_build, make_provider, make_user, make_workload
from tests.reports.mail_tools import Server, Sink

PROJECT = Path(__file__).resolve().parents[2]
FIRST_PRICES = b"""provider,sku,accelerator,accelerators_per_instance,price,price_basis,currency,purchase_model,region
Acme,hgx-h100,NVIDIA H100 80GB HBM3,8,24.00,per_instance_hour,USD,on_demand,us-east-1
Acme,wonder,Wunderchip 9000,8,24.00,per_instance_hour,USD,on_demand,us-east-1
"""
NEXT_PRICES = FIRST_PRICES.replace(b"HBM3,8,24.00", b"HBM3,8,32.00")

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sink():
    kept = Sink()
    server = Server(kept)
    server.start()
    yield kept, server
    server.stop()


@pytest.fixture
def broker_url(tmp_path):
    """Return the broker that the environment names, else one that is started here."""
    if project_settings.REDIS_URL:
        yield project_settings.REDIS_URL
        return
    broker = EmbeddedValkey(tmp_path / "valkey")
    broker.start()
    yield broker.address().url()
    broker.stop()


@pytest.fixture
def processes(tmp_path, settings, sink, broker_url):
    """Run the product's own worker and scheduler on the test database, a real broker and a real mail server."""
    settings.MEDIA_ROOT = tmp_path / "media"
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "REDIS_URL": broker_url,
        "DATA_DIR": str(tmp_path),
        "SECRET_KEY": project_settings.SECRET_KEY,
        "EMAIL_URL": f"smtp://127.0.0.1:{sink[1].port}",
        "RECONCILE_SECONDS": "1",
        "LOG_LEVEL": "WARNING",
    }
    started = [_start(tmp_path, environment, "worker", "--concurrency", "1"), _start(tmp_path, environment, "beat")]
    yield started
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def _start(folder, environment, *arguments):
    with (folder / f"{arguments[0]}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "celery", "--quiet", "-A", "procurement.config", *arguments], cwd=PROJECT,
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip


def wait_for(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.2)
    jobs = list(Job.objects.values_list("kind", "status", "last_error"))
    raise AssertionError(f"waited {seconds} s for {what}; jobs are {jobs}")


def upload(browser, name, content):
    return browser.post(
        "/price-sheets/new/",
        {
            "file": SimpleUploadedFile(name, content), "observed_on": "2026-11-29", "source": "price page of Acme",
            "mode": "strict",
        },
    )  # fmt: skip


def confirm(browser, name):
    """Wait until the worker has checked a file, and confirm it as a person does; return it once it is imported."""
    sheets = PriceSheet.objects.filter(file_name=name)
    checked = wait_for(lambda: sheets.filter(state="checked").first(), f"the check of {name}")
    sent = browser.post(f"/price-sheets/{checked.pk}/confirm/", {"version": checked.version})
    assert sent.status_code == 302
    return wait_for(lambda: sheets.filter(state="imported").first(), f"the import of {name}")


@pytest.mark.usefixtures("processes")
def test_a_price_file_becomes_a_recommendation_and_a_mail_with_the_same_numbers(sink):
    make_assumptions()
    make_provider("acme", name="Acme")
    make_build(planned=64)
    make_workload()
    analyst = make_user("ana", role="analyst")
    browser = Client()
    browser.force_login(analyst)

    assert upload(browser, "acme.csv", FIRST_PRICES).status_code == 302
    sheet = confirm(browser, "acme.csv")
    assert (sheet.rows_new, sheet.rows_held) == (1, 1)
    quote = Quote.objects.get(is_current=True)
    assert float(quote.price_per_accelerator_hour) == 3.0  # 24.00 an instance-hour / 8 accelerators

    def answered():
        run = run_latest_finished()
        answer = answer_of(run, "serve") if run else None
        return answer if answer and answer.options.filter(option=f"cloud:{quote.code}").exists() else None

    answer = wait_for(answered, "a finished run that compares the new price")
    run = run_latest_finished()
    page = browser.get(f"/recommendations/{run.pk}/serve/").content.decode()
    shown = f"{answer.npv:,.2f}"
    assert shown in page

    due = timezone.now().astimezone(UTC) + timedelta(seconds=5)
    response = browser.post(
        "/reports/subscriptions/new/",
        {
            "name": "Weekly decisions", "report": "recommendations", "recipients": "cfo@example.com",
            "days": [f"{due:%a}".lower()], "time": f"{due:%H:%M:%S}", "time_zone": "UTC", "if_unchanged": "full",
            "catch_up": "one", "when_uncertain": "hold", "is_active": "on", "within_days": "30", "version": "0",
        },
    )  # fmt: skip
    assert response.status_code == 302, response.content.decode()

    letter = wait_for(lambda: sink[0].messages()[:1], "the mail")[0]
    text = letter.get_body(("plain",)).get_content()
    html = letter.get_body(("html",)).get_content()
    assert letter["To"] == "cfo@example.com"
    assert shown in re.sub(r"\s+", " ", text)
    assert shown in html
    time.sleep(2)
    assert len(sink[0].letters) == 1  # one message a recipient and slot


@pytest.mark.usefixtures("processes")
def test_the_same_file_twice_is_once_and_a_new_price_supersedes():
    make_assumptions()
    make_provider("acme", name="Acme")
    browser = Client()
    browser.force_login(make_user("ana", role="analyst"))

    upload(browser, "acme.csv", FIRST_PRICES)
    confirm(browser, "acme.csv")
    upload(browser, "acme.csv", FIRST_PRICES)
    upload(browser, "acme-new.csv", NEXT_PRICES)
    confirm(browser, "acme-new.csv")

    versions = list(Quote.objects.order_by("version").values_list("version", "is_current"))
    assert versions == [(1, False), (2, True)]
    assert AuditEntry.objects.filter(action="price_sheet.import").count() == 2
