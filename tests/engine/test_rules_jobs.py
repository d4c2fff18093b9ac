"""Own jobs that have aged or were voided by an outage: the gate is stale, its figure last known (R3, R7, R9)."""

from tests.engine.readiness_documents import power, proof, ready


def job(observed_on):
    return proof("job_run", 512, "A", observed_on, scope="rdma")


def test_a_job_past_the_limit_of_a_gate_leaves_that_gate_stale_and_not_without_date():
    """Eight days old: one more than the 7 of scheduled, within every other limit."""
    found = ready([job("2026-11-22")])

    assert found.flags == ("stale:scheduled",)
    assert (found.usable_accelerators, found.last_known_usable) == (0, 512)
    assert found.availability_status == "unverified"


def test_a_job_on_the_last_day_of_the_limit_still_counts():
    assert ready([job("2026-11-23")]).usable_accelerators == 512


def test_an_outage_after_a_job_asks_for_a_recheck_of_the_scheduler():
    """Power is lost two days after the job: lost itself, and what the job said of the scheduler is void."""
    found = ready([job("2026-11-25"), power(0, "C", "2026-11-27", event="lost")])

    assert found.flags == ("recheck_after_loss:scheduled",)
    assert (found.energization_status, found.availability_status) == ("de_energized", "suspended")
