"""Reports, subscriptions and deliveries under /api/v1/."""

import pytest

from procurement.permissions import ROLES
from reports.models import MessageState, OutboxMessage, ReportSubscription
from reports.registry import REPORTS
from tests.procurement.api_tools import ApiClient, client_of
from tests.reports.factories import make_person, make_run
from tests.reports.mail_tools import make_subscription

pytestmark = pytest.mark.django_db
BODY = {
    "name": "Weekly decisions", "report": "recommendations", "recipients": ["cfo@example.com"], "days": ["mon"],
    "time": "08:00", "time_zone": "Europe/Berlin",
}  # fmt: skip


@pytest.fixture
def analyst():
    return client_of("analyst")


def test_the_shelf_names_every_report_with_its_columns(analyst):
    reports = analyst.get("reports/").json()["results"]

    assert [report["key"] for report in reports] == [report.key for report in REPORTS]
    assert {"key": "npv", "name": "Present cost", "kind": "money", "unit": "",
            "meaning": "present value of all costs over the window"} in reports[0]["columns"]  # fmt: skip


@pytest.mark.parametrize("key", [report.key for report in REPORTS])
def test_every_report_is_served_with_run_and_digest(analyst, key):
    run = make_run()

    reply = analyst.get(f"reports/{key}/?run={run.pk}")
    document = reply.json()

    assert reply.status_code == 200
    assert (document["run"], document["inputs_digest"]) == (run.pk, run.inputs_digest)
    assert reply["X-Row-Count"] == str(document["row_count"]) == str(len(document["rows"]))


def test_figures_are_strings_and_equal_the_run(analyst):
    make_run()

    (row,) = analyst.get("reports/recommendations/?workload=chat").json()["rows"]

    assert (row["npv"], row["currency"], row["how_sure"]) == ("1746000.0000", "EUR", "medium")


@pytest.mark.parametrize(("path", "status"), [
    ("reports/nonsense/", 404), ("reports/options/?run=999999", 404), ("reports/options/?run=x", 400),
    ("reports/quotes_expiring/?within_days=9999999", 400), ("reports/options/?wrokload=chat", 400),
])  # fmt: skip
def test_what_cannot_be_served_is_a_problem_document(analyst, path, status):
    make_run()

    reply = analyst.get(path)

    assert reply.status_code == status
    assert reply["Content-Type"] == "application/problem+json"


def test_a_subscription_is_stored_changed_and_archived_on_its_version(analyst):
    created = analyst.post("subscriptions/", BODY)
    assert created.status_code == 201
    path = f"subscriptions/{created.json()['id']}/"
    assert created["ETag"] == '"1"'
    assert created.json() | BODY == created.json()

    assert analyst.patch(path, {"time": "09:30"}).status_code == 428
    changed = analyst.patch(path, {"time": "09:30"}, If_Match='"1"')
    assert (changed.json()["time"], changed["ETag"]) == ("09:30", '"2"')

    stale = analyst.patch(path, {"time": "10:00"}, If_Match='"1"')
    assert stale.status_code == 412
    assert stale.json()["differences"] == [{"field": "time", "stored": "09:30:00", "asked": "10:00:00"}]

    assert analyst.delete(path, If_Match='"2"').json()["is_archived"]
    assert analyst.get("subscriptions/").json()["results"] == []
    assert not analyst.post(f"{path}restore/", {}, If_Match='"3"').json()["is_archived"]


@pytest.mark.parametrize(("change", "field"), [
    ({"recipients": ["nobody"]}, "recipients"), ({"recipients": []}, "recipients"), ({"recipients": "x"}, "recipients"),
    ({"days": ["someday"]}, "days"), ({"days": []}, "days"), ({"time": "8 o'clock"}, "time"), ({"time": 8}, "time"),
    ({"time_zone": "Mars/Olympus"}, "time_zone"), ({"report": "nonsense"}, "report"),
    ({"filters": {"within_days": "soon"}}, "filters"), ({"filters": {"withing": 3}}, "filters"),
    ({"filters": {"workload": "nothing"}}, "filters"),
    ({"if_unchanged": "perhaps"}, "if_unchanged"), ({"owner": "root"}, "owner"), ({"version": 7}, "version"),
])  # fmt: skip
def test_a_wrong_value_is_refused_by_field_and_nothing_is_stored(analyst, change, field):
    reply = analyst.post("subscriptions/", BODY | change)

    assert reply.status_code == 400
    assert any(error.get("pointer", "").startswith(f"/{field}") for error in reply.json()["errors"]), reply.json()
    assert not ReportSubscription.objects.exists()


def test_a_name_is_used_once(analyst):
    analyst.post("subscriptions/", BODY)

    assert analyst.post("subscriptions/", BODY).status_code == 400


def test_a_test_goes_to_the_asker_and_is_in_the_log(analyst):
    make_run()
    analyst.user.email = "ana@example.com"
    analyst.user.save()
    number = analyst.post("subscriptions/", BODY).json()["id"]

    sent = analyst.post(f"subscriptions/{number}/test/")

    assert sent.status_code == 201
    assert sent.json()["recipient"] == "ana@example.com"
    log = analyst.get(f"deliveries/?subscription={number}&state=pending").json()["results"]
    assert [entry["id"] for entry in log] == [sent.json()["id"]]
    assert "content" not in log[0]


def test_an_uncertain_message_is_resent_and_a_sent_one_is_not(analyst):
    make_run()
    analyst.user.email = "ana@example.com"
    analyst.user.save()
    number = analyst.post("subscriptions/", BODY).json()["id"]
    message = analyst.post(f"subscriptions/{number}/test/").json()["id"]

    OutboxMessage.objects.update(state=MessageState.UNCERTAIN)
    assert analyst.post(f"deliveries/{message}/resend/").json()["state"] == "pending"
    OutboxMessage.objects.update(state=MessageState.SENT)
    assert analyst.post(f"deliveries/{message}/resend/").status_code == 409


READERS, EDITORS = set(ROLES), {"analyst", "facilities", "finance", "administrator"}
MATRIX = {
    ("GET", "reports/"): READERS, ("GET", "reports/options/"): READERS, ("GET", "subscriptions/"): READERS,
    ("GET", "subscriptions/{id}/"): READERS, ("GET", "deliveries/"): READERS, ("POST", "subscriptions/"): EDITORS,
    ("PATCH", "subscriptions/{id}/"): EDITORS, ("DELETE", "subscriptions/{id}/"): EDITORS,
    ("POST", "subscriptions/{id}/restore/"): EDITORS, ("POST", "subscriptions/{id}/test/"): EDITORS,
    ("POST", "deliveries/{id}/resend/"): EDITORS,
}  # fmt: skip


@pytest.mark.parametrize("person", ["anonymous", "no role", *ROLES])
def test_who_may_do_what(person):
    make_run()
    subscription = make_subscription(owner=make_person("bo", "analyst"))
    client = ApiClient(None) if person == "anonymous" else client_of(None if person == "no role" else person)

    for (method, path), allowed in MATRIX.items():
        body = {} if method in ("POST", "PATCH") else None
        status = client.ask(method, path.format(id=subscription.pk), body).status_code
        if person in allowed:
            assert status not in (401, 403), (method, path, status)
            assert status < 500, (method, path, status)
        else:
            assert status == (401 if person == "anonymous" else 403), (method, path, status)


def test_a_token_needs_the_scope():
    make_run()
    client = ApiClient(make_person("ana", "analyst"), scopes=("runs:read", "subscriptions:read"))

    assert client.get("reports/options/").status_code == 200
    assert client.get("subscriptions/").status_code == 200
    assert client.post("subscriptions/", BODY).status_code == 403
