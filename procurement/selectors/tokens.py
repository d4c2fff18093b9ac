"""The token behind a request."""

from django.db.models import Q
from django.utils import timezone

from procurement.models import ApiToken

LONGEST_KEY = 20


def token_usable(*, key: str) -> ApiToken | None:
    """Return the token of a key with its user; ``None`` when it is unknown, expired, revoked or its user inactive."""
    if not key or len(key) > LONGEST_KEY:
        return None
    tokens = ApiToken.objects.select_related("user").filter(key=key, revoked_at__isnull=True, user__is_active=True)
    return tokens.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())).first()
