"""A real browser against the real pages; skipped, loudly, where there is no Chromium."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.factories import make_user

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
HOW_TO_GET_IT = "no chromium found: `apt-get install chromium`, or set CHROMIUM to its path"
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PASSWORD = "only-in-the-test-database"

# Playwright's loop runs in this thread, which Django would take for an asynchronous caller
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM:
                item.add_marker(pytest.mark.skip(reason=HOW_TO_GET_IT))


def pytest_terminal_summary(terminalreporter):
    if not CHROMIUM:
        terminalreporter.write_line(f"BROWSER TESTS DID NOT RUN: {HOW_TO_GET_IT}", red=True, bold=True)


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """Return the service on a free port; it reads its settings at the start, before those of a test apply."""
    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(
        STORAGES=settings.STORAGES | plain, WHITENOISE_AUTOREFRESH=True, WHITENOISE_USE_FINDERS=True
    ):
        server = LiveServer("localhost")
        yield server
        server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield started
        started.close()


@pytest.fixture
def open_context(browser) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens a window: dark or light, wide or as narrow as a phone, with script or without."""
    opened = []

    def new(*, is_dark: bool = False, is_narrow: bool = False, has_script: bool = True, is_checked: bool = False):
        context = browser.new_context(
            color_scheme="dark" if is_dark else "light",
            viewport={"width": 390, "height": 844} if is_narrow else {"width": 1280, "height": 860},
            java_script_enabled=has_script,
            bypass_csp=is_checked,  # axe is put into the page from outside
        )
        opened.append(context)
        return context

    yield new
    for context in opened:
        context.close()


@pytest.fixture
def sign_in(live_server) -> Callable[..., Page]:
    """Return a function that signs a person of a role in through the form."""

    def through_the_form(context: BrowserContext, role: str = "administrator") -> Page:
        user = make_user(role=role)
        user.set_password(PASSWORD)
        user.save()
        page = context.new_page()
        page.goto(f"{live_server.url}/account/login/")
        page.fill("[name=username]", user.username)
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_load_state()
        return page

    return through_the_form
