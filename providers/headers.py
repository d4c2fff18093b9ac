"""Where the header of a supplier's table stands: in one row or in two, with a name of its own for every column."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from providers.contract import QUOTES
from providers.currency import is_currency
from providers.document import HEADER_ROWS, Grid, Record, TableRows
from providers.knowledge import rows_of, squeezed

WORDS = {squeezed(word): row["column"] for row in rows_of("column_words.csv") for word in row["words"].split("|")}
BRACKETS = re.compile(r"\([^)]*\)|\[[^\]]*\]")
UNIT = re.compile(
    r"\s*(?:/|[$€£¥]|\bin\b|\b(?:USD|EUR|GBP|CHF|per|pro|par|por|je|cents?|ct|exkl|excl|inkl|incl|zzgl)\b).*", re.I
)  # from here on a header says a unit
HOURLY = r"hour|(?:/|\b)\s?h(?:rs?)?\b|gpu-?hr?\b|stunde|\bstd\b|heure|\bora\b|\borari[oa]\b|\bhora"
MONTHLY = r"month|monat|mois|mensuel|mensile|/\s?mo\b|\bmes\b|mensual"
HOUR, MONTH = re.compile(HOURLY, re.IGNORECASE), re.compile(MONTHLY, re.IGNORECASE)
MONTH_HOURS = re.compile(r"\b(672|720|730|744)\s*-?\s*(?:h\b|hrs?\b|hours?|std|stunden|heures)", re.IGNORECASE)
MONEY = re.compile(r"[$€£¥₹]|\bcents?\b|\bct\b|¢", re.IGNORECASE)
PRICED = re.compile(r"price|preis|prix|prezzo|precio|\brate\b|tari[f]|\bcost\b|kosten|coût", re.IGNORECASE)
OTHER_GOODS = re.compile(
    r"storage|speicher|stockage|egress|traffic|bandwidth|network|support|setup|licen[cs]e|\b[GT]i?B\b|vcpu|\bcpu|\bram\b",
    re.IGNORECASE,
)  # whose prices stand beside those of accelerators
COMPUTING = re.compile(r"gpu|accelerator|node|instance|instanz|server|knoten", re.IGNORECASE)
NUMBER = re.compile(r"[$€£¥]?\s?-?[0-9][0-9.,' ]*\s?(?:[$€£¥%]|[A-Z]{3})?")
LEAST_WORDS = 2  # known words that make a row below the header another header


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table's columns, each of its own, and the place of their last row."""

    names: tuple[str, ...]
    position: int


def column_meant(header: str) -> str | None:
    """Return our column that a header means: as written, without brackets or units, or the end of a JSON path."""
    bare = BRACKETS.sub(" ", header)
    spellings = (header, bare, UNIT.sub("", bare), header.rpartition(".")[2], *re.split(r"\n|:| - | – ", bare))
    for spelling in spellings:
        column = WORDS.get(squeezed(spelling)) if squeezed(spelling) else None
        if column == "price" and OTHER_GOODS.search(header) and not COMPUTING.search(header):
            return None
        if column or spelling.strip().lower() in QUOTES.names:
            return column or spelling.strip().lower()
    return "price" if _is_unit_of_price(header) else None


def _is_unit_of_price(header: str) -> bool:
    """Return whether a header is a unit that only a price of computing has: `€/GPU/hr`, `USD per node-month`."""
    if OTHER_GOODS.search(header) and not COMPUTING.search(header):
        return False
    is_money = (
        PRICED.search(header)
        or MONEY.search(header)
        or any(is_currency(word) for word in re.findall(r"\b[A-Z]{3}\b", header))
    )
    return bool(is_money) and (is_hourly(header) or is_monthly(header))


def is_hourly(text: str) -> bool:
    """Return whether words speak of an hour; the hours that a month is stated to have are none."""
    return HOUR.search(MONTH_HOURS.sub(" ", text)) is not None


def is_monthly(text: str) -> bool:
    """Return whether words speak of a month."""
    return MONTH.search(text) is not None


def find_header(grid: Grid) -> Header:
    """Return the header with most known words; of none, the first row with most cells filled."""
    rows = grid.records[:HEADER_ROWS]
    place = max(range(len(rows)), key=lambda place: (*weight(rows[place].cells), -place))
    for upper, lower in ((place - 1, place), (place, place + 1)):
        if upper >= 0 and lower < len(rows) and _is_grouped(rows[upper], rows[lower]):
            return Header(_joined(rows[upper], rows[lower]), lower)
    return Header(_unique(_texts(rows[place].cells)), place)


def find_table(grid: Grid, needed: Iterable[str]) -> TableRows | None:
    """Return the table below the first header, of one row or two, that holds all needed names in any case."""
    wanted = {name.casefold() for name in needed}
    rows = grid.records[:HEADER_ROWS]
    for place, row in enumerate(rows):
        found = [Header(_unique(_texts(row.cells)), place)]
        if place + 1 < len(rows) and _is_grouped(row, rows[place + 1]):
            found.append(Header(_joined(row, rows[place + 1]), place + 1))
        for header in found:
            if wanted <= {name.casefold() for name in header.names}:
                return grid.below(header.position, header.names)
    return None


def weight(cells: Sequence[Any]) -> tuple[int, int]:
    """Return how many cells are known words of headers, and how many are filled."""
    names = _texts(cells)
    return sum(column_meant(name) is not None for name in names if len(name) <= 60), sum(bool(name) for name in names)


def is_header(record: Record) -> bool:
    """Return whether a row names columns: words of headers and no numbers."""
    known, filled = weight(record.cells)
    numbers = sum(NUMBER.fullmatch(name) is not None for name in _texts(record.cells))
    return known >= LEAST_WORDS and known * 2 >= filled and not numbers


def is_rule(record: Record) -> bool:
    """Return whether a row only draws the line below a header, as tables in Markdown do."""
    filled = [name for name in _texts(record.cells) if name]
    return bool(filled) and all(re.fullmatch(r":?-{3,}:?", name) for name in filled)


def _texts(cells: Sequence[Any]) -> list[str]:
    return [re.sub(r"\s+", " ", str(cell)).strip() for cell in cells]


def _is_grouped(upper: Record, lower: Record) -> bool:
    """Return whether one row names groups of the columns that the next one names, as merged cells do."""
    above, below = _texts(upper.cells), _texts(lower.cells)
    if lower.line != upper.line + 1 or any(NUMBER.fullmatch(name) for name in (*above, *below) if name):
        return False
    first = next((place for place, name in enumerate(above) if name), -1)
    below += [""] * (len(above) - len(below))
    spanned = [place for place, name in enumerate(below) if name and (place >= len(above) or not above[place])]
    known = any(column_meant(name) for name in above if name)
    filled = sum(bool(name) for name in above)
    is_short = all(len(name) <= 60 for name in (*above, *below))
    return known and is_short and bool(spanned) and (filled > 1 or first > 0) and sum(map(bool, below)) > 1


def _joined(upper: Record, lower: Record) -> tuple[str, ...]:
    above, below = _texts(upper.cells), _texts(lower.cells)
    width = max(len(above), len(below))
    above += [""] * (width - len(above))
    below += [""] * (width - len(below))
    names, group = [], ""
    for over, name in zip(above, below, strict=True):
        group = over or group
        names.append(f"{group} {name}".strip() if name and group else over or name)
    return _unique(names)


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with the second of a kind numbered, so that each can be matched."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        count = seen[name.casefold()] = seen.get(name.casefold(), 0) + 1
        found.append(f"{name} ({count})" if name and count > 1 else name)
    return tuple(found)
