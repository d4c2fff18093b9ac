"""Finished runs that a portfolio can be asked of: real records and their document, without the answers of a run."""

from typing import Any

from django.utils import timezone

from procurement.models import Job, Portfolio, PortfolioState, Run, RunState
from procurement.selectors.frames import scenario_document
from tests.factories import AS_OF, make_assumptions, make_build, make_quote, make_workload


def make_finished_run(*, workloads: int = 1, **assumptions: Any) -> Run:
    """Return a finished run of one quote, one ready build and workloads of a year, the first called `serve`."""
    assumption_set = make_assumptions(**assumptions)
    make_quote()
    make_build()
    for number in range(workloads):
        make_workload("serve" if number == 0 else f"serve-{number}", months=12)
    Job.objects.all().delete()  # the recomputation that new records ask for is not what is tested
    document = scenario_document(assumption_set=assumption_set, as_of=AS_OF)
    return Run.objects.create(
        inputs=document, inputs_digest=f"{Run.objects.count():064x}", engine_version="1", as_of=AS_OF, currency="USD",
        assumption_set=assumption_set, state=RunState.FINISHED, last_asked_at=timezone.now(),
        finished_at=timezone.now(), workload_count=workloads,
    )  # fmt: skip


def make_portfolio(run: Run, **changes: Any) -> Portfolio:
    """Return a portfolio as a solve leaves it, by default one that still waits."""
    values = {
        "run": run, "digest": f"{Portfolio.objects.count():064x}", "engine_version": "1", "solver": "HiGHS 1",
        "gap_asked": "0.01", "time_limit_s": 60, "last_asked_at": timezone.now(), "state": PortfolioState.REQUESTED,
        **changes,
    }  # fmt: skip
    return Portfolio.objects.create(**values)
