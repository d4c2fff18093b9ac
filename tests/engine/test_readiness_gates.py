"""Age, challenges, node lists, own jobs, contradictory dates and rechecks (R3, R4, R6 to R9)."""

from datetime import date

import pytest

from tests.engine.readiness_documents import all_gates, power, promise, proof, ready

NO_POWER = all_gates(without=("powered",))


@pytest.mark.parametrize(
    ("_case", "gate", "observed_on", "usable"),
    [
        ("powered on its 90th day", "powered", "2026-09-01", 1024),
        ("powered on its 91st day", "powered", "2026-08-31", 0),
        ("scheduled on its 7th day", "scheduled", "2026-11-23", 1024),
        ("scheduled on its 8th day", "scheduled", "2026-11-22", 0),
        ("accessible on its 30th day", "accessible", "2026-10-31", 1024),
        ("accessible on its 31st day", "accessible", "2026-10-30", 0),
        ("installed on its 180th day", "installed", "2026-06-03", 1024),
        ("installed on its 181st day", "installed", "2026-06-02", 0),
    ],
)
def test_evidence_counts_to_the_end_of_its_limit(_case, gate, observed_on, usable):
    found = ready([*all_gates(without=(gate,)), proof(gate, observed_on=observed_on)])

    assert found.usable_accelerators == usable
    assert found.last_known_usable == 1024
    assert (f"stale:{gate}" in found.flags) == (usable == 0)


def test_own_limits_replace_the_defaults():
    aged = [*NO_POWER, proof("powered", observed_on="2026-08-31")]

    assert ready(aged, assumptions={"evidence_days": {"powered": 91}}).usable_accelerators == 1024


def test_own_validity_of_evidence_replaces_the_limit_in_days():
    short = [*NO_POWER, proof("powered", observed_on="2026-11-01", valid_until="2026-11-29")]
    long = [*NO_POWER, proof("powered", observed_on="2026-01-01", valid_until="2026-11-30")]

    assert ready(short).gate_status["powered"] == "stale"
    assert ready(long).gate_status["powered"] == "verified"


def test_a_fresh_statement_is_not_hidden_by_an_aged_one_of_better_grade():
    """The week reaches back to 2026-11-22, which is past the seven days of a snapshot."""
    snapshots = [proof("scheduled", 512, "B", "2026-11-22"), proof("scheduled", 1024, "C", "2026-11-28")]

    assert ready([*all_gates(without=("scheduled",)), *snapshots]).gate_accelerators["scheduled"] == 1024


def test_a_loss_does_not_age():
    lost = proof("powered", 0, "C", "2026-01-10", event="lost")

    assert ready([*NO_POWER, lost]).energization_status == "de_energized"


@pytest.mark.parametrize(
    ("_case", "reported_on", "status", "flag"),
    [
        ("on the seventh day the gate still counts", "2026-11-23", "verified", "challenged:powered"),
        ("on the eighth day it is stale", "2026-11-22", "stale", "stale:powered"),
    ],
)
def test_a_report_of_loss_gives_seven_days_to_confirm(_case, reported_on, status, flag):
    report = power(0, "D", reported_on, event="lost")

    found = ready([*NO_POWER, power(1600), report])

    assert found.gate_status["powered"] == status
    assert flag in found.flags


def test_a_challenge_is_answered_by_a_newer_statement():
    report = power(0, "D", "2026-11-20", event="lost")

    found = ready([*NO_POWER, power(1600), report, power(1600, "C", "2026-11-21")])

    assert found.gate_status["powered"] == "verified"
    assert found.flags == ()


def test_a_report_that_is_older_than_the_evidence_challenges_nothing():
    report = power(0, "D", "2026-10-01", event="lost")

    assert ready([*NO_POWER, power(1600), report]).flags == ()


def test_a_second_report_does_not_start_the_seven_days_again():
    reports = [power(0, "D", "2026-11-20", event="lost"), power(0, "D", "2026-11-29", event="lost")]

    assert ready([*NO_POWER, power(1600), *reports]).gate_status["powered"] == "stale"


@pytest.mark.parametrize(
    ("_case", "installed", "powered", "usable"),
    [
        ("two halves that do not meet", [1, 64], [65, 128], 0),
        ("48 nodes in common", [1, 64], [17, 128], 384),
        ("the same half", [1, 64], [1, 64], 512),
        ("one node in common", [1, 64], [64, 128], 8),
    ],
)
def test_node_lists_beat_counts(_case, installed, powered, usable):
    lists = [
        {"gate": "installed", "nodes": installed, "grade": "C", "observed_on": "2026-11-20"},
        {"gate": "powered", "nodes": powered, "grade": "C", "observed_on": "2026-11-20"},
    ]

    found = ready([*all_gates(without=("installed", "powered")), *lists], node_ids_known=True)

    assert found.usable_accelerators == usable


def test_gates_whose_node_lists_do_not_meet_are_the_binding_ones():
    lists = [
        {"gate": "installed", "nodes": [1, 64], "grade": "C", "observed_on": "2026-11-20"},
        {"gate": "powered", "nodes": [65, 128], "grade": "C", "observed_on": "2026-11-20"},
    ]

    found = ready([*all_gates(without=("installed", "powered")), *lists])

    assert found.gate_accelerators["installed"] == found.gate_accelerators["powered"] == 512
    assert found.binding_gates == ("installed", "powered")


def test_a_count_and_a_node_list_of_one_statement_take_the_lower():
    listed = proof("installed", 256, nodes=[1, 64])

    assert ready([*all_gates(without=("installed",)), listed]).gate_accelerators["installed"] == 256


def job(qty=512, observed_on="2026-11-29", grade="A", **more):
    return proof("job_run", qty, grade, observed_on, **more)


def test_a_job_over_the_fabric_proves_all_gates_for_its_size():
    found = ready([job(scope="rdma")])

    assert found.usable_accelerators == found.largest_multi_node_job == 512
    assert set(found.gate_accelerators.values()) == {512}
    assert found.flags == ()


def test_a_job_that_did_not_use_the_fabric_proves_the_front_end_alone():
    found = ready([job()])

    assert (found.usable_single_node, found.usable_multi_node) == (512, 0)


@pytest.mark.parametrize("grade", ["B", "C", "D"])
def test_only_an_own_job_proves(grade):
    assert ready([job(grade=grade, scope="rdma")]).usable_accelerators == 0


def test_a_job_never_lowers_a_count():
    assert ready([*all_gates(), job(64, scope="rdma")]).usable_accelerators == 1024


def test_a_job_proves_each_gate_within_that_gates_own_limit():
    """Twenty days old: beyond the 7 of scheduled, within the 30 of accessible and the 90 of power."""
    found = ready([job(observed_on="2026-11-10", scope="rdma")])

    assert found.gate_accelerators["scheduled"] == 0
    assert found.gate_accelerators["powered"] == found.gate_accelerators["accessible"] == 512


@pytest.mark.parametrize(
    ("_case", "lost_on", "powered"),
    [("newer loss", "2026-11-29", 0), ("loss of the same day", "2026-11-28", 0), ("older loss", "2026-11-27", 512)],
)
def test_a_newer_loss_beats_a_job(_case, lost_on, powered):
    lost = power(0, "C", lost_on, event="lost")

    assert ready([job(observed_on="2026-11-28", scope="rdma"), lost]).gate_accelerators["powered"] == powered


def test_a_loss_of_power_takes_the_scheduler_proof_of_an_older_job():
    found = ready([job(observed_on="2026-11-25", scope="rdma"), power(0, "C", "2026-11-26", event="lost")])

    assert found.gate_accelerators["scheduled"] == 0
    assert found.gate_accelerators["installed"] == 512


def dated(gate, achieved_on, **more):
    return proof(gate, achieved_on=achieved_on, **more)


@pytest.mark.parametrize(
    ("_case", "earlier", "later", "flag"),
    [
        ("installed before delivered", dated("delivered", "2026-10-10"), dated("installed", "2026-09-20"),
         "date_conflict:installed<delivered"),
        ("powered before the utility", dated("utility_energized", "2026-10-10"), dated("powered", "2026-10-09"),
         "date_conflict:powered<utility_energized"),
        ("scheduled before cooled", dated("cooled", "2026-10-10"), dated("scheduled", "2026-10-01"),
         "date_conflict:scheduled<cooled"),
    ],
)  # fmt: skip
def test_the_later_gate_of_contradictory_dates_counts_nothing(_case, earlier, later, flag):
    kept = [one for one in all_gates() if one["gate"] not in (earlier["gate"], later["gate"])]

    found = ready([*kept, earlier, later])

    assert found.flags == (flag,)
    assert found.gate_accelerators[later["gate"]] == 0
    assert found.gate_status[later["gate"]] == "disputed"
    assert found.availability_status == "disputed"


@pytest.mark.parametrize(
    ("_case", "changes"),
    [
        ("equal days are no contradiction", {"achieved_on": "2026-10-10"}),
        ("both must name the day they were achieved", {}),
    ],
)
def test_no_contradiction_without_two_days_in_the_wrong_order(_case, changes):
    statements = [*all_gates(without=("installed",)), dated("delivered", "2026-10-10"), proof("installed", **changes)]

    assert ready(statements).usable_accelerators == 1024


def test_the_order_of_the_utility_does_not_bind_power_made_on_site():
    statements = [
        *NO_POWER, dated("utility_energized", "2026-11-10"),
        dated("powered", "2026-10-01", power_basis="onsite_temporary"),
    ]  # fmt: skip

    assert ready(statements).usable_accelerators == 1024


def test_an_own_job_settles_contradictory_dates_for_its_size():
    statements = [
        *all_gates(without=("installed",)),
        dated("delivered", "2026-10-10"),
        dated("installed", "2026-09-20"),
    ]

    found = ready([*statements, job(512, scope="rdma")])

    assert found.usable_accelerators == 512


@pytest.mark.parametrize("gate", ["powered", "cooled"])
def test_a_loss_voids_scheduler_evidence_up_to_its_day(gate):
    lost = proof(gate, 0, "B", "2026-11-26", event="lost")
    back = proof(gate, 1024, "B", "2026-11-28")
    statements = [*all_gates(without=(gate, "scheduled")), lost, back]

    same_day = ready([*statements, proof("scheduled", 1024, "A", "2026-11-26")])
    checked = ready([*statements, proof("scheduled", 1024, "A", "2026-11-27")])

    assert same_day.flags == ("recheck_after_loss:scheduled",)
    assert same_day.usable_accelerators == 0
    assert same_day.availability_status == "unverified"
    assert checked.usable_accelerators == 1024


def test_a_loss_of_the_network_leaves_the_scheduler_alone():
    statements = [*all_gates(without=("networked",)), proof("networked", 0, "C", "2026-11-29", event="lost")]

    assert ready(statements).gate_accelerators["scheduled"] == 1024


def test_fabric_evidence_proves_the_front_end_too():
    fabric = [*all_gates(without=("networked",)), proof("networked", 1024, scope="rdma")]
    frontend = [*all_gates(without=("networked",)), proof("networked", 1024, scope="frontend")]

    assert (ready(fabric).usable_single_node, ready(fabric).usable_multi_node) == (1024, 1024)
    assert (ready(frontend).usable_single_node, ready(frontend).usable_multi_node) == (1024, 0)


def test_a_newer_loss_of_the_front_end_is_not_covered_by_the_fabric():
    statements = [
        *all_gates(without=("networked",)), proof("networked", 1024, scope="rdma", observed_on="2026-11-20"),
        proof("networked", 0, scope="frontend", observed_on="2026-11-25", event="lost"),
    ]  # fmt: skip

    assert ready(statements, design_class="single_node").usable_single_node == 0


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "status", "flags"),
    [
        ("promise to come", [], [promise("powered", "2026-11-30")], "planned", ()),
        ("promise passed", [], [promise("powered", "2026-11-29")], "overdue", ("overdue:powered",)),
        ("the latest promise counts", [],
         [promise("powered", "2026-10-01"), promise("powered", "2027-01-15", "2026-10-01")], "planned", ()),
        ("nothing at all", [], [], "no_date", ("missing_date:powered",)),
        ("a claim hides a passed promise", [power(1600, "D")], [promise("powered", "2026-11-01")], "claimed", ()),
        ("part of it and the promise passed", [power(800)], [promise("powered", "2026-11-01")], "partial",
         ("overdue_remainder:powered",)),
        ("part of it and the promise to come", [power(800)], [promise("powered", "2027-01-15")], "partial", ()),
        ("all of it and the promise passed", [power(1600)], [promise("powered", "2026-11-01")], "verified", ()),
        ("lost and promised again", [power(0, "C", event="lost")], [promise("powered", "2027-01-15")], "lost", ()),
        ("aged and promised", [power(1600, observed_on="2026-05-01")], [promise("powered", "2027-01-15")], "stale",
         ("stale:powered",)),
    ],
)  # fmt: skip
def test_gate_status_is_the_first_that_applies(_case, statements, promises, status, flags):
    found = ready([*NO_POWER, *statements], promises)

    assert found.gate_status["powered"] == status
    assert found.flags == flags


@pytest.mark.parametrize(
    ("_case", "statements", "promises", "expected"),
    [
        ("the scheduler snapshot ages first", all_gates(), [], "2026-12-06"),
        ("a promise passes", [], [promise("powered", "2026-12-03")], "2026-12-04"),
        ("evidence of a later day becomes known", [proof("powered", observed_on="2026-12-02")], [], "2026-12-02"),
        ("a challenge runs out: 2026-11-24 + 8",
         [*NO_POWER, power(1600), power(0, "D", "2026-11-24", event="lost")], [], "2026-12-02"),
        ("nothing changes by time", [], [], None),
    ],
)  # fmt: skip
def test_next_day_on_which_time_alone_changes_the_answer(_case, statements, promises, expected):
    found = ready(statements, promises).next_change_on

    assert found == (date.fromisoformat(expected) if expected else None)


def test_the_answer_is_the_same_on_every_day_until_the_next_change():
    statements, promises = [*NO_POWER, power(1600)], [promise("installed", "2026-12-20")]
    today = ready(statements, promises)

    before = ready(statements, promises, as_of="2026-12-05")
    on_the_day = ready(statements, promises, as_of="2026-12-06")

    assert before.answer() | {"next_change_on": None} == today.answer() | {"next_change_on": None}
    assert on_the_day.flags == ("stale:scheduled",)
