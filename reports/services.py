"""Writes of subscriptions: checked whole, with an integer version, kept in history with who and why."""

import difflib
from collections.abc import Mapping
from typing import Any

import pghistory
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError, VersionConflict
from procurement.permissions import require
from procurement.selectors.workloads import workloads_active
from reports.base import Filters
from reports.models import OptOut, ReportSlot, ReportSubscription
from reports.registry import get_report
from reports.schedule import DAYS, zone_of

MOST_RECIPIENTS = 200
EDITABLE = (
    "name", "report", "filters", "recipients", "days", "time", "time_zone", "if_unchanged", "catch_up",
    "when_uncertain", "is_active",
)  # fmt: skip


def subscription_create(*, user: User, values: Mapping[str, Any], source: str, reason: str = "") -> ReportSubscription:
    """Store a subscription that is due from now on; refuses it whole, with every fault by field."""
    require(user, "subscription.edit")
    subscription = ReportSubscription(owner=user, created_by=user, counted_to=timezone.now(), **_read(values))
    with transaction.atomic(), pghistory.context(user=user.pk, source=source, reason=reason):
        _validate(subscription)
        subscription.save(force_insert=True)
    return subscription


def subscription_update(
    *, user: User, subscription: ReportSubscription, version: int, values: Mapping[str, Any], source: str,
    reason: str = "",
) -> ReportSubscription:  # fmt: skip
    """Change a subscription that is still at ``version``; slots already dealt with stay, only later ones follow.

    Raises
    ------
    VersionConflict
        When somebody changed it since; carries both values of every field that differs.
    """
    require(user, "subscription.edit")
    with transaction.atomic(), pghistory.context(user=user.pk, source=source, reason=reason):
        locked = ReportSubscription.objects.select_for_update().get(pk=subscription.pk)
        asked = _read(values)
        stored = {name: getattr(locked, name) for name in asked}
        differing = {name: (stored[name], value) for name, value in asked.items() if stored[name] != value}
        _refuse_other_version(locked, version, differing)
        if not differing:
            return locked
        for name, value in asked.items():
            setattr(locked, name, value)
        _validate(locked)
        if differing.keys() & {"days", "time", "time_zone", "is_active"}:
            locked.counted_to = max(locked.counted_to, timezone.now())  # a new time makes no slot in the past
        locked.version += 1
        locked.save()
    return locked


def subscription_archive(
    *, user: User, subscription: ReportSubscription, version: int, source: str, is_archived: bool = True
) -> ReportSubscription:
    """Take a subscription out of use, or bring it back; nothing is deleted and nothing of the pause is sent."""
    require(user, "subscription.edit")
    with transaction.atomic(), pghistory.context(user=user.pk, source=source, reason=""):
        locked = ReportSubscription.objects.select_for_update().get(pk=subscription.pk)
        _refuse_other_version(locked, version, {"is_archived": (locked.is_archived, is_archived)})
        locked.is_archived = is_archived
        locked.counted_to = max(locked.counted_to, timezone.now())
        locked.version += 1
        locked.save()
    return locked


def recipient_leave(*, subscription_id: int, recipient: str) -> None:
    """Note that a recipient wants no more of a subscription; repeating it changes nothing."""
    if ReportSubscription.objects.filter(pk=subscription_id).exists():
        OptOut.objects.get_or_create(subscription_id=subscription_id, recipient=recipient)


def recipient_return(*, subscription_id: int, recipient: str) -> None:
    """Let a recipient who left have the mail again."""
    OptOut.objects.filter(subscription_id=subscription_id, recipient=recipient).delete()


def slot_acknowledge(*, slot: ReportSlot, user: User) -> None:
    """Note that a person has seen that a slot was missed or failed; repeating it changes nothing."""
    require(user, "subscription.edit")
    ReportSlot.objects.filter(pk=slot.pk, acknowledged_at=None).update(acknowledged_at=timezone.now())


def _refuse_other_version(locked: ReportSubscription, version: int, differing: Mapping[str, tuple[Any, Any]]) -> None:
    if locked.version != version:
        raise VersionConflict(
            f"{locked} was changed by somebody else; it is now at version {locked.version}.",
            current_version=locked.version,
            differences=differing,
        )


def _read(values: Mapping[str, Any]) -> dict[str, Any]:
    read = {name: values[name] for name in EDITABLE if name in values}
    if "recipients" in read and isinstance(read["recipients"], list):
        read["recipients"] = list(dict.fromkeys(str(entry).strip().lower() for entry in read["recipients"]))
    if "days" in read and isinstance(read["days"], list):
        known = [day for day in DAYS if day in read["days"]]
        read["days"] = known if set(known) == set(read["days"]) else read["days"]
    if "filters" in read:
        read["filters"] = _read_filters(read["filters"])
    return read


def _read_filters(filters: Any) -> Any:
    """Return filters as they are stored; what is wrong stays as it came and is refused with the rest."""
    try:
        _check_filters(filters)
    except ProcurementError:
        return filters
    return Filters.read(filters).stored()


def _validate(subscription: ReportSubscription) -> None:
    faults: dict[str, list[str]] = {}
    for name, check in _CHECKS.items():
        try:
            check(getattr(subscription, name))
        except ProcurementError as refusal:
            faults[name] = [refusal.message]
    if "filters" not in faults:
        faults |= _unknown_workload(subscription.filters.get("workload", ""))
    try:
        subscription.full_clean(exclude=list(_CHECKS))
    except ValidationError as error:
        faults |= error.message_dict
    if faults:
        sentences = "; ".join(f"{name}: {' '.join(messages)}" for name, messages in faults.items())
        raise ProcurementError("invalid", sentences, faults)


def _unknown_workload(code: str) -> dict[str, list[str]]:
    """Return the fault of a filter that names no workload; such a report would be empty for ever."""
    known = list(workloads_active().values_list("code", flat=True))
    if not code or code in known:
        return {}
    near = difflib.get_close_matches(code, known, n=1)
    right = f"the nearest code is `{near[0]}`" if near else f"the codes are {', '.join(known[:5]) or 'none yet'}"
    return {"filters": [f"`{code}` is no workload in use; {right}."]}


def _check_recipients(recipients: Any) -> None:
    if not isinstance(recipients, list) or not recipients:
        raise ProcurementError("invalid", "Name at least one mail address.")
    if len(recipients) > MOST_RECIPIENTS:
        raise ProcurementError("invalid", f"{len(recipients)} addresses are too many; {MOST_RECIPIENTS} is the most.")
    wrong = []
    for recipient in recipients:
        try:
            validate_email(recipient)
        except ValidationError:
            wrong.append(str(recipient)[:80])
    if wrong:
        raise ProcurementError("invalid", f"No mail address: {', '.join(wrong)}. Write one as name@example.com.")


def _check_days(days: Any) -> None:
    unknown = [str(day)[:20] for day in days if day not in DAYS] if isinstance(days, list) else [str(days)[:20]]
    if unknown:
        raise ProcurementError("invalid", f"`{', '.join(unknown)}` is no day; the days are {', '.join(DAYS)}.")
    if not days:
        raise ProcurementError("invalid", "Choose at least one day.")


def _check_filters(filters: Any) -> None:
    if not isinstance(filters, Mapping):
        raise ProcurementError("invalid", 'Filters are an object such as {"within_days": 30}.')
    unknown = sorted(set(filters) - set(Filters.__dataclass_fields__))
    if unknown:
        known = ", ".join(Filters.__dataclass_fields__)
        raise ProcurementError("invalid", f"There is no filter `{unknown[0][:40]}`; the filters are {known}.")
    Filters.read(filters)


_CHECKS: Mapping[str, Any] = {
    "recipients": _check_recipients,
    "days": _check_days,
    "time_zone": zone_of,
    "report": get_report,
    "filters": _check_filters,
}
