"""Records: whole or not at all, versions, history, roles."""

from datetime import date

import pgtrigger
import pytest
from django.db import DatabaseError, transaction

from procurement.errors import ProcurementError, VersionConflict
from procurement.models import AuditEntry, Evidence, Job, Quote
from procurement.permissions import ROLES, PermissionRefused
from procurement.selectors.history import history_of
from procurement.services.audit import audit_verify
from procurement.services.builds import build_update, evidence_add, evidence_confirm, promise_add
from procurement.services.quotes import quote_create, quote_supersede
from procurement.services.workloads import workload_create, workload_update
from tests.factories import actor, make_build, make_provider, make_quote, make_workload

pytestmark = pytest.mark.django_db


def test_a_requote_supersedes_and_the_old_version_stays_readable():
    first = make_quote(price="3.00")

    second = quote_supersede(by=actor("analyst"), quote=first, version=1, values={"price": "2.80"})

    first.refresh_from_db()
    assert (first.is_current, second.is_current) == (False, True)
    assert second.version == 2
    assert second.supersedes == first
    assert Quote.objects.filter(code=first.code).count() == 2


def test_the_second_of_two_editors_is_shown_both_values_and_loses_nothing():
    quote = make_quote(price="3.00")
    quote_supersede(by=actor("analyst"), quote=quote, version=1, values={"price": "2.80"})

    with pytest.raises(VersionConflict) as conflict:
        quote_supersede(by=actor("administrator"), quote=quote, version=1, values={"price": "2.90"})

    stored, asked = conflict.value.differences["price"]
    assert (float(stored), float(asked)) == (2.80, 2.90)
    assert conflict.value.current_version == 2


def test_a_change_that_changes_nothing_makes_no_version_and_no_entry():
    workload = make_workload()
    entries = AuditEntry.objects.count()

    same = workload_update(
        by=actor("analyst"), workload=workload, version=1, values={"accelerators": workload.accelerators}
    )

    assert same.version == 1
    assert AuditEntry.objects.count() == entries


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"accelerators": 0}, "accelerators"),
        ({"demand": {"utilisation": 1.7}}, "demand"),
        ({"demand": {"utilization": 0.5}}, "demand"),
        ({"months": "12", "days": "30"}, None),
        ({"kind": "mining"}, "kind"),
    ],
)
def test_a_workload_that_the_engine_would_refuse_is_refused_by_field(values, field):
    with pytest.raises(ProcurementError) as refused:
        make_workload(**values)

    assert refused.value.code == "invalid"
    assert field is None or field in refused.value.fields


def test_evidence_without_proof_is_refused():
    build = make_build(is_ready=False)

    with pytest.raises(ProcurementError, match="Say where the proof is"):
        evidence_add(
            by=actor("facilities"), build=build,
            values={"gate": "installed", "qty": 64, "grade": "A", "observed_on": date(2026, 11, 1)},
        )  # fmt: skip


def test_evidence_cannot_be_edited_even_past_the_services():
    make_build()

    with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic():
        Evidence.objects.update(grade="A", qty=10_000)


def test_still_true_appends_the_same_statement_on_a_later_day():
    build = make_build()
    powered = build.evidence.get(gate="powered")

    again = evidence_confirm(by=actor("facilities"), evidence=powered, observed_on=date(2026, 11, 29))

    assert again.pk != powered.pk
    assert again.confirms == powered
    assert (again.qty, again.unit, again.grade) == (powered.qty, powered.unit, powered.grade)


def test_still_true_on_an_earlier_day_is_refused():
    powered = make_build().evidence.get(gate="powered")

    with pytest.raises(ProcurementError, match="is not after"):
        evidence_confirm(by=actor("facilities"), evidence=powered, observed_on=powered.observed_on)


def test_evidence_for_a_tranche_that_is_not_there_names_those_that_are():
    build = make_build()

    with pytest.raises(ProcurementError, match="`T9` is no tranche of hall-1. It has T1"):
        promise_add(
            by=actor("facilities"), build=build,
            values={"gate": "powered", "tranche": "T9", "date": date(2027, 1, 1), "stated_on": date(2026, 6, 1)},
        )  # fmt: skip


def test_every_change_asks_for_one_recomputation():
    make_quote()
    make_workload()

    waiting = Job.objects.filter(kind="recompute", status="queued")

    assert waiting.count() == 1


def test_history_says_who_when_and_why():
    build = make_build()
    person = actor("facilities", reason="utility letter arrived")
    build_update(by=person, build=build, version=build.version, values={"note": "letter filed"})

    newest = history_of(build).first()

    assert newest.user == person.user
    assert newest.reason == "utility letter arrived"
    assert newest.changes == {"note": ["", "letter filed"]}


def test_the_audit_chain_is_whole_and_names_the_first_row_that_was_edited():
    make_quote()
    make_workload()
    assert audit_verify() is None

    second = AuditEntry.objects.order_by("id")[1]
    with pgtrigger.ignore("procurement.AuditEntry:audit_append_only"):
        AuditEntry.objects.filter(pk=second.pk).update(reason="something else")

    assert audit_verify().pk == second.pk


ALLOWED = {"quote": {"analyst", "administrator"}, "workload": {"analyst", "administrator"}}


@pytest.mark.parametrize("role", ROLES)
def test_only_the_right_roles_write(role):
    provider = make_provider()
    values = {
        "provider": provider, "accelerator": "H100-SXM", "price": "2", "currency": "USD", "source": "mail",
        "quoted_on": date(2026, 11, 1),
    }  # fmt: skip
    workload = {"code": "w", "name": "W", "accelerators": 8, "start": date(2026, 12, 1), "months": 12}

    for entity, act in (
        ("quote", lambda: quote_create(by=actor(role), values=values)),
        ("workload", lambda: workload_create(by=actor(role), values=workload)),
    ):
        if role in ALLOWED[entity]:
            act()
        else:
            with pytest.raises(PermissionRefused):
                act()
