"""The queue of record, without broker: each rule of the job rows by itself."""

from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import Job, JobStatus
from procurement.selectors.jobs import jobs_alarming, jobs_due_count
from procurement.services.clock import clock_request
from procurement.services.job_runner import RunningJob, job_work, jobs_bury
from procurement.services.jobs import (
    LeaseLost,
    job_acknowledge,
    job_claim,
    job_fail,
    job_finish,
    job_renew,
    job_request,
    job_retry,
    jobs_prune,
)

pytestmark = pytest.mark.django_db


def work(**kinds):
    return job_work(kinds=kinds, pulse=lambda job: nullcontext())


def expire_leases():
    Job.objects.filter(status=JobStatus.RUNNING).update(lease_until=Now() - timedelta(seconds=1))


def make_due():
    Job.objects.filter(status=JobStatus.QUEUED).update(run_after=Now() - timedelta(seconds=1))


def test_a_job_that_is_asked_twice_with_one_key_is_one_job():
    first = job_request(kind="import", dedupe_key="import:7", args={"sheet": 7})
    second = job_request(kind="import", dedupe_key="import:7", args={"sheet": 7})

    assert second.pk == first.pk
    assert Job.objects.count() == 1


def test_a_finished_job_keeps_its_key():
    job_request(kind="import", dedupe_key="import:7")
    work(**{"import": lambda job: None})

    again = job_request(kind="import", dedupe_key="import:7")

    assert again.status == JobStatus.DONE


def test_changes_before_the_work_begins_share_one_coalescing_job():
    for _ in range(3):
        job_request(kind="recompute", dedupe_key="recompute", coalesce=True)

    assert Job.objects.count() == 1


def test_a_change_while_the_work_runs_queues_exactly_one_more():
    job_request(kind="recompute", dedupe_key="recompute", coalesce=True)
    job_claim(owner="a")

    for _ in range(3):
        job_request(kind="recompute", dedupe_key="recompute", coalesce=True)

    assert sorted(Job.objects.values_list("status", flat=True)) == [JobStatus.QUEUED, JobStatus.RUNNING]


def test_a_job_of_a_rolled_back_change_does_not_exist():
    with transaction.atomic():
        job_request(kind="import", dedupe_key="import:7")
        transaction.set_rollback(True)

    assert not Job.objects.exists()


def test_the_oldest_due_job_is_claimed_first_and_only_once():
    first = job_request(kind="a", dedupe_key="a:1")
    second = job_request(kind="a", dedupe_key="a:2")

    claimed = [job_claim(owner="x"), job_claim(owner="y"), job_claim(owner="z")]

    assert [job and job.pk for job in claimed] == [first.pk, second.pk, None]


def test_a_job_waits_until_its_time():
    job_request(kind="a", dedupe_key="a:1", run_after=timezone.now() + timedelta(hours=1))

    assert job_claim(owner="x") is None


def test_the_service_gets_the_arguments_and_its_progress_is_kept():
    seen = []
    job_request(kind="count", dedupe_key="count:1", args={"upto": 3})

    def count(job, upto):
        seen.append(upto)
        job.progress(2, upto, "two of three")

    row = work(count=count)

    assert seen == [3]
    assert (row.status, row.progress_done, row.progress_total) == (JobStatus.DONE, 2, 3)
    assert row.progress_message == "two of three"


def test_an_attempt_that_breaks_is_rolled_back_and_tried_again_later():
    job_request(kind="a", dedupe_key="a:1")

    def breaks(job):
        job_request(kind="effect", dedupe_key="effect:1")
        raise ZeroDivisionError("no divisor")

    row = work(a=breaks)

    assert row.status == JobStatus.QUEUED
    assert row.run_after > timezone.now()
    assert "ZeroDivisionError: no divisor at test_jobs.py" in row.last_error
    assert not Job.objects.filter(kind="effect").exists()


def test_the_third_broken_attempt_is_the_last():
    job_request(kind="a", dedupe_key="a:1")

    for _ in range(4):
        make_due()
        work(a=lambda job: 1 / 0)

    row = Job.objects.get()
    assert (row.status, row.attempts) == (JobStatus.DEAD, 3)
    assert list(jobs_alarming()) == [row]


def test_a_refusal_is_not_tried_again():
    job_request(kind="a", dedupe_key="a:1")

    def refuses(job):
        raise ProcurementError("no_assumptions", "There are no assumptions; make a set first.")

    row = work(a=refuses)

    assert (row.status, row.attempts) == (JobStatus.FAILED, 1)
    assert row.last_error == "There are no assumptions; make a set first."


def test_a_job_that_fails_for_good_says_farewell_with_its_arguments():
    said = []
    job_request(kind="a", dedupe_key="a:1", args={"run": 4})

    def refuses(job, run):
        raise ProcurementError("no", "No.")

    job_work(
        kinds={"a": refuses},
        farewells={"a": lambda *, message, run: said.append((message, run))},
        pulse=lambda job: nullcontext(),
    )

    assert said == [("No.", 4)]


def test_an_unknown_kind_fails_with_the_known_ones():
    job_request(kind="typo", dedupe_key="typo:1")

    row = work(recompute=lambda job: None)

    assert row.status == JobStatus.FAILED
    assert "'typo'" in row.last_error
    assert "recompute" in row.last_error


def test_a_job_whose_worker_vanished_is_taken_over():
    job_request(kind="a", dedupe_key="a:1")
    job_claim(owner="gone")
    expire_leases()

    row = work(a=lambda job: None)

    assert (row.status, row.attempts) == (JobStatus.DONE, 2)


def test_a_job_whose_worker_vanished_three_times_is_buried_with_a_reason():
    said = []
    job_request(kind="a", dedupe_key="a:1")
    for owner in ("first", "second", "third"):
        job_claim(owner=owner)
        expire_leases()

    assert job_claim(owner="fourth") is None
    assert jobs_due_count() == 1
    assert jobs_bury(farewells={"a": lambda *, message: said.append(message)}) == 1

    row = Job.objects.get()
    assert row.status == JobStatus.DEAD
    assert "vanished" in row.last_error
    assert said == [row.last_error]


def test_only_the_owner_renews_finishes_and_fails():
    job_request(kind="a", dedupe_key="a:1")
    row = job_claim(owner="old")
    expire_leases()
    job_claim(owner="new")

    assert not job_renew(job_id=row.pk, owner="old", progress=None)
    assert job_fail(job_id=row.pk, owner="old", attempt=1, error="late", is_permanent=False) is None
    with pytest.raises(LeaseLost):
        job_finish(job_id=row.pk, owner="old", progress=None)
    assert Job.objects.get().owner == "new"


def test_t2_the_effect_of_an_attempt_that_lost_its_lease_is_rolled_back():
    job_request(kind="a", dedupe_key="a:1")

    def is_overtaken(job):
        job_request(kind="effect", dedupe_key=f"effect:{job.attempt}")
        expire_leases()
        job_claim(owner="other")

    work(a=is_overtaken)

    assert not Job.objects.filter(kind="effect").exists()


def test_a_lost_lease_stops_the_work_at_its_next_progress():
    job_request(kind="a", dedupe_key="a:1")
    running = RunningJob(job_claim(owner="x"))
    running.is_lost.set()

    with pytest.raises(LeaseLost):
        running.progress(1, 2)


def test_a_dead_job_is_tried_again_when_a_person_says_so():
    job_request(kind="a", dedupe_key="a:1")
    for _ in range(3):
        make_due()
        work(a=lambda job: 1 / 0)

    job_retry(job_id=Job.objects.get().pk, user=None, reason="the divisor is mended")

    assert work(a=lambda job: None).status == JobStatus.DONE


def test_a_job_that_is_done_is_not_tried_again():
    job = job_request(kind="a", dedupe_key="a:1")
    work(a=lambda job: None)

    with pytest.raises(ProcurementError, match="not failed or dead"):
        job_retry(job_id=job.pk, user=None, reason="once more")


def test_an_acknowledged_alarm_is_silent():
    job = job_request(kind="a", dedupe_key="a:1")
    work(b=lambda job: None)

    job_acknowledge(job_id=job.pk, user=None, reason="known")

    assert not jobs_alarming().exists()


def test_a_tick_is_one_job_however_many_schedulers_ask():
    for _ in range(3):
        clock_request(slot="2026-11-30T10:15Z")

    assert Job.objects.count() == 1


def test_old_jobs_are_deleted_and_failed_ones_stay():
    for number, (kind, status, days) in enumerate([
        ("a", JobStatus.DONE, 31), ("a", JobStatus.DONE, 29), ("a", JobStatus.DEAD, 400),
        ("clock_tick", JobStatus.DONE, 2), ("clock_tick", JobStatus.DONE, 0),
    ]):  # fmt: skip
        finished = timezone.now() - timedelta(days=days)
        Job.objects.create(kind=kind, dedupe_key=str(number), status=status, finished_at=finished)

    assert jobs_prune() == 2
    assert set(Job.objects.values_list("dedupe_key", flat=True)) == {"1", "2", "4"}


def test_a_running_job_without_lease_cannot_be_stored():
    job_request(kind="a", dedupe_key="a:1")

    with pytest.raises(Exception, match="job_running_has_owner_and_lease"), connection.cursor() as cursor:
        cursor.execute("UPDATE procurement_job SET status = 'running'")
