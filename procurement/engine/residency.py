"""Where data may be held: countries, the EU, the EEA, own sites (semantics 39)."""

from collections.abc import Iterable

from providers.reference import region_country

_EU_CODES = "AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE"
EU = frozenset(_EU_CODES.split())
EEA = EU | {"IS", "LI", "NO"}
SITE = "site:"
AREAS = {"EU": EU, "EEA": EEA}


def residency_reason(
    allowed: Iterable[str], *, provider: str | None, region: str | None, site: str | None = None
) -> str | None:
    """Return why a place may not hold the data: ``residency``, ``residency_unknown``, or None when it may.

    Parameters
    ----------
    allowed
        Country codes, ``EU``, ``EEA`` and ``site:<id>``; anywhere when empty.
    provider, region
        Whose region it is; a region that no reference table knows has no known country.
    site
        Site of a build, None for a provider's region.
    """
    places = frozenset(allowed)
    if not places or (site is not None and f"{SITE}{site}" in places):
        return None
    countries = {place for place in places if not place.startswith(SITE)}
    if not countries:
        return "residency"
    country = region_country(provider, region)
    if country is None:
        return "residency_unknown"
    within = country in countries or any(country in area for name, area in AREAS.items() if name in countries)
    return None if within else "residency"
