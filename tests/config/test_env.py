"""Settings from the environment: what is wrong is named with what would be right."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from procurement.config import env


def test_a_database_url_is_taken_apart():
    entry = env.database("DATABASE_URL", "postgresql://me:p%40ss@db.example:6543/prices?sslmode=require")

    assert entry["NAME"] == "prices"
    assert (entry["USER"], entry["PASSWORD"]) == ("me", "p@ss")
    assert (entry["HOST"], entry["PORT"]) == ("db.example", "6543")
    assert entry["OPTIONS"] == {"sslmode": "require"}


def test_a_database_url_may_name_a_socket_folder():
    assert env.database("DATABASE_URL", "postgresql://me@/prices?host=/run/postgresql")["HOST"] == "/run/postgresql"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///x.db", "scheme 'sqlite' should be one of postgresql"),
        ("postgresql://host", "database name is missing"),
    ],
)
def test_a_database_url_that_cannot_work_is_refused(url, message):
    with pytest.raises(ImproperlyConfigured, match=message):
        env.database("DATABASE_URL", url)


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [
        ("smtp://mail.example", 25, False, False),
        ("smtp+tls://me:secret@mail.example", 587, True, False),
        ("smtps://mail.example:4650", 4650, False, True),
    ],
)
def test_an_email_url_is_taken_apart(url, port, tls, ssl):
    found = env.email("EMAIL_URL", url)

    assert (found["EMAIL_PORT"], found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (port, tls, ssl)


@pytest.mark.parametrize("value", ["abc", "-1", "70000"])
def test_a_number_out_of_bounds_is_refused(monkeypatch, value):
    monkeypatch.setenv("PORT", value)

    with pytest.raises(ImproperlyConfigured, match="PORT=.* should be a whole number from 1 to 65535"):
        env.number("PORT", 8000, low=1, high=65535)


def test_a_flag_is_yes_or_no(monkeypatch):
    monkeypatch.setenv("DEBUG", "maybe")

    with pytest.raises(ImproperlyConfigured, match="DEBUG='maybe': should be 1 or 0"):
        env.flag("DEBUG", default=False)


def test_the_environment_wins_over_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRST_NAME_OF_TEST", "environment")
    monkeypatch.delenv("SECOND_NAME_OF_TEST", raising=False)
    file = tmp_path / ".env"
    file.write_text("# a remark\nFIRST_NAME_OF_TEST=file\nSECOND_NAME_OF_TEST='file'\n")

    env.load_env_file(file)

    assert env.text("FIRST_NAME_OF_TEST") == "environment"
    assert env.text("SECOND_NAME_OF_TEST") == "file"
    monkeypatch.delenv("SECOND_NAME_OF_TEST")


def test_a_line_that_is_no_setting_is_named(tmp_path):
    file = tmp_path / ".env"
    file.write_text("PORT 8000\n")

    with pytest.raises(ImproperlyConfigured, match=r"\.env line 1"):
        env.load_env_file(file)


def test_processes_that_start_at_once_all_read_the_one_secret_and_never_an_empty_file(monkeypatch, tmp_path):
    """The first process is stopped for as long as the second starts, between making the file and writing into it."""
    path = tmp_path / "secret_key"
    made, second = env.secrets.token_urlsafe, []

    def slow(size):
        monkeypatch.setattr(env.secrets, "token_urlsafe", made)
        second.append(env.remembered_secret(path))
        return made(size)

    monkeypatch.setattr(env.secrets, "token_urlsafe", slow)

    assert env.remembered_secret(path) == second[0] == path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_secret_is_named_by_its_file(tmp_path):
    (tmp_path / "secret_key").touch()

    with pytest.raises(ImproperlyConfigured, match="secret_key is empty; put the secret back"):
        env.remembered_secret(tmp_path / "secret_key")
