"""Which statement about a gate holds (R1, R2, R5): one row per case, ties and gaps included."""

import pytest

from tests.engine.readiness_documents import all_gates, power, proof, ready

OTHERS = all_gates(without=("installed",))


def installed(*statements, **more):
    """Return count, status and whether it is disputed, with every other gate verified."""
    found = ready([*OTHERS, *statements], **more)
    return (
        found.gate_accelerators["installed"], found.gate_status["installed"], "installed" in found.disputed_gates,
    )  # fmt: skip


def test_evidence_observed_after_the_day_is_ignored_and_flagged():
    found = ready([*OTHERS, proof("installed", observed_on="2026-12-01")])

    assert found.gate_status["installed"] == "no_date"
    assert "future_evidence:installed" in found.flags


def test_evidence_recorded_after_the_day_is_not_known_on_a_replay():
    late = proof("installed", observed_on="2026-11-01", recorded_on="2026-12-05")

    assert ready([*OTHERS, late]).usable_accelerators == 0
    assert ready([*all_gates(observed_on="2026-12-05"), late], as_of="2026-12-06").usable_accelerators == 1024


def test_promise_made_after_the_day_is_not_known():
    from_later = {"gate": "installed", "date": "2027-03-01", "stated_on": "2026-12-05"}

    assert "missing_date:installed" in ready(OTHERS, [from_later]).flags


@pytest.mark.parametrize(
    ("_case", "statements", "expected"),
    [
        ("count rises without comment",
         [proof("installed", 512, observed_on="2026-11-01"), proof("installed", 1024, observed_on="2026-11-20")],
         (1024, "verified", False)),
        ("silent fall weeks later takes the lower figure and is disputed",
         [proof("installed", 1024, observed_on="2026-10-01"), proof("installed", 512, observed_on="2026-11-20")],
         (512, "partial", True)),
        ("silent fall to nothing is disputed",
         [proof("installed", 1024, observed_on="2026-10-01"), proof("installed", 0, observed_on="2026-11-20")],
         (0, "disputed", True)),
        ("two figures on one day take the lower, whatever the grades",
         [proof("installed", 1024, "A", "2026-11-20"), proof("installed", 512, "C", "2026-11-20")],
         (512, "partial", True)),
        ("best grade within the week wins over a newer lower grade",
         [proof("installed", 512, "B", "2026-11-18"), proof("installed", 1024, "C", "2026-11-20")],
         (512, "partial", False)),
        ("best grade within the week wins upwards too",
         [proof("installed", 1024, "A", "2026-11-18"), proof("installed", 512, "C", "2026-11-20")],
         (1024, "verified", False)),
        ("seven days apart is still within the week",
         [proof("installed", 512, "B", "2026-11-13"), proof("installed", 1024, "C", "2026-11-20")],
         (512, "partial", False)),
        ("eight days apart the newer holds",
         [proof("installed", 512, "B", "2026-11-12"), proof("installed", 1024, "C", "2026-11-20")],
         (1024, "verified", False)),
        ("of one grade the newest holds",
         [proof("installed", 512, "B", "2026-11-18"), proof("installed", 1024, "B", "2026-11-20")],
         (1024, "verified", False)),
        ("a fall that is lifted again is no dispute",
         [proof("installed", 1024, observed_on="2026-11-14"), proof("installed", 512, observed_on="2026-11-16"),
          proof("installed", 1024, observed_on="2026-11-20")],
         (1024, "verified", False)),
        ("a reduction may lower the count without dispute",
         [proof("installed", 1024, observed_on="2026-10-01"),
          proof("installed", 512, observed_on="2026-11-20", event="reduced")],
         (512, "partial", False)),
        ("a figure above the plan is capped, so its fall is none",
         [proof("installed", 2048, observed_on="2026-10-01"), proof("installed", 1024, observed_on="2026-11-20")],
         (1024, "verified", False)),
        ("grade D never counts", [proof("installed", 1024, "D")], (0, "claimed", False)),
        ("grade E never counts", [proof("installed", 1024, "E")], (0, "claimed", False)),
        ("grade C is enough", [proof("installed", 1024, "C")], (1024, "verified", False)),
    ],
)  # fmt: skip
def test_statement_that_holds(_case, statements, expected):
    assert installed(*statements) == expected


@pytest.mark.parametrize(
    ("_case", "statements", "expected"),
    [
        ("newest loss beats every statement before it",
         [proof("installed", 1024, "A", "2026-11-18"), proof("installed", 0, "C", "2026-11-20", event="lost")],
         (0, "lost")),
        ("loss beats a statement of its own day",
         [proof("installed", 1024, "A", "2026-11-20"), proof("installed", 0, "C", "2026-11-20", event="lost")],
         (0, "lost")),
        ("quantity of a loss is ignored",
         [proof("installed", 1024, "C", "2026-11-20", event="lost")], (0, "lost")),
        ("recovery within the week needs the grade of the loss",
         [proof("installed", 0, "B", "2026-11-18", event="lost"), proof("installed", 1024, "C", "2026-11-22")],
         (0, "lost")),
        ("recovery within the week of the same grade counts",
         [proof("installed", 0, "B", "2026-11-18", event="lost"), proof("installed", 1024, "B", "2026-11-22")],
         (1024, "verified")),
        ("recovery after the week may be of a lower grade",
         [proof("installed", 0, "B", "2026-11-10", event="lost"), proof("installed", 1024, "C", "2026-11-18")],
         (1024, "verified")),
        ("recovery on the seventh day is within the week",
         [proof("installed", 0, "B", "2026-11-11", event="lost"), proof("installed", 1024, "C", "2026-11-18")],
         (0, "lost")),
        ("a partial recovery after a loss is no dispute",
         [proof("installed", 1024, "C", "2026-10-01"), proof("installed", 0, "C", "2026-11-01", event="lost"),
          proof("installed", 256, "C", "2026-11-20")],
         (256, "partial")),
    ],
)  # fmt: skip
def test_loss_and_recovery(_case, statements, expected):
    assert installed(*statements)[:2] == expected


@pytest.mark.parametrize(
    ("_case", "statement", "accelerators"),
    [
        ("1,020 accelerators are 127 whole nodes", proof("powered", 1020), 1016),
        ("nodes count eight each", proof("powered", 64, unit="nodes"), 512),
        ("124 kW are exactly ten nodes of 12.4", power(124), 80),
        ("facility power is divided by PUE: 1,612 / 1.3 = 1,240 kW = 100 nodes",
         power(1612, unit="kw_facility", pue=1.3), 800),
        ("two full sides at 80 %: 2,000 x 0.8 x 0.5 = 800 kW = 64 nodes",
         power(2000, basis="nameplate", redundancy="2N"), 512),
        ("nameplate without redundancy: 1,000 x 0.8 = 800 kW", power(1000, unit="kw_nameplate"), 512),
        ("N+1 of four feeds: 1,000 x 0.8 x 3/4 = 600 kW = 48 nodes",
         power(1000, basis="nameplate", redundancy="N+1", feeds=4), 384),
        ("redundancy alone means nameplate", power(2000, redundancy="2N"), 512),
        ("measured power is not halved: 800 kW = 64 nodes", power(800, basis="measured", redundancy="2N"), 512),
        ("own continuous factor: 1,000 x 0.9 = 900 kW = 72 nodes",
         power(1000, basis="nameplate", continuous_factor=0.9), 576),
        ("facility nameplate takes both: 2,000 / 1.25 x 0.8 = 1,280 kW = 103 nodes",
         power(2000, unit="kw_facility", pue=1.25, basis="nameplate"), 824),
    ],
)  # fmt: skip
def test_power_in_whole_nodes(_case, statement, accelerators):
    found = ready([*all_gates(without=("powered",)), statement])

    assert found.gate_accelerators["powered"] == accelerators == found.usable_accelerators


@pytest.mark.parametrize(
    ("_case", "statement"),
    [
        ("facility power without PUE", power(5000, unit="kw_facility")),
        ("N+1 without the number of feeds", power(5000, basis="nameplate", redundancy="N+1")),
    ],
)
def test_power_that_cannot_be_converted_counts_nothing_and_says_so(_case, statement):
    found = ready([*all_gates(without=("powered",)), statement])

    assert found.usable_accelerators == 0
    assert "not_convertible:powered" in found.flags


def test_a_single_feed_of_n_plus_1_carries_nothing():
    found = ready([*all_gates(without=("powered",)), power(5000, basis="nameplate", redundancy="N+1", feeds=1)])

    assert found.gate_accelerators["powered"] == 0


def test_cooling_is_the_least_of_the_media_the_nodes_need():
    """Liquid 1,000 / 10 = 100 nodes, air 128 / 4 = 32 nodes."""
    liquid = proof("cooled", 1000, "B", unit="kw", medium="liquid")
    air = proof("cooled", 128, "B", unit="kw", medium="air")
    heat = {"liquid": 10.0, "air": 4.0}

    found = ready([*all_gates(without=("cooled",)), liquid, air], cooling_kw_per_node=heat)

    assert found.gate_accelerators["cooled"] == 256
    assert ready([*all_gates(without=("cooled",)), liquid], cooling_kw_per_node=heat).usable_accelerators == 0


def test_cooling_without_medium_covers_all_media():
    """1,400 kW / (10 + 4) = 100 nodes."""
    heat = {"liquid": 10.0, "air": 4.0}

    by_count = ready(all_gates(), cooling_kw_per_node=heat)
    by_heat = ready([*all_gates(without=("cooled",)), proof("cooled", 1400, unit="kw")], cooling_kw_per_node=heat)

    assert by_count.usable_accelerators == 1024
    assert by_heat.gate_accelerators["cooled"] == 800


def test_a_medium_the_nodes_do_not_need_is_not_asked_for():
    air = proof("cooled", 1600, unit="kw", medium="air")

    assert (
        ready([*all_gates(without=("cooled",)), air], cooling_kw_per_node={"air": 12.4, "liquid": 0}).usable_firm
        is None
    )
    assert ready(
        [*all_gates(without=("cooled",)), air], cooling_kw_per_node={"air": 12.4, "liquid": 0}
    ).usable_accelerators == 1024  # fmt: skip


def test_the_newest_scheduler_reading_of_a_feed_wins_and_is_never_disputed():
    readings = [proof("scheduled", 1024, "A", "2026-11-28"), proof("scheduled", 512, "A", "2026-11-29")]

    found = ready([*all_gates(without=("scheduled",)), *readings])

    assert found.gate_accelerators["scheduled"] == 512
    assert found.disputed_gates == ()


def test_a_scheduler_statement_that_is_no_telemetry_can_be_disputed():
    readings = [proof("scheduled", 1024, "C", "2026-11-28"), proof("scheduled", 512, "C", "2026-11-29")]

    assert ready([*all_gates(without=("scheduled",)), *readings]).disputed_gates == ("scheduled",)


@pytest.mark.parametrize(
    ("_case", "spend", "grade", "usable"),
    [
        ("below the threshold grade C is enough", 900_000, "C", 1024),
        ("above it grade C is a claim", 1_100_000, "C", 0),
        ("above it grade B counts", 1_100_000, "B", 1024),
    ],
)
def test_power_needs_a_better_grade_above_a_spend(_case, spend, grade, usable):
    costs = [{"component": "hardware", "amount": spend, "currency": "USD", "basis": "once"}]
    asked = {"powered_grade": {"above": 1_000_000, "grade": "B"}}

    found = ready([*all_gates(without=("powered",)), power(1600, grade)], costs=costs, assumptions=asked)

    assert found.usable_accelerators == usable


def test_a_loss_of_grade_c_counts_even_where_power_needs_grade_b():
    costs = [{"component": "hardware", "amount": 2_000_000, "currency": "USD"}]
    asked = {"powered_grade": {"above": 1_000_000, "grade": "B"}}
    statements = [power(1600, "B"), power(0, "C", "2026-11-20", event="lost")]

    found = ready([*all_gates(without=("powered",)), *statements], costs=costs, assumptions=asked)

    assert found.energization_status == "de_energized"


def test_spend_in_a_currency_without_rate_asks_for_the_better_grade():
    costs = [{"component": "hardware", "amount": 1, "currency": "EUR"}]
    asked = {"powered_grade": {"above": 1_000_000, "grade": "B"}}

    assert (
        ready([*all_gates(without=("powered",)), power(1600, "C")], costs=costs, assumptions=asked).usable_accelerators
        == 0
    )
