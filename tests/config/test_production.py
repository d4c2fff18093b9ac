"""The settings as they ship: closed by default, loud about what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]

NOT_SHIPPED = {"DEBUG", "SECRET_KEY", "DJANGO_ALLOW_ASYNC_UNSAFE"}  # what tests set for themselves


def manage(*arguments, **environment):
    keep = {name: value for name, value in os.environ.items() if name not in NOT_SHIPPED}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=PROJECT, env=keep | environment, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


def test_t82_production_settings_pass_the_check_for_deployment(tmp_path):
    done = manage(
        "check", "--deploy", "--fail-level", "WARNING", DATA_DIR=str(tmp_path / "data"),
        PUBLIC_URL="https://compute.example.org",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr


def test_t91_each_data_folder_gets_a_secret_key_of_its_own_that_only_its_owner_reads(tmp_path):
    for name in ("one", "two"):
        assert manage("check", DATA_DIR=str(tmp_path / name)).returncode == 0

    first, second = (tmp_path / name / "secret_key" for name in ("one", "two"))
    assert first.read_text() != second.read_text()
    assert len(first.read_text()) >= 50
    assert first.stat().st_mode & 0o077 == 0


def test_debug_is_off_unless_asked_for(settings):
    assert settings.DEBUG is False


def test_a_wrong_setting_is_named(tmp_path):
    done = manage("check", DATA_DIR=str(tmp_path / "data"), PORT="eighty")

    assert done.returncode != 0
    assert "PORT='eighty': should be a whole number from 1 to 65535" in done.stderr


@pytest.mark.django_db
def test_t80_t82_every_page_carries_the_headers_that_browsers_obey(client):
    answer = client.get("/account/login/")

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "object-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_t86_a_host_that_is_not_ours_is_refused(client):
    assert client.get("/livez", headers={"host": "evil.example"}).status_code == 400


def test_t93_only_json_is_accepted_from_the_broker(settings):
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"


def test_t13_limits_come_in_the_order_that_keeps_work_whole(settings):
    assert settings.JOB_SOFT_LIMIT_SECONDS < settings.JOB_HARD_LIMIT_SECONDS
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] == settings.JOB_HARD_LIMIT_SECONDS + 60
