"""What every editable record carries: a version, who made it and whether it is archived."""

from zoneinfo import available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models

MONEY = {"max_digits": 24, "decimal_places": 8}
NUMBER = {"max_digits": 24, "decimal_places": 8, "null": True, "blank": True}


def known_time_zone(name: str) -> None:
    """Refuse a name that is no time zone."""
    if name not in available_timezones():
        message = f"`{name}` is no time zone; write it as Europe/Berlin or UTC."
        raise ValidationError(message)


class EditableRecord(models.Model):
    """A record that people edit; ``version`` rises by one with every change."""

    version = models.PositiveIntegerField(default=1, editable=False)
    is_archived = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    modified_at = models.DateTimeField(auto_now=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )

    class Meta:
        abstract = True


class RangedRecord(EditableRecord):
    """A record whose numbers may be {min, likely, max}: the column holds likely, ``ranges`` the other two."""

    ranges = models.JSONField(
        default=dict, blank=True, help_text='least and greatest value by column, as {"price": {"min": 2, "max": 3}}'
    )

    class Meta:
        abstract = True
