"""A small language for sentences with figures, such as ``The quote expired[ on {on:day}].`` here.

A figure in braces names a key of the reason and how it is shown; words in square brackets are left out when a figure
in them is unknown. A figure outside brackets that is unknown is shown as the dash, never as 0.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from reports.templatetags.figures import (
    UNKNOWN,
    day_text,
    known,
    money_text,
    number_text,
    percent_text,
    rate_text,
)

_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_FIGURE = re.compile(r"\{(\w+)(?::(\w+))?\}")


def words(code: Any) -> str:
    """Return a code or a list of codes as words: ``cluster_scale`` reads `cluster scale`."""
    if isinstance(code, list | tuple | set | frozenset):
        return listing([words(part) for part in code])
    return str(code).replace("_", " ")


def listing(parts: list[str]) -> str:
    """Return `power, cooling and access`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def counted(count: Any, singular: str, plural: str = "") -> str:
    """Return `1 month` or `12 months`."""
    is_one = known(count) and float(count) == 1
    return f"{number_text(count)} {singular if is_one else plural or singular + 's'}"


_BASES = {
    "loaded": "fully loaded", "marginal": "marginal", "whole": "whole tranches", "share": "the share it reserves",
}  # fmt: skip
_SHOWN: dict[str, Callable[[Any, str], str]] = {
    "": lambda value, _: str(value),
    "words": lambda value, _: words(value),
    "basis": lambda value, _: _BASES.get(str(value), words(value)),
    "day": lambda value, _: day_text(value),
    "number": lambda value, _: number_text(value),
    "tenth": lambda value, _: number_text(value, 1),
    "percent": lambda value, _: percent_text(value),
    "percent1": lambda value, _: percent_text(value, 1),
    "money": money_text,
    "hourly": lambda value, currency: rate_text(value, currency, "accelerator-hour"),
    "accelerators": lambda value, _: counted(value, "accelerator"),
    "days": lambda value, _: counted(value, "day"),
    "months": lambda value, _: counted(value, "month"),
    "hours": lambda value, _: counted(value, "hour"),
    "offers": lambda value, _: counted(value, "offer"),
    "gb": lambda value, _: f"{number_text(value)} GB",
}


def fill(pattern: str, figures: Mapping[str, Any], currency: str = "") -> str:
    """Return the sentence of a pattern with its figures.

    Parameters
    ----------
    pattern
        Sentence with ``{key:how}`` figures and ``[optional parts]``.
    figures
        The values by key; missing keys are unknown.
    currency
        Of the amounts among the figures.
    """
    currency = str(figures.get("currency") or currency)

    def optional(match: re.Match[str]) -> str:
        part = match.group(1)
        is_known = all(known(figures.get(key)) for key, _ in _FIGURE.findall(part))
        return part if is_known else ""

    def figure(match: re.Match[str]) -> str:
        value = figures.get(match.group(1))
        if not known(value):
            return UNKNOWN
        return _SHOWN[match.group(2) or ""](value, currency)

    return _FIGURE.sub(figure, _OPTIONAL.sub(optional, pattern)).strip()
