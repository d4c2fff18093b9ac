"""What a person pins in a portfolio: kept exactly, priced, and explained in words where it cannot be kept."""

import pytest

from procurement.engine.errors import ScenarioError
from procurement.engine.pipeline import evaluate, portfolio
from procurement.engine.scenario import parse_scenario
from tests.engine.cost_documents import build, document, quote, reserved, workload

HOURS = 730.0
TWO = (quote(price="1.00"), quote(id="dear", price="3.00", provider="Other"))


def answered(pins, **asked):
    given = {"quotes": TWO, "workloads": [workload(months=2)], **asked}
    policy = {**given.pop("policy", {}), "pins": pins}
    return portfolio(parse_scenario(document(**given, policy=policy)), gap=0.0)


def pin(place="dear", name="w", **changes):
    return {"workload": name, "place": place, **changes}


def by_month(answer, name="w"):
    """Return accelerators by place, month by month."""
    months = {}
    for row in answer["allocation"]:
        if row["workload"] == name:
            months.setdefault(row["month"], {})[row["place"]] = row["accelerators"]
    return [months[month] for month in sorted(months)]


@pytest.mark.parametrize(
    ("_case", "changes", "expected"),
    [
        ("all of it", {}, [{"dear": 16}, {"dear": 16}]),
        ("so many", {"accelerators": 4}, [{"od": 12, "dear": 4}, {"od": 12, "dear": 4}]),
        ("a share", {"share": 0.25}, [{"od": 12, "dear": 4}, {"od": 12, "dear": 4}]),
        ("from a month on", {"first_month": 1}, [{"od": 16}, {"dear": 16}]),
        ("until a month", {"last_month": 0, "accelerators": 8}, [{"od": 8, "dear": 8}, {"od": 16}]),
    ],
)
def test_what_is_pinned_is_kept_exactly(_case, changes, expected):
    found = answered([pin(**changes)])

    assert found["state"] == "optimal"
    assert by_month(found) == expected


@pytest.mark.parametrize("nothing", [{"share": 0}, {"accelerators": 0}])
def test_a_place_that_is_ruled_out_is_not_used(nothing):
    found = answered([pin("od", **nothing)])

    assert by_month(found) == [{"dear": 16}, {"dear": 16}]


def test_a_place_may_be_ruled_out_for_some_months():
    found = answered([pin("od", share=0, first_month=1, last_month=1)], workloads=[workload(months=3)])

    assert by_month(found) == [{"od": 16}, {"dear": 16}, {"od": 16}]


def test_what_a_pin_costs_is_the_difference_to_the_free_plan_and_its_price():
    # 4 accelerators for 2 months at 3.00 rather than 1.00; one more of them in both months costs 2 x 730 x 2.00
    free, held = answered([]), answered([pin(accelerators=4)])

    assert float(held["npv"]) - float(free["npv"]) == pytest.approx(2 * HOURS * 4 * 2.00)
    prices = {one["constraint"]: float(one["price"]) for one in held["binding"]}
    assert prices["pinned:1:w@dear"] == pytest.approx(-2 * HOURS * 2.00)


def test_a_job_stays_whole_at_its_pinned_place():
    job = workload(shape="one_job", months=2, need_by="2026-12-01")

    one_month = answered([pin(first_month=1, last_month=1)], workloads=[job])
    a_part = answered([pin(accelerators=8)], workloads=[job])

    assert by_month(one_month) == [{"dear": 16}, {"dear": 16}]
    assert a_part["state"] == "infeasible"
    assert "pin 1: 8 accelerators for w at dear" in a_part["conflict"]


def test_a_job_may_be_kept_out_of_a_build():
    job = workload(shape="one_job", months=2, need_by="2026-12-01")
    own = build(committed=True)

    free = answered([], builds=[own], quotes=[quote(price="9.00")], workloads=[job])
    held = answered([pin("own", share=0)], builds=[own], quotes=[quote(price="9.00")], workloads=[job])

    assert (by_month(free)[0], by_month(held)[0]) == ({"own": 16}, {"od": 16})


def test_a_pinned_commitment_is_signed_although_it_is_dearer():
    found = answered([pin("rsv", accelerators=16)], quotes=[*TWO, reserved(price="2.00", term_months=2)])

    assert [(one["quote"], one["nodes"]) for one in found["committed"]] == [("rsv", 2)]


@pytest.mark.parametrize(
    ("_case", "changes", "words"),
    [
        ("wrong type", {}, "pin 1: all of w at other; other cannot serve it then (wrong_accelerator)"),
        (
            "later than its end", {"first_month": 7, "last_month": 9, "reason": "board"},
            "pin 1: all of w at other in months 7 to 9 (board); w asks for nothing in these months",
        ),
    ],
)  # fmt: skip
def test_a_pin_that_nothing_can_keep_says_why(_case, changes, words):
    found = answered([pin("other", **changes)], quotes=[*TWO, quote(id="other", accelerator="MI300X")])

    assert (found["state"], found["npv"], found["conflict"]) == ("infeasible", None, [words])


def test_pins_that_exclude_one_another_are_the_conflict():
    small = quote(id="small", price="5.00", quantity_available=16, provider="Small")
    both = [workload(months=1), workload(id="v", months=1)]

    found = answered([pin("small"), pin("small", "v")], quotes=[*TWO, small], workloads=both)

    assert found["state"] == "infeasible"
    assert found["conflict"] == ["supply of small: 16 accelerators", "pin 1: all of w at small",
                                 "pin 2: all of v at small"]  # fmt: skip


def test_ruling_out_every_place_conflicts_with_the_demand():
    found = answered([pin("od", share=0), pin("dear", share=0)])

    assert found["conflict"] == [
        "demand of w: 16 accelerators, in one place or several", "pin 1: nothing of w at od",
        "pin 2: nothing of w at dear",
    ]  # fmt: skip


def test_a_workload_may_be_pinned_where_it_runs_today():
    here = workload(months=1, current={"place": "today", "cost_per_month": "90000"})

    found = answered([pin("today")], workloads=[here])

    assert [row["place"] for row in found["allocation"]] == ["today"]


def test_pins_alone_make_an_evaluation_solve_the_portfolio():
    asked = document(quotes=TWO, workloads=[workload(months=1)], policy={"pins": [pin()]})

    assert evaluate(parse_scenario(asked))["portfolio"]["allocation"][0]["place"] == "dear"


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        (pin(name="x"), "/policy/pins/0/workload"),
        (pin("x"), "/policy/pins/0/place"),
        ({"workload": "w"}, "/policy/pins/0/place"),
        (pin(first_month=3, last_month=1), "/policy/pins/0/last_month"),
        (pin(share=0.5, accelerators=4), "/policy/pins/0/share"),
        (pin(share=1.5), "/policy/pins/0/share"),
        (pin(first_month="a"), "/policy/pins/0/first_month"),
    ],
)
def test_a_pin_that_names_nothing_is_refused_with_its_pointer(wrong, pointer):
    with pytest.raises(ScenarioError) as refused:
        answered([wrong])

    assert pointer in {fault.pointer for fault in refused.value.faults}
