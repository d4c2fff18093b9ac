"""What the frame of every page shows: the way around, the person, the day of evaluation."""

from typing import NamedTuple

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from procurement.permissions import can, roles_of


class Entry(NamedTuple):
    """One link of the frame."""

    name: str
    address: str
    is_current: bool = False
    icon: str = "arrow"
    count: int | None = None


# name shown, name of the address, beginnings of the addresses under it; no more than fit beside the search at 1280 px
MAIN = (
    ("Overview", "procurement:overview", ()),
    ("Recommendations", "reports:recommendations", ("/recommendations/", "/runs/", "/jobs/")),
    ("Decisions", "procurement:decisions", ("/decisions/",)),
    ("Quotes", "procurement:quotes", ("/quotes/", "/price-sheets/", "/providers/", "/discounts/", "/requests/")),
    ("Builds", "procurement:builds", ("/builds/", "/capacity/", "/sites/")),
    ("Workloads", "procurement:workloads", ("/workloads/", "/assumptions/")),
    ("Portfolio", "procurement:portfolios", ("/portfolios/",)),
    ("Look back", "procurement:actuals", ("/look-back/",)),
    ("Reports", "reports:index", ("/reports/",)),
)
SECTIONS = {
    "quotes": (
        ("All quotes", "procurement:quotes"),
        ("Expiring", "procurement:expiries"),
        ("Discounts", "procurement:discounts"),
        ("Price sheets", "procurement:price_sheets"),
        ("Held rows", "procurement:held_rows"),
        ("Sources", "procurement:price_sources"),
        ("Requests", "procurement:requests"),
        ("Providers", "procurement:providers"),
    ),
    "builds": (
        ("All builds", "procurement:builds"),
        ("Capacity by month", "procurement:capacity"),
        ("Sites", "procurement:sites"),
    ),
    "look_back": (
        ("Planned and measured", "procurement:actuals"),
        ("Usage files", "procurement:usage_files"),
        ("Forecast track record", "procurement:track_record"),
        ("Learned slips", "procurement:learned_slips"),
    ),
    "workloads": (("All workloads", "procurement:workloads"), ("Assumptions", "procurement:assumptions")),
    "runs": (
        ("Newest recommendations", "reports:recommendations"),
        ("Runs", "procurement:runs"),
        ("Jobs", "procurement:jobs"),
    ),
}


def address_of(name: str) -> str:
    """Return the address of a named page, empty while no such page is installed."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


def section(name: str, path: str) -> list[Entry]:
    """Return the pages beside this one in its part of the service, as tabs."""
    pairs = [(words, address_of(page)) for words, page in SECTIONS[name]]
    return [Entry(words, address, address == path) for words, address in pairs if address]


def _main(path: str) -> list[Entry]:
    entries = []
    for words, page, beginnings in MAIN:
        address = address_of(page)
        if address:
            entries.append(Entry(words, address, path == address or path.startswith(beginnings or ("\0",))))
    return entries


def _personal(request: HttpRequest) -> list[Entry]:
    entries = [Entry("API tokens", address_of("procurement:tokens"), icon="lock")]
    entries.append(Entry("Change password", address_of("password_change"), icon="shield"))
    if request.user.is_staff:
        entries.append(Entry("Administration", address_of("admin:index"), icon="edit"))
    if can(request.user, "account.edit"):
        entries.append(Entry("Style guide", address_of("procurement:styleguide"), icon="layers"))
    return [entry for entry in entries if entry.address]


def frame(request: HttpRequest) -> dict[str, object]:
    """Return the frame of a page, for the templates."""
    if not getattr(request, "user", None) or not request.user.is_authenticated:
        return {"frame": {"entries": []}}
    foot = [Entry("API", address_of("api:docs")), Entry("Help", address_of("procurement:help"))]
    return {
        "frame": {
            "entries": _main(request.path),
            "personal": _personal(request),
            "roles": sorted(roles_of(request.user)),
            "search_address": address_of("procurement:search"),
            "searched": request.GET.get("q", "") if request.path == address_of("procurement:search") else "",
            "theme_address": address_of("procurement:theme"),
            "foot": [entry for entry in foot if entry.address],
        }
    }
