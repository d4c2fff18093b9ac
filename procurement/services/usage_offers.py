"""Measured figures as new assumptions: offered, then accepted or declined by a person; never applied by themselves."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from procurement.engine.actuals import MeasuredUse, offered_range
from procurement.errors import ProcurementError
from procurement.models import Build, OfferState, UsageFile, UsageOffer, Workload
from procurement.permissions import require
from procurement.selectors.actuals import Measured, build_measured, workload_measured
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.services.actors import Actor, reason_required
from procurement.services.audit import audit_record
from procurement.services.builds import build_update
from procurement.services.records import version_conflict
from procurement.services.workloads import workload_update

SHARE_DIGITS, RATE_DIGITS = 4, 2
WORTH_SAYING = 0.005  # of a share; a smaller difference is no news
LEAST_NODE_DAYS = 1000.0  # published failure rates are per 1,000 node-days; fewer say too little
FAILURES = "failures_per_1000_node_days"


def usage_offers_refresh(*, file: UsageFile) -> None:
    """Bring the offers of what a file speaks of up to date; a declined figure is not offered again while the same."""
    for workload in Workload.objects.filter(pk__in=_named(file, "workload")):
        _offer_all({"workload": workload}, _workload_candidates(workload))
    for build in Build.objects.filter(pk__in=_named(file, "build")).prefetch_related("tranches"):
        _offer_all({"build": build}, _build_candidates(build))


def usage_offer_accept(*, by: Actor, offer: UsageOffer, version: int) -> UsageOffer:
    """Store an offered figure in its workload or build, as a change with its own history and recomputation."""
    require(by.user, usage_offer_right(offer))
    with transaction.atomic():
        locked = _open(offer, version)
        reason = by.reason or f"measured: {locked.basis.get('words', '')}"
        actor = Actor(user=by.user, source=by.source, reason=reason[:300])
        if locked.workload is not None:
            values = {locked.field: locked.measured}
            workload_update(by=actor, workload=locked.workload, version=locked.workload.version, values=values)
        elif locked.build is not None:
            values = _build_values(locked.build, locked.field, locked.measured)
            build_update(by=actor, build=locked.build, version=locked.build.version, values=values)
        return _close(by, locked, OfferState.ACCEPTED)


def usage_offer_decline(*, by: Actor, offer: UsageOffer, version: int) -> UsageOffer:
    """Keep the planned figure, with the reason; the same measured figure is not offered again."""
    require(by.user, usage_offer_right(offer))
    reason_required(by, "why the planned figure stays")
    with transaction.atomic():
        return _close(by, _open(offer, version), OfferState.DECLINED)


def usage_offer_right(offer: UsageOffer) -> str:
    """Return the action that a person needs to decide an offer: that of editing what it is about."""
    return "workload.edit" if offer.workload_id is not None else "build.edit"


def _open(offer: UsageOffer, version: int) -> UsageOffer:
    locked = UsageOffer.objects.select_for_update(of=("self",)).select_related("workload", "build").get(pk=offer.pk)
    if locked.version != version:
        raise version_conflict(locked, {})
    if locked.state != OfferState.OPEN:
        raise ProcurementError("offer_closed", f"{locked} was {locked.get_state_display().lower()} already.")
    if locked.planned != _on_record(locked):
        message = f"{locked} was offered against {locked.planned}; it is {_on_record(locked)} by now. Look at it again."
        raise ProcurementError("offer_outdated", message)
    return locked


def _on_record(offer: UsageOffer) -> Any:
    record = offer.workload or offer.build
    value = getattr(record, offer.field)
    return _plain(value)


def _close(by: Actor, offer: UsageOffer, state: OfferState) -> UsageOffer:
    offer.state = state
    offer.decided_by = by.user
    offer.decided_at = timezone.now()
    offer.decision_reason = by.reason[:300]
    offer.version += 1
    offer.save()
    changes = {"state": ["open", state.value], offer.field: [offer.planned, offer.measured]}
    audit_record(by=by, action=f"usage_offer.{state.value}", record=offer, changes=changes)
    return offer


def _named(file: UsageFile, kind: str) -> set[int]:
    """Return the keys of workloads or builds that a file speaks of, or that were offered something before."""
    found = set(file.usagejobs.values_list(kind, flat=True)) | set(file.usagesamples.values_list(kind, flat=True))
    if kind == "workload":
        found |= set(file.usagecharges.values_list(kind, flat=True))
    found |= set(UsageOffer.objects.filter(state=OfferState.OPEN).values_list(kind, flat=True))
    return found - {None}


def _workload_candidates(workload: Workload) -> dict[str, tuple[Any, dict[str, Any]]]:
    measured = workload_measured(workload)
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    demand = _demand(workload, measured)
    if demand is not None:
        found["demand"] = (demand, _basis(measured, measured.whole_months))
    if workload.training and measured.step_s is not None and measured.step_accelerators:
        anchor = {"accelerators": measured.step_accelerators, "step_s": round(measured.step_s, SHARE_DIGITS)}
        found["training"] = ({**workload.training, "anchor": anchor}, _basis(measured, measured.months))
    return found


def _demand(workload: Workload, measured: Measured) -> dict[str, Any] | None:
    """Return the measured demand in the form in which it is stated; a curve or series is not replaced by a mean."""
    stated = workload.demand or {}
    shares = [min(month.utilisation, 1.0) for month in measured.whole_months if month.utilisation is not None]
    if not shares or not set(stated) <= {"utilisation", "hours_per_month"}:
        return None
    if "hours_per_month" in stated:
        in_force = assumption_set_in_force()
        basis = float(in_force.hours_per_month) if in_force else 730.0
        return {"hours_per_month": offered_range([share * basis for share in shares], RATE_DIGITS)}
    planned = measured.planned.utilisation
    if planned is not None and abs(sum(shares) / len(shares) - planned) < WORTH_SAYING:
        return None
    return {"utilisation": offered_range(shares, SHARE_DIGITS)}


def _build_candidates(build: Build) -> dict[str, tuple[Any, dict[str, Any]]]:
    measured = build_measured(build)
    total = measured.total
    if total is None or total.node_days < LEAST_NODE_DAYS or total.failures_interval is None:
        return {}
    low, high = (round(end, RATE_DIGITS) for end in total.failures_interval)
    likely = round(total.failures_per_1000_node_days or 0.0, RATE_DIGITS)
    basis = _basis(measured, measured.months) | {"node_days": round(total.node_days, 1)}
    return {FAILURES: ({"min": low, "likely": likely, "max": high}, basis)}


def _basis(measured: Measured, months: Iterable[MeasuredUse]) -> dict[str, Any]:
    names = [f"{month.month:%Y-%m}" for month in months if month.month is not None]
    total = measured.total
    words = f"{names[0]} to {names[-1]}" if len(names) > 1 else "".join(names)
    jobs = sum(total.ended.values()) if total else 0
    return {"months": names, "jobs": jobs, "words": f"{words}, {jobs} jobs ended"}


def _offer_all(subject: dict[str, Any], candidates: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    """Open an offer for each figure that differs from the plan; what is measured otherwise now is offered anew."""
    record = next(iter(subject.values()))
    offers = UsageOffer.objects.filter(**subject)
    for field, (measured, basis) in candidates.items():
        planned = _plain(getattr(record, field))
        latest = offers.filter(field=field).exclude(state=OfferState.SUPERSEDED).first()
        is_said = latest is not None and latest.measured == measured
        if latest is not None and is_said and (latest.state != OfferState.OPEN or latest.planned == planned):
            continue
        offers.filter(field=field, state=OfferState.OPEN).update(state=OfferState.SUPERSEDED)
        if _is_news(planned, measured):
            UsageOffer.objects.create(**subject, field=field, planned=planned, measured=measured, basis=basis)
    offers.filter(state=OfferState.OPEN).exclude(field__in=candidates).update(state=OfferState.SUPERSEDED)


def _is_news(planned: Any, measured: Any) -> bool:
    likely = measured.get("likely") if isinstance(measured, dict) and "likely" in measured else measured
    return planned not in (measured, likely)


def _build_values(build: Build, field: str, measured: dict[str, Any]) -> dict[str, Any]:
    ends = {"min": measured["min"], "max": measured["max"]}
    return {field: str(measured["likely"]), "ranges": {**build.ranges, field: ends}}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, dict | list | str) else float(value)
