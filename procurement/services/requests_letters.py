"""Letters to suppliers: one notice, one text for each, frozen when it is written.

Where a mail server is configured the outbox of reports mails them, each once, with answers to whoever wrote them. A
person may as well copy or save a letter, send it, and note that it went.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from procurement.choices import asked_item_choices, label
from procurement.errors import ProcurementError
from procurement.models import NoticeKind, QuoteRequest, RequestInvitation, RequestLetter, RequestNotice
from procurement.permissions import require
from procurement.selectors import clock
from procurement.selectors.requests import instant_words
from procurement.services.actors import Actor
from procurement.services.audit import audit_record

SUBJECTS = {
    NoticeKind.INVITATION: "Request for quotes",
    NoticeKind.CLARIFICATION: "Answer to a question",
    NoticeKind.AMENDMENT: "The request was changed",
    NoticeKind.EXTENSION: "The deadline was extended",
    NoticeKind.CANCELLATION: "The request was cancelled",
    NoticeKind.RESULT: "Result",
}
Texts = Mapping[int, str]


def notice_send(
    *,
    by: Actor,
    quote_request: QuoteRequest,
    kind: NoticeKind,
    body: str,
    changes: Mapping[str, Any] | None = None,
    texts: Texts | None = None,
) -> RequestNotice:
    """Write a notice and a letter to every supplier who is still asked; works in the caller's locked transaction.

    ``texts`` holds what a single supplier is told instead of the common body, by invitation.
    """
    words = "\n".join(part for part in (body.strip(), _changes_words(changes or {})) if part)
    notice = RequestNotice(
        request=quote_request, number=quote_request.notices.count() + 1, kind=kind,
        subject=f"{quote_request.code}: {SUBJECTS[kind]}", body=words or _summary(quote_request),
        created_at=clock.database_now(), created_by=by.user,
    )  # fmt: skip
    notice.save(force_insert=True)
    for invitation in quote_request.invitations.filter(state="invited", is_archived=False).select_related("provider"):
        _letter(notice, invitation, (texts or {}).get(invitation.pk, notice.body))
    audit_record(by=by, action="request.notify", record=notice, changes={"subject": [None, notice.subject]})
    return notice


def invitation_letter(*, by: Actor, quote_request: QuoteRequest, invitation: RequestInvitation) -> None:
    """Write the invitation of a supplier who joins after publishing, with everything that the others were told."""
    told = quote_request.notices.exclude(kind=NoticeKind.INVITATION).order_by("number")
    notice = RequestNotice(
        request=quote_request, number=quote_request.notices.count() + 1, kind=NoticeKind.INVITATION,
        subject=f"{quote_request.code}: {SUBJECTS[NoticeKind.INVITATION]}", body=_summary(quote_request),
        created_at=clock.database_now(), created_by=by.user,
    )  # fmt: skip
    notice.save(force_insert=True)
    earlier = "\n\n".join(f"Notice {item.number}, {item.get_kind_display()}:\n{item.body}" for item in told)
    _letter(
        notice, invitation, notice.body + (f"\n\nWhat the others were told before:\n\n{earlier}" if earlier else "")
    )


def has_mail_server() -> bool:
    """Return whether letters can be mailed."""
    return bool(settings.EMAIL_URL)


def letter_mail(*, by: Actor, letter: RequestLetter) -> RequestLetter:
    """Let the service mail a letter that waits for a person; one that was sent or is mailed already is refused."""
    require(by.user, "request.edit")
    if not has_mail_server():
        message = "No mail server is configured (EMAIL_URL); copy or save the letter, send it, and note that it went."
        raise ProcurementError("no_mail_server", message)
    with transaction.atomic():
        locked = RequestLetter.objects.select_for_update(of=("self",)).get(pk=letter.pk)
        if locked.sent_at is not None or locked.is_mailed:
            how = "is mailed by the service" if locked.is_mailed else "was sent by hand"
            raise ProcurementError("already_sent", f"{locked} {how}; it does not go out twice.")
        locked.is_mailed = True
        locked.save(update_fields=["is_mailed"])
        audit_record(by=by, action="request_letter.mail", record=locked, changes={"is_mailed": [False, True]})
    return locked


def letter_sent(*, by: Actor, letter: RequestLetter) -> RequestLetter:
    """Note that a letter went out; a second time is refused."""
    require(by.user, "request.edit")
    with transaction.atomic():
        locked = RequestLetter.objects.select_for_update(of=("self",)).get(pk=letter.pk)
        if locked.sent_at is not None:
            raise ProcurementError(
                "already_sent", f"{locked} was noted as sent at {locked.sent_at:%Y-%m-%d %H:%M} UTC."
            )
        locked.sent_at, locked.sent_by = clock.database_now(), by.user
        locked.save(update_fields=["sent_at", "sent_by"])
        audit_record(by=by, action="request_letter.send", record=locked, changes={"sent_at": [None, locked.sent_at]})
    return locked


def _letter(notice: RequestNotice, invitation: RequestInvitation, body: str) -> None:
    greeting = f"Dear {invitation.contact_name or invitation.provider.name},"
    deadline = instant_words(notice.request, notice.request.due_at)
    foot = f"Request {notice.request.code}, notice {notice.number}. Deadline: {deadline}."
    subject = " ".join(f"{notice.subject} – {notice.request.title}".split())[:200]  # one line, as a mail's must be
    RequestLetter.objects.create(
        notice=notice, invitation=invitation, recipient=invitation.contact_email, subject=subject,
        text=f"{greeting}\n\n{body}\n\n{foot}\n", is_mailed=invitation.is_mailed and has_mail_server(),
    )  # fmt: skip


def _summary(quote_request: QuoteRequest) -> str:
    """Return the request in words: the need, what must hold, and what each bid is asked to say."""
    asked = [words for _, words in asked_item_choices()]
    parts = [
        f"We ask for your offer: {quote_request.title}.",
        quote_request.need,
        "\n".join(f"- {line}" for line in _wanted(quote_request)),
        "Please say for each option that you offer:\n" + "\n".join(f"- {words}" for words in asked),
    ]
    if quote_request.questions:
        parts.append("Please answer also:\n" + "\n".join(f"- {text}" for text in quote_request.questions))
    parts.append("Bids stay sealed until the deadline and may be replaced or withdrawn until then.")
    return "\n\n".join(part for part in parts if part)


def _wanted(quote_request: QuoteRequest) -> list[str]:
    stated = (
        (f"{quote_request.accelerators} accelerators together: {', '.join(quote_request.accelerator_types)}", True),
        (f"in {quote_request.region}", quote_request.region),
        (f"from {quote_request.start_on}", quote_request.start_on),
        (f"until {quote_request.end_on}", quote_request.end_on),
        (
            f"at least {label(quote_request.least_interconnect or 'single_node').lower()}",
            quote_request.least_interconnect,
        ),
        (f"one fabric of {quote_request.least_domain_accelerators}", quote_request.least_domain_accelerators),
        (f"fabric {' or '.join(map(label, quote_request.accepted_fabrics))}", quote_request.accepted_fabrics),
        (f"measured all-reduce of {quote_request.least_allreduce_gbps} Gbit/s", quote_request.least_allreduce_gbps),
        (f"power {' or '.join(quote_request.accepted_power)}", quote_request.accepted_power),
        (f"delivered by {quote_request.latest_delivery_on}", quote_request.latest_delivery_on),
        (f"a term of at most {quote_request.longest_term_months} months", quote_request.longest_term_months),
    )
    return [words for words, is_stated in stated if is_stated]


def _changes_words(changes: Mapping[str, Any]) -> str:
    return "\n".join(f"- {label(name)}: {_word(pair[0])} becomes {_word(pair[1])}" for name, pair in changes.items())


def _word(value: Any) -> str:
    if value in (None, "", []):
        return "not stated"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else str(value)
