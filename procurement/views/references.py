"""Pages of providers and sites: the reference records."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.builds import SiteForm
from procurement.forms.quotes import ProviderForm
from procurement.models import Provider, Site
from procurement.selectors.lists import providers_counted, sites_counted
from procurement.services.actors import Actor
from procurement.services.providers import (
    provider_archive,
    provider_create,
    provider_update,
    site_archive,
    site_create,
    site_update,
)
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page
from procurement.views.filters import ProviderFilter, SiteFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown


class ProviderListView(ListPage):
    """Who sells capacity."""

    template = "procurement/providers.html"
    section_name = "quotes"
    filterset = ProviderFilter
    order = "name"
    columns = (
        Column("Name", "name"), Column("Short name", "code"), Column("Quotes in force", "quote_count", "", True),
        Column("Builds", "build_count", "", True), Column("Website"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return providers with how much is on record of each."""
        return providers_counted(is_archived=self.request.GET.get("state") == "archived")


class ProviderPage:
    """What the forms of a provider share."""

    action = "provider.edit"

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Quotes", reverse("procurement:quotes")), Entry("Providers", reverse("procurement:providers"))]

    def address_after(self, record: Provider) -> str:
        """Return the list."""
        return reverse("procurement:providers")


class ProviderCreateView(ProviderPage, FormPage):
    """A new provider."""

    heading = "New provider"
    button = "Save provider"
    success = "{record} was saved."

    def make_form(self, *args: Any, **kwargs: Any) -> ProviderForm:
        """Return the empty form."""
        return ProviderForm(*args, **kwargs)

    def store(self, form: ProviderForm, by: Actor) -> Provider:
        """Store it."""
        return provider_create(by=by, values=form.values())


class ProviderUpdateView(ProviderPage, FormPage):
    """A provider that is changed."""

    heading = "Edit provider"
    button = "Save provider"
    success = "{record} was changed."

    def make_form(self, *args: Any, **kwargs: Any) -> ProviderForm:
        """Return the form on the provider."""
        return ProviderForm(*args, instance=get_object_or_404(Provider, pk=self.kwargs["pk"]), **kwargs)

    def store(self, form: ProviderForm, by: Actor) -> Provider:
        """Store the change."""
        return provider_update(
            by=by, provider=form.instance, version=form.cleaned_data["version"], values=form.values()
        )


class ProviderArchiveView(ActionPage):
    """Take a provider out of the lists, or bring it back."""

    action = "provider.edit"
    is_archived = True
    success = "Done. The quotes of the provider stay as they are."

    def act(self, by: Actor) -> str:
        """Archive it."""
        provider = get_object_or_404(Provider, pk=self.kwargs["pk"])
        provider_archive(by=by, provider=provider, version=provider.version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:provider_restore", args=[self.kwargs["pk"]]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the list."""
        return reverse("procurement:providers")


class ProviderHistoryView(Page):
    """Who changed the provider, when and why."""

    template = "procurement/record_history.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        provider = get_object_or_404(Provider, pk=pk)
        return self.show({"record": provider, "entries": history_shown(provider)})

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Providers", reverse("procurement:providers"))]


class SiteListView(ListPage):
    """Places with land, power and a building."""

    template = "procurement/sites.html"
    section_name = "builds"
    filterset = SiteFilter
    order = "name"
    columns = (
        Column("Name", "name"), Column("Short name", "code"), Column("Country", "country"),
        Column("Utility", "utility"), Column("Builds", "build_count", "", True),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return sites with how many builds stand there."""
        return sites_counted(is_archived=self.request.GET.get("state") == "archived")


class SitePage:
    """What the forms of a site share."""

    action = "site.edit"

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Builds", reverse("procurement:builds")), Entry("Sites", reverse("procurement:sites"))]

    def address_after(self, record: Site) -> str:
        """Return the list."""
        return reverse("procurement:sites")


class SiteCreateView(SitePage, FormPage):
    """A new site."""

    heading = "New site"
    button = "Save site"
    success = "{record} was saved."

    def make_form(self, *args: Any, **kwargs: Any) -> SiteForm:
        """Return the empty form."""
        return SiteForm(*args, **kwargs)

    def store(self, form: SiteForm, by: Actor) -> Site:
        """Store it."""
        return site_create(by=by, values=form.values())


class SiteUpdateView(SitePage, FormPage):
    """A site that is changed."""

    heading = "Edit site"
    button = "Save site"
    success = "{record} was changed."

    def make_form(self, *args: Any, **kwargs: Any) -> SiteForm:
        """Return the form on the site."""
        return SiteForm(*args, instance=get_object_or_404(Site, pk=self.kwargs["pk"]), **kwargs)

    def store(self, form: SiteForm, by: Actor) -> Site:
        """Store the change."""
        return site_update(by=by, site=form.instance, version=form.cleaned_data["version"], values=form.values())


class SiteArchiveView(ActionPage):
    """Take a site out of the lists, or bring it back."""

    action = "site.edit"
    is_archived = True
    success = "Done. The builds of the site stay as they are."

    def act(self, by: Actor) -> str:
        """Archive it."""
        site = get_object_or_404(Site, pk=self.kwargs["pk"])
        site_archive(by=by, site=site, version=site.version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:site_restore", args=[self.kwargs["pk"]]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the list."""
        return reverse("procurement:sites")


class SiteHistoryView(Page):
    """Who changed the site, when and why."""

    template = "procurement/record_history.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show it."""
        site = get_object_or_404(Site, pk=pk)
        return self.show({"record": site, "entries": history_shown(site)})

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Sites", reverse("procurement:sites"))]
