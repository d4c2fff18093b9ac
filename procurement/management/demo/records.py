"""Providers, sites, assumptions, builds, offers, discounts and workloads."""

from collections.abc import Mapping
from typing import Any

from procurement.choices import workload_presets
from procurement.management.demo.base import DATA, add_coded, by, data
from procurement.models import (
    AssumptionSet,
    Build,
    ContractDiscount,
    CostLine,
    Provider,
    Quote,
    Site,
    Tranche,
    Waiver,
    Workload,
)
from procurement.services.assumptions import assumption_set_create, assumption_set_put_in_force
from procurement.services.builds import build_create, build_part_create, evidence_add, promise_add
from procurement.services.discounts import discount_create
from procurement.services.providers import provider_create, site_create
from procurement.services.quotes import quote_create, quote_supersede
from procurement.services.workloads import workload_create

BUILD_PARTS: Mapping[str, type[Tranche | CostLine | Waiver]] = {
    "tranches": Tranche, "costs": CostLine, "waived": Waiver,
}  # fmt: skip


def providers() -> int:
    """Add real suppliers with published prices, and invented ones."""
    return add_coded(Provider, data("providers.json"), lambda entry: provider_create(by=by("analyst"), values=entry))


def sites() -> int:
    """Add the places of the builds."""
    return add_coded(Site, data("sites.json"), lambda entry: site_create(by=by("facilities"), values=entry))


def assumption_sets() -> int:
    """Create the set and put it in force once; a set that finance put in force since stays in force."""
    entry = data("assumptions.json")
    if AssumptionSet.objects.filter(name=entry["values"]["name"]).exists():
        return 0
    finance = by("finance")
    assumption_set = assumption_set_create(by=finance, values=entry["values"], fx=entry["fx"])
    assumption_set_put_in_force(by=finance, assumption_set=assumption_set)
    return 1


def builds() -> int:
    """Add the builds with tranches, costs, evidence and promises."""
    entries = [data(f"builds/{path.name}") for path in sorted((DATA / "builds").glob("*.json"))]
    return add_coded(Build, entries, _create_build)


def offers() -> int:
    """Add the offers of invented providers, each through all its quotes."""
    return add_coded(Quote, data("offers.json"), _create_offer)


def discounts() -> int:
    """Add what contracts take off list prices."""
    return add_coded(ContractDiscount, data("discounts.json"), _create_discount)


def workloads() -> int:
    """Add the workloads, each started from a preset as the form does, and changed as its owner did."""
    return add_coded(Workload, data("workloads.json"), _create_workload)


def _create_build(entry: Mapping[str, Any]) -> None:
    facilities = by("facilities")
    lists = {*BUILD_PARTS, "evidence", "promises"}
    values = {name: value for name, value in entry.items() if name not in lists}
    values["site"] = Site.objects.get(code=entry["site"])
    values["owner"] = facilities.user
    if "operator" in values:
        values["operator"] = Provider.objects.get(code=values["operator"])
    build = build_create(by=facilities, values=values)
    for name, part in BUILD_PARTS.items():
        for line in entry[name]:
            build_part_create(by=facilities, build=build, part=part, values=line)
    for statement in entry["evidence"]:
        evidence_add(by=facilities, build=build, values=statement)
    for promise in entry["promises"]:
        promise_add(by=facilities, build=build, values=promise)


def _create_offer(entry: Mapping[str, Any]) -> None:
    """Store the first quote of an offer; each later quote states what changed and why, and supersedes it."""
    values = {name: value for name, value in entry.items() if name != "later"}
    values["provider"] = Provider.objects.get(code=entry["provider"])
    if "cluster" in values:
        values["cluster"] = Build.objects.get(code=values["cluster"])
    quote = quote_create(by=by("analyst"), values=values)
    for later in entry.get("later", ()):
        changes = {name: value for name, value in later.items() if name != "reason"}
        quote = quote_supersede(by=by("analyst", later["reason"]), quote=quote, version=quote.version, values=changes)


def _create_discount(entry: Mapping[str, Any]) -> None:
    values = {name: value for name, value in entry.items() if name != "reason"}
    values["provider"] = Provider.objects.get(code=entry["provider"])
    discount_create(by=by("finance", entry["reason"]), values=values)


def _create_workload(entry: Mapping[str, Any]) -> None:
    analyst = by("analyst")
    preset = next(preset for preset in workload_presets() if preset.kind == entry["preset"])
    defaults = {name: list(value) if isinstance(value, tuple) else value for name, value in preset.values.items()}
    described = {name: entry[name] for name in ("code", "name", "note")}
    values = {"kind": preset.kind, "owner": analyst.user, **defaults, **entry["values"], **described}
    workload_create(by=analyst, values=values)
