"""Rules that one workload alone can break, and those that only the portfolio can keep."""

from tests.engine.cost_documents import advice, answered, build, document, option, quote, reserved, workload


def test_a_year_that_pays_more_than_its_budget_bars_an_option():
    # 280,320 a year on demand; 200,000 of hardware and 8,760 to run it in the first
    answer = answered(document(quotes=[quote()], builds=[build()], policy={"yearly_budget": 250000}))

    assert answer["excluded"]["w"] == {"yearly_budget_exceeded": 1}
    assert advice(answer)["option"] == "on_prem:own"


def test_credits_do_not_make_room_in_a_years_budget():
    own = build()  # 200,000 paid and 160,000 credited in the same twelve months
    answer = answered(document(quotes=[quote()], builds=[own], policy={"yearly_budget": 150000}))

    assert option(answer, "on_prem:own")["reasons"] == ["yearly_budget_exceeded"]
    assert advice(answer)["verdict"] == "none_feasible"


def test_the_first_year_alone_may_break_it():
    prepaid = reserved(payment_option="all", term_months=24)
    answer = answered(
        document(quotes=[prepaid, quote()], workloads=[workload(months=24)], policy={"yearly_budget": 300000})
    )

    assert answer["excluded"]["w"] == {"yearly_budget_exceeded": 1}  # 336,384 at once
    assert advice(answer)["option"] == "cloud:od"


def test_rules_that_bind_all_workloads_together_are_left_to_the_portfolio_and_named():
    policy = {"max_share_per_supplier": 0.5, "capital_budget": 1e6, "yearly_budget": 1e6}
    two = [workload(), workload(id="x")]
    alone = answered(document(quotes=[quote()], policy=policy))
    both = answered(document(quotes=[quote()], workloads=two, policy=policy))

    assert {"code": "rules_of_portfolio", "rules": ["max_share_per_supplier"]} in advice(alone)["reasons"]
    rules = ["max_share_per_supplier", "capital_budget", "yearly_budget"]
    assert {"code": "rules_of_portfolio", "rules": rules} in advice(both)["reasons"]


def test_offers_that_break_a_budget_do_not_hide_those_that_keep_to_it():
    prepaid = [reserved(id=f"p{index}", price=f"1.{index + 10}", payment_option="all", term_months=24)
               for index in range(25)]  # fmt: skip
    answer = answered(
        document(quotes=[*prepaid, quote()], workloads=[workload(months=24)], policy={"yearly_budget": 281000})
    )

    assert advice(answer)["option"] == "cloud:od"
    assert answer["excluded"]["w"] == {"yearly_budget_exceeded": 25}
