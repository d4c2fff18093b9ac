"""The scenario document: what is read, what is refused and where, nothing but ScenarioError for odd input."""

import datetime
import math
from datetime import date
from decimal import Decimal

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from procurement.engine.columns import Range
from procurement.engine.errors import ScenarioError
from procurement.engine.pipeline import evaluate
from procurement.engine.scenario import (
    example_document,
    example_text,
    hourly_files,
    parse_scenario,
    read_document,
    scenario_digest,
    scenario_schema,
    with_hourly_series,
)

MINIMAL = {"schema": "scenario/1", "as_of": "2026-11-30"}
LONGEST_TEXT = 2000
VALIDATOR = jsonschema.Draft202012Validator(scenario_schema())
PROMISE = {"gate": "powered", "date": "2027-01-01", "stated_on": "2026-01-01"}


def minimal(**parts):
    return MINIMAL | parts


def build(**more):
    base = {"id": "b", "accelerator": "H100", "accelerators_per_node": 8, "tranches": [{"planned_accelerators": 64}]}
    return base | more


def workload(**more):
    return {"id": "w", "accelerators": 8, "start": "2026-12-01"} | more


def quote(**more):
    return {"id": "q"} | more


def faults(document):
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(document)
    return {fault.pointer: fault for fault in refused.value.faults}


def test_the_smallest_document_is_enough():
    scenario = parse_scenario(MINIMAL)

    assert (scenario.as_of, scenario.quotes, scenario.builds) == (date(2026, 11, 30), (), ())
    assert scenario.assumptions.discount_rate is None


def test_required_fields_are_those_of_the_contract():
    found = faults({"quotes": [{}], "builds": [{}], "workloads": [{}]})

    assert set(found) == {
        "/schema", "/as_of", "/quotes/0/id", "/builds/0/id", "/builds/0/accelerator", "/builds/0/accelerators_per_node",
        "/builds/0/tranches", "/workloads/0/id", "/workloads/0/accelerators", "/workloads/0/start",
    }  # fmt: skip


def test_every_fault_is_reported_at_once_with_place_finding_and_remedy():
    document = minimal(
        quotes=[quote(price="abc", cluster="nowhere")],
        builds=[build(tranches=[], promises=[{"gate": "powered", "date": "2026-01-01", "stated_on": "2026-02-01"}])],
        workloads=[workload(days=1, months=1, colour="red")],
    )

    found = faults(document)

    assert set(found) == {
        "/quotes/0/price", "/quotes/0/cluster", "/builds/0/tranches", "/builds/0/promises/0/date", "/workloads/0",
        "/workloads/0/colour",
    }  # fmt: skip
    assert found["/quotes/0/price"].found == '"abc"'
    assert "a number" in found["/quotes/0/price"].expected
    assert "after stated_on, 2026-02-01" in found["/builds/0/promises/0/date"].message


@pytest.mark.parametrize(
    ("key", "near"),
    [("pric", "price"), ("Price", "price"), ("acelerator", "accelerator"), ("valid_till", "valid_until")],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(key, near):
    found = faults(minimal(quotes=[quote(**{key: 1})]))[f"/quotes/0/{key}"]

    assert f'"{near}"' in found.expected


def test_an_unknown_choice_is_refused_with_the_nearest_known_one():
    found = faults(minimal(quotes=[quote(purchase_model="on-demand")]))["/quotes/0/purchase_model"]

    assert '"on_demand"' in found.expected


@pytest.mark.parametrize("value", ["142.42", 142.42, Decimal("142.42"), " 142.42 ", "1.4242e2", "+142.42"])
def test_numbers_may_be_text(value):
    assert parse_scenario(minimal(quotes=[quote(price=value)])).quotes[0].price == pytest.approx(142.42)


@pytest.mark.parametrize(
    "value",
    [True, False, "1,000", "1_000", "abc", "", "nan", "inf", "1e999", "٣", math.nan, math.inf, -1, 10**400, 1e16, [],
     {}, [1], "0x10", Decimal("NaN"), Decimal("sNaN"), object()],
)  # fmt: skip
def test_what_is_no_price_is_refused(value):
    assert any(pointer.startswith("/quotes/0/price") for pointer in faults(minimal(quotes=[quote(price=value)])))


@pytest.mark.parametrize("value", [8.5, "8.5", 0, -8, True, None, 1e12])
def test_accelerators_are_whole_and_at_least_one(value):
    assert "/workloads/0/accelerators" in faults(minimal(workloads=[workload(accelerators=value)]))


@pytest.mark.parametrize("value", [8, 8.0, "8", "8.0"])
def test_a_whole_number_may_be_written_in_any_way(value):
    assert parse_scenario(minimal(workloads=[workload(accelerators=value)])).workloads[0].accelerators == 8


@pytest.mark.parametrize(
    "value",
    ["2026-02-30", "2026-13-01", "20261130", "2026-W48-1", "30.11.2026", "2026-11-30T00:00", "", 20261130, None, True,
     "9999-12-31", "0001-01-01", datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)],
)  # fmt: skip
def test_what_is_no_day_is_refused(value):
    assert "/as_of" in faults(minimal(as_of=value))


def test_days_may_be_dates():
    assert parse_scenario(minimal(as_of=date(2026, 11, 30))).as_of == date(2026, 11, 30)


@pytest.mark.parametrize("value", ["true", 1, 0, "yes", []])
def test_flags_are_true_or_false(value):
    assert "/builds/0/committed" in faults(minimal(builds=[build(committed=value)]))


def test_null_is_the_same_as_left_out():
    scenario = parse_scenario(minimal(quotes=[quote(price=None, upfront=None, includes=None)]))

    assert (scenario.quotes[0].price, scenario.quotes[0].upfront, scenario.quotes[0].includes) == (None, 0.0, ())


def test_an_estimate_keeps_its_range_and_the_record_its_likely_value():
    scenario = parse_scenario(minimal(quotes=[quote(price={"min": 1, "likely": "2", "max": 4})]))

    assert scenario.quotes[0].price == 2
    assert scenario.ranges == {"/quotes/0/price": Range(1, 2, 4)}


@pytest.mark.parametrize(
    ("estimate", "pointer"),
    [
        ({"min": 3, "likely": 2, "max": 4}, "/quotes/0/price"),
        ({"min": 1, "likely": 5, "max": 4}, "/quotes/0/price"),
        ({"min": 1, "likely": 2}, "/quotes/0/price/max"),
        ({"min": 1, "likely": 2, "max": 3, "mode": 2}, "/quotes/0/price/mode"),
        ({"min": -1, "likely": 2, "max": 3}, "/quotes/0/price/min"),
        ({"min": 1, "likely": True, "max": 3}, "/quotes/0/price/likely"),
    ],
)
def test_a_range_in_disorder_is_refused(estimate, pointer):
    assert pointer in faults(minimal(quotes=[quote(price=estimate)]))


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (minimal(workloads=[workload(accelerators={"min": 1, "likely": 2, "max": 3})]), "/workloads/0/accelerators"),
        (minimal(as_of={"min": 1, "likely": 2, "max": 3}), "/as_of"),
        (minimal(assumptions={"hours_per_month": {"min": 1, "likely": 2, "max": 3}}), "/assumptions/hours_per_month"),
    ],
)
def test_counts_of_accelerators_days_and_settings_take_no_range(document, pointer):
    assert pointer in faults(document)


@pytest.mark.parametrize(
    "demand",
    [{"utilisation": 0.5}, {"hours_per_month": 100}, {"monthly": [1, 2]}, {"hourly": [1, "2.5"]},
     {"base": 1, "peak": 4, "curve": "chat"}, {"tokens_per_second": 100, "peak_to_mean": 3},
     {"tokens_per_second": 100}],
)  # fmt: skip
def test_every_form_of_demand_is_read(demand):
    assert parse_scenario(minimal(workloads=[workload(demand=demand)])).workloads[0].demand is not None


def test_the_horizon_is_the_window_of_a_workload_that_states_none():
    found = parse_scenario(minimal(workloads=[workload()], assumptions={"horizon_months": 24})).workloads[0]

    assert found.months == 24


def test_a_promise_takes_its_class_from_the_document_and_may_use_an_own_one():
    promise = {"gate": "powered", "date": "2027-01-01", "stated_on": "2026-01-01", "class": "own"}
    assumptions = {"slip_classes": {"own": {"p10": 1, "p90": 2}}}

    found = parse_scenario(minimal(builds=[build(promises=[promise])], assumptions=assumptions))

    assert found.builds[0].promises[0].slip_class == "own"


def test_the_current_place_may_be_free_text():
    found = parse_scenario(minimal(workloads=[workload(current={"place": "under the desk"})]))

    assert found.workloads[0].current.place == "under the desk"


def test_a_file_of_hourly_figures_is_replaced_by_them_before_parsing():
    document = minimal(workloads=[workload(demand={"hourly_file": "load.csv"}), workload(id="v")])

    complete = with_hourly_series(document, {"load.csv": [1.0, 2.0]})

    assert hourly_files(document) == ("load.csv",)
    assert document["workloads"][0]["demand"] == {"hourly_file": "load.csv"}
    assert parse_scenario(complete).workloads[0].demand.hourly == (1.0, 2.0)


def test_the_example_is_read_evaluated_and_accepted_by_the_schema():
    document = example_document()

    jsonschema.Draft202012Validator.check_schema(scenario_schema())
    VALIDATOR.validate(document)
    answer = evaluate(parse_scenario(document))

    assert "//" in example_text()
    assert set(answer["recommendation"]) == {"pretraining", "experiments"}


@pytest.mark.parametrize(
    "document",
    [minimal(colour=1), minimal(as_of="soon"), minimal(quotes=[quote(price=-1)]), minimal(quotes=[quote(price=True)])],
)
def test_the_schema_refuses_what_the_parser_refuses(document):
    assert faults(document)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", "null", "{}{}", '{"a":1,"a":2}', '{"a":NaN}', '{"a":Infinity}', "[" * 200_000,
     f'{{"a":{"9" * 5000}}}'],
)  # fmt: skip
def test_text_that_is_no_document_is_refused(text):
    with pytest.raises(ScenarioError):
        read_document(text)


def test_comments_are_whole_lines():
    assert read_document('\ufeff// a\n{"a": "// no comment",\n  // b\n"b": 1}') == {"a": "// no comment", "b": 1}


def test_the_digest_is_of_the_content_and_not_of_its_order():
    one, other = {"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}

    assert scenario_digest(one) == scenario_digest(other) != scenario_digest({"a": 1, "b": [2, 1]})
    assert len(scenario_digest(one)) == 64
    with pytest.raises(ScenarioError):
        scenario_digest({"a": math.nan})


def test_depth_that_no_document_needs_is_refused():
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}

    for document in (deep, minimal(quotes=[deep]), minimal(quotes=deep)):
        assert faults(document)
        with pytest.raises(ScenarioError):
            scenario_digest(document)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["2026-11-30", "q", "*", "site:", "1e999", "-1", 10**400, "\ud800", "T1", "powered"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def places(value, path=()):
    """Return the path of everything inside a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, entry in entries for place in places(entry, (*path, key)))]


PLACES = [path for path in places(example_document()) if path]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=3))
def test_odd_input_is_read_or_refused_and_nothing_else(changes):
    document = example_document()
    for path, value in changes:
        inner = document
        try:
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away

    found = faults_or_none(document)

    assert all(fault.expected and fault.found for fault in found)
    assert "\ud800" not in "".join(fault.message for fault in found)


def faults_or_none(document):
    try:
        parse_scenario(document)
    except ScenarioError as refused:
        return refused.faults
    return ()
