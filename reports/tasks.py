"""Celery's part in reports: opens slots, writes them, takes up letters, sends.

The rows are the truth; a task lost is rung again.
"""

import structlog
from celery import current_app, shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from reports.letters import letters_queue
from reports.outbox import message_deliver, messages_recover
from reports.selectors import messages_to_send, slots_to_prepare
from reports.slots import slot_prepare, slots_give_up, slots_open

log = structlog.get_logger(__name__)

BELL_OPTIONS = {
    "socket_timeout": 0.5, "socket_connect_timeout": 0.5, "max_retries": 1, "interval_start": 0, "interval_step": 0.1,
    "interval_max": 0.1,
}  # fmt: skip
TASK_SECONDS = 60


@shared_task
def send_due_reports() -> None:
    """Open what is due by now, free what vanished senders held, and take up letters, ring for all that waits."""
    slots_open(timezone.now())
    slots_give_up()
    messages_recover()
    letters_queue()
    for slot_id in slots_to_prepare():
        prepare_report.apply_async((slot_id,), expires=TASK_SECONDS)
    for message_id in messages_to_send():
        deliver_report.apply_async((message_id,), expires=TASK_SECONDS)


@shared_task
def prepare_report(slot_id: int) -> None:
    """Write the messages of one slot and ring for each."""
    for message_id in slot_prepare(slot_id):
        deliver_report.apply_async((message_id,), expires=TASK_SECONDS)


@shared_task
def deliver_report(message_id: int) -> None:
    """Send one message."""
    message_deliver(message_id)


def nudge_delivery(message_id: int) -> None:
    """Ring for a message once the current transaction has committed; a broker that is away only costs seconds."""
    transaction.on_commit(lambda: _ring(message_id), robust=True)


def _ring(message_id: int) -> None:
    try:
        with current_app.connection_for_write(transport_options=BELL_OPTIONS) as connection:
            deliver_report.apply_async((message_id,), connection=connection, expires=4 * settings.RECONCILE_SECONDS)
    except (KombuError, RedisError, OSError) as fault:
        log.warning("broker does not hear the bell", error=str(fault))
