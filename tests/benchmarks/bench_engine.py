"""How long the engine takes, in numbers: `make bench`. Not part of `make test`: a busy machine proves nothing."""

import copy
import sys
import time

import pytest

from procurement.engine.pipeline import availability, evaluate
from procurement.engine.scenario import example_document, parse_scenario


def grown_document(*, quotes, workloads):
    """Return the example with as many copies of its quotes and workloads, each with its own name and price."""
    document = example_document()
    for key, count in (("quotes", quotes), ("workloads", workloads)):
        originals = document[key]
        document[key] = []
        for number in range(count):
            entry = copy.deepcopy(originals[number % len(originals)])
            entry["id"] = f"{entry['id']}-{number}"
            if key == "quotes":
                entry["price"] = f"{float(entry['price']) * (1 + number / (4 * count)):.4f}"
            document[key].append(entry)
    for workload in document["workloads"]:
        workload.pop("current", None)
    return document


def told(title, seconds, pairs):
    sys.stdout.write(f"\n{title}: {seconds:.2f} s, {pairs / seconds:,.0f} pairs a second\n")


@pytest.mark.parametrize(("quotes", "workloads"), [(1000, 50), (4000, 100)])
def test_bookability_of_every_pair(quotes, workloads):
    scenario = parse_scenario(grown_document(quotes=quotes, workloads=workloads))

    began = time.perf_counter()
    availability(scenario)

    told(f"bookability of {workloads} workloads x {quotes} quotes", time.perf_counter() - began, quotes * workloads)


@pytest.mark.parametrize(("quotes", "workloads"), [(60, 12), (500, 12)])
def test_whole_answer(quotes, workloads):
    document = grown_document(quotes=quotes, workloads=workloads)

    began = time.perf_counter()
    evaluate(parse_scenario(document))

    told(f"whole answer for {workloads} workloads x {quotes} quotes", time.perf_counter() - began, quotes * workloads)
