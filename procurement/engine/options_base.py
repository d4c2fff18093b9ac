"""What every option is made of: a plan of where the work runs, and the priced ledger of that plan."""

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from procurement.engine.ledger import Flow, Ledger
from procurement.engine.periods import Amount, Numbers
from procurement.engine.tables import Workload

Reason = dict[str, Any]  # {"code": ..., numbers}, as a recommendation gives them


def reason(code: str, **numbers: Any) -> Reason:
    """Return a coded reason with its numbers."""
    return {"code": code, **numbers}


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """The rows of a plan, and the hours that are worked for them."""

    ledger: Ledger
    accelerator_hours: Numbers  # by month, of the accelerators at work; shape (months,) or (draws, months)
    hours: Numbers  # wall-clock hours by month
    finish: Amount  # months after the start at which the work is done
    useful_hours: Numbers | None = None  # accelerator-hours times useful share; None where that is not known

    def with_flows(self, flows: tuple[Flow, ...]) -> "Priced":
        """Return the same hours with further rows."""
        if not flows:
            return self
        return replace(self, ledger=self.ledger.with_flows(flows))


@dataclass(frozen=True, slots=True)
class CloudPlan:
    """Everything at one quote."""

    quote: str
    accelerators: int  # N in the quote's type
    share: float = 1.0  # of an hour that counts as work asked for; 1 where demand is occupied hours
    useful: float | None = None  # efficiency x goodput x feed; None where one of them is not known
    terms: int = 1  # terms that are paid, for a commitment
    tail: str | None = None  # on-demand quote of the same provider that serves what is left
    first: int = 0  # accelerators of the need that work elsewhere and come first
    whole_need: int | None = None  # N of the whole need, where a part of it runs elsewhere
    is_bridge: bool = False  # holds only until a build is usable


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """Everything at one own build."""

    build: str
    accelerators: int  # N in the build's type
    reserved: int  # N rounded up to whole nodes
    bought: int  # accelerators of the smallest set of tranches that holds N
    planned: int  # accelerators of the whole build
    tranches: tuple[str, ...]
    share: float = 1.0
    useful: float | None = None
    is_whole: bool = True  # whole tranches are charged, else the reserved share
    is_marginal: bool = False
    is_equal_life: bool = False  # the reading in which a late build serves as long as an early one
    is_waiting: bool = False  # the window moves to the usable date
    whole_need: int | None = None  # N of the whole need, where a part of it runs elsewhere


@dataclass(frozen=True, slots=True)
class HybridPlan:
    """Whole nodes owned as the base, the rest rented."""

    build: BuildPlan
    quote: CloudPlan
    owned: int  # accelerators


@dataclass(frozen=True, slots=True)
class BridgePlan:
    """A quote until the build is usable, then the build."""

    quote: CloudPlan
    build: BuildPlan


@dataclass(frozen=True, slots=True)
class CurrentPlan:
    """What the workload runs on today."""

    place: str


Plan = CloudPlan | BuildPlan | HybridPlan | BridgePlan | CurrentPlan


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One way to serve one workload, priced where it can be."""

    name: str
    kind: str  # cloud, on_prem, hybrid, bridge, wait or current
    workload: Workload
    places: tuple[str, ...]
    plan: Plan | None = None
    priced: Priced | None = None
    reasons: tuple[str, ...] = ()  # why it is not feasible, `code` or `code:detail`; none: feasible
    conditions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rate_basis: str | None = None
    charge_basis: str | None = None
    other_charge: Priced | None = None
    other_reading: Priced | None = None
    incomplete_cost: tuple[str, ...] = ()
    not_modelled: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()  # facts that no evidence covers; they lose a tie
    assumed: tuple[str, ...] = ()
    sign_by: date | None = None
    split: dict[str, float] = field(default_factory=dict)  # share of the accelerator-hours by place; one place: all
    explained: tuple[Reason, ...] = ()  # what the plan itself says: base owned, bridged until, hours waited
    tried: tuple[tuple[int, float], ...] = ()  # of a hybrid: owned accelerators and cost of every split
    ranks: bool = True  # False: shown beside the option that ranks for it

    @property
    def is_feasible(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons and self.priced is not None
