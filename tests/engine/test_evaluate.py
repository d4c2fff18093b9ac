"""`manage.py evaluate`: documents in, answers out, every fault named, exit status 2."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from procurement.engine.scenario import read_document
from tests.engine.cost_documents import document, quote, workload


def run(*arguments):
    out = io.StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def refused(*arguments):
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("evaluate", *arguments, stdout=out, stderr=out)
    return caught.value.returncode, out.getvalue()


@pytest.fixture
def scenario_file(tmp_path):
    def write(asked):
        path = tmp_path / "scenario.json"
        path.write_text(json.dumps(asked), encoding="utf-8")
        return str(path)

    return write


def test_a_file_is_answered(scenario_file):
    answer = json.loads(run(scenario_file(document(quotes=[quote()]))))

    assert answer["recommendation"]["w"]["option"] == "cloud:od"


def test_standard_input_is_answered(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(document(quotes=[quote()]))))

    assert json.loads(run("-"))["recommendation"]["w"]["verdict"] == "cloud"


def test_the_schema_is_printed():
    assert "scenario/1" in json.dumps(json.loads(run("--schema")))


def test_the_example_can_be_evaluated(tmp_path):
    path = tmp_path / "example.json"
    path.write_text(run("--example"), encoding="utf-8")

    assert json.loads(run(str(path)))["as_of"] == read_document(path.read_text(encoding="utf-8"))["as_of"]


def test_every_fault_is_named_and_nothing_is_computed(scenario_file):
    asked = document(quotes=[quote(price="two"), quote(id="x", currency="ZZZ")])
    status, said = refused(scenario_file(asked))

    assert status == 2
    assert "/quotes/0/price" in said
    assert "/quotes/1/currency" in said
    assert "recommendation" not in said


def test_an_hourly_file_stands_beside_the_document(scenario_file, tmp_path):
    (tmp_path / "use.csv").write_text("16\n8\n", encoding="utf-8")
    needs = [workload(demand={"hourly_file": "use.csv"})]
    asked = document(quotes=[quote(accelerators_per_instance=1)], workloads=needs)
    answer = json.loads(run(scenario_file(asked)))

    # 16 and 8 by turns are 12 on average: 12 x 8,760 x 2.00
    assert answer["options"]["w"][0]["nominal_cost"] == "210240.00"


@pytest.mark.parametrize(
    ("_case", "content", "said"),
    [("missing", None, "FileNotFoundError"), ("no number", "16\nmany\n", "line 2"), ("empty", "\n", "no number")],
)
def test_an_hourly_file_that_cannot_be_read_is_a_fault(_case, content, said, scenario_file, tmp_path):
    if content is not None:
        (tmp_path / "use.csv").write_text(content, encoding="utf-8")
    status, text = refused(scenario_file(document(workloads=[workload(demand={"hourly_file": "use.csv"})])))

    assert status == 2
    assert said in text


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert refused(str(tmp_path / "nothing.json"))[0] == 2


def test_no_file_is_refused():
    assert refused()[0] == 2
