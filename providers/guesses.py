"""A first guess what the columns of a supplier's sheet mean, by their headers and cells; a person confirms it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from providers.cells import SYMBOLS, is_missing, read_boolean, read_number
from providers.contract import QUOTES
from providers.currency import is_currency
from providers.document import Record
from providers.errors import CellError
from providers.headers import MONTH_HOURS, column_meant, is_header, is_hourly, is_monthly, is_rule
from providers.names import leading_count, read_name
from providers.wording import (
    CENTS,
    ENGLISH,
    PER_ACCELERATOR,
    PRICE,
    basis_of,
    bought_by,
    currencies_in,
    meant,
    price_in,
    unit_in,
)

CHECKED_CELLS = 50  # of a column, before its header is believed
LEAST_FITTING = 0.8  # of them that must be readable as what the header says
LEAST_PRICES = 0.5  # of the cells under a price: sheets write many things where they have none
TAX = re.compile(r"vat|tax|mwst|ust\b|tva|iva|\bht\b|ttc", re.IGNORECASE)
WITHOUT_TAX = re.compile(r"excl|exkl|zzgl|\bex\b|without|before|ohne|plus|hors|\bht\b|netto", re.IGNORECASE)
MEMORY = re.compile(r"memory|\bram\b|speicher|mémoire|memoria", re.IGNORECASE)
LEAD = re.compile(r"^\s*\d{1,4}\s*[xX×]\s*")
ALL_TOGETHER = re.compile(r"total|gesamt|aggregate|overall", re.IGNORECASE)
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Guess:
    """Their headers to our columns, what holds for every row, and what their prices are divided by."""

    columns: Mapping[str, str]
    constants: Mapping[str, str] = field(default_factory=dict)
    divisor: Decimal = Decimal(1)
    further: Sequence[str] = ()


def guess_of(header: Sequence[str], rows: Sequence[Record], above: Sequence[Record] = ()) -> Guess:
    """Return what a table most likely holds; where two readings are possible nothing is guessed.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows, above : sequence of Record
        The rows below the header, and titles and notes above it.
    """
    rows = _of_this_table(rows)
    columns = _columns(header, rows)
    price = next((name for name, ours in columns.items() if ours == "price"), "")
    cells = _cells(rows, header.index(price)) if price else []
    said = _said_of_price(price) | _said_above(above)
    currency = (
        (min(named) if len(named := currencies_in(price)) == 1 else None) or _sign_of(cells) or said.get("currency")
    )
    if currency:
        said["currency"] = currency
    basis = _basis(price, header, columns, rows, cells)
    if basis:
        said["price_basis"] = basis
    else:
        said.pop("price_basis", None)
    if basis == "per_month" and PER_ACCELERATOR.search(price):
        columns = {name: "accelerators_per_node" if ours == _COUNT else ours for name, ours in columns.items()}
        said[_COUNT] = "1"  # the price of a month is of one accelerator, whatever a node holds
    if said.get("price_basis") != "per_month":
        said.pop("price_hours_per_month", None)
    constants = {ours: value for ours, value in said.items() if ours not in columns.values()}
    further = _further_prices(header, rows, price, said) if "purchase_model" not in columns.values() else ()
    return Guess(columns, constants, Decimal(100) if CENTS.search(price) else Decimal(1), further)


_COUNT = "accelerators_per_instance"


def _columns(header: Sequence[str], rows: Sequence[Record]) -> dict[str, str]:
    """Return the best header for each of our columns; of prices one per hour and on demand goes before the others."""
    found: dict[str, str] = {}
    prices: list[tuple[int, str]] = []
    for place, name in enumerate(header):
        cells = _cells(rows, place)
        column = column_meant(name) if name and name.casefold() != "id" else None  # theirs is not the id of our quote
        if column == "accelerator" and _are_numbers(cells):
            column = _COUNT  # `gpu: 8` counts them
        if column == "vram_gb" and ALL_TOGETHER.search(name):
            continue
        if column is None or not _fit(column, cells):
            continue
        if column == "price":
            prices.append((_rank(name), name))
        elif column not in found.values():
            found[name] = column
    if "sku" not in found.values() and (number := next((name for name in header if name.casefold() == "id"), None)):
        found[number] = "sku"
    if "vram_gb" not in found.values() and (memory := _memory_column(header, rows, found)):
        found[memory] = "vram_gb"
    if prices:
        found[min(prices, key=lambda pair: pair[0])[1]] = "price"
    return {name: found[name] for name in header if name in found}


def _further_prices(
    header: Sequence[str], rows: Sequence[Record], price: str, said: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the headers of prices in the same unit whose words name another way of buying than those before them."""
    seen = {(said.get("purchase_model") or "on_demand", said.get("term_months"))}
    found = []
    for place, name in enumerate(header):
        model, months = bought_by(name)
        way = (model or "", None if months is None else str(months))
        is_price = name != price and column_meant(name) == "price" and _fit("price", _cells(rows, place))
        if is_price and model and way not in seen and unit_in(name) in (None, said.get("price_basis")):
            seen.add(way)
            found.append(name)
    return tuple(found)


def _of_this_table(rows: Sequence[Record]) -> Sequence[Record]:
    """Return the rows above the next header: another table has columns of its own."""
    end = next((place for place, record in enumerate(rows) if is_header(record)), len(rows))
    return [record for record in rows[:end] if not is_rule(record)]


def _memory_column(header: Sequence[str], rows: Sequence[Record], found: Mapping[str, str]) -> str | None:
    """Return a column of memory that holds that of the accelerators, told from that of the host by its size."""
    accelerators = next((place for place, name in enumerate(header) if found.get(name) == "accelerator"), None)
    if accelerators is None:
        return None
    for place, name in enumerate(header):
        if name in found or not MEMORY.search(name) or ALL_TOGETHER.search(name):
            continue
        pairs = zip(_cells(rows, accelerators), _cells(rows, place), strict=False)
        checked = [_is_memory_of(str(one), cell) for one, cell in pairs if not is_missing(cell)][:CHECKED_CELLS]
        if checked and sum(checked) >= LEAST_FITTING * len(checked):
            return name
    return None


def _is_memory_of(accelerator: str, cell: Any) -> bool:
    name = read_name(accelerator)
    try:
        stated = read_number(meant("vram_gb", cell), ".")
    except CellError:
        return False
    return name is not None and stated is not None and any(abs(size - stated) <= size / 10 for size in name.nominal_gb)


def _rank(name: str) -> int:
    model, _ = bought_by(name)
    of_month = is_monthly(name) and not is_hourly(name)
    return {"spot": 4, "reserved": 2}.get(model or "", 0) + of_month


def _fit(column: str, cells: Sequence[Any]) -> bool:
    """Return whether the cells can be what the header says: a column of words is no quantity."""
    checked = [cell for cell in cells if not is_missing(cell)][:CHECKED_CELLS]
    if not checked:
        return True
    least = LEAST_PRICES if column == "price" else LEAST_FITTING
    return sum(_is_readable(column, cell) for cell in checked) >= least * len(checked)


def _is_readable(column: str, cell: Any) -> bool:
    kind, choices = QUOTES.column(column).kind, QUOTES.column(column).choices
    try:
        value = meant(column, cell)
        if column == "price":
            return _is_price(cell)
        if column == "price_basis":
            return basis_of(str(cell), {}, "per_instance_hour") is not None or bool(re.search("[A-Za-z]", str(cell)))
        if kind in {"decimal", "integer"}:
            return read_number(value, ".") is not None
        if kind == "boolean":
            return read_boolean(value) is not None
    except CellError as error:
        return error.rule in {"other_decimal_sign", "ambiguous_number", "other_currency"}
    if kind == "date":
        return not isinstance(cell, str) or re.search(r"[0-9]", cell) is not None
    spelled = re.sub(r"[\s\-/]+", "_", str(value).lower())
    return not choices or value in choices or spelled in choices


def _is_price(cell: Any) -> bool:
    """Return whether a cell may be a price, whatever its decimal sign and unit."""
    text = str(cell)
    for basis in ("per_accelerator_hour", "per_month"):
        try:
            text = str(price_in(cell, basis))
            break
        except CellError:
            continue
    for sign in (".", ","):
        try:
            return read_number(text if isinstance(cell, str) else cell, sign) is not None
        except CellError:
            continue
    return False


def _are_numbers(cells: Sequence[Any]) -> bool:
    texts = [str(cell).strip() for cell in cells[:CHECKED_CELLS] if str(cell).strip()]
    return bool(texts) and all(NUMBER.fullmatch(text) for text in texts)


def _cells(rows: Sequence[Record], place: int) -> list[Any]:
    return [record.cells[place] for record in rows if place < len(record.cells)]


def _basis(
    price: str, header: Sequence[str], columns: Mapping[str, str], rows: Sequence[Record], cells: Sequence[Any]
) -> str | None:
    """Return what the price is per: as its header says, else as the other columns and the prices themselves show."""
    said = unit_in(price) or _unit_of(cells)
    if said:
        return said
    if is_monthly(price) and not is_hourly(price):
        return "per_month"
    if not is_hourly(price):
        return None
    shown, counts = _shown_by_counts(header, columns, rows)
    if shown or counts:
        return shown
    return "per_instance_hour" if "sku" in columns.values() else "per_accelerator_hour"


def _unit_of(cells: Sequence[Any]) -> str | None:
    """Return the basis that every price cell repeats after its number, `$2.49 / GPU / hr`."""
    texts = [PRICE.fullmatch(cell.strip()) for cell in cells if isinstance(cell, str) and not is_missing(cell)]
    found = {unit_in(match[3]) if match else None for match in texts}
    return found.pop() if len(found) == 1 else None


def _shown_by_counts(
    header: Sequence[str], columns: Mapping[str, str], rows: Sequence[Record]
) -> tuple[str | None, set[Decimal]]:
    """Return whether prices grow with the number of accelerators or stay: of the instance, or of one of them.

    With it go the numbers that are stated, in a column or before the names: `8x H100`.
    """
    places = {ours: header.index(name) for name, ours in columns.items()}
    groups: dict[str, dict[Decimal, Decimal]] = {}
    counts: set[Decimal] = set()
    for record in rows:
        try:
            name = str(record.cells[places["accelerator"]])
            price = _number(record.cells[places["price"]])
            count = read_number(meant(_COUNT, record.cells[places[_COUNT]]), ".") if _COUNT in places else None
        except (CellError, IndexError, KeyError):
            continue
        lead = leading_count(name)
        if count or lead:
            counts.add(count or Decimal(lead or 1))
        if price:
            groups.setdefault(LEAD.sub("", name).casefold(), {})[count or Decimal(lead or 1)] = price
    if counts == {Decimal(1)}:
        return "per_instance_hour", counts  # of which one accelerator is all
    votes = {_vote(prices) for prices in groups.values() if len(prices) > 1} - {None}
    return votes.pop() if len(votes) == 1 else None, counts


def _number(cell: Any) -> Decimal | None:
    """Return a price under either decimal sign, to be compared with its like; CellError when it is none."""
    try:
        return read_number(cell, ".")
    except CellError:
        return read_number(cell, ",")


def _vote(prices: Mapping[Decimal, Decimal]) -> str | None:
    least, most = min(prices), max(prices)
    grown, times = prices[most] / prices[least], most / least
    if grown >= (times + 1) / 2:
        return "per_instance_hour"
    return "per_accelerator_hour" if grown <= Decimal("1.3") else None  # a discount for whole nodes is seldom more


def _said_of_price(price: str) -> dict[str, str]:
    """Return what the header of the price says about tax, term, month and how it is bought."""
    said: dict[str, str] = {}
    if TAX.search(price):
        said["price_includes_tax"] = "false" if WITHOUT_TAX.search(price) else "true"
    bought, months = bought_by(price)
    if months:
        said["term_months"] = str(months)
    if bought:
        said["purchase_model"] = bought
    hours = MONTH_HOURS.search(price)
    if hours:
        said["price_hours_per_month"] = hours[1]
    return said


def _said_above(above: Sequence[Record]) -> dict[str, str]:
    """Return the currency and the hours of a month that titles and notes above the table state without a doubt."""
    text = " ".join(str(cell) for record in above for cell in record.cells)
    said: dict[str, str] = {}
    codes = {word for word in re.findall(r"\b[A-Z]{3}\b", text) if is_currency(word) and word not in ENGLISH}
    codes |= {code for sign, code in SYMBOLS.items() if sign in text and len(sign) == 1}
    if len(codes) == 1:
        said["currency"] = codes.pop()
    hours = set(MONTH_HOURS.findall(text))
    if len(hours) == 1:
        said["price_hours_per_month"] = hours.pop()
    return said


def _sign_of(cells: Sequence[Any]) -> str | None:
    """Return the currency whose sign every price carries, None where a sign may be of several or some have none."""
    found = {
        re.sub(r"[0-9.,\s'’-]|/.*", "", str(cell)) for cell in cells if isinstance(cell, str) and not is_missing(cell)
    }
    codes = {SYMBOLS.get(sign) or (sign if is_currency(sign) else None) for sign in found}
    return codes.pop() if len(codes) == 1 else None
