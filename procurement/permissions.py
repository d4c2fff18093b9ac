"""Who may do what: one table of actions and roles, used by web, API and services alike."""

from typing import Any, Protocol

from procurement.errors import PermissionRefused

VIEWER = "viewer"
ANALYST = "analyst"
FACILITIES = "facilities"
FINANCE = "finance"
ADMINISTRATOR = "administrator"
ROLES = (VIEWER, ANALYST, FACILITIES, FINANCE, ADMINISTRATOR)

# action -> roles besides the administrator, who may do everything
ACTIONS: dict[str, tuple[str, ...]] = {
    "record.view": (VIEWER, ANALYST, FACILITIES, FINANCE),
    "provider.edit": (ANALYST,),
    "quote.edit": (ANALYST,),
    "discount.edit": (ANALYST, FINANCE),
    "site.edit": (FACILITIES,),
    "build.edit": (FACILITIES,),
    "evidence.add": (FACILITIES,),
    "workload.edit": (ANALYST,),
    "assumptions.edit": (FINANCE,),
    "actuals.import": (ANALYST, FACILITIES, FINANCE),
    "run.request": (ANALYST, FACILITIES, FINANCE),
    "portfolio.request": (ANALYST, FACILITIES, FINANCE),
    "decision.prepare": (ANALYST, FINANCE),
    "decision.approve": (FINANCE,),
    "request.edit": (ANALYST,),
    "request.open": (FINANCE,),
    "request.award": (ANALYST,),
    "subscription.edit": (ANALYST, FACILITIES, FINANCE),
    "token.own": (VIEWER, ANALYST, FACILITIES, FINANCE),
    "job.retry": (),
    "reference.edit": (),
    "account.edit": (),
}


class Person(Protocol):
    """What the rules need to know of a user."""

    @property
    def is_authenticated(self) -> bool:
        """Whether somebody is signed in."""

    @property
    def is_active(self) -> bool:
        """Whether the account is open."""

    @property
    def is_superuser(self) -> bool:
        """Whether everything is allowed."""

    @property
    def groups(self) -> Any:
        """The groups that carry the roles."""


def roles_of(user: Person) -> frozenset[str]:
    """Return the roles a person holds; a superuser is an administrator, somebody signed out holds none."""
    if not (user.is_authenticated and user.is_active):
        return frozenset()
    if user.is_superuser:
        return frozenset({ADMINISTRATOR})
    if not hasattr(user, "_role_names"):
        # one query per request: the user object lives as long as the request
        user._role_names = frozenset(user.groups.values_list("name", flat=True))  # type: ignore[attr-defined]
    return user._role_names & set(ROLES)  # type: ignore[attr-defined]


def can(user: Person, action: str) -> bool:
    """Return whether the person may carry out the action; an unknown action is a KeyError."""
    allowed = ACTIONS[action]
    held = roles_of(user)
    return ADMINISTRATOR in held or bool(held & set(allowed))


def require(user: Person | None, action: str) -> None:
    """Refuse with PermissionRefused unless the person may; ``None`` is the service itself (imports, jobs)."""
    if user is not None and not can(user, action):
        raise PermissionRefused(action, (*ACTIONS[action], ADMINISTRATOR))
