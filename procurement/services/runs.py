"""Runs: ask a question once, answer it stage by stage, and ask again when something changed."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from procurement.engine import ENGINE_VERSION
from procurement.engine.answer_digests import answer_digests, dated_questions
from procurement.engine.pipeline import availability, comparisons, energization, next_change_on
from procurement.engine.scenario import parse_scenario, scenario_digest
from procurement.engine.tables import Scenario
from procurement.errors import ProcurementError
from procurement.models import Answer, AssumptionSet, Job, Run, RunAnswer, RunState
from procurement.permissions import require
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation
from procurement.selectors.frames import scenario_document
from procurement.services.actors import SYSTEM, Actor
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request
from procurement.services.results import availability_store, comparisons_store, energization_store

PAIRS_AT_A_TIME = 1_000_000  # workloads x quotes that one stage holds in memory


def recompute_request(*, by: Actor, cause: str) -> Job:
    """Queue a recomputation in the caller's transaction; changes that follow each other share one."""
    return job_request(
        kind="recompute", dedupe_key="recompute", args={"cause": (by.reason or cause)[:300]}, coalesce=True
    )


def run_request(
    *, by: Actor, assumption_set: AssumptionSet | None = None, as_of: date | None = None
) -> tuple[Run, bool]:
    """Freeze today's question and queue its first stage; the same question is the same run.

    Returns the run and whether it is new. Refuses when no assumption set is in force.
    """
    require(by.user, "run.request")
    assumption_set = assumption_set or assumption_set_in_force()
    if assumption_set is None:
        raise ProcurementError("no_assumptions", "No assumption set is in force; finance puts one in force first.")
    as_of = as_of or day_of_evaluation(assumption_set)
    document = scenario_document(assumption_set=assumption_set, as_of=as_of)
    digest = run_digest(document)
    with transaction.atomic():
        run, is_new = Run.objects.get_or_create(
            inputs_digest=digest,
            defaults={
                "inputs": document, "engine_version": ENGINE_VERSION, "as_of": as_of,
                "currency": assumption_set.currency, "assumption_set": assumption_set, "requested_by": by.user,
                "reason": by.reason[:300], "workload_count": len(document["workloads"]),
                "last_asked_at": timezone.now(),
            },
        )  # fmt: skip
        if not is_new:
            Run.objects.filter(pk=run.pk).update(last_asked_at=timezone.now())
        if is_new or run.state == RunState.FAILED:
            _queue_stage(run, "recompute_energization")
    return run, is_new


def run_digest(document: dict[str, Any]) -> str:
    """Return the digest of a question: inputs and engine version."""
    return hashlib.sha256(f"{ENGINE_VERSION}:{scenario_digest(document)}".encode()).hexdigest()


def recompute(job: RunningJob, cause: str = "") -> None:
    """Ask today's question again, because of ``cause``; safe to repeat, since equal questions are one run."""
    if assumption_set_in_force() is None:
        job.progress(1, 1, "no assumption set is in force yet")
        return
    run, is_new = run_request(by=Actor(user=None, source="job", reason=cause))
    job.progress(1, 1, f"{run} {'asked' if is_new else 'already asked'}")


def recompute_energization(job: RunningJob, run: int) -> None:
    """Answer stage 1: readiness and forecast of every build; replaces its own rows."""
    record = Run.objects.get(pk=run)
    job.progress(0, 3, "energization of builds")
    scenario = parse_scenario(dated_questions(record.inputs))
    energization_store(run=record, stage=energization(scenario))
    record.next_change_on = next_change_on(scenario)
    record.state = RunState.ENERGIZATION
    record.save(update_fields=["next_change_on", "state"])
    _queue_stage(record, "recompute_availability")


def recompute_availability(job: RunningJob, run: int) -> None:
    """Answer stage 2: what can be booked for whom; takes over answers whose inputs did not change."""
    record = Run.objects.get(pk=run)
    job.progress(1, 3, "availability of quotes")
    digests = answer_digests(record.inputs)
    taken_over = _link_finished_answers(record, digests)
    for part in question_parts(record, set(digests) - taken_over):
        codes = [workload.id for workload in part.workloads]
        availability_store(run=record, digests=digests, stage=availability(part), workload_codes=codes)
    record.answers_taken_over = len(taken_over)
    record.state = RunState.AVAILABILITY
    record.save(update_fields=["answers_taken_over", "state"])
    _queue_stage(record, "recompute_comparisons")


def recompute_comparisons(job: RunningJob, run: int) -> None:
    """Answer stage 3: cost of every option and the recommendation; the run becomes visible."""
    record = Run.objects.get(pk=run)
    job.progress(2, 3, "comparisons and recommendations")
    open_codes = record.run_answers.filter(answer__is_complete=False).values_list("workload_code", flat=True)
    for part in question_parts(record, set(open_codes)):
        codes = [workload.id for workload in part.workloads]
        comparisons_store(run=record, stage=comparisons(part), workload_codes=codes)
    record.state = RunState.FINISHED
    record.finished_at = timezone.now()
    record.save(update_fields=["state", "finished_at"])
    job.progress(3, 3, "finished")


def run_failed(*, message: str, run: int) -> None:
    """Note that a stage of a run failed for good, so that it is shown and can be asked again."""
    Run.objects.filter(pk=run).exclude(state=RunState.FINISHED).update(state=RunState.FAILED, message=message[:2000])


def recompute_when_time_changes_it() -> Job | None:
    """Queue a recomputation when the day of evaluation has moved past what the newest run can answer."""
    assumption_set = assumption_set_in_force()
    if assumption_set is None:
        return None
    today = day_of_evaluation(assumption_set)
    newest = Run.objects.filter(assumption_set=assumption_set, as_of__lte=today).order_by("-last_asked_at").first()
    if newest is not None and (newest.next_change_on is None or newest.next_change_on > today):
        return None
    if newest is not None and newest.as_of == today:
        return None
    return recompute_request(by=SYSTEM, cause=f"the day moved to {today}")


def _link_finished_answers(run: Run, digests: dict[str, str]) -> set[str]:
    known = Answer.objects.filter(digest__in=digests.values(), is_complete=True).in_bulk(field_name="digest")
    run.run_answers.all().delete()
    links = [
        RunAnswer(run=run, answer=known[digest], workload_code=code, is_taken_over=True)
        for code, digest in digests.items()
        if digest in known
    ]
    RunAnswer.objects.bulk_create(links)
    return {link.workload_code for link in links}


def question_parts(run: Run, codes: set[str]) -> Iterator[Scenario]:
    """Yield the run's question about some workloads, few enough at a time to keep memory within bounds."""
    if not codes:
        return
    asked = [workload for workload in run.inputs["workloads"] if workload["id"] in codes]
    scenario = parse_scenario({**run.inputs, "workloads": asked})
    size = max(1, PAIRS_AT_A_TIME // max(1, len(scenario.quotes)))
    for first in range(0, len(asked), size):
        yield replace(scenario, workloads=scenario.workloads[first : first + size])


def _queue_stage(run: Run, kind: str) -> None:
    job_request(kind=kind, dedupe_key=f"{kind}:{run.pk}", args={"run": run.pk}, coalesce=True)
