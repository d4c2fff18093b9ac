"""Fixtures of reports: a mail server on a free port."""

import pytest

from tests.reports.mail_tools import Server, Sink


@pytest.fixture
def sink(settings):
    """Return what a real SMTP server on a free port receives; Django's settings point to it."""
    sink = Sink()
    server = Server(sink)
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.hostname, server.port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_TIMEOUT = 5
    yield sink
    server.stop()
