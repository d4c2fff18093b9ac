"""Reads the provider of a catalog from the name of its file."""

import re

from providers.knowledge import PROVIDERS, squeezed

PLAIN_WORDS = frozenset(
    {
        "VMS", "CSV", "CATALOG", "CATALOGS", "SKYPILOT", "GPUHUNT", "PRICES", "PRICE", "PRICING", "LIST", "DATA",
        "LATEST", "PASTED", "EXPORT", "EXPORTED", "DOWNLOAD", "DOWNLOADS", "FILE", "SHEET", "OFFERS", "INSTANCES",
        "GPU", "GPUS", "TMP", "UPLOAD", "UPLOADS", "COPY", "NEW", "OLD", "V",
    }
)  # fmt: skip


def _names_somebody(text: str) -> bool:
    """Return whether a part of a path holds a word that could be a provider's name."""
    words = [squeezed(word) for word in re.split(r"[^A-Za-z]+", text)]
    return any(word and word not in PLAIN_WORDS for word in words)


def provider_in(file_name: str) -> str | None:
    """Return the known provider that a path names, nearest to the file first; None without one."""
    for part in reversed(re.split(r"[/\\]", file_name)):
        stem = re.sub(r"\.(csv|json|xlsx|zip)$", "", part, flags=re.IGNORECASE)
        for word in (stem, *re.split(r"[-_. ]+", stem)):
            if squeezed(word) in PROVIDERS:
                return PROVIDERS[squeezed(word)]
    return None


def folder_of(file_name: str) -> str | None:
    """Return the folder that a catalog lies in where it can be a provider's: `catalogs/v8/acme/vms.csv`."""
    parts = re.split(r"[/\\]", file_name)[:-1]
    folder = parts[-1].strip().lower() if parts else ""
    return folder if _names_somebody(folder) else None


def stem_of(file_name: str) -> str | None:
    """Return the bare file name where it can be a provider's: `acme.csv` but not `vms.csv` or `gpuhunt-catalog.csv`."""
    stem = re.sub(r"\.[A-Za-z0-9]+$", "", re.split(r"[/\\]", file_name)[-1]).strip().lower()
    return stem if _names_somebody(stem) else None
