"""Plain functions that make records through the services, each with sensible values that a test may change."""

from datetime import date
from typing import Any

from django.contrib.auth.models import Group, User

from procurement.models import AssumptionSet, Build, ContractDiscount, Provider, Quote, Workload
from procurement.permissions import ROLES
from procurement.services.actors import Actor
from procurement.services.assumptions import assumption_set_create, assumption_set_put_in_force
from procurement.services.builds import build_create, build_part_create, evidence_add, promise_add
from procurement.services.discounts import discount_create
from procurement.services.providers import provider_create
from procurement.services.quotes import quote_create
from procurement.services.workloads import workload_create

AS_OF = date(2026, 11, 30)
SYSTEM = Actor(user=None, source="command", reason="test data")


def make_user(name: str = "", *, role: str | None = "administrator") -> User:
    """Return a person with one role; ``None`` gives a person without any."""
    assert role is None or role in ROLES
    user, _ = User.objects.get_or_create(username=name or role or "nobody", defaults={"is_active": True})
    if role is not None:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


def actor(role: str = "administrator", **changes: Any) -> Actor:
    """Return an actor of that role at the web door."""
    return Actor(user=make_user(role=role), **{"source": "web", "reason": "test", **changes})


def make_assumptions(*, is_in_force: bool = True, **changes: Any) -> AssumptionSet:
    """Return an assumption set pinned to AS_OF, in force unless told otherwise."""
    values = {
        "name": f"Base {AssumptionSet.objects.count() + 1}", "dated_on": AS_OF, "evaluated_on": AS_OF,
        "discount_rate": "0.08", "currency": "USD", **changes,
    }  # fmt: skip
    fx = values.pop("fx", ())
    assumption_set = assumption_set_create(by=SYSTEM, values=values, fx=fx)
    if is_in_force:
        assumption_set_put_in_force(by=SYSTEM, assumption_set=assumption_set)
    return assumption_set


def make_provider(code: str = "acme", **changes: Any) -> Provider:
    """Return the provider of that code."""
    known = Provider.objects.filter(code=code).first()
    return known or provider_create(by=SYSTEM, values={"code": code, "name": code.title(), **changes})


def make_quote(**changes: Any) -> Quote:
    """Return an offer of 64 H100 on demand at 3.00 an accelerator-hour, valid at AS_OF."""
    values = {
        "provider": changes.pop("provider", None) or make_provider(), "sku": "h100-8", "accelerator": "H100-SXM",
        "accelerators_per_node": 8, "price": "3.00", "price_basis": "per_accelerator_hour", "currency": "USD",
        "purchase_model": "on_demand", "region": "us-east-1", "quoted_on": date(2026, 11, 20),
        "valid_until": date(2027, 1, 31), "interconnect": "multi_node", "fabric": "infiniband",
        "network_gbps_per_accelerator": 400, "quantity_available": 64, "largest_domain_accelerators": 64,
        "earliest_start": date(2026, 12, 1), "lead_time_days": 0, "capacity_class": "reservation_offer",
        "source": "quotation 118", **changes,
    }  # fmt: skip
    return quote_create(by=SYSTEM, values=values)


def make_discount(code: str = "acme-frame", **changes: Any) -> ContractDiscount:
    """Return 10 % off everything that acme sells, from November 2026 to January 2027."""
    values = {
        "code": code, "provider": changes.pop("provider", None) or make_provider(), "discount_percent": "10",
        "valid_from": date(2026, 11, 1), "valid_until": date(2027, 1, 15), "time_zone": "UTC",
        "source": "framework agreement 7", **changes,
    }  # fmt: skip
    return discount_create(by=SYSTEM, values=values)


def make_build(code: str = "hall-1", *, planned: int = 64, is_ready: bool = True, **changes: Any) -> Build:
    """Return our own H100 build of one tranche; ready means that all six gates are proven at AS_OF."""
    values = {
        "code": code, "name": code.title(), "accelerator": "H100-SXM", "accelerators_per_node": 8,
        "it_kw_per_node": "10.2", "cooling_kw_per_node": {"air": 10.2}, "rdma_ports_per_node": 8,
        "design_class": "multi_node", "fabric": "infiniband", "network_gbps_per_accelerator": 400,
        "region": "us-east-1", **changes,
    }  # fmt: skip
    costs = values.pop("costs", DEFAULT_COSTS)
    build = build_create(by=SYSTEM, values=values)
    from_model = {model._meta.model_name: model for model in _parts()}
    build_part_create(by=SYSTEM, build=build, part=from_model["tranche"], values={"planned_accelerators": planned})
    for line in costs:
        build_part_create(by=SYSTEM, build=build, part=from_model["costline"], values=line)
    for component in ("network", "storage", "installation", "space", "maintenance", "staff"):
        waiver = {"component": component, "reason": "not part of this example"}
        build_part_create(by=SYSTEM, build=build, part=from_model["waiver"], values=waiver)
    if is_ready:
        for statement in ready_evidence(planned):
            evidence_add(by=SYSTEM, build=build, values=statement)
    return build


DEFAULT_COSTS = (
    {"component": "hardware", "amount": "2000000", "currency": "USD", "basis": "once", "life_months": 60},
    {
        "component": "power", "currency": "USD", "it_kw": "81.6", "pue": "1.3", "price_per_kwh": "0.10",
        "idle_fraction": "0.3",
    },
)  # fmt: skip


def ready_evidence(planned: int) -> list[dict[str, Any]]:
    """Return one accepted statement for each of the six gates."""
    recent = date(2026, 11, 27)
    nodes = planned // 8
    return [
        {"gate": "installed", "qty": planned, "grade": "A", "observed_on": recent, "source": "rack list"},
        {"gate": "powered", "qty": nodes * 11, "unit": "kw_it", "grade": "A", "observed_on": recent, "source": "meter"},
        {
            "gate": "cooled", "qty": nodes * 11, "unit": "kw", "medium": "air", "grade": "A", "observed_on": recent,
            "source": "L4 report",
        },
        {
            "gate": "networked", "qty": planned, "unit": "rdma_ports", "scope": "rdma", "grade": "A",
            "observed_on": recent, "source": "link report",
        },
        {"gate": "scheduled", "qty": planned, "grade": "A", "observed_on": recent, "source": "scheduler snapshot"},
        {"gate": "accessible", "qty": planned, "grade": "A", "observed_on": recent, "source": "own launch"},
    ]  # fmt: skip


def make_promise(build: Build, gate: str, day: date, stated_on: date = date(2026, 6, 1), **changes: Any) -> Any:
    """Return a promise for a gate of a build."""
    values = {"gate": gate, "date": day, "stated_on": stated_on, "stated_by": "contractor", **changes}
    return promise_add(by=SYSTEM, build=build, values=values)


def make_workload(code: str = "serve", **changes: Any) -> Workload:
    """Return a workload of 8 H100 around the clock for three years from December 2026."""
    values = {
        "code": code, "name": code.title(), "kind": "llm_inference", "shape": "independent_jobs", "accelerators": 8,
        "accelerator_types": ["H100-SXM"], "interconnect": "single_node", "start": date(2026, 12, 1), "months": 36,
        "demand": {"utilisation": 1.0}, **changes,
    }  # fmt: skip
    return workload_create(by=SYSTEM, values=values)


def _parts() -> tuple[Any, ...]:
    return tuple(Build._meta.get_field(name).related_model for name in ("tranches", "costs", "waived"))
