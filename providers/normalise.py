"""From offers as sources state them to rows of the quote table: names, counts, regions and the hourly rate settled."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from providers.azure_regions import PROVIDER as AZURE
from providers.azure_regions import azure_region
from providers.base import Context, Offer, no_price
from providers.cells import plain
from providers.contract import COMMITTED, row_key
from providers.currency import is_currency
from providers.knowledge import (
    BANDS,
    PROVIDERS,
    REGION_ALIASES,
    REGION_PATTERNS,
    REGIONS,
    Sku,
    find_sku,
    squeezed,
)
from providers.names import Name, canonical, form_of, leading_count, read_name, sizes_of
from providers.rates import BASIS_WORDS, per_accelerator_hour, rounded
from providers.sheet import Reason

COUNT_TOLERANCE = Decimal("0.02")  # of the count: catalogs write 1/6 as 0.167
GPU_WORD = "accelerators"
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
    row, reasons = prepared.row, prepared.reasons
    provider = row["provider"] or ""
    sku = offer.table_sku or offer.sku
    mapped = aliases.get("sku", f"{provider}/{sku}") if sku else None
    known = None if mapped else find_sku(provider, sku)
    written = mapped or aliases.get("accelerator", offer.accelerator) or offer.accelerator
    is_in_table = known is not None and known.accelerator is not None and not known.has_none
    form = offer.form_factor or form_of(sku)
    if not is_in_table:
        form = _agreed_form(prepared, form, form_of(written), written)
    name = read_name(written, offer.vram_gb, form) if written else None
    if known is not None and known.accelerator and is_in_table:
        name = _by_sku(known.accelerator, name, written, prepared)
    if name is None:
        reasons.append(_unknown(written, sku, provider))
        row["accelerators_per_instance"] = offer.count
        return
    name = _with_memory(name, offer)
    row["accelerator"], row["form_factor"] = name.accelerator, name.form_factor
    row["accelerators_per_instance"] = _count(prepared, offer, name, known, written)
    _check_memory(prepared, offer, name)
    row.setdefault("vram_gb", name.memory_gb)


def _agreed_form(prepared: Prepared, beside: str, named: str, written: str) -> str:
    """Return the form factor that the name and what stands beside it agree on; a contradiction holds the row."""
    if not beside or not named or beside == named:
        return beside
    if {beside, named} == {"PCIe", "NVL"}:  # an NVL is a PCIe card: the narrower word is meant
        return "NVL"
    message = f"the name {written} says {named}, what stands beside it {beside}"
    facts = {"written": named, "beside": beside}
    prepared.reasons.append(Reason("form_factor_conflict", message, "say which of the two is right", facts))
    return named


def _by_sku(accelerator: str, name: Name | None, written: str, prepared: Prepared) -> Name | None:
    by_sku = read_name(accelerator)
    if name is not None and by_sku is not None and name.model != by_sku.model:
        message = f"the row says {written}, its SKU holds {by_sku.accelerator}"
        facts = {"written": written, "sku": by_sku.accelerator}
        prepared.reasons.append(Reason("accelerator_conflict", message, "say which of the two is right", facts))
    return by_sku or name


def _unknown(written: str, sku: str, provider: str) -> Reason:
    if written:
        message = f"{written!r} is no known accelerator"
        return Reason("unknown_accelerator", message, f"map the name: {written} to an accelerator", {"name": written})
    message = f"the accelerator of {provider} {sku!r} is not known"
    return Reason("unknown_sku", message, f"map the SKU: sku:{provider}/{sku} to an accelerator", {"sku": sku})


def _with_memory(name: Name, offer: Offer) -> Name:
    """Settle the variant by the memory stated beside the name, else by what the catalog means without one."""
    if name.memory_gb is not None:
        return name
    return _variant(name, offer.vram_gb or offer.default_vram_gb.get(name.model))


@lru_cache(maxsize=4_096)
def _variant(name: Name, memory_gb: Decimal | None) -> Name:
    fitting = [size for size in name.nominal_gb if memory_gb and abs(size - memory_gb) <= size / 10]
    if len(fitting) != 1:
        return name
    accelerator = canonical(name.model, name.form_factor, fitting[0])
    return replace(name, accelerator=accelerator, memory_gb=fitting[0])


def _count(prepared: Prepared, offer: Offer, name: Name, known: Sku | None, written: str) -> Decimal | None:
    """Return how many accelerators one instance holds; a part of one is less than 1."""
    by_sku = known.accelerators if known else None
    stated = offer.count
    lead = leading_count(written)
    if stated is None and by_sku is None and lead:
        stated = Decimal(lead)
    if name.parts != 1:
        return _whole_of_parts(prepared, name, stated, written)
    if lead and stated != lead and offer.basis != "per_accelerator_hour" and written.lstrip().startswith(str(lead)):
        message = f"{written} is {lead} {GPU_WORD}, the row says {plain(stated or Decimal(0))}"
        facts = {"written": plain(stated or Decimal(0)), "name": str(lead)}
        prepared.reasons.append(Reason("count_conflict", message, "say how many accelerators the price is for", facts))
    if by_sku is not None:
        if stated is not None and abs(stated - by_sku) > COUNT_TOLERANCE * by_sku and not (stated == 1 > by_sku):
            message = f"the row says {plain(stated)} {GPU_WORD}, its SKU holds {plain(rounded(by_sku))}"
            facts = {"written": plain(stated), "sku": plain(rounded(by_sku))}
            prepared.reasons.append(Reason("count_conflict", message, "say which of the two is right", facts))
        return by_sku
    if stated is None or offer.vram_gb is None or not name.nominal_gb:
        return stated
    is_whole = offer.basis == "per_accelerator_hour" or stated > 1  # parts are sold one by one
    return stated if is_whole else stated * _fraction(prepared, offer.vram_gb, name)


def _whole_of_parts(prepared: Prepared, name: Name, stated: Decimal | None, written: str) -> Decimal:
    """Return the accelerators of a name that stands for several or for a part: catalogs count it as one."""
    prepared.steps.append(f"{written} is {plain(rounded(name.parts))} {GPU_WORD}")
    if stated is not None and name.parts > 1 and stated not in (Decimal(1), name.parts):
        message = f"the row says {plain(stated)}, {written} is {plain(name.parts)} {GPU_WORD}"
        facts = {"written": plain(stated), "name": plain(name.parts)}
        prepared.reasons.append(Reason("count_conflict", message, "say how many accelerators the price is for", facts))
    return name.parts if name.parts > 1 else (stated or Decimal(1)) * name.parts


def _fraction(prepared: Prepared, vram_gb: Decimal, name: Name) -> Decimal:
    """Return the part of an accelerator that is sold, told by its memory; 1 when it is whole."""
    low = BANDS["memory"].low or Decimal(1)
    if vram_gb >= low * min(name.nominal_gb):
        return Decimal(1)
    sizes = {name.memory_gb} if name.memory_gb else set(name.nominal_gb)
    if len(sizes) != 1:
        message = f"{plain(vram_gb)} GB is part of a {name.accelerator}, which is made with several memory sizes"
        prepared.reasons.append(
            Reason(
                "fraction_unknown", message, "map the SKU to the variant and state its share", {"gb": plain(vram_gb)}
            )
        )
        return Decimal(1)
    whole = sizes.pop() or vram_gb
    if vram_gb > whole * (BANDS["fraction"].high or Decimal(1)):  # no seller cuts off a tenth: another model is meant
        return Decimal(1)
    prepared.steps.append(f"{plain(vram_gb)} of {plain(whole)} GB is a part of one accelerator")
    return vram_gb / whole


def _check_memory(prepared: Prepared, offer: Offer, name: Name) -> None:
    """Hold a row whose memory is that of no variant: a wrong column, a total, or another model."""
    stated, nominal = offer.vram_gb, name.nominal_gb
    if stated is None:  # as the name says: RTX 4090 48GB is no RTX 4090
        stated, nominal = name.memory_gb, nominal if name.form_factor == "NVL" else sizes_of(name.model)
    if stated is None:
        return
    if not nominal:
        prepared.row["vram_gb"] = stated
        return
    low, high = BANDS["memory"].low or Decimal(1), BANDS["memory"].high or Decimal(1)
    count = prepared.row["accelerators_per_instance"]
    is_part = count is not None and count < 1 and offer.basis != "per_accelerator_hour" and offer.vram_gb is not None
    named = name.memory_gb
    if offer.vram_gb is not None and named is not None and not is_part and not low <= stated / named <= high:
        message = f"{plain(stated)} GB per accelerator, but {name.accelerator} has {plain(named)} GB"
        facts = {"written": plain(stated), "nominal": plain(named)}
        prepared.reasons.append(Reason("memory_differs", message, "say which accelerator is meant", facts))
        return
    too_much = stated > high * max(nominal)
    too_little = not is_part and stated < low * min(nominal)
    if too_much or too_little:
        sizes = " or ".join(plain(size) for size in nominal)
        message = f"{plain(stated)} GB per accelerator, but {name.accelerator} has {sizes} GB"
        facts = {"written": plain(stated), "nominal": sizes}
        prepared.reasons.append(Reason("memory_differs", message, "say which accelerator is meant", facts))
    elif offer.vram_gb is not None:
        prepared.row["vram_gb"] = name.memory_gb if is_part else offer.vram_gb


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
