"""The worked example: what the page says by hand is what the engine answers, to the cent."""

import json
import re
from pathlib import Path

import pytest

from tests.engine.cost_documents import answered, option

FOLDER = Path(__file__).parent / "worked_example"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
ANSWER = answered(json.loads((FOLDER / "scenario.json").read_text(encoding="utf-8")))
OPTIONS = ("cloud:A", "cloud:B", "cloud:C", "on_prem:north")


def last_amount(cell):
    """Return the amount at the end of a cell: the result of the working before it."""
    return re.findall(r"-?[\d,]+\.\d\d(?!\d)", cell)[-1].replace(",", "")


def table_of(name):
    """Return the rows of the table whose last row is an option: component, nominal and present cost."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
    end = next(index for index, row in enumerate(rows) if row[0] == name)
    begin = max(index for index in range(end) if set(rows[index][0]) == {"-"})
    return {row[0]: (last_amount(row[-2]), last_amount(row[-1])) for row in rows[begin + 1 : end + 1]}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_costs_what_the_page_works_out(name):
    found, table = option(ANSWER, name, "chat"), table_of(name)
    components = [row for row in table if row != name]

    assert list(found["components"]) == components
    for component in components:
        assert (found["components"][component], found["components_npv"][component]) == table[component]
    assert (found["nominal_cost"], found["npv"]) == table[name]


def test_the_order_is_that_of_the_page():
    ranked = [found["option"] for found in ANSWER["options"]["chat"] if found["feasible"] and found["ranks"]]

    assert ranked == re.findall(r"^\| \d \| (\S+) \|", PAGE, flags=re.MULTILINE)


def test_the_answer_is_that_of_the_page():
    found = ANSWER["recommendation"]["chat"]
    codes = {reason["code"]: reason for reason in found["reasons"]}

    assert (found["option"], found["runner_up"], found["tie"]) == ("cloud:C", "cloud:B", False)
    assert codes["cheaper_than_runner_up"]["difference"] == "18914.50"
    assert found["approval_amount"] == "344739.39"
    assert "evidence_before_prepayment" in found["conditions"]


def test_south_is_listed_and_never_wins():
    found = option(ANSWER, "on_prem:south", "chat")

    assert not found["feasible"]
    assert "no_forecast" in found["reasons"]
