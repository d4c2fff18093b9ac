"""What the cases of costs worked by hand are written with."""

import pytest

from tests.engine.cost_documents import answered, build, document, option, quote, workload

OWN = "on_prem:own"


def asked(q=None, w=None, **assumptions):
    """Return one workload with one quote."""
    return document(quotes=[q or quote()], workloads=[w or workload()], **assumptions)


def at(b, w=None, **assumptions):
    """Return one workload with one own build."""
    return document(builds=[b], workloads=[w or workload()], **assumptions)


def owned(*costs, n=16, **more):
    return build(n, costs=list(costs), **more)


def window(**more):
    """Return the workload with days or an end in place of its months."""
    return {key: value for key, value in workload(**more).items() if key != "months"}


def cents(amount):
    return f"{amount:.2f}"


def line(component, amount, basis, **more):
    return {"component": component, "amount": amount, "currency": "USD", "basis": basis, **more}


def hardware(amount=200_000, **more):
    return line("hardware", amount, "once", **more)


def rates(*rows):
    return [dict(zip(("base", "counter", "rate", "on"), row, strict=True)) for row in rows]


def present(offset, months=12, each=23_360.0):
    """Return the present value at 8 % of equal months, each due ``offset`` of a month after its begin."""
    return sum(each * 1.08 ** (-(month + offset) / 12) for month in range(months))


def case(name, document, place, **want):
    return pytest.param(document, place, want, id=name)


def hold(document, place, want):
    """Assert that an option has the figures worked for it; numbers that are not text may differ by half a cent."""
    found = option(answered(document), place)
    for name, value in want.items():
        shown = found[name]
        if isinstance(value, dict):
            shown = {part: shown.get(part) for part in value}
        if isinstance(value, float):
            shown, value = float(shown), pytest.approx(value, abs=0.0051)
        assert (name, sorted(shown) if isinstance(value, list) else shown) == (
            name,
            sorted(value) if isinstance(value, list) else value,
        )
