"""Azure region names in any order of words and in several languages: `US East 2`, `East US 2`, `Este de EE. UU. 2`."""

import re
from collections.abc import Mapping
from functools import lru_cache

from providers.knowledge import REGION_ALIASES, REGIONS, rows_of, squeezed

PROVIDER = "azure"
GEOGRAPHY = re.compile(r"^\([^)]*\)\s*")  # `(Europe) West Europe`, as the portal shows it
JOINING = frozenset({"de", "del", "de la", "la", "da", "du", "des", "di", "do", "dos", "of", "les", "los", "gli"})
WORDS: Mapping[str, tuple[str, ...]] = {
    squeezed(word): tuple(row["means"].split())
    for row in rows_of("azure_region_words.csv")
    for word in row["words"].split("|")
}
LONGEST = max(len(word) for word in WORDS)

Meaning = tuple[str, ...]  # in the order of the alphabet: languages order the words of a name differently


def _meaning(text: str) -> Meaning | None:
    """Return what the words of a squeezed name mean, longest words first; None where a part is no known word."""
    if not text:
        return ()
    if text[0].isdigit():
        rest = _meaning(text[1:])
        return None if rest is None else (text[0], *rest)
    for length in range(min(LONGEST, len(text)), 0, -1):
        means = WORDS.get(text[:length])
        rest = _meaning(text[length:]) if means else None
        if means and rest is not None:
            return (*means, *rest)
    return None


def _by_meaning() -> dict[Meaning, str]:
    """Return the regions by what their names mean, without those that mean the same as another."""
    found: dict[Meaning, list[str]] = {}
    for provider, region in sorted(REGIONS):
        meaning = _meaning(squeezed(region)) if provider == PROVIDER else None
        if meaning:
            found.setdefault(tuple(sorted(meaning)), []).append(region)
    return {meaning: regions[0] for meaning, regions in found.items() if len(regions) == 1}


BY_MEANING = _by_meaning()


@lru_cache(maxsize=16_384)
def azure_region(written: str) -> str | None:
    """Return the region code of a name as Azure writes it; None when it is no name of a known region.

    Parameters
    ----------
    written : str
        A code (`westeurope`), a display name (`West Europe`, `(Europe) West Europe`), a meter region (`EU West`), or
        either in another language (`Westeuropa`, `Europa, Westen`).
    """
    name = GEOGRAPHY.sub("", written.strip())
    code = squeezed(name).lower()
    if (PROVIDER, code) in REGIONS:
        return code
    alias = REGION_ALIASES.get((PROVIDER, squeezed(name)))
    if alias:
        return alias
    words = [word for word in re.split(r"[\W_]+", name.casefold()) if word and word not in JOINING]
    meaning = _meaning(squeezed("".join(words)))
    return BY_MEANING.get(tuple(sorted(meaning))) if meaning else None
