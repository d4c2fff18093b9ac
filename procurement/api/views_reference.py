"""Providers, sites and accelerator aliases."""

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
from procurement.api.filters import Filter, modified_filters
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_quotes import (
    AliasInput,
    AliasOutput,
    ProviderInput,
    ProviderOutput,
    SiteInput,
    SiteOutput,
)
from procurement.models import AcceleratorAlias, Provider, Site
from procurement.services.actors import Actor
from procurement.services.providers import (
    accelerator_alias_create,
    provider_archive,
    provider_create,
    provider_update,
    site_archive,
    site_create,
    site_update,
)

CODE = Filter("code", "code", "the code of the record")


class ProviderListApi(ListApi, CreateApi):
    """Providers, and a new one."""

    resource = "providers"
    actions = {"POST": "provider.edit"}
    filters = (CODE, Filter("name", "name__icontains", "part of the name"), ARCHIVED, *modified_filters())
    output = ProviderOutput
    input = ProviderInput

    def records(self, **kwargs: Any) -> QuerySet[Provider]:
        """Return all providers."""
        return Provider.objects.select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Provider:
        """Store a provider."""
        return provider_create(by=by, values=values)

    def location(self, record: Provider) -> str:
        """Return its address."""
        return reverse("api:provider", kwargs={"code": record.code})


class ProviderDetailApi(ChangeApi, ArchiveApi):
    """One provider."""

    resource = "providers"
    actions = {"PATCH": "provider.edit", "DELETE": "provider.edit"}
    output = ProviderOutput
    input = ProviderInput

    def record(self, **kwargs: Any) -> Provider:
        """Return the provider."""
        return found(Provider.objects.select_related("created_by"), "provider", **kwargs)

    def change(self, by: Actor, record: Provider, version: int, values: dict[str, Any]) -> Provider:
        """Change it."""
        return provider_update(by=by, provider=record, version=version, values=values)

    def archive(self, by: Actor, record: Provider, version: int) -> Provider:
        """Take it out of the lists."""
        return provider_archive(by=by, provider=record, version=version)


class ProviderRestoreApi(VersionedActionApi):
    """Bring a provider back."""

    resource = "providers"
    actions = {"POST": "provider.edit"}
    output = ProviderOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> Provider:
        """Return the provider."""
        return found(Provider.objects.all(), "provider", **kwargs)

    def carry_out(self, by: Actor, record: Provider, version: int, values: dict[str, Any]) -> Provider:
        """Bring it back."""
        return provider_archive(by=by, provider=record, version=version, is_archived=False)


class SiteListApi(ListApi, CreateApi):
    """Sites, and a new one."""

    resource = "sites"
    actions = {"POST": "site.edit"}
    filters = (CODE, Filter("country", "country", "ISO 3166 alpha-2"), ARCHIVED, *modified_filters())
    output = SiteOutput
    input = SiteInput

    def records(self, **kwargs: Any) -> QuerySet[Site]:
        """Return all sites."""
        return Site.objects.select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Site:
        """Store a site."""
        return site_create(by=by, values=values)

    def location(self, record: Site) -> str:
        """Return its address."""
        return reverse("api:site", kwargs={"code": record.code})


class SiteDetailApi(ChangeApi, ArchiveApi):
    """One site."""

    resource = "sites"
    actions = {"PATCH": "site.edit", "DELETE": "site.edit"}
    output = SiteOutput
    input = SiteInput

    def record(self, **kwargs: Any) -> Site:
        """Return the site."""
        return found(Site.objects.select_related("created_by"), "site", **kwargs)

    def change(self, by: Actor, record: Site, version: int, values: dict[str, Any]) -> Site:
        """Change it."""
        return site_update(by=by, site=record, version=version, values=values)

    def archive(self, by: Actor, record: Site, version: int) -> Site:
        """Take it out of the lists."""
        return site_archive(by=by, site=record, version=version)


class SiteRestoreApi(VersionedActionApi):
    """Bring a site back."""

    resource = "sites"
    actions = {"POST": "site.edit"}
    output = SiteOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> Site:
        """Return the site."""
        return found(Site.objects.all(), "site", **kwargs)

    def carry_out(self, by: Actor, record: Site, version: int, values: dict[str, Any]) -> Site:
        """Bring it back."""
        return site_archive(by=by, site=record, version=version, is_archived=False)


class AcceleratorAliasListApi(ListApi, CreateApi):
    """Suppliers' names of accelerators, and a new one."""

    resource = "providers"
    actions = {"POST": "reference.edit"}
    filters = (Filter("accelerator", "accelerator", "model in the reference table"), ARCHIVED, *modified_filters())
    output = AliasOutput
    input = AliasInput

    def records(self, **kwargs: Any) -> QuerySet[AcceleratorAlias]:
        """Return all aliases."""
        return AcceleratorAlias.objects.select_related("created_by")

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> AcceleratorAlias:
        """Store an alias."""
        return accelerator_alias_create(by=by, values=values)

    def location(self, record: AcceleratorAlias) -> str:
        """Return its address."""
        return reverse("api:accelerator_alias", kwargs={"id": record.pk})


class AcceleratorAliasDetailApi(DetailApi):
    """One supplier's name of an accelerator."""

    resource = "providers"
    output = AliasOutput

    def record(self, **kwargs: Any) -> AcceleratorAlias:
        """Return the alias."""
        return found(AcceleratorAlias.objects.select_related("created_by"), "accelerator alias", **kwargs)
