"""Many at once, with connections of their own: one wins, one record, exactly the limit."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from threading import Barrier

import pytest
from django.db import connections
from django.utils import timezone

from procurement.models import ApiIdempotency, PriceSheet, Provider, Workload
from procurement.services.api_requests import replies_prune, usage_count
from procurement.services.price_sheets import price_sheet_receive
from tests.factories import actor, make_provider, make_workload
from tests.procurement.api_tools import client_of

pytestmark = pytest.mark.django_db(transaction=True)

WORKERS = 20


@pytest.fixture(autouse=True)
def _no_bell(monkeypatch):
    """There is no broker here; the rows are the truth."""
    monkeypatch.setattr("procurement.api.base.nudge", lambda: None)


def _at_once(ask, count: int) -> list:
    start = Barrier(WORKERS)

    def worker(numbers):
        start.wait()
        try:
            return [ask(number) for number in numbers]
        finally:
            connections.close_all()

    shares = [range(first, count, WORKERS) for first in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        return [reply for replies in pool.map(worker, shares) for reply in replies]


def test_the_same_price_file_sent_by_many_at_once_is_one_sheet():
    by = actor("analyst")

    def send(_number):
        day, content = date(2026, 11, 29), b"provider\n"
        return price_sheet_receive(
            by=by, file_name="acme.csv", content=content, observed_on=day, source="mail", options={}
        )

    replies = _at_once(send, WORKERS)

    assert len({sheet.pk for sheet, _ in replies}) == 1
    assert [is_new for _, is_new in replies].count(True) == 1
    assert PriceSheet.objects.count() == 1


def test_t33_of_a_hundred_changes_of_one_version_exactly_one_wins():
    make_workload()
    analyst = client_of("analyst")

    replies = _at_once(lambda n: analyst.patch("workloads/serve/", {"accelerators": 100 + n}, If_Match='"1"'), 100)

    statuses = [reply.status_code for reply in replies]
    assert (statuses.count(200), statuses.count(412)) == (1, 99)
    stored = Workload.objects.get(code="serve")
    assert stored.version == 2
    assert all(
        reply.json()["differences"] == [{"field": "accelerators", "stored": stored.accelerators, "asked": asked}]
        for reply in replies
        if reply.status_code == 412
        for asked in [reply.json()["differences"][0]["asked"]]
    )


def test_t66_a_post_that_is_sent_twenty_times_at_once_is_carried_out_once():
    analyst = client_of("analyst")
    body = {"code": "acme", "name": "Acme"}

    replies = _at_once(lambda n: analyst.post("providers/", body, Idempotency_Key="first"), 20)

    carried_out = [reply for reply in replies if reply.status_code == 201]
    assert {reply.status_code for reply in replies} <= {201, 409}
    assert len({reply.content for reply in carried_out}) == 1
    assert len({reply["Location"] for reply in carried_out}) == 1
    assert Provider.objects.count() == 1
    assert analyst.post("providers/", body, Idempotency_Key="first").content == carried_out[0].content


def test_twenty_creations_of_one_code_without_a_key_make_one_record_and_no_500():
    analyst = client_of("analyst")

    replies = _at_once(lambda n: analyst.post("providers/", {"code": "acme", "name": "Acme"}), 20)

    statuses = [reply.status_code for reply in replies]
    assert statuses.count(201) == 1
    assert set(statuses) <= {201, 400, 409}
    assert Provider.objects.count() == 1


def test_t64_of_four_hundred_requests_exactly_the_limit_passes(settings):
    settings.API_REQUESTS_PER_MINUTE = 100
    make_provider()
    viewer = client_of("viewer")

    replies = _at_once(lambda n: viewer.get("providers/acme/"), 400)

    statuses = [reply.status_code for reply in replies]
    assert (statuses.count(200), statuses.count(429)) == (100, 300)


def test_the_count_begins_anew_with_the_next_window():
    counts = [usage_count(subject="token:x", window_seconds=60).requests for _ in range(3)]

    assert counts == [1, 2, 3]
    assert usage_count(subject="token:x", window_seconds=0).requests == 1


def test_a_kept_reply_belongs_to_one_token_and_one_body():
    analyst, other = client_of("analyst"), client_of("analyst", "other")
    first = analyst.post("providers/", {"code": "acme", "name": "Acme"}, Idempotency_Key="k")

    other_body = analyst.post("providers/", {"code": "acme", "name": "Other"}, Idempotency_Key="k")
    other_path = analyst.post("workloads/", {"code": "acme", "name": "Acme"}, Idempotency_Key="k")
    other_token = other.post("providers/", {"code": "zeta", "name": "Zeta"}, Idempotency_Key="k")

    assert first.status_code == 201
    assert (other_body.status_code, other_body.json()["code"]) == (422, "idempotency_key_reused")
    assert other_path.status_code == 422
    assert other_token.status_code == 201
    assert ApiIdempotency.objects.count() == 2


def test_replies_are_kept_for_two_days_and_no_longer():
    analyst = client_of("analyst")
    for code in ("old", "new"):
        analyst.post("providers/", {"code": code, "name": code}, Idempotency_Key=code)
    ApiIdempotency.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=49))

    replies_prune()

    assert [kept.key for kept in ApiIdempotency.objects.all()] == ["new"]


def test_a_refused_request_may_be_mended_and_sent_again_with_its_key():
    analyst = client_of("analyst")

    refused = analyst.post("providers/", {"code": "acme"}, Idempotency_Key="k")
    mended = analyst.post("providers/", {"code": "acme", "name": "Acme"}, Idempotency_Key="k")

    assert (refused.status_code, mended.status_code) == (400, 201)


def test_a_key_whose_first_request_is_still_running_is_told_to_wait(monkeypatch):
    monkeypatch.setattr("procurement.services.api_requests.WAIT_MILLISECONDS", 200)
    analyst = client_of("analyst")
    inside, go_on = Barrier(2), Barrier(2)
    original = Provider.save

    def slow_save(self, *args, **kwargs):
        inside.wait(10)
        go_on.wait(10)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Provider, "save", slow_save)
    body = {"code": "acme", "name": "Acme"}

    def first():
        try:
            return analyst.post("providers/", body, Idempotency_Key="k")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(first)
        inside.wait(10)
        meanwhile = analyst.post("providers/", body, Idempotency_Key="k")
        go_on.wait(10)
        done = running.result(10)

    assert (meanwhile.status_code, meanwhile.json()["code"]) == (409, "idempotency_in_flight")
    assert meanwhile["Retry-After"] == "1"
    assert done.status_code == 201
