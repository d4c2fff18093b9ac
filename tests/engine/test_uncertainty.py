"""Seeded draws, quantiles, the probability of being cheapest and the coefficient table behind them."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procurement.engine.columns import Range
from procurement.engine.errors import EngineError
from procurement.engine.uncertainty import (
    DateInput,
    Draws,
    LinearCosts,
    RangeInput,
    cost_quantiles,
    cost_summary,
    costs_by_draw,
    draw_inputs,
    linear_costs,
    probability_cheapest,
    share_won,
    triangular_quantile,
    uncertain_inputs,
)

# GAO Cost Estimating and Assessment Guide, GAO-20-195G, 2020, table 12: min, most likely, max [thousand USD a vehicle]
VEHICLE = [
    (17955, 19645, 21785), (8500, 10553, 13000), (4000, 4306, 5100), (4100, 4305, 4650), (550, 600, 650),
    (32300, 35547, 52500), (1950, 2136, 2600),
]  # fmt: skip


@pytest.mark.parametrize(("correlation", "p80"), [(0.0, 86.5), (1.0, 88.4)])
def test_the_vehicle_of_the_cost_guide_has_its_p80(correlation, p80):
    inputs = [RangeInput(f"part {index}", *part) for index, part in enumerate(VEHICLE)]

    draws = draw_inputs(inputs, draws=200_000, seed=0, correlation=correlation)
    total = draws.values.sum(axis=1, keepdims=True).T / 1000

    assert sum(part[1] for part in VEHICLE) / 1000 == pytest.approx(77, abs=0.5)  # the sum of most likely values
    assert cost_quantiles(total, [0.8])[0, 0] == pytest.approx(p80, abs=0.1)
    assert cost_quantiles(total, [0.5])[0, 0] > 77.5  # and is not the median


def test_the_draw_is_the_stated_formula():
    draws = draw_inputs([RangeInput("x", 0, 1, 4)], draws=5, seed=7, correlation=0.36)
    generator = np.random.Generator(np.random.PCG64(7))
    common, own = generator.standard_normal((5, 1)), generator.standard_normal((5, 1))

    normal = 0.6 * common + 0.8 * own  # sqrt(0.36), sqrt(0.64)
    uniform = np.array([[0.5 * (1 + _erf(value / np.sqrt(2)))] for value in normal[:, 0]])
    assert draws.values == pytest.approx(triangular_quantile(uniform, 0, 1, 4))


def _erf(value):
    grid = np.linspace(0, value, 20_001)
    return 2 / np.sqrt(np.pi) * np.trapezoid(np.exp(-(grid**2)), grid)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(0.0, 2.0), (1.0, 10.0), (0.25, 4.0), (0.0625, 3.0), (0.5, 10 - np.sqrt(0.5 * 8 * 6))],
)
def test_triangular_quantiles(probability, expected):
    # 2, 4, 10: F(4) = 2 / 8 = 0.25; F(3) = 1 / (8 x 2) = 0.0625
    assert float(triangular_quantile(np.array(probability), 2, 4, 10)) == pytest.approx(expected)


def test_a_range_of_one_value_is_that_value():
    assert triangular_quantile(np.array([0.0, 0.5, 1.0]), 3, 3, 3).tolist() == [3, 3, 3]


def test_a_range_out_of_order_is_refused():
    with pytest.raises(EngineError, match="min <= likely <= max"):
        triangular_quantile(np.array([0.5]), 5, 4, 10)


def test_a_date_is_the_first_day_that_reaches_the_quantile():
    ready = DateInput("ready", np.arange(5.0), np.array([0.0, 0.2, 0.5, 0.5, 0.9]))

    assert ready.at(np.array([0.1, 0.2, 0.21, 0.5, 0.51, 0.95])).tolist() == [1, 1, 2, 2, 4, np.inf]
    assert ready.likely == 2.0


def test_inputs_have_one_order_whatever_the_order_of_the_document():
    one = {"/quotes/1/price": Range(1, 2, 3), "/builds/0/availability": Range(0.8, 0.9, 1)}
    other = dict(reversed(one.items()))
    grid = {"date:b": (np.arange(3.0), np.array([0.1, 0.6, 1.0]))}

    first = draw_inputs(uncertain_inputs(one, grid), draws=50, seed=1, correlation=0.3)
    second = draw_inputs(uncertain_inputs(other, grid), draws=50, seed=1, correlation=0.3)

    assert [entry.name for entry in first.inputs] == ["/builds/0/availability", "/quotes/1/price", "date:b"]
    assert np.array_equal(first.values, second.values)
    assert first.column("/quotes/1/price").shape == (50, 1)


def test_an_unknown_input_is_named():
    with pytest.raises(EngineError, match="No uncertain input is named price"):
        draw_inputs([RangeInput("x", 0, 1, 2)], draws=2, seed=0, correlation=0).column("price")


@pytest.mark.parametrize("correlation", [-0.1, 1.1])
def test_a_correlation_outside_its_range_is_refused(correlation):
    with pytest.raises(EngineError, match="0 to 1"):
        draw_inputs([], draws=2, seed=0, correlation=correlation)


def test_full_correlation_ranks_all_inputs_alike():
    draws = draw_inputs([RangeInput("a", 0, 1, 5), RangeInput("b", 10, 40, 50)], draws=500, seed=0, correlation=1.0)

    assert np.array_equal(np.argsort(draws.values[:, 0]), np.argsort(draws.values[:, 1]))


def test_without_uncertain_inputs_every_quantile_is_the_cost():
    draws = draw_inputs([], draws=100, seed=0, correlation=0.0)
    summary = cost_summary(LinearCosts(np.array([5.0, 7.0]), np.zeros((2, 0)), np.ones(2, dtype=bool)).at(draws.values))

    for figure in (summary.mean, summary.p10, summary.p50, summary.p80, summary.p90):
        assert figure.tolist() == [5.0, 7.0]
    assert summary.probability_cheapest.tolist() == [1.0, 0.0]


def test_quantiles_are_the_first_value_that_reaches_the_share():
    costs = np.array([[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], [1] * 9 + [np.nan]], dtype=float)

    found = cost_quantiles(costs)

    assert found[:, 0].tolist() == [1, 5, 8, 9]
    assert np.isnan(found[:, 1]).all()  # a cost that is not known in some draw has no quantile


def test_ties_share_the_chance_of_being_cheapest():
    costs = np.array([[1, 2, 3, 1], [1, 1, 3, 2], [2, 2, 3, np.nan]], dtype=float)

    assert probability_cheapest(costs) == pytest.approx([(1 / 2 + 0 + 1 / 3 + 1) / 4, (1 / 2 + 1 + 1 / 3) / 4, 1 / 12])


def test_equal_costs_count_half_a_win():
    assert share_won(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 2.0, 2.0, 2.0])) == pytest.approx(0.375)


def _costs(values):
    price, hours, day = values.T
    return np.array([
        1000 + 3 * price + 2 * hours + 0.5 * day,
        500 + price * hours,
        800 + 40 * np.maximum(0, day - 30),
        np.full_like(price, 900),
    ])  # fmt: skip


INPUTS = (
    RangeInput("price", 1, 2, 4), RangeInput("hours", 100, 300, 700),
    DateInput("ready", np.arange(101.0), np.linspace(0.0, 1.0, 101)),
)  # fmt: skip


def test_the_coefficient_table_tells_linear_options_from_others():
    table = linear_costs(_costs, INPUTS)

    assert table.is_linear.tolist() == [True, False, False, True]
    assert table.base[[0, 3]] == pytest.approx([1000, 900])
    assert table.coefficients[0] == pytest.approx([3, 2, 0.5])


def test_options_that_are_not_linear_are_asked_directly():
    draws = draw_inputs(INPUTS, draws=400, seed=2, correlation=0.2)
    table = linear_costs(_costs, INPUTS)

    found = costs_by_draw(table, draws, lambda values, rows: _costs(values)[rows])

    assert found == pytest.approx(_costs(draws.values))
    assert np.isnan(costs_by_draw(table, draws)[1]).all()


def test_sixteen_hundred_options_of_twenty_inputs_are_one_matrix_product():
    generator = np.random.default_rng(0)
    inputs = [RangeInput(str(index), 0.5, 1.0, 2.0) for index in range(20)]
    table = LinearCosts(generator.random(1600) * 1e6, generator.random((1600, 20)) * 1e5, np.ones(1600, dtype=bool))

    begun = time.perf_counter()
    summary = cost_summary(costs_by_draw(table, draw_inputs(inputs, draws=2_000, seed=0, correlation=0.1)))

    assert time.perf_counter() - begun < 5.0  # about a second for 10,000 draws
    assert summary.probability_cheapest.sum() == pytest.approx(1.0)


ranges = st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6)).map(
    lambda parts: (parts[0], parts[0] + parts[1], parts[0] + parts[1] + parts[2])
)


@settings(max_examples=80)
@given(ranges, st.floats(0, 1), st.floats(0, 1))
def test_triangular_quantiles_rise_inside_their_range(parts, one, other):
    low, high = triangular_quantile(np.array(sorted((one, other))), *parts)

    slack = 1e-9 * max(1.0, abs(parts[0]), abs(parts[2]))
    assert parts[0] - slack <= low <= high + slack <= parts[2] + 2 * slack


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_the_same_seed_gives_the_same_draws_and_another_seed_others(seed, correlation):
    inputs = [RangeInput("a", 0, 1, 2), RangeInput("b", 1, 1, 3)]

    def drawn(number) -> Draws:
        return draw_inputs(inputs, draws=8, seed=number, correlation=correlation)

    assert np.array_equal(drawn(seed).values, drawn(seed).values)
    assert not np.array_equal(drawn(seed).values, drawn(seed + 1).values)


def test_a_wider_range_widens_the_band():
    narrow = RangeInput("x", 9, 10, 11)
    bands = []
    for entry in (narrow, replace(narrow, least=5, greatest=15)):
        values = draw_inputs([entry], draws=2000, seed=0, correlation=0).values.T
        p10, p90 = cost_quantiles(values, [0.1, 0.9])[:, 0]
        bands.append(p90 - p10)

    assert bands[1] > bands[0]
