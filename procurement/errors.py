"""What services refuse, each with a code, a sentence and the fields it concerns."""

from collections.abc import Mapping
from typing import Any


class ProcurementError(Exception):
    """A request that cannot be carried out as asked.

    Parameters
    ----------
    code : str
        Stable lower_snake name of the fault.
    message : str
        A sentence that names the thing, the value and what would be right.
    fields : mapping of str to list of str, optional
        Messages by field name, for forms and the API.
    """

    def __init__(self, code: str, message: str, fields: Mapping[str, list[str]] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fields = dict(fields or {})


class VersionConflict(ProcurementError):
    """Somebody else changed the record since it was read.

    ``differences`` maps each field to (value now stored, value asked for), so that nobody's input is lost.
    """

    def __init__(self, message: str, *, current_version: int, differences: Mapping[str, tuple[Any, Any]]) -> None:
        super().__init__("version_conflict", message)
        self.current_version = current_version
        self.differences = dict(differences)


class PermissionRefused(ProcurementError):
    """The person's roles do not allow the action."""

    def __init__(self, action: str, roles: tuple[str, ...]) -> None:
        allowed = " or ".join(roles)
        super().__init__("permission_refused", f"`{action}` needs the role {allowed}. Ask an administrator for it.")
        self.action = action
