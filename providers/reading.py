"""Reads one price file from bytes to a checked sheet: decode, recognise, parse, normalise, check."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd

from providers.base import Context, KnownOffer, Offer, Parsed
from providers.checks import check_sheet
from providers.contract import DERIVED, QUOTES
from providers.currency import Rate, is_currency
from providers.document import Grid, open_document
from providers.errors import ProviderError
from providers.flatten import tables_of
from providers.mending import mend
from providers.normalise import Prepared, normalise_quotes
from providers.registry import detect_format, get_format
from providers.sheet import Held, QuoteSheet

DECIMAL_SIGNS = (".", ",", None)


def read_quotes(  # noqa: PLR0913 - the one door: each argument is something a person says about the file
    content: bytes,
    *,
    file_name: str,
    observed_on: date,
    source: str,
    currency: str | None = None,
    provider: str | None = None,
    time_zone: str | None = None,
    format_key: str | None = None,
    decimal: str | None = None,
    aliases: Mapping[str, str] | None = None,
    profile: Mapping[str, Any] | None = None,
    rates: Sequence[Rate] = (),
    medians: Mapping[str, Decimal] | None = None,
    known: Sequence[KnownOffer] = (),
    corrections: Mapping[tuple[int, str], str] | None = None,
) -> QuoteSheet:
    """Read a price file into quotes that are ready, rows that are held and faults, none of them lost.

    Parameters
    ----------
    content : bytes
        The file as received.
    file_name : str
        Its name; names the provider where a catalog does not (`aws/vms.csv`, `vultr.csv`).
    observed_on : date
        Day on which the prices were true.
    source : str
        Where the file is from: an address or a person.
    currency, provider : str, optional
        What holds for rows that state none.
    time_zone : str, optional
        Zone in which a last day of validity ends, for rows that name none.
    format_key : str, optional
        Key of the format; found by content when left out.
    decimal : {".", ","}, optional
        Decimal sign of a hand-made sheet; without it `1.234` is refused as ambiguous.
    aliases : mapping, optional
        Further spellings: an accelerator name, `sku:provider/sku`, `region:...`, `provider:...` or `unit:...` to what
        it means. Rows that were held for it are ready in the next reading.
    profile : mapping, optional
        Matched columns of an unknown sheet (format `mapped`).
    rates : sequence of Rate, optional
        Dated exchange rates, for the plausibility bands of prices in other currencies.
    medians : mapping, optional
        Known median rate [USD per accelerator-hour] by accelerator.
    known : sequence of KnownOffer, optional
        What other sources say of the same instances with Linux: prices above them by a licence are held.
    corrections : mapping, optional
        Line and header of a cell to what a person put there instead; in JSON the place of an object in the longest
        list and the path of the cell.

    Returns
    -------
    QuoteSheet

    Raises
    ------
    ProviderError
        When the file as a whole is refused: UnknownFormat, AmbiguousFormat, UnreadableFile, UnsafeFile, NotAPriceList.
    """
    if decimal not in DECIMAL_SIGNS:
        message = f"the decimal sign {decimal!r} is neither '.' nor ','"
        raise ProviderError(message)
    if currency is not None and not is_currency(currency):
        message = f"the currency {currency!r} is no ISO 4217 code in use, such as USD or EUR"
        raise ProviderError(message)
    document = open_document(content, file_name, corrections)
    if corrections:
        is_matched = document.json is None or profile is not None
        _check_corrections(corrections, tables_of(document)[: None if is_matched else 1], file_name)
        if not is_matched:
            mend(document, corrections)
    context = Context(
        file_name=file_name,
        observed_on=observed_on,
        source=source,
        source_hash=document.content_hash,
        currency=currency,
        provider=provider,
        time_zone=time_zone,
        decimal=decimal,
        aliases=aliases or {},
        profile=profile,
        rates=rates,
        medians=medians or {},
        known=known,
    )
    key = format_key or ("mapped" if profile is not None else None)
    chosen = get_format(key) if key else detect_format(document)
    with without_collector():
        parsed = chosen.parse(document, context)
        parsed.faults[:0] = document.faults
        parsed.notes[:0] = document.notes
        encoding = document.encoding
        del document  # each stage of a long file lets go of the one before: they are several times its size
        prepared, duplicates = check_sheet(normalise_quotes(_taken_from(parsed.offers), context), context)
        parsed.duplicates += duplicates
        return _sheet(chosen.key, context, encoding, parsed, prepared)


def _taken_from(offers: list[Offer]) -> Iterator[Offer]:
    offers.reverse()
    while offers:
        yield offers.pop()


@contextmanager
def without_collector() -> Iterator[None]:
    """Let the cycle collector rest: rows hold no cycles, and walking a million of them takes half the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check_corrections(corrections: Mapping[tuple[int, str], str], grids: Sequence[Grid], file_name: str) -> None:
    """Refuse corrections of cells that are not there, so that none is lost."""
    lines = {record.line for grid in grids for record in grid.records if record.line}
    headers = {str(cell).strip() for grid in grids for record in grid.records[:40] for cell in record.cells}
    wrong = [f"line {line}, column {name}" for line, name in corrections if line not in lines or name not in headers]
    if wrong:
        message = f"{file_name} has no cell at {'; '.join(wrong)}"
        raise ProviderError(message)


def _sheet(key: str, context: Context, encoding: str, parsed: Parsed, prepared: list[Prepared]) -> QuoteSheet:
    """Split the rows, and check the ready table against its contract."""
    ready = [_quote(entry) for entry in prepared if not entry.reasons]
    held = [
        Held(entry.row["source_line"], dict(entry.raw), tuple(entry.reasons), _quote(entry))
        for entry in prepared
        if entry.reasons
    ]
    prepared.clear()  # with it goes each ready row as its source wrote it
    return QuoteSheet(
        format_key=key,
        file_name=context.file_name,
        source=context.source,
        source_hash=context.source_hash,
        observed_on=context.observed_on,
        encoding=encoding,
        rows_read=parsed.rows,
        ready=quote_frame(ready),
        held=(*parsed.held, *held),
        faults=tuple(sorted(parsed.faults, key=lambda fault: (fault.line, fault.column))),
        duplicates=tuple(parsed.duplicates),
        ignored=tuple(parsed.ignored),
        notes=tuple(parsed.notes),
        unknown_columns=parsed.unknown_columns,
        realised=parsed.realised,
    )


def _quote(entry: Prepared) -> dict[str, Any]:
    entry.row["flags"] = tuple(dict.fromkeys(entry.flags))
    return entry.row


def quote_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as the checked quote table: contract columns, then derived ones; what a row lacks is None.

    Raises
    ------
    TableError
        When a value is missing where it must stand, or of another kind than its column.
    """
    columns = (*QUOTES.columns, *DERIVED.columns)
    stated = set().union(*{tuple(row) for row in rows})
    nothing: list[Any] = [None] * len(rows)
    cells = {}
    for column in columns:
        values = [row.get(column.name) for row in rows] if column.name in stated else nothing
        if column.kind in {"texts", "records"}:  # a list that is not stated is empty
            values = [value or () for value in values]
        cells[column.name] = pd.Series(values, dtype=object)
    frame = pd.DataFrame(cells, columns=list(cells), copy=False)
    return DERIVED.validate(QUOTES.validate(frame))
