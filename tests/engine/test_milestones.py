"""The milestone table: complete, unique, sourced, and in step with the vocabularies."""

from procurement.engine.codes import EVIDENCE_GATES, GATES, SLIP_CLASSES
from procurement.engine.milestones import GATE_KEYS, MILESTONES, NO_LIMIT, evidence_limit_days
from procurement.engine.slip import DEFAULT_SLIPS, default_class

LIMITS = {
    "ordered": 180, "delivered": 180, "utility_energized": 180, "installed": 180, "powered": 90, "cooled": 90,
    "networked": 90, "scheduled": 7, "accessible": 30,
}  # fmt: skip


def test_every_milestone_of_the_vocabulary_has_its_row():
    assert set(MILESTONES) == set(EVIDENCE_GATES)
    assert GATE_KEYS == GATES


def test_every_row_says_how_it_is_proven_and_where_that_comes_from():
    assert all(row.key == key and row.proof and row.source and row.meaning for key, row in MILESTONES.items())


def test_limits_are_those_of_the_method():
    assert {key: evidence_limit_days(key) for key in LIMITS} == LIMITS
    assert evidence_limit_days("service_agreement") == NO_LIMIT


def test_stated_limits_replace_the_defaults():
    assert evidence_limit_days("powered", {"powered": 30}) == 30
    assert evidence_limit_days("cooled", {"powered": 30}) == 90


def test_every_default_slip_class_is_known():
    assert set(DEFAULT_SLIPS) == set(SLIP_CLASSES)
    assert all(
        default_class(key, is_power_uncommitted=flag) in DEFAULT_SLIPS for key in MILESTONES for flag in (True, False)
    )


def test_order_of_dates_names_known_milestones_only():
    assert {earlier for row in MILESTONES.values() for earlier in row.after} <= set(MILESTONES)
