"""How codes and ids stand in addresses."""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class CodeConverter:
    """A code; `/` is written ~1 and `~` is written ~0, as in a JSON pointer."""

    regex = "[^/]{1,200}"

    def to_python(self, value: str) -> str:
        """Return the code."""
        if _CONTROL.search(value):
            raise ValueError
        return value.replace("~1", "/").replace("~0", "~")

    def to_url(self, value: str) -> str:
        """Return the code as in an address."""
        return value.replace("~", "~0").replace("/", "~1")


class NumberConverter:
    """A positive whole number that the database can hold."""

    regex = "[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_url(self, value: int) -> str:
        """Return the number as in an address."""
        return str(value)
