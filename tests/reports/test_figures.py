"""Every figure shows its unit, is rounded half up, and is never zero when it is unknown."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from procurement.models import (
    BidState,
    DecisionState,
    InvitationState,
    JobStatus,
    RequestState,
    RunState,
    SheetRowState,
    SheetState,
)
from reports.templatetags import figures
from reports.templatetags.badges import BADGES, codes_without_badge
from reports.templatetags.icons import ICONS

GATE_STATUSES = ("verified", "partial", "disputed", "lost", "stale", "claimed", "overdue", "planned", "no_date")
ENERGIZATION = (
    "energized", "partially_energized", "de_energized", "disputed", "stale", "claimed", "overdue", "scheduled",
    "no_date",
)  # fmt: skip
AVAILABILITY = (
    "cancelled", "available", "partial", "suspended", "disputed", "unverified", "not_open_to_buyer", "awaiting_power",
    "blocked", "building", "announced", "unknown",
)  # fmt: skip
BOOKABILITY = ("unverified", "not_usable", "not_bookable_yet", "usable_assured", "usable_if_booked", "best_effort")
VERDICTS = ("on_prem", "cloud", "hybrid", "bridge_then_on_prem", "wait", "stay", "none_feasible")


@pytest.mark.parametrize(
    ("_case", "shown", "expected"),
    [
        ("money", figures.money_text("1234567.5", "EUR"), "EUR 1,234,567.50"),
        ("money without minor unit", figures.money_text("1234.5", "JPY"), "JPY 1,235"),
        ("half up", figures.money_text("0.125", "USD"), "USD 0.13"),
        ("no minus zero", figures.money_text("-0.001", "USD"), "USD 0.00"),
        ("unknown", figures.money_text(None, "USD"), "–"),
        ("headline", figures.money_short_text("2413000", "EUR"), "EUR 2.4 m"),
        ("headline, thousands", figures.money_short_text("-41250", "EUR"), "EUR -41.3 k"),
        ("quoted price", figures.money_exact_text(Decimal("2.48950000"), "USD"), "USD 2.4895"),
        ("quoted price, short", figures.money_exact_text(Decimal("98.3"), "USD"), "USD 98.30"),
        ("price per unit", figures.unit_price_text("2.39", "USD"), "USD 2.3900"),
        ("rate", figures.rate_text("2.39", "USD", "accelerator-hour"), "USD 2.3900 per accelerator-hour"),
        ("quantity", figures.quantity_text(512, "accelerators"), "512 accelerators"),
        ("percent", figures.percent_text("0.655", 1), "65.5%"),
        ("day", figures.day_text(date(2026, 11, 28)), "28 Nov 2026"),
        ("day from ISO", figures.day_text("2026-11-28"), "28 Nov 2026"),
        ("month", figures.month_text(date(2026, 11, 28)), "Nov 2026"),
        (
            "moment names its zone",
            figures.instant_text(datetime(2026, 11, 28, 14, 5, tzinfo=UTC)),
            "28 Nov 2026, 14:05 UTC",
        ),
        ("not a number", figures.number_text(float("nan")), "–"),
        ("option", figures.option_words("hybrid:pod+aws-1"), "own pod, rent aws-1"),
        ("bridge", figures.option_words("bridge:aws-1->pod"), "rent aws-1, then own pod"),
        ("flag", figures.flag_words("overdue:powered"), "Powered: overdue"),
    ],
)
def test_figures_show_their_unit(_case, shown, expected):
    assert shown == expected


@pytest.mark.parametrize(
    ("day", "words"),
    [(date(2026, 12, 3), "3 days left"), (date(2026, 12, 1), "1 day left"), (date(2026, 11, 30), "last day today"),
     (date(2026, 11, 28), "ended 2 days ago")],
)  # fmt: skip
def test_days_left_are_counted_from_the_day_of_evaluation(day, words, as_of):
    assert figures.days_left_text(day, as_of) == words


def test_an_unknown_figure_says_why():
    assert "no discount rate" in figures.money(None, "EUR", "no discount rate")


def test_what_a_person_typed_cannot_become_markup():
    assert "<b>" not in figures.badge("verified", "<b>")
    assert "<b>" not in figures.money(None, "EUR", "<b>")
    assert "<b>" not in figures.plain("<b>", "")


def test_every_status_has_a_badge():
    states = [*BidState.values, *RequestState.values, *InvitationState.values]
    states += [*DecisionState.values, *JobStatus.values, *RunState.values, *SheetRowState.values, *SheetState.values]
    statuses = [*GATE_STATUSES, *ENERGIZATION, *AVAILABILITY, *BOOKABILITY, *VERDICTS, *states]
    assert codes_without_badge(statuses) == set()


def test_every_badge_has_a_word_and_an_icon_that_exists():
    assert all(badge.word and badge.icon in ICONS for badge in BADGES.values())


@pytest.mark.parametrize(
    ("pair", "words"),
    [(("3.85", "3.7"), "-3.9%"), (("1.75", "1.82"), "+4.0%"), (("0", "1"), ""), ((None, "1"), ""), (("a", "1"), "")],
)  # -0.15 / 3.85, 0.07 / 1.75
def test_a_change_of_a_price_is_shown_in_percent(pair, words):
    assert figures.change(pair) == words
