"""Evaluation of a scenario document that somebody sends: at once when it is small, else by a worker."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol

from django.db import transaction
from django.db.models.functions import Now

from procurement.engine.errors import ScenarioError
from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import example_document, parse_scenario, scenario_schema
from procurement.engine.tables import Scenario
from procurement.errors import ProcurementError
from procurement.models import Evaluation
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.jobs import job_request

PAIRS_AT_ONCE = 200
KEEP = timedelta(days=30)


class RunningEvaluation(Protocol):
    """The running job, as far as an evaluation needs it."""

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the work is."""


class DocumentRefused(ProcurementError):
    """A scenario document with faults; ``faults`` holds each with pointer, detail, found and expected."""

    def __init__(self, faults: list[dict[str, str]]) -> None:
        count = f"{len(faults)} faults" if len(faults) != 1 else "1 fault"
        first = "; ".join(f"{fault['pointer'] or 'document'}: {fault['detail']}" for fault in faults[:3])
        super().__init__("invalid", f"The scenario document has {count}: {first}")
        self.faults = faults


def is_answered_at_once(document: Mapping[str, Any]) -> bool:
    """Return whether the document has at most 200 pairs of a workload and a quote."""
    sizes = [len(part) if isinstance(part := document.get(name), list) else 0 for name in ("workloads", "quotes")]
    return sizes[0] * sizes[1] <= PAIRS_AT_ONCE


def evaluation_answer(*, by: Actor, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole answer to a document; stores nothing. Refuses a document with every fault of it."""
    require(by.user, "run.request")
    return evaluate(_parsed(document))


def evaluation_request(*, by: Actor, document: Mapping[str, Any]) -> Evaluation:
    """Store a document and queue its evaluation."""
    require(by.user, "run.request")
    _parsed(document)
    with transaction.atomic():
        evaluation = Evaluation.objects.create(document=dict(document), requested_by=by.user)
        key = str(evaluation.pk)
        evaluation.job = job_request(
            kind="evaluation", dedupe_key=f"evaluation:{key}", args={"evaluation": key}, user=by.user
        )
        evaluation.save(update_fields=["job"])
    evaluation.refresh_from_db()
    return evaluation


def evaluation_run(job: RunningEvaluation, evaluation: str) -> None:
    """Answer a stored document; safe to repeat, since the same document gives the same answer."""
    record = Evaluation.objects.select_for_update().filter(pk=evaluation).first()
    if record is None or record.finished_at is not None:
        return
    job.progress(0, 1, "evaluating the document")
    record.answer = evaluate(_parsed(record.document))
    record.finished_at = Now()
    record.save(update_fields=["answer", "finished_at"])
    job.progress(1, 1, "answered")


def evaluations_prune() -> int:
    """Delete evaluations that are older than 30 days; return how many."""
    return Evaluation.objects.filter(created_at__lt=Now() - KEEP).delete()[0]


def document_schema() -> dict[str, Any]:
    """Return the JSON Schema of the scenario document."""
    return scenario_schema()


def document_example() -> dict[str, Any]:
    """Return a small document that can be evaluated."""
    return example_document()


def _parsed(document: Mapping[str, Any]) -> Scenario:
    _refuse_files(document)
    try:
        return parse_scenario(document)
    except ScenarioError as error:
        faults = [
            {"pointer": fault.pointer, "detail": fault.message, "found": fault.found, "expected": fault.expected}
            for fault in error.faults
        ]
        raise DocumentRefused(faults) from error


def _refuse_files(document: Mapping[str, Any]) -> None:
    workloads = document.get("workloads")
    faults = []
    for number, workload in enumerate(workloads if isinstance(workloads, list) else ()):
        demand = workload.get("demand") if isinstance(workload, Mapping) else None
        if isinstance(demand, Mapping) and "hourly_file" in demand:
            detail = "A file can be named on the command line only; send its numbers in `hourly`."
            faults.append(
                {
                    "pointer": f"/workloads/{number}/demand/hourly_file", "detail": detail,
                    "found": str(demand["hourly_file"])[:60], "expected": "hourly: a list of numbers",
                }
            )  # fmt: skip
    if faults:
        raise DocumentRefused(faults)
