"""A mail server that answers as told, and subscriptions that are due."""

import socket
import time as clock
from datetime import UTC, datetime, time
from email import message_from_bytes, policy

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from reports.models import ReportSubscription
from tests.reports.factories import make_person

SLOT = datetime(2026, 11, 30, 7, tzinfo=UTC)  # Monday 08:00 in Berlin


class Sink:
    """Keeps what it is given; ``replies`` are given first, one a connection and phase."""

    def __init__(self):
        self.letters = []
        self.at_rcpt = []
        self.at_data = []
        self.stall = 0.0
        self.drops = 0

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if self.at_rcpt:
            return self.at_rcpt.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        if self.drops:
            self.drops -= 1
            server.transport.abort()
            return "250 never heard"
        if self.stall:
            clock.sleep(self.stall)
        if self.at_data:
            return self.at_data.pop(0)
        self.letters.append((list(envelope.rcpt_tos), envelope.content))
        return "250 kept"

    def messages(self):
        """Return what arrived, parsed."""
        return [message_from_bytes(content, policy=policy.default) for _, content in self.letters]


class Server(Controller):
    """aiosmtpd on a port that is free."""

    def __init__(self, sink):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        super().__init__(sink, hostname="127.0.0.1", port=port)

    def factory(self):
        return SMTP(self.handler, enable_SMTPUTF8=True, data_size_limit=None)


def make_subscription(owner=None, **changes):
    """Return a subscription of Mondays at 08:00 in Berlin that has not been due yet."""
    owner = owner or make_person("ana", "analyst")
    values = {
        "name": "Weekly decisions", "report": "recommendations", "recipients": ["cfo@example.com"], "days": ["mon"],
        "time": time(8), "time_zone": "Europe/Berlin", "owner": owner, "created_by": owner,
        "counted_to": datetime(2026, 11, 29, tzinfo=UTC),
    }  # fmt: skip
    return ReportSubscription.objects.create(**values | changes)
