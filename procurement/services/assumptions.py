"""Writes of assumption sets: made once, put in force, never edited after use."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from procurement.errors import ProcurementError
from procurement.models import AssumptionSet, FxRate
from procurement.permissions import require
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.checks import assumptions_check
from procurement.services.records import record_create, record_update, validation_error
from procurement.services.runs import recompute_request

_NOT_COPIED = {"id", "version", "is_archived", "is_in_force", "created_at", "modified_at", "created_by", "name"}


def assumption_set_create(
    *, by: Actor, values: Mapping[str, Any], fx: Sequence[Mapping[str, Any]] = ()
) -> AssumptionSet:
    """Store a new set with its exchange rates; it takes effect when it is put in force."""
    require(by.user, "assumptions.edit")
    with transaction.atomic():
        assumption_set = record_create(by=by, record=AssumptionSet(**values), action="assumption_set.create")
        _store_rates(assumption_set, fx)
        assumptions_check(assumption_set)
    return assumption_set


def assumption_set_update(
    *,
    by: Actor,
    assumption_set: AssumptionSet,
    version: int,
    values: Mapping[str, Any],
    fx: Sequence[Mapping[str, Any]] | None = None,
) -> AssumptionSet:
    """Change a set that no run has used; refuses one that was used, since its runs must stay true."""
    require(by.user, "assumptions.edit")
    if assumption_set.runs.exists() or assumption_set.is_in_force:
        raise ProcurementError(
            "assumption_set_used",
            f"{assumption_set} is in use, so it can no longer change. Make a copy, change that and put it in force.",
        )
    with transaction.atomic():
        changed = record_update(
            by=by, record=assumption_set, version=version, values=values, action="assumption_set.update"
        )
        if fx is not None:
            changed.fx.all().delete()
            _store_rates(changed, fx)
        assumptions_check(changed)
    return changed


def assumption_set_put_in_force(*, by: Actor, assumption_set: AssumptionSet) -> AssumptionSet:
    """Make a set the one that new runs use; the set before it stays for its runs."""
    require(by.user, "assumptions.edit")
    with transaction.atomic():
        before = AssumptionSet.objects.select_for_update().filter(is_in_force=True).first()
        if before is not None and before.pk == assumption_set.pk:
            return before
        AssumptionSet.objects.filter(is_in_force=True).update(is_in_force=False)
        AssumptionSet.objects.filter(pk=assumption_set.pk).update(is_in_force=True)
        assumption_set.refresh_from_db()
        audit_record(
            by=by, action="assumption_set.put_in_force", record=assumption_set,
            changes={"in force": [str(before) if before else None, str(assumption_set)]},
        )  # fmt: skip
        recompute_request(by=by, cause=f"assumptions {assumption_set.name} in force")
    return assumption_set


def _store_rates(assumption_set: AssumptionSet, fx: Sequence[Mapping[str, Any]]) -> None:
    for number, values in enumerate(fx, start=1):
        rate = FxRate(assumption_set=assumption_set, **values)
        _refuse_placeholder(number, rate)
        try:
            rate.full_clean()
        except ValidationError as error:
            refused = validation_error(error)
            message = f"exchange rate {number}: {refused.message}"
            raise ProcurementError("invalid", message, {"fx": [message]}) from error
        rate.save()


def assumption_set_draft(
    *, by: Actor, name: str, source: str, dated_on: date, changes: Mapping[str, Any]
) -> AssumptionSet:
    """Store a copy of the set in force with some values changed; it takes effect when finance puts it in force.

    Refuses when no set is in force: there is nothing to copy.
    """
    require(by.user, "assumptions.edit")
    basis = assumption_set_in_force()
    if basis is None:
        raise ProcurementError("no_assumptions", "No assumption set is in force, so there is none to copy and change.")
    kept = {
        field.name: getattr(basis, field.name)
        for field in AssumptionSet._meta.concrete_fields
        if field.name not in _NOT_COPIED
    }
    fx = [
        {"base": rate.base, "counter": rate.counter, "rate": rate.rate, "on": rate.on, "source": rate.source}
        for rate in basis.fx.all()
    ]
    values = {**kept, **changes, "name": _free_name(name), "dated_on": dated_on, "source": source[:500]}
    return assumption_set_create(by=by, values=values, fx=fx)


def _free_name(name: str) -> str:
    stem = name[:110]
    taken = set(AssumptionSet.objects.filter(name__startswith=stem).values_list("name", flat=True))
    return next(found for found in (stem, *(f"{stem} ({number})" for number in range(2, 1000))) if found not in taken)


def _refuse_placeholder(number: int, rate: FxRate) -> None:
    """Refuse what is no rate: exactly 1 between two currencies, one currency with itself, or a rate from nowhere."""
    pair = f"exchange rate {number}, {rate.base} to {rate.counter}"
    message = ""
    if rate.base == rate.counter:
        message = f"{pair}: a currency needs no rate to itself; name two currencies."
    elif Decimal(rate.rate) == 1:
        message = f"{pair}: exactly 1 between two currencies is a placeholder; state the rate of {rate.on}."
    elif not rate.source.strip():
        message = f"{pair}: no source is stated; say who published the rate of {rate.on}."
    if message:
        raise ProcurementError("invalid", message, {"fx": [message]})
