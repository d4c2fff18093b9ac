"""Tokens: what they open, that they are shown once, and that they close at once."""

from datetime import timedelta

import pytest
from django.core import serializers
from django.test import Client
from django.utils import timezone

from procurement.models import ApiToken, AuditEntry
from tests.factories import make_provider, make_user
from tests.procurement.api_tools import ApiClient, basic, client_of, new_token

pytestmark = pytest.mark.django_db


def _browser(role: str = "analyst") -> Client:
    browser = Client()
    browser.force_login(make_user(role=role))
    return browser


def _made(browser: Client, **body) -> dict:
    values = {"name": "nightly pull", "scopes": ["quotes:read"], **body}
    reply = browser.post("/api/v1/tokens/", values, content_type="application/json")
    assert reply.status_code == 201, reply.content
    return reply.json()


def test_a_new_token_works_by_basic_and_by_bearer():
    made = _made(_browser())

    for header in (basic(made["key"], made["secret"]), f"Bearer {made['key']}.{made['secret']}"):
        assert Client().get("/api/v1/quotes/", headers={"Authorization": header}).status_code == 200


def test_the_secret_is_shown_once_and_stored_nowhere(caplog):
    browser = _browser()

    secret = _made(browser)["secret"]

    assert secret not in browser.get("/api/v1/tokens/").content.decode()
    assert secret not in serializers.serialize("json", [*ApiToken.objects.all(), *AuditEntry.objects.all()])
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("scopes", "method", "path", "expected"),
    [
        (("quotes:read",), "GET", "quotes/", 200),
        (("quotes:read",), "GET", "builds/", 403),
        (("quotes:read",), "POST", "quotes/", 403),
        (("quotes:write",), "GET", "quotes/", 200),
        (("quotes:write",), "POST", "quotes/", 400),
        (("quotes:write",), "POST", "workloads/", 403),
        (("*:read",), "GET", "builds/", 200),
        (("*:read",), "POST", "builds/", 403),
        (("*:write",), "POST", "builds/", 400),
        (("quotes:read",), "GET", "tables/quotes.csv", 200),
        (("quotes:read",), "GET", "tables/options.csv", 403),
        (("runs:read",), "GET", "tables/options.csv", 200),
        (("quotes:read",), "GET", "me/", 403),
    ],
)
def test_a_token_opens_its_scopes_and_no_more(scopes, method, path, expected):
    client = ApiClient(make_user(role="administrator"), scopes=scopes)

    reply = client.ask(method, path, {} if method == "POST" else None)

    if reply.streaming:
        b"".join(reply.streaming_content)  # to the end, so that its file is closed
    if path == "me/":
        assert reply.json()["scopes"] == list(scopes)
        return
    assert reply.status_code == expected
    if expected == 403:
        assert reply.json()["code"] == "scope_missing"


def test_a_token_can_do_no_more_than_its_user():
    assert client_of("viewer").post("providers/", {"code": "a", "name": "A"}).json()["code"] == "permission_refused"


def test_a_role_taken_away_closes_its_tokens_too():
    user = make_user(role="analyst")
    client = ApiClient(user)
    assert client.get("quotes/").status_code == 200

    user.groups.clear()

    assert client.get("quotes/").status_code == 403


@pytest.mark.parametrize(
    "change",
    [
        {"revoked_at": timezone.now()},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
    ],
    ids=["revoked", "expired"],
)
def test_a_closed_token_is_refused_at_once(change):
    client = client_of("analyst")
    ApiToken.objects.filter(pk=client.token.pk).update(**change)

    assert client.get("quotes/").status_code == 401


def test_an_inactive_user_is_refused():
    client = client_of("analyst")
    client.user.is_active = False
    client.user.save()

    assert client.get("quotes/").status_code == 401


def test_a_revoked_token_is_refused_with_the_next_request():
    browser = _browser()
    made = _made(browser)
    header = {"Authorization": f"Bearer {made['key']}.{made['secret']}"}

    assert browser.delete(f"/api/v1/tokens/{made['key']}/?reason=lost").status_code == 200

    assert Client().get("/api/v1/quotes/", headers=header).status_code == 401
    assert AuditEntry.objects.filter(action="token.revoke", reason="lost").exists()


def test_a_token_makes_no_token():
    reply = client_of("administrator").post("tokens/", {"name": "child", "scopes": ["*:write"]})

    assert (reply.status_code, reply.json()["code"]) == (403, "session_needed")


@pytest.mark.parametrize("body", [{"scopes": []}, {"scopes": ["money:print"]}, {"expires_at": "2020-01-01T00:00:00Z"}])
def test_an_impossible_token_is_refused(body):
    values = {"name": "x", "scopes": ["*:read"], **body}

    reply = _browser().post("/api/v1/tokens/", values, content_type="application/json")

    assert reply.status_code == 400
    assert reply.json()["errors"][0]["pointer"].startswith(f"/{next(iter(body))}")


def test_a_secret_is_never_kept_for_an_idempotency_key():
    values = {"name": "x", "scopes": ["*:read"]}

    reply = _browser().post(
        "/api/v1/tokens/", values, content_type="application/json", headers={"Idempotency-Key": "k1"}
    )

    assert reply.status_code == 400
    assert not ApiToken.objects.exists()


def test_when_a_token_was_used_is_noted():
    token, secret = new_token(make_user(role="viewer"))

    Client().get("/api/v1/quotes/", headers={"Authorization": f"Bearer {token.key}.{secret}"})

    token.refresh_from_db()
    assert token.last_used_at is not None


def test_who_asks_is_told_what_they_may_do():
    me = client_of("facilities").get("me/").json()

    assert me["roles"] == ["facilities"]
    assert "evidence.add" in me["actions"]
    assert "decision.approve" not in me["actions"]


def test_requests_beyond_the_limit_are_told_to_wait(settings):
    settings.API_REQUESTS_PER_MINUTE = 3
    client = client_of("viewer")
    make_provider()

    statuses = [client.get("providers/").status_code for _ in range(3)]
    refused = client.get("providers/")

    assert statuses == [200, 200, 200]
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["X-RateLimit-Remaining"] == "0"
    assert client_of("viewer", "another").get("providers/").status_code == 200
