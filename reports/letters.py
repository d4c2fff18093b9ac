"""Letters of requests for quotes as mail: each is frozen into the outbox once, and what became of it is read there."""

import hashlib
from collections.abc import Iterable

from procurement.models import RequestLetter
from reports.message import write_letter
from reports.models import MessageKind, OutboxMessage
from reports.selectors import letters_to_mail


def letters_queue() -> int:
    """Freeze every letter that is to go by mail and has no message yet; return how many.

    A letter has one message at most, whoever calls this at the same time: the database holds one row a letter.
    """
    messages = [_message(letter) for letter in letters_to_mail()]
    OutboxMessage.objects.bulk_create(messages, ignore_conflicts=True)
    return len(messages)


def deliveries_of(letters: Iterable[RequestLetter]) -> dict[int, OutboxMessage]:
    """Return the messages of letters by the key of the letter, without their text."""
    found = OutboxMessage.objects.filter(letter__in=[letter.pk for letter in letters]).defer("content")
    return {message.letter_id: message for message in found if message.letter_id is not None}


def _message(letter: RequestLetter) -> OutboxMessage:
    buyer = letter.notice.created_by
    written = write_letter(
        subject=letter.subject, text=letter.text, recipient=letter.recipient, reply_to=buyer.email if buyer else ""
    )
    return OutboxMessage(
        letter=letter, kind=MessageKind.LETTER, recipient=letter.recipient, subject=written.subject,
        message_id=written.message_id, content=written.content,
        content_sha256=hashlib.sha256(written.content).hexdigest(),
    )  # fmt: skip
