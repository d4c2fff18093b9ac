"""Expiry enforced: what each night ended is noted, and no decision on an expired quote is approved."""

from datetime import date, timedelta

from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import Job, PriceWatch, Run
from procurement.selectors.assumptions import assumption_set_in_force, day_of_evaluation, zone_of_evaluation
from procurement.selectors.expiry import decisions_on_expired_quotes, prices_turned, quotes_expired_of
from procurement.services.actors import SYSTEM
from procurement.services.audit import audit_record
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request
from procurement.services.runs import recompute_request

WATCH = "price_watch"


def price_watch_request() -> Job | None:
    """Ask for the watch of the day that has begun in the zone of the assumptions; asked again it is the same job."""
    if assumption_set_in_force() is None:
        return None
    day = day_of_evaluation()
    return job_request(kind=WATCH, dedupe_key=f"{WATCH}:{day}", args={"day": day.isoformat()})


def price_watch(job: RunningJob, day: str) -> None:
    """Note what the night changed in prices and ask for recommendations anew; a day is watched once.

    Looks back to the last day that was watched, so that a service which stood still misses nothing.
    """
    today, zone = date.fromisoformat(day), zone_of_evaluation()
    before = PriceWatch.objects.filter(day__lt=today).first()
    since = before.day if before else today - timedelta(days=1)
    job.progress(0, 1, f"prices from {since} to {today}")
    turned = prices_turned(since, today, zone)
    with transaction.atomic():
        watch, is_new = PriceWatch.objects.get_or_create(
            day=today,
            defaults={
                "time_zone": zone, "since": since, "expired": turned.expired, "started": turned.started,
                "discounts_started": turned.discounts_started, "discounts_ended": turned.discounts_ended,
                "decisions": [decision.code for decision in decisions_on_expired_quotes(today)],
                "is_recomputing": turned.has_any,
            },
        )  # fmt: skip
        if is_new and turned.has_any:
            names = ("expired", "started", "discounts_started", "discounts_ended", "decisions")
            counts = {name: [None, len(getattr(watch, name))] for name in names}
            audit_record(by=SYSTEM, action="price.watch", record=watch, changes=counts)
            recompute_request(by=SYSTEM, cause=f"prices on {today}: {len(turned.expired)} expired")
    job.progress(1, 1, f"{len(watch.expired)} expired, {len(watch.started)} came into force")


def refuse_expired_quotes(*, run: Run, option: str) -> None:
    """Refuse an option whose quote can no longer be signed, with its last day and the zone in which that day ended."""
    today = day_of_evaluation()
    expired = quotes_expired_of(run, option, today)
    if not expired:
        return
    quote = expired[0]
    by = "as stated" if quote.is_stated else "by the age limit of how it is bought"
    raise ProcurementError(
        "quote_expired",
        f"`{quote.code}` could be signed until the end of {quote.expires_on} ({quote.time_zone}), {by}; today is "
        f"{today} in {zone_of_evaluation()}. "
        f"Ask {quote.provider or 'the supplier'} for a new quote and prepare the decision on a run that holds it.",
        {"option": [f"`{quote.code}` expired at the end of {quote.expires_on} ({quote.time_zone})."]},
    )
