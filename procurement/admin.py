"""The administrator's look into the records. Records change through services only, so they are read here.

People and their roles are kept with Django's own pages; a supplier's name for an accelerator may be added.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Model, URLField
from django.forms import ModelForm
from django.http import HttpRequest

from procurement import models
from procurement.services.actors import Actor
from procurement.services.providers import accelerator_alias_create


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """A list and a page of each record; nothing is added, changed or deleted past the services."""

    list_per_page = 100
    formfield_overrides = {URLField: {"assume_scheme": "https"}}

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: a service adds it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse: a service changes it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse: evidence is kept."""
        return False


@admin.register(models.AcceleratorAlias)
class AcceleratorAliasAdmin(ReadOnlyAdmin):
    """Names that suppliers use; adding one goes through its service."""

    list_display = ("alias", "accelerator", "note", "created_by", "created_at")
    search_fields = ("alias", "accelerator")
    fields = ("alias", "accelerator", "note")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow whom Django lets in; the service asks for the role."""
        return True

    def save_model(self, request: HttpRequest, obj: models.AcceleratorAlias, form: ModelForm, change: bool) -> None:
        """Add it through the service."""
        values = {name: form.cleaned_data[name] for name in self.fields}
        by = Actor(user=request.user, source="web", reason="added in the administration")
        obj.pk = accelerator_alias_create(by=by, values=values).pk


SHOWN: dict[type[Model], dict[str, Any]] = {
    models.Provider: {"list_display": ("name", "code", "is_archived", "version"), "search_fields": ("name", "code")},
    models.Site: {"list_display": ("name", "code", "country", "is_archived"), "search_fields": ("name", "code")},
    models.PriceSheet: {
        "list_display": ("file_name", "observed_on", "format_key", "state", "rows_new", "rows_held", "rows_faulty"),
        "list_filter": ("state", "format_key"),
    },
    models.SheetRow: {"list_display": ("sheet", "line", "state", "released_by"), "list_filter": ("state",)},
    models.Quote: {
        "list_display": ("code", "version", "is_current", "provider", "accelerator", "price", "currency", "quoted_on"),
        "list_filter": ("is_current", "purchase_model"),
        "search_fields": ("code", "sku", "accelerator"),
    },
    models.ContractDiscount: {
        "list_display": ("code", "provider", "discount_percent", "valid_from", "valid_until", "is_archived"),
        "search_fields": ("code", "source"),
    },
    models.PriceWatch: {"list_display": ("day", "time_zone", "is_recomputing", "made_at")},
    models.Build: {
        "list_display": ("name", "code", "operator", "accelerator", "is_archived"),
        "search_fields": ("code",),
    },
    models.Tranche: {"list_display": ("build", "code", "planned_accelerators", "is_archived")},
    models.CostLine: {"list_display": ("build", "component", "amount", "currency", "basis", "status")},
    models.Waiver: {"list_display": ("build", "component", "reason")},
    models.Evidence: {
        "list_display": ("build", "gate", "tranche", "qty", "unit", "grade", "observed_on"),
        "list_filter": ("gate", "grade"),
    },
    models.Promise: {"list_display": ("build", "gate", "tranche", "date", "stated_on", "stated_by")},
    models.Workload: {"list_display": ("name", "code", "kind", "accelerators", "start", "is_archived")},
    models.AssumptionSet: {"list_display": ("name", "dated_on", "is_in_force", "currency", "discount_rate")},
    models.FxRate: {"list_display": ("assumption_set", "base", "counter", "rate", "on", "source")},
    models.Run: {
        "list_display": ("id", "as_of", "state", "engine_version", "requested_at", "finished_at"),
        "list_filter": ("state",),
        "exclude": ("inputs",),
    },
    models.UsageFile: {
        "list_display": ("file_name", "format_key", "state", "rows_new", "rows_held", "rows_faulty"),
        "list_filter": ("state", "format_key"),
    },
    models.UsageRow: {"list_display": ("file", "line", "state", "code", "column", "value"), "list_filter": ("state",)},
    models.UsageJob: {"list_display": ("job_id", "build", "workload", "outcome", "accelerators", "started_at")},
    models.UsageSample: {"list_display": ("place_label", "workload", "started_at", "ended_at", "in_use")},
    models.UsageCharge: {"list_display": ("provider_label", "sku", "month", "effective_cost", "currency")},
    models.UsageOffer: {"list_display": ("field", "workload", "build", "state", "decided_by")},
    models.ForecastScore: {
        "list_display": ("build_code", "gate", "as_of", "p50_on", "p80_on", "p90_on", "reached_on"),
        "list_filter": ("gate", "operator"),
    },
    models.Answer: {"list_display": ("workload_name", "verdict", "option", "npv", "currency", "how_sure")},
    models.Decision: {
        "list_display": ("code", "workload_code", "option", "amount", "state", "prepared_by", "approved_by")
    },
    models.QuoteRequest: {"list_display": ("code", "title", "state", "due_at"), "list_filter": ("state",)},
    models.RequestInvitation: {"list_display": ("request", "provider", "contact_email", "state")},
    models.RequestBid: {
        "list_display": ("request", "invitation", "option", "version", "state", "received_at", "digest"),
        "exclude": ("sealed", "sealed_file"),
    },
    models.RequestOpening: {"list_display": ("request", "begun_by", "opened_by", "opened_at")},
    models.Job: {
        "list_display": ("id", "kind", "status", "attempts", "run_after", "progress_message"),
        "list_filter": ("status", "kind"),
    },
    models.ApiToken: {
        "list_display": ("name", "key", "user", "last_used_at", "revoked_at"),
        "exclude": ("secret_sha256",),
    },
    models.AuditEntry: {
        "list_display": ("at", "user", "source", "action", "record_name", "reason"),
        "list_filter": ("source", "record_type"),
        "search_fields": ("record_name", "reason"),
    },
}

for model, options in SHOWN.items():
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), options))
