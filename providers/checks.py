"""Checks of a whole sheet: duplicates, conflicts, plausibility bands, and relations between purchase models."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from statistics import median
from typing import Any

from providers.base import Context
from providers.cells import plain
from providers.contract import COMMITTED, INTERRUPTIBLE
from providers.currency import Rate, find_rate
from providers.knowledge import BANDS
from providers.licences import check_licences
from providers.normalise import Prepared
from providers.sheet import Duplicate, Reason

NUMBER = re.compile(r"(?<![vV0-9])[0-9]+")  # a generation, as in _v2, is none
BAND_CURRENCY = "USD"  # currency of the absolute band
SAME_PRICE_COLUMNS = (
    "price", "price_basis", "currency", "upfront", "accelerators_per_instance", "price_hours_per_month",
)  # fmt: skip


def check_sheet(rows: list[Prepared], context: Context) -> tuple[list[Prepared], list[Duplicate]]:
    """Add reasons and flags to rows by looking at all of them, and merge those that say the same.

    Parameters
    ----------
    rows : list of Prepared
        Normalised rows; those that carry reasons already are left as they are.
    context : Context
        Rates and known medians.

    Returns
    -------
    rows : list of Prepared
        Without the duplicates.
    duplicates : list of Duplicate
        What was merged into which line.
    """
    kept, duplicates = _merge_duplicates(rows, context.observed_on)
    trusted = [prepared for prepared in kept if not prepared.reasons]
    _check_days(trusted, context)
    _check_same_total(trusted)
    _check_bands(trusted, context)
    check_licences([prepared for prepared in trusted if not prepared.reasons], context.known)
    _flag_relations([prepared for prepared in trusted if not prepared.reasons])
    return kept, duplicates


def _identity(prepared: Prepared, today: date) -> tuple[Any, ...]:
    """Return what makes an offer one: of the prices that have begun one holds, each future one waits for its day."""
    row = prepared.row
    starts = row.get("valid_from")
    return row["row_key"], row["id"] if row.get("id_is_given") else "", starts if starts and starts > today else None


def _merge_duplicates(rows: list[Prepared], today: date) -> tuple[list[Prepared], list[Duplicate]]:
    """Merge identical offers and older prices into the newest; the same offer at two prices stops both."""
    groups: dict[tuple[Any, ...], list[Prepared]] = defaultdict(list)
    for prepared in rows:
        if not prepared.reasons:
            groups[_identity(prepared, today)].append(prepared)
    if all(len(group) == 1 for group in groups.values()):
        return rows, []
    merged = [found for group in groups.values() if len(group) > 1 for found in _merge_group(group)]
    dropped = {id(prepared) for prepared, _ in merged}
    return [prepared for prepared in rows if id(prepared) not in dropped], [duplicate for _, duplicate in merged]


def _merge_group(group: list[Prepared]) -> list[tuple[Prepared, Duplicate]]:
    """Return the rows of one offer that say nothing new, with where they went; several prices stop all of them."""
    newest = max((prepared.row["valid_from"] for prepared in group if prepared.row.get("valid_from")), default=None)
    firsts: dict[tuple[Any, ...], Prepared] = {}
    for prepared in group:
        if prepared.row.get("valid_from") in (None, newest):
            firsts.setdefault(_said(prepared), prepared)
    merged = []
    for prepared in group:
        first = firsts.get(_said(prepared)) or next(iter(firsts.values()))
        is_old = prepared.row.get("valid_from") not in (None, newest)
        if is_old or first is not prepared:
            reason = f"superseded by the price of {newest}" if is_old else "same offer at the same price"
            line, kept = prepared.row["source_line"], first.row["source_line"]
            merged.append((prepared, Duplicate(line, kept, prepared.row["row_key"], reason)))
    if len(firsts) > 1:
        _stop_conflict(list(firsts.values()))
    return merged


def _said(prepared: Prepared) -> tuple[Any, ...]:
    return (*(prepared.row.get(name) for name in SAME_PRICE_COLUMNS), str(prepared.row.get("ranges") or ""))


def _stop_conflict(group: list[Prepared]) -> None:
    prices = ", ".join(_price_words(prepared.row) for prepared in group)
    lines = ", ".join(str(prepared.row["source_line"]) for prepared in group)
    for prepared in group:
        message = f"the same offer stands at different prices on lines {lines}: {prices}"
        release = "keep the line that holds, or tell the offers apart by sku or id"
        prepared.reasons.append(Reason("conflicting_price", message, release, {"lines": lines, "prices": prices}))


def _price_words(row: dict[str, Any]) -> str:
    return "none" if row["price"] is None else f"{plain(row['price'])} {row['currency']} {row['price_basis']}"


def _check_days(rows: Iterable[Prepared], context: Context) -> None:
    for prepared in rows:
        starts, ends = prepared.row.get("valid_from"), prepared.row.get("valid_until")
        if starts is not None and starts > context.observed_on:
            message = f"the price holds from {starts} on, the file was observed on {context.observed_on}"
            prepared.reasons.append(
                Reason("not_yet_effective", message, f"wait until {starts}", {"valid_from": starts.isoformat()})
            )
        if ends is not None and ends < context.observed_on:
            prepared.flags.append("expired_when_observed")


@lru_cache(maxsize=16_384)
def _family(sku: str) -> str:
    return NUMBER.sub("", sku)


def _check_same_total(rows: Iterable[Prepared]) -> None:
    """Hold instances of one family that cost the same in total for different numbers of accelerators."""
    counts_at: dict[Decimal, set[Decimal]] = defaultdict(set)
    counted = [prepared for prepared in rows if _is_total(prepared.row)]
    for prepared in counted:
        counts_at[prepared.row["price"]].add(prepared.row["accelerators_per_instance"])
    groups: dict[tuple[Any, ...], list[Prepared]] = defaultdict(list)
    for prepared in counted:
        if len(counts_at[prepared.row["price"]]) > 1:  # few prices stand at several counts at all
            groups[_family_at_price(prepared.row)].append(prepared)
    for group in groups.values():
        _hold_same_total(group)


def _is_total(row: Mapping[str, Any]) -> bool:
    return row["price_basis"] != "per_accelerator_hour" and bool(row["sku"] and row["accelerators_per_instance"])


def _family_at_price(row: Mapping[str, Any]) -> tuple[Any, ...]:
    place = (row["provider"], row["region"], row.get("zone"), row.get("os"), row.get("licence"))
    bought = (row["purchase_model"], row.get("term_months"), row["payment_option"], row["price_basis"])
    return (*place, *bought, row["accelerator"], _family(row["sku"]), row["price"], row.get("upfront"))


def _hold_same_total(group: Sequence[Prepared]) -> None:
    counts = {prepared.row["accelerators_per_instance"] for prepared in group}
    if len(counts) == 1 or max(counts) / min(counts) < (BANDS["count"].high or Decimal(2)):
        return
    said = " and ".join(sorted(plain(count) for count in counts))
    for prepared in group:
        message = f"{said} accelerators of one family at the same total price: a row counts wrongly"
        release = "say how many accelerators the price is for"
        prepared.reasons.append(Reason("count_price_mismatch", message, release, {"counts": said}))


def _check_bands(rows: list[Prepared], context: Context) -> None:
    """Hold rates outside the absolute band, or far from the median of their model."""
    to_usd = _converter(context)
    converted: list[tuple[Prepared, Decimal]] = []
    for prepared in rows:
        if prepared.reasons:
            continue
        rate = to_usd(prepared.row["currency"])
        if rate is None:
            currency = prepared.row["currency"]
            message = f"no rate from {currency} to {BAND_CURRENCY} on or before {context.observed_on}: not checked"
            release = f"record a dated rate {currency} to {BAND_CURRENCY}"
            prepared.reasons.append(Reason("no_rate_for_bands", message, release, {"currency": currency}))
            continue
        value = prepared.row["price_per_accelerator_hour"] * rate.rate
        if not _in_absolute_band(prepared, value):
            continue
        converted.append((prepared, value))
    _check_medians(converted, context)


def _converter(context: Context) -> Callable[[str], Rate | None]:
    @lru_cache(maxsize=256)
    def to_usd(currency: str) -> Rate | None:
        return find_rate(context.rates, currency, BAND_CURRENCY, context.observed_on)

    return to_usd


def _in_absolute_band(prepared: Prepared, value: Decimal) -> bool:
    band = BANDS["absolute"]
    low, high = band.low or Decimal(0), band.high or Decimal(0)
    if low <= value < high:
        return True
    message = (
        f"{plain(value)} USD per accelerator-hour is outside {plain(low)} to {plain(high)}: a unit is likely wrong"
    )
    release = "check unit, count and term, and confirm the price"
    prepared.reasons.append(Reason("outside_absolute_band", message, release, {"rate": plain(value)}))
    return False


def _kind(row: dict[str, Any]) -> str:
    return "interruptible" if row["purchase_model"] in INTERRUPTIBLE else "assured"


def _check_medians(converted: list[tuple[Prepared, Decimal]], context: Context) -> None:
    band = BANDS["own_median"]
    groups: dict[tuple[str, str], list[tuple[Prepared, Decimal]]] = defaultdict(list)
    for prepared, value in converted:
        groups[(prepared.row["accelerator"], _kind(prepared.row))].append((prepared, value))
    for (accelerator, kind), group in groups.items():
        known = context.medians.get(accelerator) if kind == "assured" else None
        if known is None and len(group) < band.least_rows:
            continue
        middle = known if known is not None else median(value for _, value in group)
        low, high = middle * (band.low or 0), middle * (band.high or 0)
        for prepared, value in group:
            if not low <= value <= high:
                message = (
                    f"{plain(value)} USD per accelerator-hour is {plain(round(value / middle, 3))} times the median "
                    f"{plain(round(middle, 6))} of {accelerator}, {kind}"
                )
                facts = {"rate": plain(value), "median": plain(middle)}
                release = "check unit, count and purchase model, and confirm the price"
                prepared.reasons.append(Reason("outside_model_band", message, release, facts))


def _flag_relations(rows: list[Prepared]) -> None:
    """Flag spot against on demand, commitments against on demand and longer against shorter terms of one offer."""
    groups: dict[tuple[Any, ...], list[Prepared]] = defaultdict(list)
    for prepared in rows:
        row = prepared.row
        groups[
            (row["provider"], row["sku"], row["region"], row["accelerator"], row.get("os"), row.get("licence"))
        ].append(prepared)
    for group in groups.values():
        if len(group) > 1:
            _flag_group(group)


def _flag_group(group: list[Prepared]) -> None:
    prices = [p.row["price_per_accelerator_hour"] for p in group if p.row["purchase_model"] == "on_demand"]
    on_demand = min(prices, default=None)
    by_option: dict[tuple[str, str], list[Prepared]] = defaultdict(list)
    for prepared in group:
        row = prepared.row
        rate, model = row["price_per_accelerator_hour"], row["purchase_model"]
        if on_demand is not None and model in {"spot", "low_priority"}:
            if rate > on_demand:
                prepared.flags.append("spot_above_on_demand")
            elif rate == on_demand:
                prepared.flags.append("spot_without_discount")
        if on_demand is not None and model in COMMITTED and rate > on_demand:
            prepared.flags.append("commitment_above_on_demand")
        if row.get("term_months"):
            by_option[(model, row["payment_option"])].append(prepared)
    for option in by_option.values():
        option.sort(key=lambda prepared: prepared.row["term_months"])
        for shorter, longer in zip(option, option[1:], strict=False):
            if longer.row["price_per_accelerator_hour"] > shorter.row["price_per_accelerator_hour"]:
                longer.flags.append("longer_term_dearer")
