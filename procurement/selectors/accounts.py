"""Reads of API tokens."""

from typing import Any

from django.db.models import QuerySet

from procurement.models import ApiToken
from procurement.permissions import can


def tokens_of(user: Any) -> QuerySet[ApiToken]:
    """Return the tokens that a person may see: the own ones, for an administrator everybody's."""
    tokens = ApiToken.objects.select_related("user")
    return tokens if can(user, "account.edit") else tokens.filter(user=user)
