"""Reads of portfolios: lists, the answer as the engine gave it, what pins cost, constraints in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from procurement.engine.codes import OWN
from procurement.models import AllocationRow, Portfolio, PortfolioState, Run

PLANNED = (PortfolioState.OPTIMAL, PortfolioState.TIME_LIMIT, PortfolioState.STOPPED)
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class PinPrice:
    """What the pins of a portfolio cost against the same question without them; None where it is not known."""

    free: Portfolio | None
    amount: Decimal | None
    at_least: Decimal | None
    at_most: Decimal | None

    @property
    def is_within_gaps(self) -> bool:
        """Whether the difference is no larger than what the two gaps leave open."""
        return self.at_least is not None and self.at_least <= 0


def portfolios_all() -> QuerySet[Portfolio]:
    """Return portfolios without answers and the run's inputs, those asked last first."""
    return Portfolio.objects.select_related("run", "job", "requested_by", "stop_asked_by").defer(
        "answer", "run__inputs"
    )


def portfolios_of(run: Run) -> QuerySet[Portfolio]:
    """Return the portfolios of a run."""
    return portfolios_all().filter(run=run)


def portfolio_latest_of(run: Run) -> Portfolio | None:
    """Return the newest portfolio of a run that has a plan and no pins, else the newest with a plan."""
    planned = portfolios_of(run).filter(state__in=PLANNED, npv__isnull=False)
    return planned.filter(pins=[]).first() or planned.first()


def allocation_of(portfolio: Portfolio) -> QuerySet[AllocationRow]:
    """Return who runs where in which month."""
    return portfolio.allocation.all()


def portfolio_document_answer(portfolio: Portfolio) -> dict[str, Any]:
    """Return the answer as the engine gave it: the `portfolio` of the answer document; empty while it is open."""
    if not portfolio.answer:
        return {}
    rows = [
        {
            "workload": row.workload_code, "place": row.place, "month": row.month,
            "begins_on": row.begins_on.isoformat(), "accelerators": _count(row.accelerators),
            "share": None if row.share is None else float(row.share),
        }
        for row in allocation_of(portfolio)
    ]  # fmt: skip
    seconds = {"build": float(portfolio.build_seconds or 0), "solve": float(portfolio.solve_seconds or 0)}
    return {**portfolio.answer, "allocation": rows, "seconds": seconds}


def _count(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def portfolio_without_pins(portfolio: Portfolio) -> Portfolio | None:
    """Return the same question without its pins, where it was asked."""
    if not portfolio.pins:
        return None
    return portfolios_of(portfolio.run).filter(
        pins=[], gap_asked=portfolio.gap_asked, time_limit_s=portfolio.time_limit_s,
        engine_version=portfolio.engine_version, solver=portfolio.solver,
    ).first()  # fmt: skip


def pin_price(portfolio: Portfolio) -> PinPrice | None:
    """Return what the pins cost, with the bounds that both gaps leave; None where nothing is pinned."""
    if not portfolio.pins:
        return None
    free = portfolio_without_pins(portfolio)
    if free is None or free.npv is None or portfolio.npv is None:
        return PinPrice(free, None, None, None)
    least, most = portfolio.npv, free.npv
    known = portfolio.gap is not None and free.gap is not None
    at_least = (_bound(portfolio) - most).quantize(CENT) if known else None
    at_most = (least - _bound(free)).quantize(CENT) if known else None
    return PinPrice(free, portfolio.npv - free.npv, at_least, at_most)


def _bound(portfolio: Portfolio) -> Decimal:
    """Return what no plan of the question can cost less than."""
    npv, gap = portfolio.npv or Decimal(0), portfolio.gap or Decimal(0)
    return npv - gap * abs(npv)


def constraint_words(binding: Mapping[str, Any], currency: str) -> str:
    """Return one binding constraint in a sentence: what relaxing it by one unit saves, or what more demand costs."""
    kind, _, name = str(binding["constraint"]).partition(":")
    price = Decimal(str(binding["price"]))
    amount = f"{currency} {abs(price):,.2f}"
    effect = "save" if price >= 0 else "cost"
    months = len(binding.get("by_month") or ())
    span = "in the month where it binds" if months == 1 else f"in each of the {months} months where it binds"
    if kind == "demand":
        return f"All of {name} once more would {'cost' if price >= 0 else 'save'} {amount}."
    if kind == "policy":
        return _policy_words(name, price, currency)
    if kind == "pinned":
        number, _, where = name.partition(":")
        return f"Pin {number} ({where.replace('@', ' at ')}): one unit more of it would {effect} {amount}."
    what = {
        "supply": f"One more accelerator at {name}",
        "network": f"One more accelerator on the network of {name}",
        "domain": f"One more accelerator in the fabric domain {name}",
    }.get(kind, f"One more of {kind} {name}")
    return f"{what}, {span}, would {effect} {amount}."


def _policy_words(name: str, price: Decimal, currency: str) -> str:
    rule, _, supplier = name.partition(":")
    effect = "save" if price >= 0 else "cost"
    if supplier:
        point = abs(price) / 100
        return f"One percentage point more with {supplier} would {effect} {currency} {point:,.2f}."
    limit = {"capital_budget": "capital", "yearly_budget": "budget in each year that binds"}.get(rule, rule)
    return f"{currency} 1.00 more {limit} would {effect} {currency} {abs(price):,.4f}."


@dataclass(frozen=True, slots=True)
class Names:
    """What the frozen question of a run calls its workloads and places."""

    workloads: tuple[str, ...]
    quotes: tuple[str, ...]
    builds: tuple[str, ...]
    today: tuple[str, ...]  # what workloads run on now

    @property
    def places(self) -> tuple[str, ...]:
        """Everything that a workload may be pinned to, builds first."""
        return tuple(dict.fromkeys((*self.builds, *self.today, *self.quotes)))


def names_of(run: Run) -> Names:
    """Return the names in a run's frozen question; builds of providers are left out, their quotes stand for them."""
    inputs = Run.objects.values_list("inputs", flat=True).get(pk=run.pk)
    workloads = inputs.get("workloads") or ()
    current = (workload.get("current") or {} for workload in workloads)
    return Names(
        workloads=tuple(workload["id"] for workload in workloads),
        quotes=tuple(quote["id"] for quote in inputs.get("quotes") or ()),
        builds=tuple(build["id"] for build in inputs.get("builds") or () if build.get("operator", OWN) == OWN),
        today=tuple(dict.fromkeys(place["place"] for place in current if place.get("place"))),
    )
