"""Every number, date and status that a person reads passes through here and shows its unit.

The ``*_text`` functions give plain text (mail, PDF, tests); the tags wrap the same text for a page.
"""

import datetime
import math
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from babel.numbers import get_currency_precision
from django import template
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from reports.templatetags.badges import badge_of
from reports.templatetags.icons import icon

register = template.Library()

UNKNOWN = "–"
RATE_PLACES = 4
EXACT_PLACES = 6
Number = Decimal | float | int | str
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SHORT = ((Decimal(10) ** 9, "bn"), (Decimal(10) ** 6, "m"), (Decimal(10) ** 3, "k"))


def known(value: object) -> bool:
    """Return whether there is a value: nothing, an empty word and NaN are not."""
    return not (value is None or value == "" or (isinstance(value, float) and math.isnan(value)))


def number_text(value: Number | None, places: int | None = None) -> str:
    """Return a number with thousands separated; without ``places`` as many decimals as it has, four at most."""
    if not known(value):
        return UNKNOWN
    amount = Decimal(str(value))
    if places is None:
        shown = f"{amount.quantize(Decimal('0.0001'), ROUND_HALF_UP):,f}".rstrip("0").rstrip(".")
        return "0" if shown == "-0" else shown
    rounded = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{rounded or abs(rounded):,f}"


def money_text(amount: Number | None, currency: str) -> str:
    """Return ``EUR 1,234.50``: the currency first, as many decimals as its minor unit has."""
    if not known(amount):
        return UNKNOWN
    return f"{currency} {number_text(amount, get_currency_precision(currency))}"


def money_exact_text(amount: Number | None, currency: str) -> str:
    """Return a price with every decimal it was quoted with: ``USD 2.4895``, ``USD 98.32``."""
    if not known(amount):
        return UNKNOWN
    digits = -int(Decimal(str(amount)).normalize().as_tuple().exponent)
    return f"{currency} {number_text(amount, min(max(digits, get_currency_precision(currency)), EXACT_PLACES))}"


def unit_price_text(amount: Number | None, currency: str, places: int = RATE_PLACES) -> str:
    """Return ``USD 2.3900``: a price per unit that the column head names, with the same decimals in every row."""
    return f"{currency} {number_text(amount, places)}" if known(amount) else UNKNOWN


def money_short_text(amount: Number | None, currency: str) -> str:
    """Return ``EUR 2.4 m``: for headlines, where the exact amount stands in a table nearby."""
    if not known(amount):
        return UNKNOWN
    value = Decimal(str(amount))
    for size, word in _SHORT:
        if abs(value) >= size:
            scaled = value / size
            return f"{currency} {number_text(scaled, 0 if abs(scaled) >= 100 else 1)} {word}"
    return f"{currency} {number_text(value, 0)}"


def rate_text(amount: Number | None, currency: str, per: str, places: int = RATE_PLACES) -> str:
    """Return ``USD 2.3900 per accelerator-hour``."""
    if not known(amount):
        return UNKNOWN
    return f"{currency} {number_text(amount, places)} per {per}"


def quantity_text(value: Number | None, unit: str, places: int | None = None) -> str:
    """Return ``512 accelerators`` or ``20 kW``."""
    if not known(value):
        return UNKNOWN
    return f"{number_text(value, places)} {unit}".rstrip()


def percent_text(fraction: Number | None, places: int = 0) -> str:
    """Return a fraction as ``65%``."""
    if not known(fraction):
        return UNKNOWN
    return f"{number_text(Decimal(str(fraction)) * 100, places)}%"


def day_text(day: datetime.date | str | None) -> str:
    """Return ``28 Nov 2026``; an ISO text is read first."""
    if not known(day):
        return UNKNOWN
    read = _as_day(day)
    return f"{read.day} {_MONTHS[read.month - 1]} {read.year}"


def month_text(day: datetime.date | str | None) -> str:
    """Return ``Nov 2026``."""
    if not known(day):
        return UNKNOWN
    read = _as_day(day)
    return f"{_MONTHS[read.month - 1]} {read.year}"


def instant_text(moment: datetime.datetime | None) -> str:
    """Return ``28 Nov 2026, 14:05 UTC``: the zone is always named."""
    if moment is None:
        return UNKNOWN
    local = timezone.localtime(moment)
    return f"{day_text(local.date())}, {local:%H:%M} {local.tzname()}"


def days_left_text(day: datetime.date | str | None, today: datetime.date | str) -> str:
    """Return ``3 days left``, ``last day today`` or ``ended 2 days ago``."""
    if not known(day):
        return UNKNOWN
    days = (_as_day(day) - _as_day(today)).days
    if days == 0:
        return "last day today"
    amount = f"{abs(days):,} {'day' if abs(days) == 1 else 'days'}"
    return f"{amount} left" if days > 0 else f"ended {amount} ago"


def _as_day(day: Any) -> datetime.date:
    if isinstance(day, datetime.datetime):
        return timezone.localtime(day).date() if timezone.is_aware(day) else day.date()
    return day if isinstance(day, datetime.date) else datetime.date.fromisoformat(day)


def _figure(text: str, reason: str) -> SafeString:
    if text != UNKNOWN:
        return format_html('<span class="figure">{}</span>', text)
    if not reason:
        hidden = '<span class="figure figure--unknown">{}<span class="visually-hidden">unknown</span></span>'
        return format_html(hidden, text)
    return format_html('<span class="figure figure--unknown">{} <span class="small">{}</span></span>', text, reason)


@register.simple_tag
def money(amount: Number | None, currency: str, reason: str = "") -> SafeString:
    """Show an amount with its currency; unknown shows why."""
    return _figure(money_text(amount, currency), reason)


@register.simple_tag
def amount(value: Number | None, currency: str, reason: str = "") -> SafeString:
    """Show an amount without its currency, which the column head names, with the decimals of its minor unit."""
    return _figure(number_text(value, get_currency_precision(currency)), reason)


@register.simple_tag
def money_exact(amount: Number | None, currency: str, reason: str = "") -> SafeString:
    """Show a quoted price as it was quoted."""
    return _figure(money_exact_text(amount, currency), reason)


@register.simple_tag
def unit_price(amount: Number | None, currency: str, reason: str = "", places: int = RATE_PLACES) -> SafeString:
    """Show a price per unit in a column whose head names the unit."""
    return _figure(unit_price_text(amount, currency, places), reason)


@register.simple_tag
def money_short(amount: Number | None, currency: str, reason: str = "") -> SafeString:
    """Show a rounded amount for a headline."""
    return _figure(money_short_text(amount, currency), reason)


@register.simple_tag
def rate(amount: Number | None, currency: str, per: str, reason: str = "", places: int = RATE_PLACES) -> SafeString:
    """Show a price per unit."""
    return _figure(rate_text(amount, currency, per, places), reason)


@register.simple_tag
def quantity(value: Number | None, unit: str = "", reason: str = "", places: int | None = None) -> SafeString:
    """Show a number with its unit, which may stand in the column head instead."""
    return _figure(quantity_text(value, unit, places), reason)


@register.simple_tag
def percent(fraction: Number | None, reason: str = "", places: int = 0) -> SafeString:
    """Show a fraction as a percentage."""
    return _figure(percent_text(fraction, places), reason)


@register.simple_tag
def day(value: datetime.date | str | None, reason: str = "") -> SafeString:
    """Show a day as ``28 Nov 2026`` with the ISO date behind it."""
    if not known(value):
        return _figure(UNKNOWN, reason)
    return format_html('<time datetime="{}">{}</time>', _as_day(value).isoformat(), day_text(value))


@register.simple_tag
def month(value: datetime.date | str | None, reason: str = "") -> SafeString:
    """Show a month as ``Nov 2026``."""
    if not known(value):
        return _figure(UNKNOWN, reason)
    return format_html('<time datetime="{}">{}</time>', f"{_as_day(value):%Y-%m}", month_text(value))


@register.simple_tag
def instant(moment: datetime.datetime | None, reason: str = "") -> SafeString:
    """Show a moment with its zone."""
    if moment is None:
        return _figure(UNKNOWN, reason)
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), instant_text(moment))


@register.simple_tag
def days_left(value: datetime.date | str | None, today: datetime.date, soon: int = 14) -> SafeString:
    """Show how long something holds, as a badge that turns before it ends."""
    if not known(value):
        return _figure(UNKNOWN, "no end stated")
    days = (_as_day(value) - _as_day(today)).days
    state = "expired" if days < 0 else "expiring" if days <= soon else "valid"
    return badge(state, days_left_text(value, today))


@register.simple_tag
def badge(code: str | None, word: str = "") -> SafeString:
    """Show a status as word, icon and colour; ``word`` replaces the usual word."""
    if not code:
        return _figure(UNKNOWN, "")
    shown = badge_of(code)
    return format_html('<span class="badge badge--{}">{}{}</span>', shown.tone, icon(shown.icon), word or shown.word)


@register.simple_tag
def plain(value: Any, unit: str = "", reason: str = "") -> SafeString:
    """Show a value of any kind with its unit: numbers, days, yes and no, lists, words."""
    if isinstance(value, bool):
        return _figure("yes" if value else "no", "")
    if isinstance(value, Decimal | int | float):
        return _figure(quantity_text(value, unit), reason)
    if isinstance(value, datetime.date):
        return day(value)
    if isinstance(value, list | tuple):
        return format_html("{}", listed(value))
    text = f"{value} {unit}".strip() if known(value) else UNKNOWN
    return format_html("{}", text) if known(value) else _figure(text, reason)


@register.filter
def change(pair: tuple[str, str]) -> str:
    """Return by how much a number changed, as ``-3.9%``; empty where either is no number or the first is zero."""
    try:
        was, now = (Decimal(value) for value in pair)
    except (InvalidOperation, TypeError, ValueError):
        return ""
    return f"{'+' if now > was else ''}{percent_text((now - was) / was, 1)}" if was else ""


@register.filter
def counted(counts: Mapping[str, int]) -> str:
    """Return counts as words, without those of nothing: ``read 3, ready 2``."""
    return ", ".join(f"{name.replace('_', ' ')} {number_text(count)}" for name, count in counts.items() if count)


@register.filter
def grouped(value: Number | None) -> str:
    """Return a number with its thousands apart: ``4,700``."""
    return number_text(value)


@register.filter
def as_words(code: str | None) -> str:
    """Return a code as words: ``one_job`` reads ``one job``."""
    return (code or UNKNOWN).replace("_", " ")


@register.filter
def option_words(option: str | None) -> str:
    """Return an option's name in words that need no look-up: ``hybrid:pod+aws-1`` reads ``own pod, rent aws-1``."""
    kind, _, rest = (option or "").partition(":")
    if kind == "wait":
        return f"wait, then {option_words(rest)}"
    if kind == "hybrid":
        return "own {}, rent {}".format(*rest.partition("+")[::2])
    if kind == "bridge":
        return "rent {}, then own {}".format(*rest.rpartition("->")[::2])
    words = {"cloud": "rent", "on_prem": "own", "current": "stay where it is"}
    return f"{words.get(kind, kind)} {rest.replace('#marginal', ', at marginal cost')}".strip() or UNKNOWN


@register.filter
def flag_words(flag: str) -> str:
    """Return a flag such as ``overdue:powered`` as words: ``powered: overdue``."""
    kind, _, gate = flag.partition(":")
    words = kind.replace("_", " ")
    return f"{gate.replace('_', ' ').capitalize()}: {words}" if gate else words.capitalize()


@register.filter
def listed(values: Any) -> str:
    """Return a list as words with commas, the dash when there is nothing."""
    return ", ".join(str(value).replace("_", " ") for value in values or ()) or UNKNOWN


@register.simple_tag
def recommendation_address(run: int, workload: str) -> str:
    """Return the address of a recommendation page, empty where no such page is installed."""
    try:
        return reverse("reports:recommendation", args=[run, workload])
    except NoReverseMatch:
        return ""
