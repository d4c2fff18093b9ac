"""One message as bytes: headers that cannot be injected, text and HTML, the way to leave in one click."""

from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from urllib.parse import quote, urlsplit

import css_inline
from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse
from django.utils import timezone

from procurement.errors import ProcurementError

# modern policies fold long headers into encoded words, which breaks one-click unsubscribing: no folding below this
MAIL_POLICY = SMTP.clone(max_line_length=990)
MOST_BYTES = 80 * 1024
SUBJECT_LENGTH = 180
_SIGNER_SALT = "reports.unsubscribe"
_INLINER = css_inline.CSSInliner(load_remote_stylesheets=False, keep_style_tags=True, keep_at_rules=True)


@dataclass(frozen=True, slots=True)
class Letter:
    """What a message says, the same for every recipient of a slot."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Addressee:
    """Who gets it, for which subscription, and where somebody answers."""

    recipient: str
    subscription_id: int
    subscription_name: str
    reply_to: str


@dataclass(frozen=True, slots=True)
class Written:
    """A message that is ready to be frozen."""

    message_id: str
    subject: str
    content: bytes


def one_line(text: str, most: int = SUBJECT_LENGTH) -> str:
    """Return text without line breaks and control characters: a header is one line, whatever is in a name."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def write_message(letter: Letter, to: Addressee) -> Written:
    """Return the message of a letter for one recipient; refuses one that mail programs would cut off."""
    message = EmailMessage(policy=MAIL_POLICY)
    domain = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    leave = unsubscribe_address(to.subscription_id, to.recipient)
    name, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    message["From"] = Address(display_name=one_line(name), addr_spec=sender)
    message["To"] = Address(addr_spec=to.recipient)
    if to.reply_to:
        message["Reply-To"] = Address(addr_spec=to.reply_to)
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(timezone.now())
    message["Message-ID"] = make_msgid(domain=domain)
    message["Auto-Submitted"] = "auto-generated"
    message["List-Id"] = f"<report-{to.subscription_id}.{domain}>"
    mail_to = f", <mailto:{to.reply_to}?subject=unsubscribe%20{quote(one_line(to.subscription_name, 60))}>"
    message["List-Unsubscribe"] = f"<{leave}>{mail_to if to.reply_to else ''}"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    text, html = (part.replace("{{leave}}", leave) for part in (letter.text, letter.html))
    message.set_content(text, cte="quoted-printable")
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    if len(html.encode()) > MOST_BYTES:
        size = len(html.encode()) // 1024
        raise ProcurementError("mail_too_big", f"The message has {size} KB of HTML; mail programs cut off above 80 KB.")
    return Written(str(message["Message-ID"]), str(message["Subject"]), message.as_bytes())


def write_letter(*, subject: str, text: str, recipient: str, reply_to: str) -> Written:
    """Return a plain letter to one recipient; answers go to the person who wrote it."""
    message = EmailMessage(policy=MAIL_POLICY)
    name, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    message["From"] = Address(display_name=one_line(name), addr_spec=sender)
    message["To"] = Address(addr_spec=recipient)
    if reply_to:
        message["Reply-To"] = Address(addr_spec=reply_to)
    message["Subject"] = one_line(subject)
    message["Date"] = format_datetime(timezone.now())
    message["Message-ID"] = make_msgid(domain=urlsplit(settings.PUBLIC_URL).hostname or "localhost")
    message.set_content(text, cte="quoted-printable")
    return Written(str(message["Message-ID"]), str(message["Subject"]), message.as_bytes())


def inlined(html: str) -> str:
    """Return HTML with its style sheet written into the elements; nothing is fetched."""
    return _INLINER.inline(html)


def unsubscribe_address(subscription_id: int, recipient: str) -> str:
    """Return the address at which a recipient leaves; signed, so that nobody else can."""
    token = Signer(salt=_SIGNER_SALT).sign_object([subscription_id, recipient])
    return f"{settings.PUBLIC_URL}{reverse('reports:unsubscribe', args=[token])}"


def read_unsubscribe_token(token: str) -> tuple[int, str]:
    """Return subscription and recipient of a token; refuses one that was not made here."""
    try:
        subscription_id, recipient = Signer(salt=_SIGNER_SALT).unsign_object(token)
    except (BadSignature, ValueError) as fault:
        message = "This link is not complete. Copy it whole from the message."
        raise ProcurementError("bad_token", message) from fault
    return int(subscription_id), str(recipient)
