"""What tests of pages share: signed-in clients and filled forms."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from tests.factories import make_user


def signed_in(role: str | None = "administrator", name: str = "") -> Client:
    """Return a browser of a person with that role."""
    client = Client()
    client.force_login(make_user(name, role=role))
    return client


def person(name: str) -> User:
    """Return the person of that name."""
    return User.objects.get(username=name)


def typed(form: Any, **changes: Any) -> dict[str, Any]:
    """Return what a browser would send of a form, with some fields typed anew; ``None`` leaves a field out."""
    sent = {name: form.typed(name) for name in form.fields if name not in ("version", "as_read")}
    for name in ("version", "as_read"):
        if name in form.initial:
            sent[name] = form.initial[name]
    sent |= {"reason": "test", **changes}
    return {name: value for name, value in sent.items() if value is not None and value != ""}
