"""What records of a scenario document must be to one another: ids, references, days and forms that fit."""

import re
import zoneinfo
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from procurement.engine import codes
from procurement.engine.currencies import CURRENCIES
from procurement.engine.milestones import MILESTONES
from procurement.engine.scenario_reader import Node, Reader, pointer_to

POOL = "*"
SITE_PREFIX = "site:"
CREDIT_COMPONENTS = ("disposal", "tax", "other")  # the components whose amount may be negative
COMPONENTS = tuple(dict.fromkeys((*codes.COMPONENTS, *codes.CLOUD_COMPONENTS)))
DEMAND_FORMS: Mapping[str, tuple[str, ...]] = {
    "hours_per_month": ("hours_per_month",),
    "utilisation": ("utilisation",),
    "monthly": ("monthly",),
    "hourly": ("hourly",),
    "hourly_file": ("hourly_file",),
    "base, peak and curve": ("base", "peak", "curve"),
    "tokens_per_second and peak_to_mean": ("tokens_per_second", "peak_to_mean"),
}
WINDOW_FORMS = ("days", "months", "end")
_COUNTRY = re.compile(r"[A-Z]{2}|EEA|site:.+")
_ID_EDGES = re.compile(r"\S(.*\S)?", re.DOTALL)


def check_document(document: Node, reader: Reader) -> None:
    """Add a fault for everything that does not fit together in a document that was read."""
    quotes, builds, workloads = (_nodes(document, name) for name in ("quotes", "builds", "workloads"))
    _check_ids([*quotes, *builds], reader, "each id once among quotes and builds, which together are the places")
    _check_ids(workloads, reader, "each id once among the workloads")
    assumptions = document.get("assumptions")
    if assumptions is not None:
        _check_assumptions(assumptions, reader)
    sites = {build.get("site") for build in builds} - {None}
    for build in builds:
        _check_build(build, reader, sites)
    for quote in quotes:
        _check_quote(quote, reader, builds)
    for workload in workloads:
        _check_workload(workload, reader)
    policy = document.get("policy")
    if policy is not None:
        _check_approvals(policy, reader)
        _check_pins(policy, reader, {place.get("id") for place in (*quotes, *builds)}, workloads)


def _nodes(node: Node, name: str) -> tuple[Node, ...]:
    """Return the nested records of a list that could be read."""
    return tuple(entry for entry in node.get(name, ()) if isinstance(entry, Node))


def _at(node: Node, key: str) -> str:
    return pointer_to(node.pointer, key)


def _check_ids(nodes: Iterable[Node], reader: Reader, expected: str) -> None:
    seen: dict[str, str] = {}
    for node in nodes:
        name = node.get("id")
        if name is None:
            continue
        if not _ID_EDGES.fullmatch(name) or "\n" in name:
            reader.fault(_at(node, "id"), name, "a name of one line that neither begins nor ends with a space")
        if name in seen:
            reader.fault(_at(node, "id"), name, f"{expected}; {seen[name]} has this one")
        seen.setdefault(name, node.pointer)


def _check_currency(node: Node, key: str, reader: Reader) -> None:
    code = node.get(key)
    if code is not None and code not in CURRENCIES:
        reader.fault(_at(node, key), code, "an ISO 4217 currency code such as USD or EUR")


def _check_order(node: Node, reader: Reader, earlier: str, later: str) -> None:
    """Add a fault when two values of a record stand in the wrong order; equal is right."""
    first, last = node.get(earlier), node.get(later)
    if first is not None and last is not None and last < first:
        word = "before" if isinstance(first, date) else "below"
        reader.fault(_at(node, later), last, f"a value that is not {word} {earlier}, {first}")


def _check_assumptions(node: Node, reader: Reader) -> None:
    _check_currency(node, "currency", reader)
    zone = node.get("time_zone")
    if zone is not None and not _is_time_zone(zone):
        reader.fault(_at(node, "time_zone"), zone, "an IANA time zone such as UTC or Europe/Berlin")
    for name, slip in node.get("slip_classes", {}).items():
        p10, p90 = slip.get("p10"), slip.get("p90")
        if p10 is not None and p90 is not None and p90 < p10:
            reader.fault(slip.pointer, f"p10 {p10} and p90 {p90}", f"p10 <= p90 in the slip class {name}")
    _check_rates(_nodes(node, "fx"), reader)


def _is_time_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _check_rates(rates: Iterable[Node], reader: Reader) -> None:
    seen: dict[tuple[Any, ...], str] = {}
    for rate in rates:
        _check_currency(rate, "base", reader)
        _check_currency(rate, "counter", reader)
        base, counter, on = rate.get("base"), rate.get("counter"), rate.get("on")
        if base is not None and base == counter:
            reader.fault(_at(rate, "counter"), counter, f"a currency other than the base, {base}")
        elif rate.get("rate") == 1.0:
            reader.fault(_at(rate, "rate"), 1, f"a real rate: exactly 1 between {base} and {counter} is a placeholder")
        if (base, counter, on) in seen:
            expected = f"one rate a day; {seen[base, counter, on]} has this one"
            reader.fault(rate.pointer, f"{base} {counter} {on}", expected)
        seen.setdefault((base, counter, on), rate.pointer)


def _check_build(build: Node, reader: Reader, sites: set[Any]) -> None:
    tranches = _nodes(build, "tranches")
    if "tranches" in build.values and not build.get("tranches"):
        reader.fault(_at(build, "tranches"), (), "at least one tranche with its planned_accelerators")
    _check_tranche_ids(tranches, reader)
    names = tuple(tranche.get("id", "T1") for tranche in tranches)
    for record in (*_nodes(build, "evidence"), *_nodes(build, "promises")):
        _check_target(record, build, reader, names, sites)
    for evidence in _nodes(build, "evidence"):
        _check_evidence(evidence, reader)
    for promise in _nodes(build, "promises"):
        _check_promise(promise, reader)
    _check_costs(build, reader)


def _check_tranche_ids(tranches: Iterable[Node], reader: Reader) -> None:
    seen: dict[str, str] = {}
    for tranche in tranches:
        name = tranche.get("id", "T1")
        if name == POOL or name.startswith(SITE_PREFIX) or not name.strip():
            reader.fault(_at(tranche, "id"), name, "a name other than `*` and `site:...`, which stand for pools")
        if name in seen:
            reader.fault(_at(tranche, "id"), name, f"each tranche id once in a build; {seen[name]} has this one")
        seen.setdefault(name, tranche.pointer)


def _check_target(record: Node, build: Node, reader: Reader, names: tuple[str, ...], sites: set[Any]) -> None:
    """Check the tranche that evidence or a promise is about; a build without a site may name any site."""
    target = record.get("tranche", "T1")
    if target == POOL or not names:
        return
    if target.startswith(SITE_PREFIX):
        site = target.removeprefix(SITE_PREFIX)
        if not site or (build.get("site") is not None and site not in sites):
            known = ", ".join(sorted(f"{SITE_PREFIX}{name}" for name in sites))
            reader.fault(_at(record, "tranche"), target, f"the site of a build: {known}")
    elif target not in names:
        reader.fault(_at(record, "tranche"), target, reader.closest(target, (*names, POOL, f"{SITE_PREFIX}<name>")))


def _check_evidence(evidence: Node, reader: Reader) -> None:
    gate, unit = evidence.get("gate"), evidence.get("unit", "accelerators")
    if gate is not None and unit not in MILESTONES[gate].units:
        expected = f"a unit of the gate {gate}: one of {', '.join(MILESTONES[gate].units)}"
        reader.fault(_at(evidence, "unit"), unit, expected)
    has_figure = any(name in evidence.values for name in ("qty", "nodes"))
    if not has_figure and evidence.get("event") != "lost" and not _has_faults_below(evidence, reader):
        reader.fault(_at(evidence, "qty"), None, "a qty, or nodes as [first, last]; only a loss may leave both out")


def _has_faults_below(node: Node, reader: Reader) -> bool:
    """Tell whether a value of this record was refused already, so that it is not called missing too."""
    return node.pointer in reader.faulty


def _check_promise(promise: Node, reader: Reader) -> None:
    day, stated_on = promise.get("date"), promise.get("stated_on")
    if day is not None and stated_on is not None and day <= stated_on:
        reader.fault(_at(promise, "date"), day, f"a day after stated_on, {stated_on}")


def _check_costs(owner: Node, reader: Reader) -> None:
    for line in _nodes(owner, "costs"):
        _check_currency(line, "currency", reader)
        _check_cost_figures(line, reader)
        _check_components(line.get("covers", ()), _at(line, "covers"), reader)
    for waiver in _nodes(owner, "waived"):
        if waiver.get("component") is not None and waiver.get("component") not in COMPONENTS:
            reader.fault(_at(waiver, "component"), waiver.get("component"), f"one of {', '.join(COMPONENTS)}")


def _check_components(names: Iterable[str], pointer: str, reader: Reader) -> None:
    for index, name in enumerate(names):
        if name not in COMPONENTS:
            reader.fault(pointer_to(pointer, index), name, reader.closest(name, COMPONENTS))


def _check_cost_figures(line: Node, reader: Reader) -> None:
    amount, component = line.get("amount"), line.get("component")
    if amount is not None and amount < 0 and component not in CREDIT_COMPONENTS:
        expected = f"an amount that is not negative; credits belong to {', '.join(CREDIT_COMPONENTS)}"
        reader.fault(_at(line, "amount"), amount, expected)
    if _has_faults_below(line, reader):
        return
    metered = line.get("it_kw") is not None and line.get("price_per_kwh") is not None
    if component == "power" and line.get("it_kw") is not None and not metered and amount is None:
        reader.fault(_at(line, "price_per_kwh"), None, "a price per kWh beside it_kw")
    elif amount is None and not (component == "power" and metered):
        reader.fault(_at(line, "amount"), None, "an amount; only a power line with it_kw and price_per_kwh has none")
    if line.get("basis") == "per_kw_month" and line.get("kw") is None:
        reader.fault(_at(line, "kw"), None, "the committed kw that a per_kw_month line bills")


def _check_quote(quote: Node, reader: Reader, builds: Iterable[Node]) -> None:
    _check_currency(quote, "currency", reader)
    _check_order(quote, reader, "quoted_on", "valid_until")
    _check_order(quote, reader, "earliest_start", "available_to")
    _check_order(quote, reader, "min_days", "max_days")
    _check_costs(quote, reader)
    cluster = quote.get("cluster")
    if cluster is None:
        return
    operators = {build.get("id"): build.get("operator", codes.OWN) for build in builds}
    if cluster not in operators:
        known = tuple(name for name, operator in operators.items() if name is not None and operator != codes.OWN)
        reader.fault(_at(quote, "cluster"), cluster, f"the id of a build: {reader.closest(cluster, known)}")
    elif operators[cluster].casefold() != (quote.get("provider") or "").casefold():
        expected = f"a build whose operator is the quote's provider, {quote.get('provider')}"
        reader.fault(_at(quote, "cluster"), f"{cluster}, operated by {operators[cluster]}", expected)


def _check_workload(workload: Node, reader: Reader) -> None:
    windows = [name for name in WINDOW_FORMS if name in workload.values]
    if len(windows) > 1:
        reader.fault(workload.pointer, " and ".join(windows), "one window: days, months or end")
    start, end = workload.get("start"), workload.get("end")
    if start is not None and end is not None and end <= start:
        reader.fault(_at(workload, "end"), end, f"a day after start, {start}")
    for index, place in enumerate(workload.get("residency", ())):
        if not _COUNTRY.fullmatch(place):
            expected = "an ISO 3166 country code of two capitals, EU, EEA or site:<id>"
            reader.fault(pointer_to(_at(workload, "residency"), index), place, expected)
    for index, fabric in enumerate(workload.get("fabrics", ())):
        if fabric not in codes.FABRICS:
            pointer = pointer_to(_at(workload, "fabrics"), index)
            reader.fault(pointer, fabric, reader.closest(fabric, codes.FABRICS))
    demand = workload.get("demand")
    if demand is not None:
        _check_demand(demand, reader)


def _check_demand(demand: Node, reader: Reader) -> None:
    if _has_faults_below(demand, reader):
        return
    given = [form for form, names in DEMAND_FORMS.items() if any(name in demand.values for name in names)]
    if len(given) != 1:
        found = " and ".join(given) if given else "no form of demand"
        reader.fault(demand.pointer, found, f"exactly one form: {'; '.join(DEMAND_FORMS)}")
        return
    for name in DEMAND_FORMS[given[0]]:
        if name not in demand.values and name != "peak_to_mean":
            reader.fault(_at(demand, name), None, f"a value: the form is {given[0]}")
    _check_order(demand, reader, "base", "peak")
    for name in ("monthly", "hourly"):
        figures = demand.get(name)
        if figures is not None and not figures:
            reader.fault(_at(demand, name), (), "at least one figure")
    if "hourly_file" in demand.values:
        expected = "the figures themselves as hourly; a file is read by the command line only"
        reader.fault(_at(demand, "hourly_file"), demand.get("hourly_file"), expected)


def _check_approvals(policy: Node, reader: Reader) -> None:
    steps = _nodes(policy, "approval_days")
    seen: set[Any] = set()
    for step in steps:
        amount = step.get("up_to")
        if amount in seen and not _has_faults_below(step, reader):
            reader.fault(_at(step, "up_to"), amount, "each amount once")
        seen.add(amount)


def _check_pins(policy: Node, reader: Reader, places: set[Any], workloads: tuple[Node, ...]) -> None:
    today = {workload.get("id"): _place_today(workload) for workload in workloads}
    for pin in _nodes(policy, "pins"):
        workload, place = pin.get("workload"), pin.get("place")
        if workload is not None and workload not in today:
            reader.fault(_at(pin, "workload"), workload, "the id of a workload of the document")
        elif place is not None and place not in places | {today.get(workload)}:
            expected = "the id of a quote or build of the document, or what the workload runs on today"
            reader.fault(_at(pin, "place"), place, expected)
        _check_order(pin, reader, "first_month", "last_month")
        if pin.get("accelerators") is not None and pin.get("share") is not None:
            expected = "either accelerators or a share, or neither for all of it"
            reader.fault(_at(pin, "share"), pin.get("share"), expected)


def _place_today(workload: Node) -> Any:
    current = workload.get("current")
    return current.get("place") if isinstance(current, Node) else None
