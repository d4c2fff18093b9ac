"""Records to the scenario document: the one crossing from models to the engine."""

import functools
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model

from procurement.engine import tables
from procurement.engine.codes import OWN
from procurement.engine.columns import columns
from procurement.models import AssumptionSet, Build, Quote, Workload
from procurement.selectors.assumptions import day_of_evaluation, instant_of_evaluation
from procurement.selectors.discounts import (
    DiscountedPrice,
    discounted_price,
    discounts_in_use,
    less_discount,
    price_row,
)
from procurement.selectors.quotes import quote_expiry, quotes_in_force_on

SCHEMA = "scenario/1"
# document keys that are not the model field's own value
_CODES = {"provider", "cluster", "operator", "site"}
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def scenario_document(*, assumption_set: AssumptionSet, as_of: date) -> dict[str, Any]:
    """Return the whole question as a document: quotes in force, builds and workloads that are not archived."""
    builds = Build.objects.filter(is_archived=False).select_related("operator", "site")
    builds = builds.prefetch_related("tranches", "costs", "waived", "evidence", "promises")
    archived_builds = set(Build.objects.filter(is_archived=True).values_list("code", flat=True))
    discounts, zone = discounts_in_use(), assumption_set.time_zone
    now = instant_of_evaluation(assumption_set) if as_of == day_of_evaluation(assumption_set) else None
    quote_documents = []
    for quote in quotes_in_force_on(as_of):
        last_day = quote_expiry(quote, as_of, zone, now).expires_on
        if last_day < quote.quoted_on:
            continue  # its only day has ended in its own time zone
        paid = discounted_price(quote, discounts, as_of, zone)
        quote_documents.append({**quote_document(quote, last_day), **discounted_columns(quote, paid, last_day)})
    for document in quote_documents:
        if document.get("cluster") in archived_builds:
            del document["cluster"]
    return {
        "schema": SCHEMA,
        "as_of": as_of.isoformat(),
        "assumptions": assumptions_document(assumption_set),
        "quotes": quote_documents,
        "builds": [build_document(build) for build in builds.order_by("code")],
        "workloads": [
            workload_document(workload) for workload in Workload.objects.filter(is_archived=False).order_by("code")
        ],
        "policy": assumption_set.policy,
    }


def quote_document(quote: Quote, last_day: date | None = None) -> dict[str, Any]:
    """Return one quote as in the document; a last day of another time zone becomes ``last_day``, one of ours."""
    document = {"id": quote.code, **_columns_of(quote, tables.Quote)}
    if last_day is not None and quote.time_zone and quote.valid_until:
        document["valid_until"] = last_day.isoformat()
    return document


def discounted_columns(quote: Quote, paid: DiscountedPrice, last_day: date) -> dict[str, Any]:
    """Return the columns that a contract discount changes: what is paid, the list price and the steps between them.

    A discounted price can be signed no longer than its discount holds. A discount that could not be taken off is told
    in the steps, and the list price is frozen as it is.
    """
    if not paid.is_discounted:
        return {"price_steps": [paid.fault]} if paid.fault else {}
    found = {
        "price": _ranged(quote, paid, "price", paid.price),
        "list_price": _plain(paid.list_price),
        "price_steps": list(paid.steps),
    }
    if paid.upfront:
        found["upfront"] = _ranged(quote, paid, "upfront", paid.upfront)
    if paid.valid_until is not None and paid.valid_until < last_day:
        found["valid_until"] = paid.valid_until.isoformat()
    return found


def _ranged(quote: Quote, paid: DiscountedPrice, name: str, likely: Decimal) -> Any:
    """Return a discounted number, with the least and greatest of an estimate discounted alike."""
    around = (quote.ranges or {}).get(name)
    if not around:
        return _plain(likely)
    ends = {}
    for end in ("min", "max"):
        row = {**price_row(quote), name: Decimal(str(around[end]))}
        less = less_discount(row, paid.discounts[0], [])
        ends[end] = _plain(less[name] if isinstance(less, dict) else likely)  # an amount may eat up the least price
    return {"min": ends["min"], "likely": _plain(likely), "max": ends["max"]}


def build_document(build: Build) -> dict[str, Any]:
    """Return one build with its tranches, evidence, promises and cost lines as in the document."""
    document = {"id": build.code, **_columns_of(build, tables.Build)}
    document["operator"] = build.operator.code if build.operator else OWN
    document["tranches"] = [
        {"id": tranche.code, **_columns_of(tranche, tables.Tranche)}
        for tranche in _ordered(build.tranches.all())
        if not tranche.is_archived
    ]
    document["evidence"] = [evidence_document(evidence) for evidence in _ordered(build.evidence.all())]
    document["promises"] = [promise_document(promise) for promise in _ordered(build.promises.all())]
    document["costs"] = [
        _columns_of(line, tables.CostLine) for line in _ordered(build.costs.all()) if not line.is_archived
    ]
    document["waived"] = [
        _columns_of(waiver, tables.Waiver) for waiver in _ordered(build.waived.all()) if not waiver.is_archived
    ]
    return document


def evidence_document(evidence: Any) -> dict[str, Any]:
    """Return one statement of evidence as in the document."""
    document = _columns_of(evidence, tables.Evidence)
    if evidence.node_first is not None:
        document["nodes"] = [evidence.node_first, evidence.node_last]
    return document


def promise_document(promise: Any) -> dict[str, Any]:
    """Return one promise as in the document, where the slip class is called `class`."""
    document = _columns_of(promise, tables.Promise)
    if "slip_class" in document:
        document["class"] = document.pop("slip_class")
    return document


def workload_document(workload: Workload) -> dict[str, Any]:
    """Return one workload as in the document."""
    return {"id": workload.code, **_columns_of(workload, tables.Workload)}


def assumptions_document(assumption_set: AssumptionSet) -> dict[str, Any]:
    """Return an assumption set with its exchange rates as in the document."""
    document = _columns_of(assumption_set, tables.Assumptions)
    document["fx"] = [_columns_of(rate, tables.FxRate) for rate in assumption_set.fx.all()]
    return document


def _columns_of(record: Model, table: type) -> dict[str, Any]:
    ranges = getattr(record, "ranges", {}) or {}
    document: dict[str, Any] = {}
    for name in _shared_columns(type(record), table):
        value = getattr(record, name)
        if name in _CODES and isinstance(value, Model):
            value = value.code  # type: ignore[attr-defined]
        if hasattr(value, "all") or value in _EMPTY:
            continue
        value = _plain(value)
        if name in ranges:
            value = {"min": ranges[name]["min"], "likely": value, "max": ranges[name]["max"]}
        document[name] = value
    return document


@functools.cache
def _shared_columns(model: type, table: type) -> tuple[str, ...]:
    """Return the columns of a table that a model has as well; tens of thousands of quotes ask for them."""
    return tuple(name for name in columns(table) if name != "id" and hasattr(model, name))


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value


def _ordered(records: Iterable[Any]) -> list[Any]:
    return sorted(records, key=lambda record: record.pk)
