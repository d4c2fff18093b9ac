"""Who does something, from where and why: every writing service takes one."""

from dataclasses import dataclass
from typing import Any, Literal

from procurement.errors import ProcurementError

Source = Literal["web", "api", "command", "job"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person (or ``None`` for the service itself), the door that was used and the reason given."""

    user: Any = None
    source: Source = "web"
    reason: str = ""


SYSTEM = Actor(user=None, source="job", reason="")


def reason_required(by: Actor, what: str) -> None:
    """Refuse an actor who gives no reason; ``what`` ends the sentence that begins with "Say"."""
    if not by.reason.strip():
        message = f"Say {what}."
        raise ProcurementError("invalid", message, {"reason": [message]})
