"""Learned slips as new assumptions: offered in a draft set, in force only when finance says so."""

from collections.abc import Sequence

from django.db import transaction

from procurement.engine.slip_learning import LearnedSlip
from procurement.errors import ProcurementError
from procurement.models import AssumptionSet
from procurement.permissions import require
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.track_record import lessons_of_promises, slip_name
from procurement.services.actors import Actor
from procurement.services.assumptions import assumption_set_draft

DIGITS = 4  # of a ratio in an assumption set


def learned_slips_propose(*, by: Actor, keys: Sequence[str]) -> AssumptionSet:
    """Store a draft set with the learned slips of some operators and classes, named as `bringup@acme`.

    The draft is a copy of the set in force and changes nothing until finance puts it in force. Refuses keys for which
    no promise is closed.
    """
    require(by.user, "assumptions.edit")
    lessons = lessons_of_promises()
    known = {slip_name(row): row for row in lessons.slips if row.closed}
    unknown = [key for key in keys if key not in known]
    if unknown or not keys:
        message = (
            f"No promise is closed for {', '.join(unknown) or '(nothing chosen)'}; "
            f"choose from {', '.join(known) or 'none: no promise is closed yet'}."
        )
        raise ProcurementError("invalid", message, {"keys": [message]})
    chosen = [known[key] for key in dict.fromkeys(keys)]
    basis = assumption_set_in_force()
    stated = dict(basis.slip_classes) if basis else {}
    slips = {slip_name(row): _ends(row) for row in chosen}
    with transaction.atomic():
        return assumption_set_draft(
            by=by,
            name=f"Slips learned by {lessons.as_of}, on {basis.name if basis else 'nothing'}",
            source="; ".join(_evidence(row) for row in chosen),
            dated_on=lessons.as_of,
            changes={"slip_classes": {**stated, **slips}},
        )


def _ends(row: LearnedSlip) -> dict[str, float]:
    return {"p10": round(row.result.p10, DIGITS), "p90": round(row.result.p90, DIGITS)}


def _evidence(row: LearnedSlip) -> str:
    name = slip_name(row)
    return f"{name}: {row.closed} closed promises, median {row.median_ratio:.2f}, weight {row.weight:.2f}"
