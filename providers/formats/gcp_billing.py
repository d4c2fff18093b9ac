"""Google Cloud Billing Catalog: prices of components, summed to machines; usage is told by the description."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from providers.base import Context, Offer, Parsed, no_price, object_in, objects_in
from providers.cells import plain, read_date, read_number
from providers.document import Document
from providers.errors import CellError, Fault
from providers.knowledge import rows_of
from providers.names import Name, read_name
from providers.rates import rounded
from providers.sheet import Ignored, Reason

PROVIDER = "gcp"
NANOS = Decimal(1_000_000_000)
MONTH_HOURS = Decimal(730)  # usage for which a tier is chosen: one machine over a month
PART = re.compile(
    r"\b(A2|A3|A3Plus|A3 Plus|A3Ultra|A3 Ultra|G2|G4|N1 Predefined|N1)\b(?: Instance)? (Core|Cpu|Ram)\b", re.IGNORECASE
)
COMMITTED_N1 = re.compile(r"Commitment v\d: (Cpu|Ram) in\b", re.IGNORECASE)  # a commitment that names no family is N1's
TAILS = re.compile(
    r"\b(?:running in|attached to|in [A-Z]|for \d Year).*|"
    r"\bCommitment v\d:|\b(?:GPU|Spot Preemptible|Preemptible|DWS|Defined Duration|Calendar Mode|Reserved)\b",
    re.IGNORECASE,
)
SLICE = re.compile(r"\(\s*1 gpu slice\s*\)", re.IGNORECASE)  # a GPU with its share of the machine
MACHINE_FAMILY = re.compile(r"^A[0-9]+X?\s+(?=Nvidia)", re.IGNORECASE)
VGPU = re.compile(r"\b1/(\d) vGPU\b", re.IGNORECASE)  # a part of a G4 with its share of the machine
VGPU_NAME = "RTX 6000 96GB"
TPU = re.compile(r"\bTPU[- ]?(v[2-9][a-z]?|7x)(?![a-z0-9])|\b(v[2-9][a-z]?) TPU\b", re.IGNORECASE)
PER_CHIP = frozenset({"v5e", "v5p", "v6e", "v7x"})  # older ones are sold by core, chip or board of four chips
OTHER_TENANCY = re.compile(r"\bSole Tenancy\b", re.IGNORECASE)
INCLUSIVE = frozenset({"whole", "part"})  # machines whose GPU price holds core and memory
MACHINE_SERVICES = frozenset({"", "compute engine", "cloud tpu", "tpu"})
UNITS = {"GPU": "h", "core": "h", "ram": "GiBy.h"}
DECIMAL_UNIT = "GBy.h"
GB_PER_GIB = Decimal(1024**3) / Decimal(1000**3)


@dataclass(frozen=True, slots=True)
class Usage:
    """How a component is bought, as its description says."""

    purchase_model: str
    term_months: int | None = None
    variant: str = ""  # of two ways that are bought alike; parts of one are none of the other


@dataclass(slots=True)
class Part:
    """The price of one component in one region."""

    line: int
    price: Decimal
    currency: str
    starts: date | None
    raw: dict[str, Any]


class GcpBilling:
    """One SKU per component; a machine is the sum of its parts in a region."""

    key = "gcp_billing"
    title = "Google Cloud Billing Catalog (JSON)"
    reads = (
        "GPU + core + memory of one region, currency and usage (on demand, spot, DWS, commitments), summed to machine "
        "types sold that way; GPU slices that hold their share of the machine; TPU chips"
    )
    holds = (
        "GPUs whose core or memory price is not in the file, zero, or stated twice, units that are no hours, "
        "unknown accelerators, lines of reservations, TPUs up to v4"
    )
    ignores = "other components and services, licence fees; core and memory, which enter the sums"

    def recognises(self, document: Document) -> bool:
        """Return whether SKUs carry pricing expressions with tiered rates."""
        sku = next(_skus(document), None)
        return sku is not None and isinstance(sku.get("category"), dict) and "pricingInfo" in sku

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return one offer per machine type, region, currency and usage that the file can price."""
        reader = _Reader(context)
        for line, sku in enumerate(_skus(document), start=1):
            reader.parsed.rows += 1
            try:
                reader.take(line, sku)
            except CellError as error:
                fault = Fault(line, "unitPrice", error.value, error.rule, error.hint)
                reader.parsed.faults.append(fault)
        reader.sum_up()
        return reader.parsed


def _skus(document: Document) -> Iterator[dict[str, Any]]:
    is_page = any(isinstance(page, dict) and "skus" in page for page in document.pages[:1])
    yield from document.objects("skus") if is_page else document.objects()


def _regions(sku: dict[str, Any]) -> list[str]:
    found = sku.get("serviceRegions")
    return [str(region) for region in found] if isinstance(found, list) and found else [""]


def usage_of(description: str, usage_type: str) -> Usage:
    """Return how a component is bought; the description is believed before the usage type, which errs."""
    lower = description.lower()
    years = re.search(r"(\d)\s*year", lower)
    if "commitment" in lower and years:
        return Usage("cud", int(years[1]) * 12)
    if "calendar mode" in lower:
        return Usage("dws", variant="calendar mode")
    if "dws" in lower or "defined duration" in lower:
        return Usage("dws")
    if "spot" in lower or "preemptible" in lower or usage_type == "Preemptible":
        return Usage("spot")
    if re.search(r"\breserved\b", lower):
        return Usage("reserved")  # of a term that the list does not state
    if match := re.fullmatch(r"Commit(\d)Yr", usage_type):
        return Usage("cud", int(match[1]) * 12)
    return Usage("on_demand")


Place = tuple[str, str, Usage]  # region, currency, usage


class _Reader:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.parsed = Parsed(rows=0)
        self.gpus: dict[Place, list[tuple[Name, str, Part]]] = defaultdict(list)
        self.parts: dict[tuple[str, str, Place], Part] = {}
        self.conflicts: dict[tuple[str, str, Place], Part] = {}

    def take(self, line: int, sku: dict[str, Any]) -> None:
        """Keep a component's price, or say why it is left out."""
        description = str(sku.get("description") or "")
        category = object_in(sku, "category")
        kind, family = _component(description, str(category.get("resourceGroup") or ""))
        if not kind or str(category.get("serviceDisplayName") or "").casefold() not in MACHINE_SERVICES:
            self.parsed.ignored.append(Ignored(line, "other_service", description))
            return
        usage = usage_of(description, str(category.get("usageType") or ""))
        part, unit = self._price(line, sku)
        if part is not None and unit == DECIMAL_UNIT:
            part.price, unit = part.price * GB_PER_GIB, UNITS["ram"]
        raw = {"skuId": str(sku.get("skuId")), "description": description, "usageType": str(category.get("usageType"))}
        is_chip = not family.startswith("TPU") or family.removeprefix("TPU ") in PER_CHIP
        if part is None or part.price <= 0 or unit != UNITS[kind] or not is_chip:
            self._hold(line, raw, family if kind == "GPU" else description, unit, part, usage, _regions(sku))
            return
        part.raw = raw
        if slices := VGPU.search(description):
            part.price *= Decimal(slices[1])  # of a whole GPU, as the machine types count them
        for region in _regions(sku):
            place = (str(region), part.currency, usage)
            if kind == "GPU":
                name = read_name(family)
                if name is None:
                    self._hold(line, raw, family, unit, part, usage, _regions(sku))
                    return
                self.gpus[place].append((name, family, part))
            else:
                known = self.parts.setdefault((kind, family, place), part)
                if known.price != part.price:
                    self.conflicts[(kind, family, place)] = part
        if kind != "GPU":
            self.parsed.ignored.append(Ignored(line, "component", description))

    def _price(self, line: int, sku: dict[str, Any]) -> tuple[Part | None, str]:
        """Return the price in force on the day, of the tier for a machine that runs a month."""
        entries = [(read_date(entry.get("effectiveTime")), entry) for entry in objects_in(sku, "pricingInfo")]
        begun = [found for found in entries if found[0] is None or found[0] <= self.context.observed_on]
        if not entries:
            return None, ""
        starts, entry = max(begun or entries, key=lambda found: found[0] or date.min)
        expression = object_in(entry, "pricingExpression")
        rates = [
            (read_number(rate.get("startUsageAmount")) or Decimal(0), object_in(rate, "unitPrice"))
            for rate in objects_in(expression, "tieredRates")
        ]
        reached = [rate for start, rate in sorted(rates, key=lambda rate: rate[0]) if start <= MONTH_HOURS]
        unit = str(expression.get("usageUnit") or "")
        if not reached:
            return None, unit
        rate = reached[-1]
        units, nanos = read_number(rate.get("units")), read_number(rate.get("nanos"))
        if units is None and nanos is None:
            return None, unit  # a price that is missing must not enter a sum as zero
        price = (units or Decimal(0)) + (nanos or Decimal(0)) / NANOS
        return Part(line, price, str(rate.get("currencyCode") or ""), starts, {}), unit

    def _hold(  # noqa: PLR0913 - what is known of a component that is not trusted
        self, line: int, raw: dict[str, Any], name: str, unit: str, part: Part | None, usage: Usage, regions: list[str]
    ) -> None:
        message = f"{name!r} is priced per {unit or 'nothing'}: not the hour of a known accelerator"
        if name.startswith("TPU") and unit == UNITS["GPU"]:
            message = f"whether {name} is priced per core, chip or board of four is not said"
        release = "map the name, or state the price per accelerator-hour"
        region = regions[0] if len(regions) == 1 else ""
        offer = self._offer(part or Part(line, Decimal(0), "USD", None, raw), (region, "", usage), name, raw)
        if part is None:
            offer.price, offer.written = None, "nothing"
            offer.reasons.append(no_price())
        elif part.price > 0:
            code = "unknown_unit" if unit not in {"h", ""} else "unknown_component"
            offer.reasons.append(Reason(code, message, release))
        self.parsed.offers.append(offer)

    def _offer(self, part: Part, place: Place, name: str, raw: dict[str, Any]) -> Offer:
        region, _, usage = place
        return Offer(
            line=part.line, raw=raw, price=part.price, written=f"{plain(part.price)} {part.currency} of one component",
            currency=part.currency, basis="per_accelerator_hour", accelerator=name, provider=PROVIDER, region=region,
            purchase_model=usage.purchase_model,
            values={"term_months": usage.term_months, "os": "linux", "valid_from": part.starts},
        )  # fmt: skip

    def sum_up(self) -> None:
        """Sum the parts of every machine type that carries a priced GPU."""
        machines = rows_of("gcp_machines.csv")
        for place, gpus in self.gpus.items():
            for name, written, gpu in gpus:
                if name.model.startswith("TPU"):
                    self.parsed.offers.append(self._offer(gpu, place, written, gpu.raw))
                    continue
                fitting = [row for row in machines if _carries(row, name, written) and _is_sold(row, place[2])]
                sums = [offer for row in fitting if (offer := self._machine(row, place, written, gpu)) is not None]
                self.parsed.offers += sums or [self._alone(gpu, place, written)]

    def _alone(self, gpu: Part, place: Place, written: str) -> Offer:
        offer = self._offer(gpu, place, written, gpu.raw)
        message = f"the price of the GPU alone: core and memory for {place[0]} are not in the file"
        offer.reasons.append(Reason("component_only", message, "send the list with core and memory of the family"))
        return offer

    def _disagreements(self, family: str, place: Place) -> list[Reason]:
        """Return why the sum of a machine is not to be trusted: one of its parts stands at two prices."""
        reasons = []
        for kind in ("core", "ram"):
            second = self.conflicts.get((kind, family, place))
            if second is not None:
                first = self.parts[(kind, family, place)]
                message = (
                    f"the {kind} of {family} stands at {plain(first.price)} in entry {first.line} and at "
                    f"{plain(second.price)} in entry {second.line}"
                )
                reasons.append(Reason("component_conflict", message, "send the list with one price per component"))
        return reasons

    def _machine(self, row: dict[str, str], place: Place, written: str, gpu: Part) -> Offer | None:
        count = Decimal(row["accelerators"])
        total, steps = gpu.price * count, [f"{plain(gpu.price)} x {row['accelerators']} {written}"]
        is_part = VGPU.search(gpu.raw["description"]) is not None
        if is_part != (row["family"] == "part"):
            return None
        if row["family"] not in INCLUSIVE:
            core, ram = (self.parts.get((kind, row["family"], place)) for kind in ("core", "ram"))
            if core is None or ram is None:
                return None
            total += core.price * Decimal(row["vcpus"]) + ram.price * Decimal(row["memory_gib"])
            steps.append(f"+ {plain(core.price)} x {row['vcpus']} vCPU + {plain(ram.price)} x {row['memory_gib']} GiB")
        offer = self._offer(gpu, place, written, gpu.raw)
        offer.sku, offer.count, offer.price, offer.basis = row["machine"], count, rounded(total), "per_instance_hour"
        if place[2].variant:
            offer.sku = f"{row['machine']} ({place[2].variant})"
        offer.table_sku = row["machine"].split("+")[0] if row["family"] != "n1" else row["machine"]
        offer.steps = steps
        offer.reasons += self._disagreements(row["family"], place)
        if row["local_ssd_included"] == "yes" and row["family"] not in INCLUSIVE:
            offer.values["excludes"] = ("local_ssd",)
            offer.flags.append("local_ssd_not_priced")
        return offer


def _component(description: str, group: str) -> tuple[str, str]:
    """Return kind and family of a component: `GPU` with the accelerator's name, `core` or `ram` with the family."""
    tpu = TPU.search(description)
    if tpu:
        return "GPU", f"TPU v{(tpu[1] or tpu[2]).lower().removeprefix('v')}"
    if VGPU.search(description):
        return "GPU", VGPU_NAME
    if description.startswith("Licensing Fee"):
        return "", ""
    if group == "GPU" or re.search(r"\bGPU\b", description, re.IGNORECASE):
        bare = re.sub(r"\s+", " ", TAILS.sub(" ", SLICE.sub(" ", description))).strip()
        return "GPU", MACHINE_FAMILY.sub("", bare)
    if OTHER_TENANCY.search(description):
        return "", ""
    committed = COMMITTED_N1.match(description)
    if committed:
        return ("ram" if committed[1].lower() == "ram" else "core"), "n1"
    part = PART.search(description)
    if part is None:
        return "", ""
    family = part[1].lower().replace(" ", "").replace("predefined", "")
    return ("ram" if part[2].lower() == "ram" else "core"), family


def _is_sold(row: dict[str, str], usage: Usage) -> bool:
    """Return whether a machine type is sold this way: some sizes exist for spot and flexible start alone."""
    return not row["sold_as"] or usage.purchase_model in row["sold_as"].split("|")


def _carries(row: dict[str, str], name: Name, written: str) -> bool:
    """Return whether a machine type holds an accelerator; the H100 with the faster network has machines of its own."""
    is_mega = re.search(r"\b(?:Mega|Plus)\b", written, re.IGNORECASE) is not None
    model = row["model"].removesuffix(" Mega")
    if model != name.model or (model == "H100" and is_mega != row["model"].endswith("Mega")):
        return False
    return name.memory_gb == Decimal(row["memory_gb"]) or (name.memory_gb is None and row["memory_gb"] in {"40", "16"})


GCP_BILLING = GcpBilling()
