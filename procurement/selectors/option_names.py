"""What the name of an option is made of: `hybrid:pod+aws-1` owns a build and rents a quote."""

from typing import NamedTuple

MARGINAL = "#marginal"


class Parts(NamedTuple):
    """What an option name is made of."""

    kind: str  # cloud, on_prem, hybrid, bridge, wait or current
    build: str = ""
    quote: str = ""
    is_marginal: bool = False


def option_parts(option: str) -> Parts:
    """Take an option name apart; the name of a build holds neither `+` nor `#`."""
    kind, _, rest = option.partition(":")
    if kind == "wait":
        inner = option_parts(rest)
        return Parts("wait", inner.build, inner.quote, inner.is_marginal)
    if kind == "cloud":
        return Parts(kind, quote=rest)
    if kind == "on_prem":
        return Parts(kind, build=rest.removesuffix(MARGINAL), is_marginal=rest.endswith(MARGINAL))
    if kind == "hybrid":
        build, _, quote = rest.partition("+")
        return Parts(kind, build, quote)
    if kind == "bridge":
        quote, _, build = rest.rpartition("->")
        return Parts(kind, build, quote)
    return Parts(kind)
