"""Settings from the environment: typed, with an error that names the variable, the value and what would be right."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", ""})


def load_env_file(path: Path) -> None:
    """Read `NAME=value` lines of a file into the environment; what is set already wins. No file, no effect."""
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, sign, value = text.partition("=")
        if not sign or not name.strip().isidentifier():
            raise ImproperlyConfigured(f"{path.name} line {number}: {text!r} should read NAME=value")
        os.environ.setdefault(name.strip(), value.strip().strip("\"'"))


def text(name: str, default: str = "") -> str:
    """Return the variable, or the default when it is missing or empty."""
    return os.environ.get(name, "").strip() or default


def remembered_secret(path: Path) -> str:
    """Return the secret in the file; the first start writes a random one that only the owner reads.

    The file appears whole or not at all: it is written beside and linked into place, so that of several processes
    that start at once one names the secret and no other ever reads an empty file.
    """
    while not (secret := _secret_in(path)):
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(secrets.token_urlsafe(64))
            with contextlib.suppress(FileExistsError):  # another process was first: its secret counts
                os.link(draft, path)
        finally:
            os.unlink(draft)
    return secret


def _secret_in(path: Path) -> str:
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    if not secret:
        raise ImproperlyConfigured(f"{path} is empty; put the secret back, or delete the file and a new one is made")
    return secret


def flag(name: str, *, default: bool) -> bool:
    """Return the variable as yes or no."""
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: should be 1 or 0")


def number(name: str, default: int, *, low: int = 0, high: int = 1_000_000) -> int:
    """Return the variable as a whole number within bounds."""
    value = text(name)
    if not value:
        return default
    if not value.isdecimal() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name}={value!r}: should be a whole number from {low} to {high}")
    return int(value)


def names(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Return the variable as a list, split at commas."""
    value = text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def _split(name: str, value: str, schemes: tuple[str, ...]) -> SplitResult:
    parts = urlsplit(value)
    if parts.scheme not in schemes:
        raise ImproperlyConfigured(f"{name}: scheme {parts.scheme!r} should be one of {', '.join(schemes)}")
    return parts


def database(name: str, value: str) -> dict[str, object]:
    """Return Django's database entry for a URL `postgresql://user:password@host:port/name?option=value`."""
    parts = _split(name, value, ("postgresql", "postgres"))
    options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    database_name = unquote(parts.path.lstrip("/"))
    if not database_name:
        raise ImproperlyConfigured(f"{name}: the database name is missing; postgresql://user@host/name would be right")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": database_name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(parts.port or options.pop("port", "")),
        "OPTIONS": options,
    }


def email(name: str, value: str) -> dict[str, object]:
    """Return Django's e-mail settings for a URL `smtp://`, `smtp+tls://` (STARTTLS) or `smtps://user:password@host:port`."""
    parts = _split(name, value, ("smtp", "smtp+tls", "smtps"))
    if not parts.hostname:
        raise ImproperlyConfigured(
            f"{name}: the host is missing; smtp+tls://user:password@mail.host:587 would be right"
        )
    ports = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }
