"""Every code has a sentence, and every sentence takes its figures."""

import re

import pytest

from procurement.engine import bookability_checks, recommend, throughput
from reports.reason_tables import CONDITIONS, EXCLUSIONS, FLAGS, NOTES, RECOMMENDED
from reports.reasons import SENTENCES, exclusion_name, not_modelled_sentence, reason_sentence, reason_sentences
from reports.sentences import fill
from reports.templatetags.badges import BADGES

# semantics 11, 12, 33 and the notes beside them
OFFER_CODES = (
    "wrong_accelerator", "quantity_too_small", "one_domain_too_small", "interconnect_too_weak",
    "fabric_not_accepted", "memory_too_small", "duration_over_max", "starts_after_need", "ends_before_done",
    "quota_short", "too_late_to_book", "provider_not_allowed", "residency", "residency_unknown", "not_interruptible",
    "quote_expired", "missing", "no_rate", "late_by_days", "not_ready_by_need", "no_forecast", "best_effort_only",
    "not_bookable_yet", "unverified", "not_usable", "feed_unknown", "useful_share_unknown", "budget_exceeded",
    "yearly_budget_exceeded", "cancelled", "not_priced",
)  # fmt: skip
NOTE_CODES = ("book_by", "bookable_from", "overbuy_accelerator_days", "p_no_interruption", "feed_not_stated",
              "communication_bound")  # fmt: skip
FLAG_CODES = (
    "overdue", "overdue_remainder", "missing_date", "stale", "challenged", "date_conflict", "future_evidence",
    "recheck_after_loss", "not_convertible",
)  # fmt: skip
CONDITION_CODES = ("evidence_before_prepayment", "renew", "sign_by", "book_by", "approval_too_slow")


def test_every_reason_of_a_recommendation_has_a_sentence_and_no_sentence_is_left_over():
    assert set(recommend.REASON_CODES) - {"missing"} == set(RECOMMENDED)
    assert set(recommend.REASON_CODES) <= set(SENTENCES)


@pytest.mark.parametrize("code", OFFER_CODES + NOTE_CODES + FLAG_CODES + CONDITION_CODES)
def test_every_code_has_a_sentence(code):
    assert code in SENTENCES


def test_every_verdict_has_a_badge():
    assert set(recommend.VERDICTS.values()) | {"none_feasible"} <= set(BADGES)


def test_reasons_that_the_source_of_the_engine_names_have_sentences():
    """Codes are found in the source, so that one that is added without a sentence fails here."""
    with open(bookability_checks.__file__, encoding="utf-8") as source:
        named = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"', source.read()))
    reasons = {code for code in named if code in EXCLUSIONS or code.endswith(("_small", "_weak", "_short", "_allowed"))}

    assert reasons <= set(SENTENCES)


def test_notes_of_throughput_have_sentences():
    with open(throughput.__file__, encoding="utf-8") as source:
        flags = source.read().split("def _flags", 1)[1]
    named = set(re.findall(r'^        "([a-z_]+)": ', flags, re.MULTILINE))

    assert named
    assert named <= set(SENTENCES)


@pytest.mark.parametrize(
    "pattern", [*EXCLUSIONS.values(), *RECOMMENDED.values(), *CONDITIONS.values(), *NOTES.values(), *FLAGS.values()]
)
def test_no_brace_or_bracket_is_left_without_figures(pattern):
    assert not re.search(r"[{}\[\]]", fill(pattern, {}))


@pytest.mark.parametrize(("reason", "sentence"), [
    ("quote_expired", "The quote has expired."),
    ({"code": "quote_expired", "valid_until": "2026-11-28"},
     "The quote has expired: it could be signed until 28 Nov 2026."),
    ("missing:quantity_available", "Not stated: how many accelerators are on offer together."),
    ({"code": "missing", "detail": "price"}, "Not stated: the price."),
    ("book_by:2026-12-04", "Book by 4 Dec 2026."),
    ("renew:scheduled", "Have the evidence for scheduled confirmed again: what is on record has aged."),
    ("late_by_days:1", "The work would end 1 day after it must be done."),
    ("late_by_days:12", "The work would end 12 days after it must be done."),
    ({"code": "cheaper_than_runner_up", "difference": "582000.00", "share": 0.25},
     "It costs EUR 582,000.00 less than the runner-up, 25.0% of the runner-up's cost."),
    ({"code": "tie", "difference": "10.00", "share": 0.001, "threshold": "200.00"},
     "Too close to call: the two best differ by EUR 10.00 (0.1%), less than the EUR 200.00 that count as "
     "a difference."),
    ({"code": "decided_by_rate", "rate_basis": "marginal", "charge_basis": "share"},
     "Own capacity is ranked at the marginal rate, charged for the share it reserves."),
    ({"code": "constraint", "constraint": "missing:price", "offers": 3}, "Price not stated removes 3 offers."),
    ({"code": "owned_base", "accelerators": 48, "share": 0.82, "rented": 16},
     "48 accelerators are owned and do 82% of the work; 16 accelerators are rented for the peak."),
])  # fmt: skip
def test_sentences_carry_their_figures(reason, sentence):
    assert reason_sentence(reason, "EUR") == sentence


def test_the_reasons_behind_a_reason_are_told_too():
    reason = {"code": "on_prem_passed_over", "option": "on_prem:hall-2", "because": ["not_ready_by_need", "cancelled"]}

    told = reason_sentence(reason, names=lambda option: "Own: Hall 2")

    assert told == "Own: Hall 2 was passed over. The build is not ready in time. The build was cancelled."


def test_a_code_that_is_not_listed_is_told_in_plain_words_never_hidden():
    assert reason_sentence({"code": "brand_new", "amount": 3}) == "Brand new: amount 3."


def test_the_same_sentence_is_told_once():
    assert len(reason_sentences(["residency", "residency", "quote_expired"])) == 2


def test_constraints_and_gaps_have_short_names():
    assert exclusion_name("wrong_accelerator") == "wrong accelerator"
    assert exclusion_name("missing:valid_until") == "valid until not stated"
    assert exclusion_name("no_rate:H20") == "no published rate for H20"
    assert not_modelled_sentence("egress") == "Data leaving the provider: no price is stated"
    assert not_modelled_sentence("quantum_leap") == "Quantum leap"
