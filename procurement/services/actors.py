"""Who does something, from where and why: every writing service takes one."""

from dataclasses import dataclass
from typing import Any, Literal

Source = Literal["web", "api", "command", "job"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person (or ``None`` for the service itself), the door that was used and the reason given."""

    user: Any = None
    source: Source = "web"
    reason: str = ""


SYSTEM = Actor(user=None, source="job", reason="")
