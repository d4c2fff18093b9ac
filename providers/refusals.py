"""Documents that are known and state no prices that can be quoted: bills, usage exports, maps of names."""

from collections.abc import Callable
from dataclasses import dataclass

from providers.document import Document


@dataclass(frozen=True, slots=True)
class Refusal:
    """A kind of document, how it is told, and what to send instead."""

    name: str
    is_it: Callable[[Document], bool]
    instead: str


def _header(*needed: str) -> Callable[[Document], bool]:
    return lambda document: document.table(*needed) is not None


def _localised(*needed: str) -> Callable[[Document], bool]:
    """Return a test for headers that stand in brackets behind their translation."""

    def test(document: Document) -> bool:
        for grid in document.grids:
            for record in grid.records[:3]:
                text = " ".join(str(cell) for cell in record.cells)
                if all(f"({name})" in text for name in needed):
                    return True
        return False

    return test


def _objects(*needed: str) -> Callable[[Document], bool]:
    return lambda document: set(next(document.objects(), {})) >= set(needed)


def _shape_parts(document: Document) -> bool:
    found = document.json
    values = list(found.values())[:5] if isinstance(found, dict) else []
    return bool(values) and all(isinstance(value, dict) and {"OCPU", "GPU"} <= set(value) for value in values)


FOCUS_HINT = "send the FOCUS export of the same costs, which is read as realised rates"
LIST_HINT = "send the price list itself"
VMS_HINT = "send vms.csv of the same folder"
REFUSALS = (
    Refusal("an AWS cost and usage report", _header("identity/LineItemId", "lineItem/UsageType"), FOCUS_HINT),
    Refusal("an AWS cost and usage report", _header("line_item_usage_type", "line_item_unblended_cost"), FOCUS_HINT),
    Refusal("an Azure cost export", _header("MeterId", "BillingCurrency", "EffectivePrice", "Quantity"), FOCUS_HINT),
    Refusal("an Azure cost export", _header("MeterId", "Quantity", "CostInBillingCurrency"), FOCUS_HINT),
    Refusal("an Azure usage export", _header("MeterId", "UsageQuantity", "PreTaxCost"), FOCUS_HINT),
    Refusal("an Azure usage export", _localised("MeterId", "UsageQuantity"), FOCUS_HINT),
    Refusal("an Oracle cost report", _header("lineItem/tenantId", "cost/productSku"), FOCUS_HINT),
    Refusal("an Azure usage export", _localised("MeterId", "UsageQuantity", "PreTaxCost"), FOCUS_HINT),
    Refusal("an Azure usage export", _localised("MeterId", "PreTaxCost"), FOCUS_HINT),
    Refusal("a Google Cloud billing export", _header("billing_account_id", "cost", "usage_start_time"), FOCUS_HINT),
    Refusal("a table of units of measure", _header("UnitOfMeasure", "PricingBlockSize", "DistinctUnits"), LIST_HINT),
    Refusal("a table of region names", _header("OriginalValue", "RegionId", "RegionName"), LIST_HINT),
    Refusal("a list of currencies", _header("currency_codes"), LIST_HINT),
    Refusal("a list of machine types", _header("NAME", "CPUS", "MEMORY_GB"), LIST_HINT),
    Refusal("a list of accelerator types", _header("NAME", "ZONE"), LIST_HINT),
    Refusal("a map of SKU descriptions", _header("MAPPING", "SKU_DESCRIPTION"), LIST_HINT),
    Refusal("a SkyPilot list of machine images", _header("Tag", "Region", "ImageId", "CreationDate"), VMS_HINT),
    Refusal("a SkyPilot table of quota codes", _header("InstanceType", "OnDemandInstanceQuotaCode"), VMS_HINT),
    Refusal("a SkyPilot table of quota codes", _header("Accelerator", "QuotaCode"), VMS_HINT),
    Refusal("a SkyPilot index of accelerators", _header("AcceleratorName", "Clouds"), VMS_HINT),
    Refusal("a list of providers", _objects("id", "name", "url", "blurb"), LIST_HINT),
    Refusal("a map of shapes to part numbers", _shape_parts, "send the list prices of the part numbers"),
)


def find_refusal(document: Document) -> Refusal | None:
    """Return the kind of document that is refused, None when it is none of them."""
    return next((refusal for refusal in REFUSALS if refusal.is_it(document)), None)
