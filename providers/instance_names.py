"""What names of instances show: whose they are, and a variant of the accelerator that a catalog's own column loses."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from providers.knowledge import REFERENCE_MODELS, rows_of, squeezed
from providers.names import Name, read_name

LEAST_SHARE = 0.8  # of the names that must be of one seller's kind: catalogs lag behind its newest types
PATTERNS: Mapping[str, re.Pattern[str]] = {
    row["provider"]: re.compile(row["pattern"]) for row in rows_of("instance_names.csv")
}
SPELLINGS: Mapping[str, str] = {model: model for model in REFERENCE_MODELS} | {
    row["alias"]: row["model"] for row in rows_of("aliases.csv")
}
COUNTS = re.compile(r"(?<![A-Z0-9])\d+X(?![0-9])|X\d+(?![A-Z0-9])")  # the 8x of 8xL40 and the x8 of L40Sx8
PIECES = re.compile(r"[A-Z]+|[0-9]+")


def seller_of(instances: Iterable[str]) -> str | None:
    """Return the provider whose naming the instances of a catalog follow, None when it is nobody's that is known.

    One name alone shows nothing: brokers sell the instances of others under their names.
    """
    names = set(instances)
    shares = Counter(provider for name in names for provider, kind in PATTERNS.items() if kind.fullmatch(name))
    likely = [provider for provider, found in shares.items() if found >= LEAST_SHARE * len(names)]
    return likely[0] if len(likely) == 1 else None


@lru_cache(maxsize=16_384)
def variant_in(text: str, accelerator: str) -> Name | None:
    """Return the variant of an accelerator that a name spells: the L40S of an L40, the Super or Ti of a GeForce.

    None when the name spells no other model whose spelling begins with the accelerator's.
    """
    pattern = _variants(accelerator)
    match = pattern.search(COUNTS.sub(" ", text.upper())) if pattern else None
    return read_name(match[0]) if match else None


@lru_cache(maxsize=1_024)
def _variants(accelerator: str) -> re.Pattern[str] | None:
    """Return the spellings of other models that begin with a spelling of this one, the longest first."""
    name = read_name(accelerator)
    if name is None:
        return None
    own = tuple(squeezed(spelling) for spelling, model in SPELLINGS.items() if model == name.model)
    others = [
        spelling for spelling, model in SPELLINGS.items() if model != name.model and squeezed(spelling).startswith(own)
    ]
    if not others:
        return None
    longest_first = sorted(others, key=lambda spelling: -len(squeezed(spelling)))
    written = "|".join("[^A-Z0-9]?".join(PIECES.findall(spelling.upper())) for spelling in longest_first)
    return re.compile(rf"(?<![A-Z0-9])(?:{written})(?![A-Z0-9])")
