"""The parts of the demo in their order; each adds what is missing and leaves the rest as it is, edits included."""

from collections.abc import Callable
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.management.demo.answers import decisions, forecast_scores, portfolios, runs
from procurement.management.demo.measured import usage_files
from procurement.management.demo.people import people
from procurement.management.demo.prices import held_rows_released, price_drafts, price_sheets
from procurement.management.demo.records import (
    assumption_sets,
    builds,
    discounts,
    offers,
    providers,
    sites,
    workloads,
)
from procurement.management.demo.requests import bids_opened, open_request, opened_request
from procurement.models import AssumptionSet, Workload
from procurement.selectors.jobs import jobs_open
from procurement.tasks import nudge


class Part(NamedTuple):
    """What a part is called where it is told how many were added, and what adds them."""

    name: str
    load: Callable[[], int]


class Loaded(NamedTuple):
    """How many of what were added, and whether that was the last round."""

    added: dict[str, int]
    is_complete: bool

    @property
    def words(self) -> str:
        """What was added, in a sentence."""
        if self.added:
            return f"added {', '.join(f'{count} {name}' for name, count in self.added.items())}"
        return "the demo is loaded; nothing was added" if self.is_complete else "the next round waits for a worker"


class Round(NamedTuple):
    """Parts that are loaded together or not at all, and whether they rest on what earlier jobs have made."""

    rests_on_jobs: bool
    parts: tuple[Part, ...]


# published prices first, so that a worker imports them meanwhile; the assumptions late, so that nothing is asked before
ROUNDS: tuple[Round, ...] = (
    Round(
        rests_on_jobs=False,
        parts=(
            Part("people", people),
            Part("providers", providers),
            Part("price sheets", price_sheets),
        ),
    ),
    Round(
        rests_on_jobs=False,
        parts=(
            Part("sites", sites),
            Part("builds", builds),
            Part("example offers", offers),
            Part("contract discounts", discounts),
            Part("workloads", workloads),
            Part("open requests for quotes", open_request),
        ),
    ),
    Round(
        rests_on_jobs=True,
        parts=(
            Part("assumption sets", assumption_sets),
            Part("held rows released", held_rows_released),
            Part("price drafts", price_drafts),
            Part("usage files", usage_files),
            Part("runs of earlier days", runs),
            Part("requests for quotes to be opened", opened_request),
        ),
    ),
    Round(
        rests_on_jobs=True,
        parts=(
            Part("portfolios", portfolios),
            Part("decisions", decisions),
            Part("scores of forecasts", forecast_scores),
            Part("opened requests for quotes", bids_opened),
        ),
    ),
)


def demo_load(*, into_existing: bool = False) -> Loaded:
    """Load what is missing, up to the round that has to wait for the jobs of what was added; call it again then.

    Refuses a database that people work with: the demo's password is known to everybody.
    """
    if not into_existing:
        _refuse_one_in_use()
    added: dict[str, int] = {}
    for one in ROUNDS:
        if one.rests_on_jobs and (added or jobs_open().exists()):
            return Loaded(added, is_complete=False)
        with transaction.atomic():
            counts = {part.name: count for part in one.parts if (count := part.load())}
            if counts:
                nudge()
        added |= counts
    return Loaded(added, is_complete=not added)


def _refuse_one_in_use() -> None:
    if User.objects.filter(username="demo").exists():
        return
    used = [model for model in (User, Workload, AssumptionSet) if model._default_manager.exists()]
    if used:
        names = " and ".join(str(model._meta.verbose_name_plural) for model in used)
        raise ProcurementError(
            "in_use",
            f"This database already holds {names}. The demo brings people whose password everybody knows, so it "
            "belongs into an empty database: set another DATA_DIR or DATABASE_URL, or pass --into-existing.",
        )
