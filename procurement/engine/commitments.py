"""Commit now, later or shorter: a quote that expires against the path of prices (METHOD.md, Commit now or later)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from procurement.engine.equal_work import Asked, asked_hours, before
from procurement.engine.flip_points import FLIP_RANGES, flip_point
from procurement.engine.money import money_text, rounded
from procurement.engine.options_base import CloudPlan, Option
from procurement.engine.options_cloud import cloud_plan, cloud_priced, comparable_price
from procurement.engine.periods import MONTHS_PER_YEAR, Numbers
from procurement.engine.setting import Setting
from procurement.engine.tables import Quote, Workload
from procurement.engine.units import is_committed, term_length

WAITS = (3, 6, 12)  # months on demand before a commitment is signed after all
Path = Callable[[Numbers], Numbers]  # present cost by yearly change of cloud prices, shape (n,)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to the same work: what it costs on the assumed price path, and the path at which it pays."""

    kind: str  # later, shorter or on_demand
    quote: str
    months: int | None  # waited, or of the shorter term
    cost: Path

    def answer(self, now: Path, today: float, currency: str) -> dict[str, Any]:
        """Return cost and break-even path against signing now; the path is an assumption, whatever it is."""
        point = flip_point(
            "price_path", lambda paths: now(paths) - self.cost(paths), today, FLIP_RANGES["price_path"]
        )  # fmt: skip
        cost, signed = (float(path(np.array([today]))[0]) for path in (self.cost, now))
        return {
            "kind": self.kind,
            "quote": self.quote,
            "months": self.months,
            "npv": money_text(rounded(cost, currency)),
            "difference": money_text(rounded(cost - signed, currency)),
            "pays_at_price_path": None if point.value is None else round(point.value, 8),
            "reason": point.reason,
        }


def commitment_answer(
    option: Option, setting: Setting, metered: Option | None, candidates: Sequence[Quote]
) -> dict[str, Any] | None:
    """Return when to sign a commitment; None for an option that is none.

    Only quotes bind: signing now costs what the quote says and holds until its last day. Every later price is an
    assumption: the quote's price times (1 + g)^(months waited / 12), renewals on the same path as in the ledger.

    Parameters
    ----------
    option
        A feasible cloud option.
    setting
        How money is valued; its price path for cloud prices is today's g.
    metered
        The cheapest feasible on-demand option, which serves while nothing is signed; None where there is none.
    candidates
        Quotes that could be had for this workload.
    """
    plan, workload = option.plan, option.workload
    if not isinstance(plan, CloudPlan) or setting.terms.rate is None or not is_committed(setting.quotes[plan.quote]):
        return None
    quote = setting.quotes[plan.quote]

    def now(paths: Numbers) -> Numbers:
        return total_at(plan, workload, setting, paths)

    today = float(np.mean(setting.terms.paths.get("cloud", 0.0)))
    ways = [
        *_later(plan, workload, setting, metered),
        *_shorter(quote, candidates, workload, setting),
        *_on_demand(metered, setting),
    ]
    return {
        "quote": quote.id,
        "sign_by": None if option.sign_by is None else option.sign_by.isoformat(),
        "price_path": today,
        "npv": money_text(rounded(float(now(np.array([today]))[0]), setting.assumptions.currency)),
        "alternatives": [
            way.answer(now, today, setting.assumptions.currency)
            for way in ways
            if np.isfinite(way.cost(np.array([today]))).all()  # a twin in a currency without a rate has no cost
        ],
        "assumed": ["later_prices_follow_price_path"],
    }


def on_path(setting: Setting, paths: Numbers) -> Setting:
    """Return a setting whose cloud prices change each year by a column of rates."""
    terms = replace(setting.terms, paths={**setting.terms.paths, "cloud": paths[:, np.newaxis]})
    return replace(setting, terms=terms)


def total_at(
    plan: CloudPlan, workload: Workload, setting: Setting, paths: Numbers, asked: Asked | None = None
) -> Numbers:
    """Return the present cost of a plan on price paths, shape (n,)."""
    total = cloud_priced(plan, workload, on_path(setting, paths), asked).ledger.total_present()
    return np.broadcast_to(np.asarray(total), paths.shape)


def _later(plan: CloudPlan, workload: Workload, setting: Setting, metered: Option | None) -> list[Alternative]:
    asked = asked_hours(workload, setting.assumptions)
    bridge = None if metered is None else metered.plan
    if not isinstance(bridge, CloudPlan):
        return []
    waits = [wait for wait in WAITS if wait < asked.window.length]
    return [
        Alternative("later", plan.quote, wait, waited_cost(plan, bridge, workload, setting, wait)) for wait in waits
    ]


def waited_cost(plan: CloudPlan, bridge: CloudPlan, workload: Workload, setting: Setting, wait: int) -> Path:
    """Return the cost of renting on demand for some months and signing the same commitment at that day's price."""
    asked = asked_hours(workload, setting.assumptions)
    first = before(asked, float(wait))
    until = replace(first, hours=first.hours[..., :wait], window=replace(asked.window, length=float(wait)))
    rest = after(asked, wait)
    signed = cloud_plan(setting.quotes[plan.quote], workload, setting, rest)
    discount = (1.0 + float(np.mean(setting.terms.rate or 0.0))) ** (-wait / MONTHS_PER_YEAR)

    def cost(paths: Numbers) -> Numbers:
        rented = total_at(bridge, workload, setting, paths, until)
        if signed is None:
            return np.full_like(paths, np.nan)
        then = total_at(signed, workload, setting, paths, rest)
        return np.asarray(rented + then * (1.0 + paths) ** (wait / MONTHS_PER_YEAR) * discount)

    return cost


def after(asked: Asked, months: int) -> Asked:
    """Return what is asked for after some whole months, as a demand that begins then."""
    curve_of_month = asked.curve_of_month
    return replace(
        asked,
        hours=asked.hours[..., months:],
        curve_of_month=None if curve_of_month is None else curve_of_month[months:],
        window=replace(asked.window, length=asked.window.length - months),
        known_shares={},
    )


def _shorter(quote: Quote, candidates: Sequence[Quote], workload: Workload, setting: Setting) -> list[Alternative]:
    """Return the same provider's shorter commitments, renewed on the price path; the cheapest of each term."""
    term = term_length(quote)
    found: dict[float, Quote] = {}
    for other in candidates:
        months = term_length(other)
        if not is_shorter_twin(other, quote) or months is None or term is None or months >= term:
            continue
        best = found.get(months)
        if best is None or comparable_price(other, setting) < comparable_price(best, setting):
            found[months] = other
    plans = [(months, cloud_plan(other, workload, setting)) for months, other in sorted(found.items())]
    return [_renewed(round(months), plan, workload, setting) for months, plan in plans if plan is not None]


def is_shorter_twin(other: Quote, quote: Quote) -> bool:
    """Return whether another quote commits to the same accelerators of the same provider."""
    same = ("provider", "accelerator", "region")
    is_same = all(getattr(other, name) == getattr(quote, name) for name in same)
    return other.id != quote.id and is_same and is_committed(other) and other.price is not None


def _renewed(months: int, plan: CloudPlan, workload: Workload, setting: Setting) -> Alternative:
    def cost(paths: Numbers) -> Numbers:
        return total_at(plan, workload, setting, paths)

    return Alternative("shorter", plan.quote, months, cost)


def _on_demand(metered: Option | None, setting: Setting) -> Sequence[Alternative]:
    if metered is None or not isinstance(metered.plan, CloudPlan):
        return ()
    plan, workload = metered.plan, metered.workload

    def cost(paths: Numbers) -> Numbers:
        return total_at(plan, workload, setting, paths)

    return (Alternative("on_demand", plan.quote, None, cost),)
