"""What all tests share: the fixed day, private folders, the folder of facts, the count of tests that read it."""

import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pandas
import pytest
from django.db import connection

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"

# What only the oracles need brings libraries that pandas would use where it finds them; what ships has none of them.
pandas.set_option("mode.string_storage", "python")
pandas.set_option("compute.use_bottleneck", False)
pandas.set_option("compute.use_numexpr", False)


@pytest.fixture
def as_of() -> date:
    """Return the day on which every test happens."""
    return date(2026, 11, 30)


@pytest.fixture(scope="session")
def project_folder() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared is not here")
    return SHARED


@pytest.fixture
def servers_folder() -> Iterator[Path]:
    """Return a folder for servers: not below pytest's own, which every other run of pytest makes impassable."""
    with tempfile.TemporaryDirectory(prefix="servers-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """End what threads and killed processes left connected, so that the test database can be dropped."""
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(autouse=True)
def _private_files(settings, tmp_path):
    """Keep uploads out of the data folder, and pages independent of collected static files."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_collection_modifyitems(items):
    if SHARED.is_dir():
        return
    absent = pytest.mark.skip(reason="the folder ../shared is not here")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(absent)


def pytest_terminal_summary(terminalreporter):
    """Say what did not run, so that nobody takes skipped tests for passed ones."""
    reports = [
        r for outcome in ("passed", "failed") for r in terminalreporter.stats.get(outcome, []) if r.when == "call"
    ]
    ran = sum("shared" in report.keywords for report in reports)
    terminalreporter.write_line(f"tests that read ../shared and ran: {ran}")
    unseen = sum("browser" in report.keywords for report in terminalreporter.stats.get("skipped", []))
    if unseen:
        terminalreporter.write_sep("!", f"{unseen} BROWSER TESTS DID NOT RUN", red=True, bold=True)
        terminalreporter.write_line("They need chromium: apt-get install chromium, or CHROMIUM=/path/of/chromium")
