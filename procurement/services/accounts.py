"""API tokens: made, shown once, revoked."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from procurement.errors import ProcurementError
from procurement.models import ApiToken
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.services.audit import audit_record

RESOURCES = (
    "providers", "sites", "price-sheets", "quotes", "builds", "workloads", "assumption-sets", "runs", "portfolios",
    "decisions", "requests", "actuals", "jobs", "subscriptions", "evaluate", "*",
)  # fmt: skip
SCOPES = tuple(f"{resource}:{access}" for resource in RESOURCES for access in ("read", "write"))


def token_create(
    *, by: Actor, name: str, scopes: Sequence[str], expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is never shown again; a token can do no more than its user."""
    require(by.user, "token.own")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        message = f"Unknown scope {', '.join(unknown) or '(none given)'}; choose from {', '.join(SCOPES)}."
        raise ProcurementError("invalid", message, {"scopes": [message]})
    if expires_at is not None and expires_at <= timezone.now():
        message = f"{expires_at:%Y-%m-%d %H:%M} has passed; choose a later moment."
        raise ProcurementError("invalid", message, {"expires_at": [message]})
    secret = secrets.token_urlsafe(32)
    token = ApiToken(
        user=by.user, name=name.strip()[:80] or "token", key=f"cd_{secrets.token_hex(6)}",
        secret_sha256=secret_digest(secret), scopes=sorted(set(scopes)), expires_at=expires_at,
    )  # fmt: skip
    with transaction.atomic():
        token.save(force_insert=True)
        audit_record(by=by, action="token.create", record=token, changes={"scopes": [None, token.scopes]})
    return token, secret


def token_revoke(*, by: Actor, token: ApiToken) -> ApiToken:
    """Refuse the token from now on; its owner and an administrator may."""
    if by.user is not None and token.user_id != by.user.pk:
        require(by.user, "account.edit")
    if token.revoked_at is None:
        with transaction.atomic():
            token.revoked_at = timezone.now()
            token.save(update_fields=["revoked_at"])
            audit_record(by=by, action="token.revoke", record=token, changes={"revoked": [False, True]})
    return token


def token_used(*, token: ApiToken) -> None:
    """Note that a token was used, at most once a minute."""
    now = timezone.now()
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() > 60:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


def secret_digest(secret: str) -> str:
    """Return what is stored of a secret: it has 256 bits of chance, so a plain digest cannot be guessed back."""
    return hashlib.sha256(secret.encode()).hexdigest()
