"""Licences that hide in a price: what an offer costs above the known Linux price, per vCPU, tells a Windows price."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from providers.base import KnownOffer
from providers.cells import plain
from providers.knowledge import BANDS, rows_of, squeezed
from providers.normalise import Prepared
from providers.rates import rounded
from providers.sheet import Reason

LINUX = frozenset({None, "linux"})
LEAST_ALIKE = 3  # offers whose surcharge per vCPU is the same before it is taken for a licence of any kind
SPREAD = Decimal("0.02")  # of the surcharge, for rounded prices
AZURE = re.compile(r"(?:Standard_)?N[A-Z]*?([0-9]+)(?:[a-z_].*|$)", re.IGNORECASE)  # NC24ads_A100_v4 has 24
AWS = re.compile(r"[a-z0-9-]+\.([0-9]*)x?large(?:$|[ -])")
AWS_PER_XLARGE = 4  # vCPUs of an xlarge
GCP = {row["machine"]: Decimal(row["vcpus"]) for row in rows_of("gcp_machines.csv") if row["vcpus"]}


@lru_cache(maxsize=16_384)
def vcpus_of(provider: str, sku: str) -> Decimal | None:
    """Return the vCPUs that an instance name tells, None where it tells none."""
    bare = sku.split(" (")[0]
    if provider == "azure" and (found := AZURE.fullmatch(bare)):
        return Decimal(found[1])
    if provider == "aws" and (found := AWS.match(bare)):
        is_large = ".large" in bare
        return Decimal(2) if is_large else Decimal(found[1] or 1) * AWS_PER_XLARGE
    return GCP.get(bare) if provider == "gcp" else None


Key = tuple[str, str, str | None, str, str]


def _key(row: Mapping[str, Any]) -> Key:
    return row["provider"], squeezed(str(row["sku"] or "")), row["region"], row["purchase_model"], row["currency"]


def check_licences(rows: Iterable[Prepared], known: Sequence[KnownOffer]) -> None:
    """Hold offers that cost more than the known Linux price by what a licence costs per vCPU."""
    if not known:
        return
    prices = {
        (one.provider, squeezed(one.sku), one.region, one.purchase_model, one.currency): one for one in known
    }  # fmt: skip
    above: dict[tuple[str, str | None], list[tuple[Prepared, KnownOffer, Decimal]]] = defaultdict(list)
    for prepared in rows:
        row = prepared.row
        other, count = prices.get(_key(row)) if row.get("os") in LINUX else None, row["accelerators_per_instance"]
        vcpus = vcpus_of(row["provider"], row["sku"] or "") if other else None
        if other is None or not vcpus or not count:
            continue
        surcharge = (row["price_per_accelerator_hour"] * count - other.price) / vcpus
        if surcharge > 0:
            above[(row["provider"], row["region"])].append((prepared, other, surcharge))
    for group in above.values():
        alike = _alike([surcharge for _, _, surcharge in group])
        for prepared, other, surcharge in group:
            if _is_windows(prepared.row["currency"], surcharge) or surcharge in alike:
                _hold(prepared, other, surcharge)


def _is_windows(currency: str, surcharge: Decimal) -> bool:
    band = BANDS["licence_per_vcpu"]
    return currency == "USD" and (band.low or 0) <= surcharge <= (band.high or 0)


def _alike(surcharges: Sequence[Decimal]) -> frozenset[Decimal]:
    """Return the surcharges that at least three offers of a region share: no price list rises per vCPU alone."""
    found: set[Decimal] = set()
    for one in surcharges:
        near = {other for other in surcharges if abs(other - one) <= SPREAD * one}
        if sum(other in near for other in surcharges) >= LEAST_ALIKE:
            found |= near
    return frozenset(found)


def _hold(prepared: Prepared, other: KnownOffer, surcharge: Decimal) -> None:
    row = prepared.row
    each = plain(rounded(surcharge))
    message = (
        f"{each} {row['currency']} per vCPU-hour above the Linux price {plain(other.price)} of {other.source}: "
        "likely with an operating system licence"
    )
    release = "say which system the price includes, or confirm that it is a Linux price"
    prepared.reasons.append(
        Reason("licence_in_price", message, release, {"per_vcpu": each, "known": plain(other.price)})
    )
