"""Probes tell the truth: what hinders pages is `down`, what only delays recomputation is `degraded`."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from procurement.config import health
from procurement.config.embedded_valkey import EmbeddedValkey, free_port
from procurement.models import Heartbeat, Job, JobStatus

pytestmark = pytest.mark.django_db


@pytest.fixture
def broker(servers_folder, settings):
    valkey = EmbeddedValkey(servers_folder / "valkey")
    valkey.start()
    settings.CELERY_BROKER_URL = valkey.address().url()
    yield valkey
    valkey.stop()


@pytest.fixture
def no_broker(settings):
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{free_port()}/0"


def beat(name, *, seconds_ago):
    Heartbeat.objects.update_or_create(name=name, defaults={"beat_at": Now() - timedelta(seconds=seconds_ago)})


def everybody_lives():
    beat("worker", seconds_ago=1)
    beat("scheduler", seconds_ago=1)


def ready(client):
    answer = client.get("/readyz")
    body = answer.json()
    return answer.status_code, body["status"], {check["name"]: check["state"] for check in body["checks"]}


def test_livez_asks_nobody(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get("/livez")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer.headers["Cache-Control"]


def test_t102_all_is_well(client, broker):
    everybody_lives()

    code, status, checks = ready(client)

    assert (code, status) == (200, "ok")
    assert set(checks) == {"database", "migrations", "worker", "scheduler", "queue", "jobs", "broker"}


def test_t102_a_broker_that_is_away_degrades_and_takes_nothing_out_of_service(client, no_broker):
    everybody_lives()

    code, status, checks = ready(client)

    assert (code, status) == (200, "degraded")
    assert [name for name, state in checks.items() if state != "ok"] == ["broker"]


@pytest.mark.parametrize("name", ["worker", "scheduler"])
def test_t102_who_is_silent_for_a_minute_is_named(client, broker, name):
    everybody_lives()
    beat(name, seconds_ago=61)

    _, status, checks = ready(client)

    assert (status, checks[name]) == ("degraded", "degraded")


def test_t102_a_job_that_waits_too_long_is_named(client, broker):
    everybody_lives()
    Job.objects.create(kind="a", dedupe_key="a", run_after=Now() - timedelta(seconds=121))

    _, status, checks = ready(client)

    assert (status, checks["queue"]) == ("degraded", "degraded")


def test_t102_a_dead_job_is_named_until_somebody_has_seen_it(client, broker):
    everybody_lives()
    Job.objects.create(kind="a", dedupe_key="a", status=JobStatus.DEAD)
    assert ready(client)[2]["jobs"] == "degraded"

    Job.objects.update(acknowledged_at=Now())

    assert ready(client)[2]["jobs"] == "ok"


def test_t102_a_database_that_cannot_be_written_is_down(client, no_broker, monkeypatch):
    def fail(*, name):
        raise OperationalError("password=secret could not connect")

    monkeypatch.setattr(health, "heartbeat_write", fail)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["status"] == "down"
    assert "secret" not in answer.content.decode()


def test_t102_missing_migrations_are_down(client, no_broker, monkeypatch):
    monkeypatch.setattr(health, "_is_migrated", lambda: False)

    code, status, checks = ready(client)

    assert (code, status, checks["migrations"]) == (503, "down", "down")
