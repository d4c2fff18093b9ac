"""Workers and broker are killed under load: nothing is lost, nothing is done twice."""

import os
import signal
import time

import pytest
from celery import current_app
from django.utils import timezone

from procurement.models import Job, JobStatus
from procurement.selectors.jobs import jobs_alarming
from procurement.tasks import ring
from tests.chaos.harness import LEASE_SECONDS, RECONCILE_SECONDS, Fleet, Ledger, ask, ledger, open_jobs, wait_until

PATIENCE = 90  # seconds; a quiet machine needs a tenth of it

pytestmark = [pytest.mark.chaos, pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fleet(servers_folder):
    with Fleet(servers_folder, seed=20261130) as fleet:
        yield fleet


def is_served(fleet):
    """Wait until a job runs from end to end, so that kills hit work and not the start."""
    ask("effect", 1, longest=0)
    return wait_until(lambda: not open_jobs(), seconds=PATIENCE)


def test_t1_six_hundred_jobs_survive_ten_killed_workers_and_two_killed_brokers(fleet):
    fleet.scheduler()
    workers = [fleet.worker(), fleet.worker()]
    assert is_served(fleet), fleet.logs()

    for number in range(10):
        ask("effect", 60, longest=0.04)
        time.sleep(fleet.random.uniform(0.2, 1.2))
        fleet.kill(workers.pop(0))
        workers.append(fleet.worker())
        if number in {3, 7}:
            fleet.kill_broker(signal.SIGKILL)
    is_finished = wait_until(lambda: not open_jobs(), seconds=PATIENCE)

    assert ledger("effect") == Ledger(asked=601, done=601, dead=0, lost=0, doubled=0), fleet.logs()
    assert is_finished


def test_t1_the_job_of_a_killed_worker_resumes_after_its_lease(fleet):
    fleet.scheduler()
    victim = fleet.worker(children=1)
    ask("slow_effect", 1, seconds=120)
    assert wait_until(lambda: Job.objects.filter(status=JobStatus.RUNNING).exists(), seconds=PATIENCE), fleet.logs()
    fleet.worker(children=1)
    ask("effect", 1, longest=0)
    assert wait_until(lambda: open_jobs() == 1, seconds=PATIENCE), "the second worker works while the first is busy"

    fleet.kill(victim)
    killed_at = timezone.now()
    assert wait_until(lambda: not open_jobs(), seconds=PATIENCE), fleet.logs()

    job = Job.objects.get(kind="slow_effect")
    assert (job.status, job.attempts) == (JobStatus.DONE, 2)
    assert (job.started_at - killed_at).total_seconds() <= LEASE_SECONDS + RECONCILE_SECONDS + 2
    assert ledger("slow_effect", "effect") == Ledger(asked=2, done=2, dead=0, lost=0, doubled=0)


def test_t2_a_job_longer_than_its_lease_is_done_once_while_its_heart_beats(fleet):
    fleet.scheduler()
    fleet.worker()
    ask("slow_effect", 1, seconds=3 * LEASE_SECONDS)

    assert wait_until(lambda: not open_jobs(), seconds=PATIENCE), fleet.logs()

    assert Job.objects.get(kind="slow_effect").attempts == 1
    assert ledger("slow_effect") == Ledger(asked=1, done=1, dead=0, lost=0, doubled=0)


@pytest.mark.parametrize(("kind", "doubled"), [("slow_effect", 0), ("naive_effect", 1)])
def test_t2_a_job_whose_heart_stands_still_is_taken_over_and_only_a_careless_effect_doubles(fleet, kind, doubled):
    fleet.scheduler()
    fleet.worker(children=1, CHAOS_FREEZE_LEASE="1")
    ask(kind, 1, seconds=PATIENCE)
    assert wait_until(lambda: Job.objects.filter(kind=kind, status=JobStatus.RUNNING).exists(), seconds=PATIENCE)

    fleet.worker(children=1)
    assert wait_until(lambda: not open_jobs(), seconds=PATIENCE), fleet.logs()
    is_noticed = wait_until(lambda: "lost lease" in fleet.logs(), seconds=PATIENCE)

    assert ledger(kind).doubled == doubled
    assert is_noticed


def test_t4_a_job_that_kills_its_worker_is_dead_after_three_attempts_and_stops_nobody(fleet):
    fleet.scheduler()
    fleet.worker()
    ask("poison", 1)
    ask("effect", 20, longest=0.02)

    assert wait_until(lambda: not open_jobs(), seconds=PATIENCE), fleet.logs()

    poisoned = Job.objects.get(kind="poison")
    assert (poisoned.status, poisoned.attempts) == (JobStatus.DEAD, 3)
    assert "vanished" in poisoned.last_error
    assert list(jobs_alarming()) == [poisoned]
    assert ledger("effect") == Ledger(asked=20, done=20, dead=0, lost=0, doubled=0)


def test_t6_jobs_survive_eight_ends_of_a_broker_that_forgets_everything(fleet):
    fleet.scheduler()
    fleet.worker()
    assert is_served(fleet), fleet.logs()

    for number in range(8):
        ask("effect", 25, longest=0.04)
        time.sleep(fleet.random.uniform(0.1, 0.8))
        fleet.kill_broker(signal.SIGKILL if number % 2 else signal.SIGTERM)
    is_finished = wait_until(lambda: not open_jobs(), seconds=PATIENCE)

    assert ledger("effect") == Ledger(asked=201, done=201, dead=0, lost=0, doubled=0), fleet.logs()
    assert is_finished


def test_t7_a_bell_that_nobody_hears_costs_a_request_no_more_than_a_moment(fleet, monkeypatch):
    monkeypatch.setattr(current_app.conf, "broker_write_url", fleet.broker.address().url())
    assert ring()
    broker = int((fleet.broker.folder / "valkey.pid").read_text(encoding="utf-8"))

    os.kill(broker, signal.SIGSTOP)
    began = time.monotonic()
    is_heard_while_frozen = ring()
    frozen = time.monotonic() - began
    os.kill(broker, signal.SIGCONT)
    fleet.broker.stop()
    began = time.monotonic()
    is_heard_while_away = ring()
    away = time.monotonic() - began

    assert (is_heard_while_frozen, is_heard_while_away) == (False, False)
    assert frozen <= 1.5
    assert away <= 0.5


def test_t8_three_schedulers_ask_for_sixty_slots_and_sixty_jobs_exist(fleet):
    schedulers = [fleet.start("tests.chaos.ask_for_slots") for _ in range(3)]

    assert [scheduler.wait(PATIENCE) for scheduler in schedulers] == [0, 0, 0], fleet.logs()

    assert Job.objects.count() == 60


def test_t11_a_job_whose_writer_died_before_the_bell_rang_runs_all_the_same(fleet):
    fleet.scheduler()
    fleet.worker()
    assert is_served(fleet), fleet.logs()

    writer = fleet.start("tests.chaos.commit_and_die")
    assert writer.wait(PATIENCE) == -signal.SIGKILL
    job = Job.objects.get(dedupe_key="effect:of the dead")
    assert wait_until(lambda: not open_jobs(), seconds=PATIENCE), fleet.logs()

    job.refresh_from_db()
    waited = (job.started_at - job.created_at).total_seconds()
    assert waited <= 3 * RECONCILE_SECONDS
    assert ledger("effect").doubled == 0
