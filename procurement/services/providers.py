"""Writes of providers, sites and accelerator aliases: the reference records."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from procurement.models import AcceleratorAlias, Provider, Site
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.jobs import job_request
from procurement.services.records import record_archive, record_create, record_update


def provider_create(*, by: Actor, values: Mapping[str, Any]) -> Provider:
    """Store a new provider."""
    require(by.user, "provider.edit")
    return record_create(by=by, record=Provider(**values), action="provider.create")


def provider_update(*, by: Actor, provider: Provider, version: int, values: Mapping[str, Any]) -> Provider:
    """Change a provider that is still at ``version``."""
    require(by.user, "provider.edit")
    return record_update(by=by, record=provider, version=version, values=values, action="provider.update")


def provider_archive(*, by: Actor, provider: Provider, version: int, is_archived: bool = True) -> Provider:
    """Take a provider out of the lists, or bring it back; its quotes stay."""
    require(by.user, "provider.edit")
    return record_archive(by=by, record=provider, version=version, action="provider.archive", is_archived=is_archived)


def site_create(*, by: Actor, values: Mapping[str, Any]) -> Site:
    """Store a new site."""
    require(by.user, "site.edit")
    return record_create(by=by, record=Site(**values), action="site.create")


def site_update(*, by: Actor, site: Site, version: int, values: Mapping[str, Any]) -> Site:
    """Change a site that is still at ``version``."""
    require(by.user, "site.edit")
    return record_update(by=by, record=site, version=version, values=values, action="site.update")


def site_archive(*, by: Actor, site: Site, version: int, is_archived: bool = True) -> Site:
    """Take a site out of the lists, or bring it back; its builds stay."""
    require(by.user, "site.edit")
    return record_archive(by=by, record=site, version=version, action="site.archive", is_archived=is_archived)


def accelerator_alias_create(*, by: Actor, values: Mapping[str, Any]) -> AcceleratorAlias:
    """Map a supplier's name; sheets read later use it, and rows that are held are read anew with it.

    A name is an accelerator's, or `region:`, `unit:`, `sku:` or `provider:` and a name.
    """
    require(by.user, "reference.edit")
    with transaction.atomic():
        alias = record_create(by=by, record=AcceleratorAlias(**values), action="accelerator_alias.create")
        job_request(kind="held_rows_reapply", dedupe_key=f"held_rows_reapply:{alias.pk}", args={"mapping": alias.pk})
    return alias
