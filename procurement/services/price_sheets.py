"""Price sheets: received as they are, read by the intake, stored all or nothing."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from procurement.errors import ProcurementError
from procurement.models import (
    AcceleratorAlias,
    Build,
    PriceSheet,
    Provider,
    Quote,
    SheetRow,
    SheetRowState,
    SheetState,
)
from procurement.permissions import require
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.services.actors import Actor
from procurement.services.audit import audit_record
from procurement.services.job_runner import RunningJob
from procurement.services.jobs import job_request
from procurement.services.quotes import PRICE_FIELDS, quote_derive
from procurement.services.runs import recompute_request
from providers import Fault, Held, ProviderError, QuoteSheet, Rate, read_quotes
from providers.contract import row_key
from providers.reference import accelerator_accepts

MAX_SHEET_BYTES = 50 * 1024 * 1024
NEEDED_TO_RELEASE = ("provider", "accelerator", "price", "price_basis", "currency", "purchase_model", "quoted_on")
# what makes a price another price: the rest of a row says where it was read
COMPARED = tuple(
    field.name
    for field in Quote._meta.concrete_fields
    if field.name
    not in {
        "id", "version", "is_current", "supersedes", "created_at", "modified_at", "created_by", "reason", "code",
        "sheet", "source_line", "source", "derivation", "flags", "quoted_on", "is_archived", "ranges", "row_key",
        "accelerator",
    }
)  # fmt: skip
ADDED_BY_INTAKE = ("vram_gb", "form_factor")
INTAKE_FIELDS = {field.name for field in Quote._meta.concrete_fields}


def price_sheet_receive(
    *, by: Actor, file_name: str, content: bytes, observed_on: date, source: str, options: Mapping[str, Any]
) -> tuple[PriceSheet, bool]:
    """Store a file as it is and queue its import, in one transaction.

    The same file of the same name and day is received once: the second time returns the first sheet and False.
    ``options`` may hold provider (Provider), currency, format_key and is_skipping_faulty.
    """
    require(by.user, "quote.edit")
    if not content:
        raise ProcurementError("invalid", f"{file_name} is empty.", {"file": [f"{file_name} is empty."]})
    if len(content) > MAX_SHEET_BYTES:
        message = f"{file_name} has {len(content):,} bytes; at most {MAX_SHEET_BYTES:,} are read. Split the file."
        raise ProcurementError("too_large", message, {"file": [message]})
    digest = hashlib.sha256(content).hexdigest()
    file_name = file_name.replace("\\", "/").split("/")[-1][:255]
    with transaction.atomic():
        _one_at_a_time(digest)
        known = PriceSheet.objects.select_for_update().filter(
            content_sha256=digest, file_name=file_name, observed_on=observed_on
        )
        sheet = known.first()
        if sheet is not None and sheet.state != SheetState.REFUSED:
            return sheet, False
        if sheet is None:
            sheet = PriceSheet(
                file_name=file_name, content_sha256=digest, observed_on=observed_on, source=source[:500],
                received_by=by.user, **options,
            )  # fmt: skip
            sheet.file.save(f"{digest}.bin", ContentFile(content), save=False)
        else:
            for name, value in options.items():
                setattr(sheet, name, value)
            sheet.state = SheetState.RECEIVED
        sheet.save()
        changes = {"file": [None, f"{file_name} sha256 {digest}"]}
        audit_record(by=by, action="price_sheet.receive", record=sheet, changes=changes)
        job_request(
            kind="price_sheet_import", dedupe_key=f"price_sheet_import:{sheet.pk}", args={"sheet": sheet.pk},
            coalesce=True,
        )  # fmt: skip
    return sheet, True


def _one_at_a_time(digest: str) -> None:
    """Let whoever sends the same content wait until the first has stored it, to the end of the transaction."""
    number = int.from_bytes(bytes.fromhex(digest)[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def price_sheet_import(job: RunningJob, sheet: int) -> None:
    """Read a received sheet and store its quotes, all or nothing; an imported sheet is left as it is."""
    record = PriceSheet.objects.select_for_update(of=("self",)).select_related("provider").get(pk=sheet)
    if record.state == SheetState.IMPORTED:
        return
    job.progress(0, 2, f"reading {record.file_name}")
    try:
        read = _read(record)
    except ProviderError as error:
        _refuse(record, str(error))
        return
    _store_rows(record, read)
    if read.faults and not record.is_skipping_faulty:
        _refuse(record, f"{record.rows_faulty} rows cannot be read; nothing was imported. Mend them, or skip them.")
        return
    job.progress(1, 2, f"storing {len(read.ready)} quotes")
    try:
        with transaction.atomic():
            store_quotes(sheet=record, rows=read.ready.to_dict("records"), by=_receiver(record))  # type: ignore[arg-type]
    except ProcurementError as error:
        _refuse(record, error.message)
        return
    record.state = SheetState.IMPORTED
    record.imported_at = timezone.now()
    record.message = "; ".join(read.notes)
    record.save()
    audit_record(by=_receiver(record), action="price_sheet.import", record=record, changes=_counts(record))
    if record.rows_new or record.rows_changed:
        recompute_request(by=_receiver(record), cause=f"prices of {record.file_name}")
    job.progress(2, 2, f"{record.rows_new} new, {record.rows_changed} changed, {record.rows_same} same")


def price_sheet_failed(*, message: str, sheet: int) -> None:
    """Note that a sheet's import failed for good; nothing of it was stored and it can be received again."""
    PriceSheet.objects.filter(pk=sheet, state=SheetState.RECEIVED).update(state=SheetState.REFUSED, message=message)


def sheet_row_release(*, by: Actor, row: SheetRow, values: Mapping[str, Any]) -> Quote:
    """Let a held row count as a quote, with the missing values that a person states and why.

    Refuses a row that is not held, a release without a reason, and values that still make no quote.
    """
    require(by.user, "quote.edit")
    if not by.reason.strip():
        message = "Say why this row may be trusted."
        raise ProcurementError("invalid", message, {"reason": [message]})
    with transaction.atomic():
        locked = SheetRow.objects.select_for_update().select_related("sheet").get(pk=row.pk)
        if locked.state != SheetRowState.HELD:
            raise ProcurementError("not_held", f"{locked} is {locked.get_state_display().lower()}, not held.")
        quotes = store_quotes(sheet=locked.sheet, rows=[_released(locked, values)], by=by)
        locked.state = SheetRowState.RELEASED
        locked.released_by = by.user
        locked.released_at = timezone.now()
        locked.release_reason = by.reason
        locked.save()
        locked.sheet.save()
        audit_record(by=by, action="sheet_row.release", record=locked, changes={"state": ["held", "released"]})
        recompute_request(by=by, cause=f"{locked} released")
    return quotes[0]


def _released(row: SheetRow, stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return a held row with what a person states, as typed quote columns; refuses what still makes no quote."""
    values = {**row.values, **stated}
    faults = {}
    for name in NEEDED_TO_RELEASE:
        if values.get(name) in (None, ""):
            faults[name] = [f"{row} has no {name}; state it."]
    for name, value in values.items():
        if name in INTAKE_FIELDS and name not in ("id", "provider", "cluster", "sheet") and value is not None:
            try:
                values[name] = Quote._meta.get_field(name).to_python(value)
            except ValidationError as error:
                faults[name] = error.messages
    price = values.get("price")
    if isinstance(price, Decimal) and not (price > 0 or (price == 0 and values.get("upfront"))):
        faults["price"] = [f"{price} is no price: state one above 0."]
    if faults:
        raise ProcurementError("invalid", "; ".join(text for texts in faults.values() for text in texts), faults)
    probe = Quote(**{name: values.get(name) for name in PRICE_FIELDS}, currency=values["currency"])
    quote_derive(probe)
    values |= {"price_per_accelerator_hour": probe.price_per_accelerator_hour, "derivation": probe.derivation}
    return {**values, "row_key": row_key(values), "id": values.get("id") or f"{row.sheet_id}-{row.line}"}


def offer_key(key: str, name: str, providers: Mapping[str, Provider]) -> str:
    """Return the natural key of an offer with the provider's code for the name that the file happens to use."""
    return providers[name].code + key.removeprefix(row_key({"provider": name}).partition("|")[0])


class _KnownOffers:
    """The offers in force that rows may speak of: by the id of the same provider, else by their natural key."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        wanted = Q(row_key__in=[row["row_key"] for row in rows]) | Q(code__in=[row["id"] for row in rows])
        offers = list(Quote.objects.filter(wanted, is_current=True))
        self.by_code = {(offer.provider_id, offer.code): offer for offer in offers}
        keys = Counter(offer.row_key for offer in offers)
        self.by_key = {offer.row_key: offer for offer in offers if keys[offer.row_key] == 1}
        self.taken: dict[int, int | None] = {}

    def take(self, quote: Quote) -> Quote | None:
        """Return the offer that a row speaks of; refuses two rows that speak of the same one."""
        offer = self.by_code.get((quote.provider_id, quote.code)) or self.by_key.get(quote.row_key)
        if offer is not None:
            if offer.pk in self.taken:
                message = f"lines {self.taken[offer.pk]} and {quote.source_line} are both the offer `{offer.code}`."
                raise ProcurementError("conflict", f"{message} Keep one, or give the other its own id.")
            self.taken[offer.pk] = quote.source_line
        return offer


def store_quotes(*, sheet: PriceSheet, rows: list[dict[str, Any]], by: Actor) -> list[Quote]:
    """Append new offers and new versions of changed ones; an offer that says the same is left alone.

    Works in the caller's transaction and sets the sheet's counts; the caller saves the sheet.
    """
    providers = _providers(rows, by)
    clusters = {build.code: build for build in Build.objects.all()}
    rows = [{**row, "row_key": offer_key(row["row_key"], row["provider"], providers)} for row in rows]
    known = _KnownOffers(rows)
    fresh: list[Quote] = []
    replaced: list[int] = []
    same: list[Quote] = []
    for row in rows:
        quote = _quote(row, sheet, providers, clusters)
        quote.created_by = by.user
        current = known.take(quote)
        if current is not None:
            if current.quoted_on > quote.quoted_on or _is_same_price(current, quote):
                same.append(_observed_again(current, quote))
                continue
            quote.code, quote.version, quote.supersedes = current.code, current.version + 1, current
            quote.is_archived = current.is_archived
            quote.reason = f"re-quoted in {sheet.file_name}"[:300]
            replaced.append(current.pk)
        fresh.append(quote)
    _refuse_taken_codes(fresh)
    Quote.objects.filter(pk__in=replaced).update(is_current=False, modified_at=timezone.now())
    Quote.objects.bulk_create(fresh, batch_size=500)
    Quote.objects.bulk_update(same, ["quoted_on", "sheet", "source_line", "modified_at"], batch_size=500)
    sheet.rows_ready += len(rows)
    sheet.rows_new += len(fresh) - len(replaced)
    sheet.rows_changed += len(replaced)
    sheet.rows_same += len(same)
    return [*fresh, *same]


def _read(record: PriceSheet) -> QuoteSheet:
    with record.file.open("rb") as file:
        content = file.read()
    aliases = dict(AcceleratorAlias.objects.filter(is_archived=False).values_list("alias", "accelerator"))
    return read_quotes(
        content, file_name=record.file_name, observed_on=record.observed_on, source=record.source,
        currency=record.currency or None, provider=record.provider.code if record.provider else None,
        format_key=record.format_key or None, aliases=aliases, rates=_rates(),
    )  # fmt: skip


def _rates() -> tuple[Rate, ...]:
    """Return the dated rates in force, so that prices in other currencies can be judged and need not be held."""
    assumption_set = assumption_set_in_force()
    rates = assumption_set.fx.all() if assumption_set else ()
    return tuple(
        Rate(base=rate.base, counter=rate.counter, rate=rate.rate, on=rate.on, source=rate.source) for rate in rates
    )


def _store_rows(record: PriceSheet, read: QuoteSheet) -> None:
    record.rows.all().delete()
    held = [_held_row(record, row) for row in read.held]
    faulty = [_faulty_row(record, fault) for fault in read.faults]
    SheetRow.objects.bulk_create([*held, *faulty], batch_size=500)
    record.format_key = read.format_key
    record.rows_ready = record.rows_new = record.rows_changed = record.rows_same = 0
    record.rows_held = len(held)
    record.rows_faulty = len({row.line for row in faulty})


def _held_row(record: PriceSheet, row: Held) -> SheetRow:
    reasons = [{"code": reason.code, "message": reason.message, "release": reason.release} for reason in row.reasons]
    values = {name: _json_value(value) for name, value in row.quote.items()}
    return SheetRow(
        sheet=record, line=row.line, state=SheetRowState.HELD, raw=dict(row.raw), values=values, reasons=reasons
    )


def _faulty_row(record: PriceSheet, fault: Fault) -> SheetRow:
    reason = {
        "code": fault.rule, "column": fault.column, "value": fault.value, "message": str(fault), "release": fault.hint,
    }  # fmt: skip
    return SheetRow(sheet=record, line=fault.line, state=SheetRowState.FAULTY, reasons=[reason])


def _refuse(record: PriceSheet, message: str) -> None:
    record.state = SheetState.REFUSED
    record.message = message
    record.save()
    audit_record(by=_receiver(record), action="price_sheet.refuse", record=record, changes={"why": [None, message]})


def _receiver(record: PriceSheet) -> Actor:
    return Actor(user=record.received_by, source="job", reason=f"import of {record.file_name}")


def _counts(record: PriceSheet) -> dict[str, list[int | None]]:
    names = ("rows_new", "rows_changed", "rows_same", "rows_held", "rows_faulty")
    return {name: [None, getattr(record, name)] for name in names}


def _providers(rows: list[dict[str, Any]], by: Actor) -> dict[str, Provider]:
    names = {row["provider"] for row in rows}
    codes = {name: slugify(name)[:60] or "unknown" for name in names}
    known = {provider.code: provider for provider in Provider.objects.filter(code__in=codes.values())}
    for name in sorted(names):
        if codes[name] not in known:
            provider = Provider.objects.create(code=codes[name], name=name, created_by=by.user)
            audit_record(by=by, action="provider.create", record=provider, changes={"name": [None, name]})
            known[provider.code] = provider
    return {name: known[code] for name, code in codes.items()}


def _quote(
    row: Mapping[str, Any], sheet: PriceSheet, providers: Mapping[str, Provider], clusters: Mapping[str, Build]
) -> Quote:
    values = {name: value for name, value in row.items() if name in INTAKE_FIELDS and value is not None}
    for name in ("id", "provider", "cluster"):
        values.pop(name, None)
    for name in ("includes", "excludes", "costs", "waived", "measured_runs", "flags"):
        values[name] = list(values.get(name) or ())
    quote = Quote(**values, code=row["id"], provider=providers[row["provider"]], sheet=sheet, source=sheet.source)
    cluster = row.get("cluster")
    if cluster:
        if cluster not in clusters:
            known = ", ".join(sorted(clusters)) or "none"
            raise ProcurementError("invalid", f"line {row['source_line']}: no build `{cluster}`; known: {known}.")
        quote.cluster = clusters[cluster]
    return quote


def _is_same_price(current: Quote, quote: Quote) -> bool:
    """Return whether both say the same; what the intake adds to a looser statement makes no new price."""
    return accelerator_accepts(current.accelerator, quote.accelerator) and all(
        current._meta.get_field(name).to_python(getattr(quote, _attribute(name))) == getattr(current, _attribute(name))
        for name in COMPARED
        if not (name in ADDED_BY_INTAKE and getattr(current, name) in (None, ""))
    )


def _attribute(name: str) -> str:
    return f"{name}_id" if name in ("provider", "cluster") else name


def _observed_again(current: Quote, quote: Quote) -> Quote:
    if quote.quoted_on > current.quoted_on:
        current.quoted_on, current.sheet, current.source_line = quote.quoted_on, quote.sheet, quote.source_line
        current.modified_at = timezone.now()
    return current


def _refuse_taken_codes(fresh: list[Quote]) -> None:
    new_codes = [quote.code for quote in fresh if quote.version == 1]
    taken = set(Quote.objects.filter(code__in=new_codes, is_current=True).values_list("code", flat=True))
    if taken:
        names = ", ".join(sorted(taken)[:5])
        raise ProcurementError(
            "code_taken",
            f"{len(taken)} rows use the id of another offer in force ({names}); give them another id.",
        )


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str | list | dict):
        return value
    return list(value) if isinstance(value, tuple) else str(value)
