"""Cells of a supplier's sheet in words: units, memory, counts, terms and ways of buying, to what our columns hold."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from providers.cells import SYMBOLS, is_missing
from providers.contract import PRICE_BASES
from providers.currency import is_currency
from providers.errors import CellError
from providers.headers import is_hourly, is_monthly
from providers.knowledge import rows_of, squeezed
from providers.units import mapped_unit, read_term, unit_meant

PER_ACCELERATOR = re.compile(
    r"(?:(?<![A-Za-z])(?:per|pro|je|par|por|each|every)|/)[\s_]*(?:GPU|accelerator|card|chip|TPU|beschleuniger|karte|carte)|"
    r"(?<![A-Za-z])GPU\s*[-/ _]?\s*(?:h\b|hrs?\b|hours?|stunden?|heures?|months?|monate?|mois|"
    r"price|rate|preis|prix|cost)|(?<![A-Za-z])GPUh",
    re.IGNORECASE,
)  # `per 8-GPU node` is none, `price_per_gpu_hour` is one
PER_INSTANCE = re.compile(
    r"instance|instanz|node|knoten|server|serveur|\bvm\b|machine|maschine|system|host|\bflavou?r|nœud|noeud",
    re.IGNORECASE,
)
MODELS: Mapping[str, str] = {
    squeezed(word): row["purchase_model"] for row in rows_of("purchase_words.csv") for word in row["words"].split("|")
}
TERM = re.compile(
    r"(?<![0-9.])([0-9]{1,2})\s*-?\s*(y(?:ea)?rs?|years?|m(?:o|os|onths?)?|jahre?n?|monate?n?|ans?|mois)\b", re.I
)
MEMORY = re.compile(
    r"([0-9]+(?:[.,][0-9]+)?)\s*-?(?:GB|GiB|Go|G)(?:\s*(?:VRAM|HBM\w*|GDDR\w*|RAM|/ ?GPU|per GPU))?", re.I
)
COUNT = re.compile(r"(?:[x×]\s*)?([0-9]{1,4})(?:\s*[x×])?(?:\s*(?:GPUs?|accelerators?|cards?|Karten|Stück|pcs))?", re.I)
LENGTH = re.compile(r"([0-9]{1,3})\s*(days?|tage?n?|jours?|weeks?|wochen?|semaines?|wk)", re.IGNORECASE)
CENTS = re.compile(r"\bcents?\b|\bct\b|¢|pence", re.IGNORECASE)
BOUGHT = (
    ("spot", re.compile(r"spot|preemptible|interruptible", re.IGNORECASE)),
    ("reserved", re.compile(r"reserved|reservation|reserviert|réservé|commit", re.IGNORECASE)),
    ("on_demand", re.compile(r"on.?demand|pay.?as.?you.?go|payg|à la demande", re.IGNORECASE)),
)  # what the header of a price says of how it is bought
RANGE_BEFORE = re.compile(r"[0-9]\s*(?:[-–/&+]|to|or|and|bis|oder|und|à|ou|et)\s*$", re.IGNORECASE)
ENGLISH = frozenset({"ALL", "TOP", "TRY", "CUP", "PEN", "STD"})  # words of headers that are codes of currencies too
DAYS_PER_WEEK = 7
PRICE = re.compile(r"(.*?[0-9])\s*([$€£]|[A-Z]{3})?\s*((?:/\s*(?=[A-Za-z])|\b(?:per|pro|je|par)\b).*)", re.DOTALL)
CURRENCIES = {"EURO": "EUR", "EUROS": "EUR", "USDOLLAR": "USD", "USDOLLARS": "USD", "POUND": "GBP", "POUNDS": "GBP"}
FABRICS = (("infiniband", r"infiniband|\bib\b|\bndr|\bhdr"), ("roce", r"roce"), ("ethernet", r"ethernet|\bgbe\b"))
NET, GROSS = re.compile(r"excl|exkl|net|ohne|zzgl|hors|\bht\b", re.I), re.compile(r"incl|inkl|gross|brutto|ttc", re.I)


def unit_in(text: str) -> str | None:
    """Return the basis that words name: of an accelerator, an instance or a slice, per hour or month; else None."""
    spelled = re.sub(r"[\s\-/]+", "_", text.strip().lower())
    if spelled in PRICE_BASES:
        return spelled
    if is_hourly(text):
        if "slice" in text.lower():
            return "per_slice_hour"
        if PER_ACCELERATOR.search(text):
            return "per_accelerator_hour"
        return "per_instance_hour" if PER_INSTANCE.search(text) else None
    is_of_one = PER_ACCELERATOR.search(text) is not None
    return "per_month" if is_monthly(text) and not is_of_one else None


def basis_of(written: str, aliases: Mapping[str, str], usual: str | None) -> tuple[str, Decimal] | None:
    """Return the basis of a unit and the block it prices, by what a person mapped it to first; None when unknown.

    Parameters
    ----------
    written : str
        As the sheet writes it: `GPU/h`, `10 hours`, `Node-Monat`.
    usual : str or None
        What a bare hour is of, where the header of the prices says it.
    """
    text = unit_meant(written, aliases)
    if text != written and (named := unit_in(text)):
        return named, Decimal(1)
    named = unit_in(text)
    if named:
        return named, Decimal(1)
    found = mapped_unit(text, {})
    if found is None:
        return None
    block, kind = found
    by_kind = {"accelerator_hour": "per_accelerator_hour", "month": "per_month", "hour": usual}
    if text != written:
        by_kind["hour"] = usual or "per_instance_hour"  # who maps a unit to an hour says so of the billed unit
    basis = by_kind.get(kind)
    return (basis, block) if basis else None


def meant(ours: str, cell: Any) -> Any:
    """Return a cell as our column holds it, where its words leave no doubt; any other cell as it is."""
    if not isinstance(cell, str) or ours not in _READERS or is_missing(cell):
        return cell
    return _READERS[ours](cell.strip())


def price_in(cell: Any, basis: str | None) -> Any:
    """Return the number of a price that repeats its unit, `$2.49 / GPU / hr`; CellError when that is another unit."""
    match = PRICE.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if match is None:
        return cell
    said = unit_in(match[3]) or ("per_instance_hour" if is_hourly(match[3]) else None)
    is_same = said == basis or (
        is_hourly(match[3]) and not PER_ACCELERATOR.search(match[3]) and "hour" in (basis or "")
    )
    if said is None or not is_same:
        raise CellError(
            cell, "other_unit", f"the cell says {match[3].strip()}, the price is taken {basis or 'without unit'}"
        )
    return f"{match[1]} {match[2]}" if match[2] else match[1]


def way_of_buying(text: str) -> tuple[str, int | None] | None:
    """Return the purchase model and the term [months] that words name: `Reserved (12 months)`; None when unknown."""
    term = TERM.search(text)
    bare = squeezed(re.sub(r"\([^)]*\)", " ", TERM.sub(" ", text)))
    model = MODELS.get(bare) or MODELS.get(squeezed(TERM.sub(" ", text))) or MODELS.get(squeezed(text))
    if model is None and term and not bare:
        model = "reserved"
    return (model, read_term(term[0]) if term else None) if model else None


def currencies_in(header: str) -> frozenset[str]:
    """Return the currencies that a header names by code or by a sign that is no other's."""
    codes = {word for word in re.findall(r"(?<![A-Z])[A-Z]{3}(?![A-Z])", header) if is_currency(word)}
    lower = {word.upper() for word in re.split(r"[^a-z]+", header)} & {"USD", "EUR", "GBP", "CHF"}  # price_usd_hour
    signs = {SYMBOLS[sign] for sign in re.findall(r"(?:(?<![A-Z])[A-Z]{1,2})?[$€£₹₩¥]", header) if sign in SYMBOLS}
    return frozenset(codes - ENGLISH or signs or lower)


def bought_by(header: str) -> tuple[str | None, int | None]:
    """Return the purchase model and the term [months] that the header of a price names, each None where it does not."""
    model = next((name for name, pattern in BOUGHT if pattern.search(header)), None)
    months = _term_in(header) if model in (None, "reserved") else None
    return model or ("reserved" if months else None), months


def _term_in(text: str) -> int | None:
    """Return the months of the one term that a text names: `1-3 years` and `1 or 3 years` are none."""
    found = [match for match in TERM.finditer(text) if not RANGE_BEFORE.search(text[: match.start()])]
    is_one = len(found) == 1 and len(TERM.findall(text)) == 1
    return read_term(found[0][0]) if is_one else None


def _memory(text: str) -> str:
    match = MEMORY.fullmatch(text)
    return match[1] if match else text


def _count(text: str) -> str:
    match = COUNT.fullmatch(text)
    return match[1] if match else text


def _term(text: str) -> str:
    months = read_term(text)
    return text if months is None else str(months)


def _days(text: str) -> str:
    match = LENGTH.fullmatch(text)
    if match is None:
        return text
    return str(int(match[1]) * (DAYS_PER_WEEK if match[2].lower().startswith(("w", "s")) else 1))


def _currency(text: str) -> str:
    return SYMBOLS.get(text) or CURRENCIES.get(squeezed(text)) or text.upper()


def _fabric(text: str) -> str:
    return next((fabric for fabric, pattern in FABRICS if re.search(pattern, text, re.IGNORECASE)), text)


def _tax(text: str) -> str:
    return "false" if NET.search(text) else "true" if GROSS.search(text) else text


def _model(text: str) -> str:
    found = way_of_buying(text)
    return found[0] if found else text


_READERS: Mapping[str, Callable[[str], Any]] = {
    "vram_gb": _memory, "accelerators_per_instance": _count, "accelerators_per_node": _count, "term_months": _term,
    "lead_time_days": _days, "min_days": _days, "currency": _currency, "fabric": _fabric, "price_includes_tax": _tax,
    "min_accelerators": _count, "quantity_available": _count, "purchase_model": _model,
}  # fmt: skip


def contradiction(header: str, basis: str, count: Any, divisor: Decimal, currency: str) -> str | None:
    """Return how the header of the prices contradicts what they are taken for; None where it does not."""
    of_month, of_hour = is_monthly(header), is_hourly(header)
    if of_month and not of_hour and basis.endswith("_hour"):
        return "a month, and is taken for one of an hour"
    if of_hour and not of_month and basis == "per_month":
        return "an hour, and is taken for one of a month"
    is_of_one = PER_ACCELERATOR.search(header) is not None
    if is_of_one and basis != "per_accelerator_hour" and str(count or "1").strip() not in {"1", "1.0"}:
        return "one accelerator, and is taken for one of the whole instance"
    if not is_of_one and PER_INSTANCE.search(header) and basis == "per_accelerator_hour":
        return "an instance, and is taken for one of an accelerator"
    named = currencies_in(header)
    if named and is_currency(currency.upper()) and currency.upper() not in named:
        return f"{' or '.join(sorted(named))}, and is taken for one in {currency}"
    return "cents, and is taken for whole units" if CENTS.search(header) and divisor == 1 else None
