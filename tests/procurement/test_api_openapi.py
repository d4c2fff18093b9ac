"""The OpenAPI file equals the views, the served one equals the file, and both describe every refusal."""

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client

from procurement.api.openapi import OPENAPI_FILE, openapi_text
from procurement.api.schema import ALWAYS
from tests.factories import make_user


def test_the_file_is_what_the_views_say():
    assert OPENAPI_FILE.read_text(encoding="utf-8") == openapi_text(), "run `python manage.py openapi`"


def test_the_command_tells_when_the_file_is_out_of_date(monkeypatch, tmp_path):
    old = tmp_path / "openapi-v1.yaml"
    old.write_text("openapi: 3.0.3\n")
    monkeypatch.setattr("procurement.management.commands.openapi.OPENAPI_FILE", old)
    monkeypatch.setattr("procurement.management.commands.openapi.openapi_text", lambda: "openapi: 3.0.3\npaths: {}\n")

    with pytest.raises(CommandError, match="out of date"):
        call_command("openapi", "--check")
    call_command("openapi")
    call_command("openapi", "--check")


def test_every_operation_has_its_own_name_and_describes_refusals():
    document = yaml.load(OPENAPI_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    operations = [
        operation
        for methods in document["paths"].values()
        for name, operation in methods.items()
        if name != "parameters"
    ]

    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    assert all(operation["summary"] for operation in operations)
    secured = [operation for operation in operations if operation["security"] != [{}]]
    assert all({str(status) for status in ALWAYS} <= set(operation["responses"]) for operation in secured)


@pytest.mark.django_db
def test_the_served_file_is_the_file():
    reply = Client().get("/api/v1/schema/", headers={"Accept": "application/yaml"})

    assert reply.content == OPENAPI_FILE.read_bytes()
    assert Client().get("/api/v1/schema/", headers={"Accept": "application/json"}).json()["openapi"].startswith("3.")


@pytest.mark.django_db
def test_the_pages_hold_no_inline_script_and_name_every_address():
    browser = Client()
    browser.force_login(make_user(role="viewer"))

    swagger = browser.get("/api/v1/docs/")
    script = browser.get("/api/v1/docs/?script=")
    reference = browser.get("/api/v1/reference/").content.decode()

    assert (swagger.status_code, script.status_code) == (200, 200)
    assert "<style" not in swagger.content.decode()
    assert "http://" not in swagger.content.decode()
    assert script["Content-Type"].startswith("application/javascript")
    for path in yaml.load(OPENAPI_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["paths"]:
        assert path in reference
