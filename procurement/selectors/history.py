"""Reads of the audit trail: who changed what, when and why."""

from django.db.models import Model, Q, QuerySet

from procurement.models import AuditEntry, Build, Quote, QuoteRequest


def history_of(record: Model) -> QuerySet[AuditEntry]:
    """Return what happened to a record, newest first; a build's or request's parts and a quote's versions too."""
    wanted = _entries(record._meta.model_name, [record.pk])
    if isinstance(record, Build):
        for part in ("tranches", "costs", "waived", "evidence", "promises"):
            related = getattr(record, part)
            wanted |= _entries(related.model._meta.model_name, list(related.values_list("pk", flat=True)))
    if isinstance(record, QuoteRequest):
        for part in ("invitations", "bids", "notices", "asked_questions"):
            related = getattr(record, part)
            wanted |= _entries(related.model._meta.model_name, list(related.values_list("pk", flat=True)))
    if isinstance(record, Quote):
        versions = list(Quote.objects.filter(code=record.code).values_list("pk", flat=True))
        wanted |= _entries("quote", versions)
    return AuditEntry.objects.filter(wanted).select_related("user").order_by("-id")


def history_all() -> QuerySet[AuditEntry]:
    """Return all entries, newest first."""
    return AuditEntry.objects.select_related("user").order_by("-id")


def history_recent(limit: int = 20) -> QuerySet[AuditEntry]:
    """Return the newest entries of all records."""
    return AuditEntry.objects.select_related("user").order_by("-id")[:limit]


def _entries(record_type: str | None, keys: list[int]) -> Q:
    return Q(record_type=record_type, record_id__in=[str(key) for key in keys])
