"""From offers as sources state them to rows of the quote table: names, counts, regions and the hourly rate settled."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from providers.azure_regions import PROVIDER as AZURE
from providers.azure_regions import azure_region
from providers.base import Context, Offer, no_price
from providers.cells import plain
from providers.contract import COMMITTED, row_key
from providers.currency import is_currency
from providers.instances import Stated, instance_of
from providers.knowledge import PROVIDERS, REGION_ALIASES, REGION_PATTERNS, REGIONS, find_sku, squeezed
from providers.names import form_of
from providers.rates import BASIS_WORDS, per_accelerator_hour
from providers.sheet import Reason

NOT_IN_SLUG = re.compile(r"[^a-z0-9.]+")
GCP_ZONE = re.compile(r"([a-z]+-[a-z]+[0-9]+)-[a-z]")


@dataclass(slots=True)
class Prepared:
    """One normalised row with what holds it; `raw` is the row as its source wrote it."""

    row: dict[str, Any]
    raw: Mapping[str, str]
    reasons: list[Reason] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    written: str = ""


class Aliases:
    """Mappings over the tables of providers/data, looked up by kind and squeezed spelling."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._found = {self._key(key): target for key, target in given.items()}

    @staticmethod
    def _key(key: str) -> tuple[str, str]:
        kind, mark, name = key.partition(":")
        if mark and kind in {"region", "unit", "sku", "provider", "accelerator"}:
            return kind, squeezed(name)
        return "accelerator", squeezed(key)

    def get(self, kind: str, name: str) -> str | None:
        """Return what a spelling is mapped to, None without a mapping."""
        return self._found.get((kind, squeezed(name))) if self._found else None


def normalise_quotes(offers: Iterable[Offer], context: Context) -> list[Prepared]:
    """Return one row per offer; a row with reasons is not to be trusted and says what would release it.

    Parameters
    ----------
    offers : iterable of Offer
        In the order of the file.
    context : Context
        Provider and currency that hold where a row has none, and further aliases.
    """
    aliases = Aliases(context.aliases)
    return [_prepared(offer, context, aliases) for offer in offers]


def _prepared(offer: Offer, context: Context, aliases: Aliases) -> Prepared:
    row: dict[str, Any] = {
        "quoted_on": context.observed_on,
        "payment_option": "none",
        "price_includes_tax": False,
        **offer.values,
        "provider": provider_key(offer.provider or context.provider or "", aliases),
        "sku": offer.sku or None,
        "price": offer.price,
        "price_basis": offer.basis,
        "currency": offer.currency or context.currency,
        "purchase_model": offer.purchase_model,
        "source_file": context.file_name,
        "source_line": offer.line,
        "source_hash": context.source_hash,
    }
    if row.get("valid_until") and context.time_zone:
        row.setdefault("time_zone", context.time_zone)
    prepared = Prepared(row, offer.raw, list(offer.reasons), list(offer.flags), list(offer.steps), offer.written)
    _settle_parties(prepared, offer, aliases)
    _settle_accelerator(prepared, offer, aliases)
    _settle_price(prepared)
    key = row_key(row)
    row["row_key"] = key
    row.setdefault("id", _identifier(row, key))
    return prepared


@lru_cache(maxsize=4_096)
def _provider(name: str) -> str:
    return PROVIDERS.get(squeezed(name), name.strip())


def provider_key(name: str, aliases: Aliases) -> str | None:
    """Return the key of a provider: the project's own where it knows the name, else the name as given."""
    if not name.strip():
        return None
    return aliases.get("provider", name) or _provider(name)


def _settle_parties(prepared: Prepared, offer: Offer, aliases: Aliases) -> None:
    """Fill region and check provider and currency."""
    row, reasons = prepared.row, prepared.reasons
    if row["provider"] is None:
        reasons.append(Reason("provider_missing", "nobody says whose price this is", "name the provider of the file"))
    if row["currency"] is None:
        reasons.append(Reason("currency_missing", "no currency is stated", "name the currency of the file"))
    elif not is_currency(row["currency"]):
        message = f"{row['currency']} is no currency in use"
        reasons.append(Reason("unknown_currency", message, "state an ISO 4217 code", {"currency": row["currency"]}))
    written = offer.region.strip()
    zone = GCP_ZONE.fullmatch(written) if row["provider"] == "gcp" else None
    if zone:
        row["zone"], written = row.get("zone") or written, zone[1]
    row["region"] = aliases.get("region", written) or region_of(row["provider"] or "", written) if written else None
    if written and row["region"] is None:
        message = f"{written!r} is no known region of {row['provider']}"
        release = f"map the region: region:{written} to the provider's region code"
        reasons.append(Reason("unknown_region", message, release, {"region": written}))


@lru_cache(maxsize=16_384)
def region_of(provider: str, written: str) -> str | None:
    """Return a provider's region code for a name as written; None when its regions are known and this is none."""
    if provider == AZURE:
        return azure_region(written)
    mapped = REGION_ALIASES.get((provider, squeezed(written)))
    if mapped:
        return mapped
    pattern = REGION_PATTERNS.get(provider)
    if pattern is None:
        return written
    lower = written.lower()
    return lower if (provider, lower) in REGIONS or pattern.fullmatch(lower) else None


def _settle_accelerator(prepared: Prepared, offer: Offer, aliases: Aliases) -> None:
    """Fill accelerator, form factor, memory and count from name, SKU and what is stated beside them."""
    row = prepared.row
    provider = row["provider"] or ""
    sku = offer.table_sku or offer.sku
    mapped = aliases.get("sku", f"{provider}/{sku}") if sku else None
    known = None if mapped else find_sku(provider, sku)
    written = mapped or aliases.get("accelerator", offer.accelerator) or offer.accelerator
    stated = Stated(
        written, offer.form_factor or form_of(sku), offer.vram_gb, offer.count, offer.basis,
        known.accelerator if known and not known.has_none else None, known.accelerators if known else None,
        tuple(offer.default_vram_gb.items()),
    )  # fmt: skip
    instance = instance_of(stated)
    prepared.steps += instance.steps
    prepared.reasons += instance.reasons
    row["accelerators_per_instance"] = instance.accelerators
    if instance.accelerator is None:
        prepared.reasons.append(_unknown(written, sku, provider))
        return
    row["accelerator"], row["form_factor"] = instance.accelerator, instance.form_factor
    row["vram_gb"] = instance.vram_gb


def _unknown(written: str, sku: str, provider: str) -> Reason:
    if written:
        message = f"{written!r} is no known accelerator"
        return Reason("unknown_accelerator", message, f"map the name: {written} to an accelerator", {"name": written})
    message = f"the accelerator of {provider} {sku!r} is not known"
    return Reason("unknown_sku", message, f"map the SKU: sku:{provider}/{sku} to an accelerator", {"sku": sku})


def _settle_price(prepared: Prepared) -> None:
    """Derive the price per accelerator-hour with its steps, or say why it cannot be derived."""
    row = prepared.row
    price = row["price"]
    currency = row["currency"] or "?"
    derivation: dict[str, Any] = {"raw": prepared.written, "steps": prepared.steps, "result": None}
    row["derivation"] = derivation
    if str(row.get("os") or "").startswith("windows") and "licence" not in row.get("excludes", ()):
        prepared.flags.append("windows_in_price")
    row["price_per_accelerator_hour"] = None
    if price is None:
        if not prepared.reasons:
            prepared.reasons.append(no_price())
        return
    if not {"unknown_unit", "price_sentinel"}.isdisjoint(reason.code for reason in prepared.reasons):
        return  # a rate derived from a wrong unit would only mislead
    if price < 0 or (price == 0 and not row.get("upfront")):
        message = f"the price is {plain(price)} {currency}: unknown, free or a placeholder"
        release = "state the price, or confirm that it is free"
        prepared.reasons.append(Reason("price_not_positive", message, release, {"price": plain(price)}))
        return
    if row["purchase_model"] == "on_demand" and row.get("term_months") and not prepared.reasons:
        message = f"a price on demand with a term of {row['term_months']} months"
        release = "say whether it is reserved, or remove the term"
        prepared.reasons.append(Reason("purchase_model_conflict", message, release))
    if row["purchase_model"] in COMMITTED and not row.get("term_months") and not row.get("min_days"):
        message = f"a price of kind {row['purchase_model']} without the length of its term"
        prepared.reasons.append(Reason("term_missing", message, "state term_months"))
        return
    steps = [*prepared.steps, f"{plain(price)} {currency} {BASIS_WORDS[row['price_basis']]}"]
    rate = per_accelerator_hour(row, steps)
    derivation["steps"] = steps
    if isinstance(rate, Reason):
        if not {"unknown_sku", "unknown_accelerator"} & {reason.code for reason in prepared.reasons}:
            prepared.reasons.append(rate)
        return
    row["price_per_accelerator_hour"] = rate
    derivation["result"] = f"{plain(rate)} {currency} per accelerator-hour"


def _identifier(row: Mapping[str, Any], key: str) -> str:
    """Return a readable id that is the same whenever the same offer is read."""
    parts = (row["provider"], row["sku"] or row.get("accelerator"), row["region"], row["purchase_model"])
    slug = "-".join(_slug(part) for part in parts if part)
    return f"{slug[:70]}-{hashlib.blake2b(key.encode(), digest_size=4).hexdigest()}"


@lru_cache(maxsize=16_384)
def _slug(part: str) -> str:
    return NOT_IN_SLUG.sub("-", part.lower()).strip("-")
