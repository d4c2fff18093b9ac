"""Pages of runs and jobs: lists, progress that asks again ever more slowly, retry."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.models import Job, JobStatus, Run, RunState
from procurement.selectors.jobs import jobs_all, jobs_of_run
from procurement.selectors.run_differences import answer_changes, input_changes
from procurement.selectors.runs import recommendation_table, run_inputs, runs_all, runs_finished
from procurement.services.actors import Actor
from procurement.services.jobs import job_acknowledge, job_retry
from procurement.services.runs import run_request
from procurement.views.base import ActionPage, Column, ListPage, Page, file_answer
from procurement.views.filters import JobFilter, RunFilter
from procurement.views.frame import Entry

POLLING_STOPS = 286  # htmx: swap this answer in and stop asking
CHANGES_SHOWN = 200  # of the inputs, on the page that compares two runs
OTHERS_SHOWN = 50  # runs to compare with
POLL_FIRST, POLL_LAST = 2, 10  # seconds between two questions
STAGES = (
    (RunState.ENERGIZATION, "energization of builds"),
    (RunState.AVAILABILITY, "availability of quotes"),
    (RunState.FINISHED, "comparisons and recommendations"),
)


class RunListView(ListPage):
    """Runs, the newest question first."""

    template = "procurement/runs.html"
    section_name = "runs"
    filterset = RunFilter
    columns = (
        Column("Run"), Column("As of", "as_of"), Column("State", "state"), Column("Assumptions"),
        Column("Workloads", "workload_count", "", True), Column("Taken over", "answers_taken_over", "answers", True),
        Column("Asked", "last_asked_at"), Column("By"), Column("Why"), Column("Engine"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them."""
        return runs_all()


class RunPage(Page):
    """What the pages of one run share."""

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Runs", reverse("procurement:runs"))]


class RunDetailView(RunPage):
    """One run: how far it is, and when finished its recommendations."""

    template = "procurement/run.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the progress when the page asks again."""
        run = get_object_or_404(runs_all(), pk=pk)
        is_open = run.state not in (RunState.FINISHED, RunState.FAILED)
        context = {"run": run, "is_open": is_open, **progress_of(run), "poll_seconds": next_poll(request)}
        if request.htmx:  # type: ignore[attr-defined]
            return self.show(context, 200 if is_open else POLLING_STOPS, "procurement/run_progress.html")
        lines = recommendation_table(run) if run.state == RunState.FINISHED else []
        return self.show({**context, "lines": lines, "jobs": jobs_of_run(run)})


class RunInputsView(RunPage):
    """The frozen question as a scenario document."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Return the file."""
        run = get_object_or_404(Run, pk=pk)
        content = json.dumps(run.inputs, indent=2, ensure_ascii=False).encode()
        return file_answer(f"run-{run.pk}-inputs.json", content, "application/json")


class RunCompareView(RunPage):
    """A run beside an earlier one: which inputs moved, and what that did to every answer."""

    template = "procurement/run_compare.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show both; without a number the finished run asked before this one."""
        run = get_object_or_404(runs_finished(), pk=pk)
        asked = self.asked("with")
        others = runs_finished().exclude(pk=pk)
        if asked:
            other = others.filter(pk=int(asked)).first() if asked.isdecimal() and len(asked) < 12 else None
        else:
            other = others.filter(pk__lt=pk).first() or others.first()
        if other is None:
            words = f"There is no other finished run {asked[:40]} to compare with."
            return self.show({"refusal": words}, 404, "404.html")
        inputs = input_changes(run_inputs(other), run_inputs(run))
        context = {"run": run, "other": other, "others": others[:OTHERS_SHOWN], "answers": answer_changes(other, run)}
        return self.show({**context, "changes": inputs[:CHANGES_SHOWN], "change_count": len(inputs)})


class RunRequestView(ActionPage):
    """Ask today's question; the same question is the same run."""

    action = "run.request"
    success = "Today's question is asked. The page shows how far it is."

    def act(self, by: Actor) -> str:
        """Ask it."""
        run, _ = run_request(by=by)
        return reverse("procurement:run", args=[run.pk])

    def address_back(self) -> str:
        """Return the list."""
        return reverse("procurement:runs")


class JobListView(ListPage):
    """What waits, runs, is done or failed."""

    template = "procurement/jobs.html"
    section_name = "runs"
    filterset = JobFilter
    columns = (
        Column("Job"), Column("Status", "status"), Column("Progress"), Column("Attempts", "attempts", "", True),
        Column("Asked", "created_at"), Column("Finished", "finished_at"), Column("What happened"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them, newest first."""
        return jobs_all()


class JobDetailView(Page):
    """One job with its progress and, when it failed, the cause."""

    template = "procurement/job.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the progress when the page asks again."""
        job = get_object_or_404(Job.objects.select_related("requested_by"), pk=pk)
        context = {"job": job, "poll_seconds": next_poll(request)}
        if request.htmx:  # type: ignore[attr-defined]
            return self.show(context, 200 if job.is_open else POLLING_STOPS, "procurement/job_progress.html")
        return self.show(context)

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Runs", reverse("procurement:runs")), Entry("Jobs", reverse("procurement:jobs"))]


class JobActionPage(ActionPage):
    """What retrying and acknowledging share."""

    action = "job.retry"

    def address_back(self) -> str:
        """Return the page of the job."""
        return reverse("procurement:job", args=[self.kwargs["pk"]])


class JobRetryView(JobActionPage):
    """Try a failed job again."""

    success = "The job is queued again."

    def act(self, by: Actor) -> str:
        """Queue it."""
        job_retry(job_id=self.kwargs["pk"], user=by.user, reason=by.reason)
        return self.address_back()


class JobAcknowledgeView(JobActionPage):
    """Note that a person has seen the alarm."""

    success = "Noted: the alarm was seen."

    def act(self, by: Actor) -> str:
        """Note it."""
        job_acknowledge(job_id=self.kwargs["pk"], user=by.user, reason=by.reason)
        return self.address_back()


def progress_of(run: Run) -> dict[str, Any]:
    """Return how far a run is: the step in words, how many are done, and what the running job says."""
    states = [state for state, _ in STAGES]
    done = states.index(RunState(run.state)) + 1 if run.state in states else 0
    step = STAGES[min(done, len(STAGES) - 1)][1]
    job = next((job for job in jobs_of_run(run) if job.status == JobStatus.RUNNING), None)
    words = f"{done + 1} of {len(STAGES)}: {job.progress_message if job and job.progress_message else step}"
    return {"step": words, "done": done, "total": len(STAGES)}


def next_poll(request: HttpRequest) -> int:
    """Return the seconds until the next question: two at first, then more, ten at most."""
    asked = request.GET.get("after", "")
    return min(int(asked) + 2, POLL_LAST) if asked.isdecimal() and len(asked) < 3 else POLL_FIRST
