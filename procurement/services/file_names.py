"""The name of a received file: shown and given back, never a place on the disk."""

import re


def kept_name(name: str) -> str:
    """Return the last part of a path as a person can see it, without control characters and turned directions."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(letter for letter in last if letter.isprintable()).strip()
    return shown if shown.strip(".") else "file"
