"""Quotes: offers, their versions, a change that supersedes, archive and restore."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from procurement.api.base import (
    ARCHIVED,
    ArchiveApi,
    ChangeApi,
    CreateApi,
    DetailApi,
    ListApi,
    VersionedActionApi,
    found,
)
from procurement.api.filters import Filter, modified_filters, one_parameter
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_quotes import QuoteInput, QuoteOutput
from procurement.choices import (
    capacity_class_choices,
    interconnect_choices,
    price_basis_choices,
    purchase_model_choices,
)
from procurement.models import Quote
from procurement.selectors.quotes import quote_versions, quotes_all
from procurement.services.actors import Actor
from procurement.services.quotes import quote_archive, quote_create, quote_supersede

FILTERS = (
    Filter("code", "code", "code of the offer"),
    Filter("provider", "provider__code", "code of the provider"),
    Filter("accelerator", "accelerator", "accelerator model"),
    Filter("region", "region", "region of the provider"),
    Filter("currency", "currency", "ISO 4217 code"),
    Filter("purchase_model", "purchase_model", "how it is bought", choices=purchase_model_choices),
    Filter("price_basis", "price_basis", "what the price is per", choices=price_basis_choices),
    Filter("capacity_class", "capacity_class", "how firm the capacity is", choices=capacity_class_choices),
    Filter("interconnect", "interconnect", "scale it is quoted for", choices=interconnect_choices),
    Filter("sheet", "sheet_id", "id of the price sheet it was read from", "whole"),
    Filter("quoted_on_since", "quoted_on__gte", "quoted on or after this day", "day"),
    Filter("quoted_on_before", "quoted_on__lt", "quoted before this day", "day"),
    Filter("valid_until_since", "valid_until__gte", "stated to be valid on this day", "day"),
    *modified_filters(),
)


class QuoteListApi(ListApi, CreateApi):
    """Offers in force, and a new one; `include_superseded` also gives the versions before."""

    resource = "quotes"
    actions = {"POST": "quote.edit"}
    filters = (*FILTERS, ARCHIVED, Filter("include_superseded", "", "also versions that are not in force", "flag"))
    output = QuoteOutput
    input = QuoteInput

    def records(self, **kwargs: Any) -> QuerySet[Quote]:
        """Return the offers."""
        records = quotes_all().select_related("created_by")
        wants_all = one_parameter(self.request, self.filters[-1])
        return records if wants_all else records.filter(is_current=True)

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Quote:
        """Store an offer."""
        return quote_create(by=by, values=values)

    def location(self, record: Quote) -> str:
        """Return its address."""
        return reverse("api:quote", kwargs={"code": record.code})


class QuoteDetailApi(ChangeApi, ArchiveApi):
    """The version of an offer that is in force; a change appends the next version."""

    resource = "quotes"
    actions = {"PATCH": "quote.edit", "DELETE": "quote.edit"}
    output = QuoteOutput
    input = QuoteInput

    def record(self, **kwargs: Any) -> Quote:
        """Return the version in force."""
        return found(quotes_all().select_related("created_by").filter(is_current=True), "quote", **kwargs)

    def change(self, by: Actor, record: Quote, version: int, values: dict[str, Any]) -> Quote:
        """Append the next version."""
        return quote_supersede(by=by, quote=record, version=version, values=values)

    def archive(self, by: Actor, record: Quote, version: int) -> Quote:
        """Take the offer out of every comparison."""
        return quote_archive(by=by, quote=record, version=version)


class QuoteRestoreApi(VersionedActionApi):
    """Bring an offer back."""

    resource = "quotes"
    actions = {"POST": "quote.edit"}
    output = QuoteOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> Quote:
        """Return the version in force."""
        return found(quotes_all().filter(is_current=True), "quote", **kwargs)

    def carry_out(self, by: Actor, record: Quote, version: int, values: dict[str, Any]) -> Quote:
        """Bring it back."""
        return quote_archive(by=by, quote=record, version=version, is_archived=False)


class QuoteVersionListApi(ListApi):
    """Every version of an offer."""

    resource = "quotes"
    output = QuoteOutput

    def records(self, **kwargs: Any) -> QuerySet[Quote]:
        """Return the versions."""
        found(quotes_all(), "quote", **kwargs)
        return quote_versions(kwargs["code"]).select_related("created_by")


class QuoteVersionDetailApi(DetailApi):
    """One version of an offer, in force or not."""

    resource = "quotes"
    output = QuoteOutput

    def record(self, **kwargs: Any) -> Quote:
        """Return the version."""
        versions = quote_versions(kwargs["code"]).select_related("created_by")
        return found(versions, f"version of quote `{kwargs['code']}`", version=kwargs["number"])
