"""How a frozen message leaves: SMTP step by step, or a folder where the same message lands on itself."""

import os
import re
import smtplib
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.utils import parseaddr
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from procurement.errors import ProcurementError
from reports.failpoints import reach
from reports.message import MAIL_POLICY

GoingOut = Callable[[], None]
_SMTP = "django.core.mail.backends.smtp.EmailBackend"
_FOLDER = "django.core.mail.backends.filebased.EmailBackend"
_LINE_DOT = re.compile(rb"(?m)^\.")
_READY, _ACCEPTED, _PERMANENT, _TEMPORARY = 354, 250, 500, 400


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is handed over: who to, the message id and the bytes."""

    recipient: str
    message_id: str
    content: bytes


class Refused(ProcurementError):
    """The message did not go out; ``is_permanent`` says that trying again is of no use."""

    def __init__(self, reply: str, *, is_permanent: bool) -> None:
        super().__init__("mail_refused", reply)
        self.is_permanent = is_permanent


class Uncertain(ProcurementError):
    """The message's text had gone out when the connection broke: it may have arrived."""

    def __init__(self, reply: str) -> None:
        super().__init__("mail_uncertain", reply)


class Transport(Protocol):
    """A way out. ``going_out`` is called, and has committed, before the first byte of text leaves."""

    def send(self, envelope: Envelope, going_out: GoingOut) -> str:
        """Send and return the reply; raises Refused or Uncertain."""


class SmtpTransport:
    """SMTP with the connection that Django's settings describe, one step at a time."""

    def send(self, envelope: Envelope, going_out: GoingOut) -> str:
        """Send one message to one recipient."""
        backend: Any = get_connection(_SMTP)
        try:
            backend.open()
            smtp = backend.connection
            smtp.ehlo_or_helo_if_needed()
            _expect(smtp.mail(parseaddr(settings.DEFAULT_FROM_EMAIL)[1]))
            _expect(smtp.rcpt(envelope.recipient))
            reach("before_data")
            going_out()
            _expect(smtp.docmd("DATA"), _READY)
        except (smtplib.SMTPException, OSError) as fault:
            _close(backend)
            raise _refusal(fault) from fault
        except Refused:
            _close(backend)
            raise
        try:
            smtp.send(_stuffed(envelope.content))
            reply = smtp.getreply()
        except (smtplib.SMTPException, OSError) as fault:
            raise Uncertain(f"The connection broke while the text went out: {fault}") from fault
        finally:
            _close(backend)
        _expect(reply)
        reach("after_reply")
        return _words(reply)


class FolderTransport:
    """Writes each message as one file named by its id: sent twice, it is still one."""

    def send(self, envelope: Envelope, going_out: GoingOut) -> str:
        """Write the message, complete or not at all."""
        folder = Path(settings.EMAIL_FILE_PATH)
        name = re.sub(r"[^A-Za-z0-9.-]", "_", envelope.message_id.strip("<>"))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f".{name}.{os.getpid()}"
            partial.write_bytes(envelope.content)
            reach("before_data")
            partial.replace(folder / f"{name}.eml")
        except OSError as fault:
            raise Refused(f"The folder {folder} cannot be written: {fault.strerror}", is_permanent=False) from fault
        reach("after_reply")
        return f"written to {name}.eml"


class BackendTransport:
    """Any other mail backend of Django; it gives no reply that could be judged."""

    def send(self, envelope: Envelope, going_out: GoingOut) -> str:
        """Hand the frozen message to the backend."""
        going_out()
        sent = get_connection().send_messages([_Frozen(envelope)])
        if not sent:
            raise Refused("the mail backend took no message", is_permanent=False)
        return "handed to the mail backend"


class _Frozen(EmailMessage):
    def __init__(self, envelope: Envelope) -> None:
        message = message_from_bytes(envelope.content, policy=MAIL_POLICY)
        super().__init__(subject=str(message["Subject"]), to=[envelope.recipient])
        self._frozen = message

    def message(self, **_: Any) -> Any:
        return self._frozen


def transport() -> Transport:
    """Return the way out that the settings name."""
    ways: dict[str, Callable[[], Transport]] = {_SMTP: SmtpTransport, _FOLDER: FolderTransport}
    return ways.get(settings.EMAIL_BACKEND, BackendTransport)()


def _expect(reply: tuple[int, bytes], wanted: int = _ACCEPTED) -> None:
    code = reply[0]
    is_good = code in (_ACCEPTED, 251) if wanted == _ACCEPTED else code == wanted
    if not is_good:
        raise Refused(_words(reply), is_permanent=code >= _PERMANENT)


def _refusal(fault: Exception) -> Refused:
    code = getattr(fault, "smtp_code", _TEMPORARY)
    is_login = isinstance(fault, smtplib.SMTPAuthenticationError)  # somebody may mend the password
    return Refused(f"{type(fault).__name__}: {fault}", is_permanent=code >= _PERMANENT and not is_login)


def _words(reply: tuple[int, bytes]) -> str:
    return f"{reply[0]} {reply[1].decode(errors='replace')}"


def _stuffed(content: bytes) -> bytes:
    text = _LINE_DOT.sub(b"..", content)
    return text + (b"" if text.endswith(b"\r\n") else b"\r\n") + b".\r\n"


def _close(backend: Any) -> None:
    connection, backend.connection = backend.connection, None
    if connection is not None:
        try:
            connection.quit()
        except (smtplib.SMTPException, OSError):
            connection.close()
