"""Reads of assumption sets, and the one place that knows which day it is."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.utils import timezone

from procurement.models import AssumptionSet


def assumption_set_in_force() -> AssumptionSet | None:
    """Return the set that new runs use, or ``None`` before finance has put one in force."""
    return AssumptionSet.objects.filter(is_in_force=True).prefetch_related("fx").first()


def assumption_sets_all() -> QuerySet[AssumptionSet]:
    """Return all sets, newest first."""
    return AssumptionSet.objects.prefetch_related("fx")


def day_of_evaluation(assumption_set: AssumptionSet | None = None) -> date:
    """Return the day that pages and runs mean by today: the pinned day of the set, else the day in its zone."""
    assumption_set = assumption_set or assumption_set_in_force()
    if assumption_set is None:
        return timezone.now().date()
    if assumption_set.evaluated_on is not None:
        return assumption_set.evaluated_on
    return timezone.now().astimezone(ZoneInfo(assumption_set.time_zone)).date()


def instant_of_evaluation(assumption_set: AssumptionSet | None = None) -> datetime | None:
    """Return now, or ``None`` where the set pins its day, which then counts as a whole."""
    assumption_set = assumption_set or assumption_set_in_force()
    return None if assumption_set is not None and assumption_set.evaluated_on else timezone.now()


def moment_of_evaluation() -> datetime:
    """Return now, or the first instant of the pinned day, at which less has ended than at any later one of it."""
    assumption_set = assumption_set_in_force()
    zone = ZoneInfo(zone_of_evaluation(assumption_set))
    return instant_of_evaluation(assumption_set) or datetime.combine(day_of_evaluation(assumption_set), time(), zone)


def zone_of_evaluation(assumption_set: AssumptionSet | None = None) -> str:
    """Return the zone in which days begin and end: that of the set in force, UTC before there is one."""
    assumption_set = assumption_set or assumption_set_in_force()
    return assumption_set.time_zone if assumption_set else "UTC"
