"""What became of the mail of letters, for the pages of requests, which know letters and not the outbox."""

from collections.abc import Iterable, Mapping

from django import template

from procurement.models import RequestLetter
from reports.letters import deliveries_of
from reports.models import OutboxMessage

register = template.Library()


@register.simple_tag
def deliveries(letters: Iterable[RequestLetter]) -> dict[int, OutboxMessage]:
    """Return the messages of letters by the key of the letter."""
    return deliveries_of(letters)


@register.filter
def of_letter(found: Mapping[int, OutboxMessage], letter: RequestLetter) -> OutboxMessage | None:
    """Return the message of a letter, ``None`` when it has none."""
    return found.get(letter.pk)
