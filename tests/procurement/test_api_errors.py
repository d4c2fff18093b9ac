"""Whatever is sent, the reply is a problem document that says what was wrong; nothing ends in a 500."""

import json

import pytest
from django.test import Client
from django.urls import path as route

from procurement.api.problems import PROBLEM_JSON
from procurement.models import Provider
from tests.factories import make_provider, make_quote, make_user
from tests.procurement.api_tools import client_of

pytestmark = pytest.mark.django_db

PROVIDER = {"code": "acme", "name": "Acme"}


def _is_problem(reply, status, code=None) -> bool:
    assert reply.status_code == status, reply.content[:500]
    assert reply["Content-Type"] == PROBLEM_JSON
    document = reply.json()
    assert set(document) >= {"type", "title", "status", "code", "detail", "request_id", "errors"}
    assert document["request_id"] == reply["X-Request-Id"]
    assert "Traceback" not in reply.content.decode()
    return document["status"] == status and code in (None, document["code"])


def test_nobody_is_told_how_to_sign_in():
    reply = Client().get("/api/v1/quotes/")

    assert _is_problem(reply, 401, "not_authenticated")
    assert reply["WWW-Authenticate"].startswith("Basic realm=")


@pytest.mark.parametrize("path", ["nothing/", "quotes/none/", "runs/999/", "runs/abc/", "quotes/a%00b/", "%ff/"])
def test_what_is_not_there_is_a_problem_document(path):
    assert _is_problem(client_of("viewer").get(path), 404)


def test_a_method_that_is_not_offered_names_those_that_are():
    reply = client_of("administrator").ask("PUT", "quotes/", {})

    assert _is_problem(reply, 405, "method_not_allowed")
    assert set(reply["Allow"].split(", ")) >= {"GET", "POST"}


def test_a_media_type_that_is_not_offered_is_refused():
    assert _is_problem(client_of("viewer").get("quotes/", Accept="application/xml"), 406)


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "", "nonsense", "multipart/form-data"])
def test_a_body_of_another_type_is_refused(content_type):
    reply = client_of("analyst").ask("POST", "providers/", b"code=acme", Content_Type=content_type)

    assert _is_problem(reply, 415)


def test_a_body_that_is_too_large_is_refused():
    body = json.dumps({**PROVIDER, "note": "x" * 6_000_000}).encode()

    assert _is_problem(client_of("analyst").ask("POST", "providers/", body), 413, "too_large")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[" * 100_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"\xff\xfe", b'{"name": "\\u0000"}',
        b'{"name": "\\ud800"}', b'{"\\u0000": 1}', b'{"code": NaN}', b'{"code": Infinity}', b'{"code": -Infinity}',
        b'{"code": 1e999999}', b'{"code": ' + b"9" * 5_000 + b"}", b'{"code": "a", "code": "b"}', b"null", b"[]",
        b'"text"', b"1", b"true", b'[{"code": "a"}]', b'{"code": {"a": []}, "name": [], "website": 1, "note": null}',
        b'{"code": "not a slug!", "name": ""}', '{"code": "ä", "name": "\N{RIGHT-TO-LEFT OVERRIDE}"}'.encode(),
    ],
)  # fmt: skip
def test_an_odd_body_is_a_named_fault(body):
    assert _is_problem(client_of("analyst").ask("POST", "providers/", body), 400)
    assert not Provider.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        "modified_since=0893-08-26T17:50:51.292-18:28", "modified_since=9999-12-31T23:59:59-23:59",
        "modified_since=2026-13-01", "modified_since=yesterday", "modified_since=", "modified_since=%00",
        "modified_since=2026-11-30T10:00:00+99:99", "quoted_on_since=2026-02-30", "quoted_on_since=%F0%9F%98%80",
        "sheet=-1", "sheet=99999999999999999999", "sheet=1e3", "sheet=%D9%A1", "include_archived=maybe", "limit=0",
        "limit=5001", "limit=abc", "limit=1&limit=2", "order=price", "order=-pk;drop", "cursor=abc", "cursor=%00",
        "cursor=WyJpZCIsIjEiXQ:tampered", "purchase_model=gift", "code=%00", "code=" + "x" * 201, "provider__code=a",
        "_connector=OR", "kode=a", "format=xml", "modified_since=2026-11-30&modified_since=2026-11-29",
    ],
)  # fmt: skip
def test_an_odd_parameter_is_a_named_fault(query):
    reply = client_of("viewer").get(f"quotes/?{query}")

    assert _is_problem(reply, 400)
    assert reply.json()["errors"][0]["parameter"] in query.replace("%00", "") + "code"


def test_more_parameters_than_anybody_needs_are_refused():
    assert _is_problem(client_of("viewer").get("quotes/?" + "&".join(f"a{n}=1" for n in range(2000))), 400)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data; boundary=x", b"--y\r\n\r\nz"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=" + "x" * 300, b"--x--"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../a\x00b.csv"\r\n\r\na,b\r\n--x--\r\n',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="so\x00urce"\r\n\r\na\r\n--x--\r\n',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="source"\r\n\r\na\x00b\xff\r\n--x--\r\n',
        ),
    ],
)
def test_an_odd_form_is_a_named_fault(content_type, body):
    reply = client_of("analyst").ask("POST", "price-sheets/", body, Content_Type=content_type)

    assert _is_problem(reply, 415 if len(content_type) > 100 else 400)


def test_a_misspelt_parameter_is_suggested():
    reply = client_of("viewer").get("quotes/?acelerator=H100")

    assert "Did you mean `accelerator`?" in reply.json()["detail"]


@pytest.mark.parametrize("instant", ["2026-11-30T09:00:00+02:00", "2026-11-30T09:00:00 02:00", "2026-11-30"])
def test_a_plus_sign_that_arrives_as_a_space_is_understood(instant):
    assert client_of("viewer").get(f"quotes/?modified_since={instant}").status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        "Basic", "Basic %%%", "Basic YWJj", "Basic " + "A" * 5000, "Bearer", "Bearer x", "Bearer .", "Bearer a.b.c",
        "Basic Y2Q6AA==", "Bearer \xff.\xfe", "Bearer  cd_000000000000.secret",
    ],
)  # fmt: skip
def test_an_odd_credential_is_refused(header):
    assert _is_problem(Client().get("/api/v1/quotes/", headers={"Authorization": header}), 401)


def test_a_wrong_token_is_refused_even_beside_a_session():
    browser = Client()
    browser.force_login(make_user(role="viewer"))

    assert browser.get("/api/v1/quotes/").status_code == 200
    assert _is_problem(browser.get("/api/v1/quotes/", headers={"Authorization": "Bearer no.thing"}), 401)


@pytest.mark.parametrize("tag", ["abc", '"abc"', "", '"99999999999999"', "3", '"-1"'])
def test_an_odd_version_never_matches(tag):
    quote = make_quote()

    assert _is_problem(client_of("analyst").patch(f"quotes/{quote.code}/", {"price": "2"}, If_Match=tag), 412)


def test_any_version_is_no_version():
    quote = make_quote()

    assert _is_problem(client_of("analyst").patch(f"quotes/{quote.code}/", {"price": "2"}, If_Match="*"), 428)


def test_a_change_in_a_browser_needs_its_csrf_token():
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(make_user(role="analyst"))

    reply = browser.post("/api/v1/providers/", PROVIDER, content_type="application/json")

    assert _is_problem(reply, 403)
    assert not Provider.objects.exists()


def test_a_request_for_another_host_is_a_problem_document():
    assert _is_problem(Client().get("/api/v1/quotes/", headers={"Host": "evil.example"}), 400)


def test_two_creations_at_once_end_as_a_conflict():
    make_provider()

    reply = client_of("analyst").post("providers/", PROVIDER)

    assert _is_problem(reply, 400, "invalid")
    assert reply.json()["errors"][0]["pointer"] == "/code"


def _fails(request):
    raise RuntimeError("a secret detail")


class _Addresses:
    urlpatterns = [route("api/v1/fails/", _fails)]


def test_what_nobody_foresaw_is_a_problem_document_without_details(settings):
    settings.ROOT_URLCONF = _Addresses
    browser = Client(raise_request_exception=False)

    reply = browser.get("/api/v1/fails/")

    assert _is_problem(reply, 500)
    assert b"secret" not in reply.content


def test_the_request_id_of_the_client_is_kept():
    reply = client_of("viewer").get("quotes/", X_Request_Id="pull-2026-11-30")

    assert reply["X-Request-Id"] == "pull-2026-11-30"
    assert "\n" not in client_of("viewer").get("quotes/", X_Request_Id="a b\tc")["X-Request-Id"]
