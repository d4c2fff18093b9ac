"""Who asks: a token by Basic (key and secret) or Bearer (key.secret), or the session of a browser with CSRF."""

import base64
import binascii
import secrets

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from procurement.models import ApiToken
from procurement.selectors.tokens import token_usable
from procurement.services.accounts import secret_digest, token_used

CHALLENGE = 'Basic realm="compute decisions", charset="UTF-8", Bearer realm="compute decisions"'
REFUSED = "The token is unknown, expired or revoked, or its secret is wrong."
_UNKNOWN = secret_digest("no such token")


class TokenAuthentication(BaseAuthentication):
    """Reads the header Authorization; a wrong one is refused even where a session would do."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the token's user and the token, ``None`` when the header names no scheme of ours."""
        scheme, _, rest = get_authorization_header(request).partition(b" ")
        if scheme.lower() == b"bearer":
            key, _, secret = _text(rest.strip()).partition(".")
        elif scheme.lower() == b"basic":
            key, _, secret = _decoded(rest.strip()).partition(":")
        else:
            return None
        return _checked(key, secret)

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401."""
        return CHALLENGE


class CsrfSessionAuthentication(SessionAuthentication):
    """The browser's session; changes need the CSRF token."""


class TokenScheme(OpenApiAuthenticationExtension):
    """How the token appears in the OpenAPI file."""

    target_class = TokenAuthentication
    name = ["tokenBasic", "tokenBearer"]  # noqa: RUF012 - the library reads a list

    def get_security_requirement(self, auto_schema: AutoSchema) -> list[dict[str, list[str]]]:
        """Return that either way will do."""
        return [{name: []} for name in self.name]

    def get_security_definition(self, auto_schema: AutoSchema) -> list[dict[str, str]]:
        """Return both ways of sending a token."""
        return [
            {"type": "http", "scheme": "basic", "description": "User name is the token's key, password its secret."},
            {"type": "http", "scheme": "bearer", "description": "The token's key and secret with a dot between."},
        ]


class SessionScheme(OpenApiAuthenticationExtension):
    """How the session appears in the OpenAPI file."""

    target_class = CsrfSessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Return the session cookie."""
        return {
            "type": "apiKey", "in": "cookie", "name": "sessionid",
            "description": "Session of a browser; every change also sends the header X-CSRFToken.",
        }  # fmt: skip


def _checked(key: str, secret: str) -> tuple[User, ApiToken]:
    token = token_usable(key=key)
    stored = token.secret_sha256 if token is not None else _UNKNOWN
    is_right = secrets.compare_digest(stored, secret_digest(secret))
    if token is None or not is_right:
        raise AuthenticationFailed(REFUSED)
    token_used(token=token)
    return token.user, token


def _decoded(text: bytes) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8").replace("\x00", "")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise AuthenticationFailed("The header Authorization is not Basic with base64 of key:secret.") from error


def _text(text: bytes) -> str:
    try:
        return text.decode("ascii").replace("\x00", "")
    except UnicodeDecodeError as error:
        raise AuthenticationFailed("The header Authorization is not Bearer with key.secret.") from error
