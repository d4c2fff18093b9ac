"""Rows of a price file against the offers in force: new, another version, the same, or older."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, partial
from typing import Any

from django.db import models
from django.db.models.expressions import RawSQL
from django.utils.text import slugify

from procurement.models import Build, PriceSheet, Quote, RowOutcome
from providers import Fault
from providers.contract import KEY_COLUMNS, row_key
from providers.reference import accelerator_accepts

# what makes a price another price: the rest of a row says where it was read
NOT_COMPARED = frozenset({
    "id", "version", "is_current", "supersedes", "created_at", "modified_at", "created_by", "reason", "code", "sheet",
    "source_line", "source", "derivation", "flags", "quoted_on", "is_archived", "row_key", "accelerator",
    "provider",
})  # fmt: skip
# set when the row is published, not by the file
SET_LATER = frozenset({
    "id", "version", "is_current", "is_archived", "supersedes", "created_at", "modified_at", "created_by", "provider",
    "reason",
})  # fmt: skip
ADDED_BY_INTAKE = frozenset({"vram_gb", "form_factor"})
FIELDS = tuple(Quote._meta.concrete_fields)
LISTS = frozenset(one.name for one in FIELDS if isinstance(one, models.JSONField) and one.default is list)
COMPARED = tuple((one.name, one.attname) for one in FIELDS if one.name not in NOT_COMPARED)
TAKEN = tuple(one for one in FIELDS if one.name not in SET_LATER | {"code", "cluster", "sheet", "source", "row_key"})
UNSTATED: Mapping[str, Any] = {
    **{one.attname: [] if one.name in LISTS else one.get_default() for one in TAKEN}, "cluster_id": None,
}  # what a column holds that a row does not state  # fmt: skip
CENTRE = Decimal(1).scaleb(-8)  # places that a column of a quote keeps
MOST = Decimal(10) ** 16
MOST_INTEGER = 2_147_483_647
# the offer of each natural key, and of each id the version in force or else the newest one withdrawn
SPOKEN_OF = """
SELECT id FROM procurement_quote WHERE is_current AND row_key = ANY(%s)
UNION ALL
(SELECT DISTINCT ON (code) id FROM procurement_quote WHERE code = ANY(%s) ORDER BY code, is_current DESC, version DESC)
"""


@dataclass(frozen=True, slots=True)
class Resolved:
    """One ready row with what it does to the offer in force.

    ``columns`` are those that the row states of the quote that it becomes; the others are UNSTATED.
    """

    line: int
    outcome: RowOutcome
    provider_code: str
    provider_name: str
    code: str
    row_key: str
    offer: Quote | None
    columns: Mapping[str, Any]
    differences: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


class OfferBook:
    """Resolves the rows of one sheet, chunk by chunk; refuses by row what contradicts another row or offer."""

    def __init__(self, sheet: PriceSheet) -> None:
        self.sheet = sheet
        self.clusters = dict(Build.objects.values_list("code", "pk"))
        self.lines: dict[str, int] = {}

    def resolve(self, rows: Sequence[Mapping[str, Any]]) -> tuple[list[Resolved], list[Fault]]:
        """Return the rows that may become quotes, and the faults of those that may not."""
        named = [(row, provider_code(row["provider"])) for row in rows]
        keys = [offer_key(row["row_key"], row["provider"], code) for row, code in named]
        known = _KnownOffers(keys, [row["id"] for row in rows])
        found: list[Resolved] = []
        faults: list[Fault] = []
        for (row, code), key in zip(named, keys, strict=True):
            columns, wrong = self._columns(row)
            offer, taken = known.of(code, row["id"], key)
            name = offer.code if offer is not None else str(row["id"])
            wrong += self._contradictions(row, name, taken)
            if wrong:
                faults += wrong
                continue
            self.lines[name] = row["source_line"]
            found.append(_resolved(row, code, name, key, offer, columns))
        return found, faults

    def _contradictions(self, row: Mapping[str, Any], name: str, taken: Quote | None) -> list[Fault]:
        line = row["source_line"]
        if taken is not None:
            hint = f"give the row another id: `{name}` is an offer of {taken.provider.name}"
            return [Fault(line, "id", name, "id_taken", hint)]
        if name in self.lines:
            hint = f"line {self.lines[name]} is the same offer: keep one, or give the other its own id"
            return [Fault(line, "id", name, "offer_named_twice", hint)]
        return []

    def _columns(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
        """Return what a row states, fitted to the columns of a quote; most columns are stated by no row."""
        columns: dict[str, Any] = {}
        faults: list[Fault] = []
        for name, value in row.items():
            column = _FITTED.get(name)
            if column is None or value is None:
                continue
            attname, fit = column
            columns[attname] = fitted = fit(value)
            if isinstance(fitted, _TooLarge):
                faults.append(Fault(row["source_line"], name, str(value)[:80], "too_large", fitted.hint))
        cluster = row.get("cluster")
        if cluster:
            columns["cluster_id"] = self.clusters.get(cluster)
            if cluster not in self.clusters:
                known = ", ".join(sorted(self.clusters)[:20]) or "none"
                faults.append(Fault(row["source_line"], "cluster", cluster, "unknown_build", f"known builds: {known}"))
        return columns, faults


@dataclass(frozen=True, slots=True)
class _TooLarge:
    """What a column cannot keep."""

    hint: str


class _KnownOffers:
    """The offers that rows may speak of: by the id of the same provider, else by their natural key."""

    def __init__(self, keys: Sequence[str], codes: Sequence[str]) -> None:
        spoken_of = RawSQL(SPOKEN_OF, (list(keys), list(codes)))
        found = list(Quote.objects.filter(pk__in=spoken_of).select_related("provider").order_by())
        self.by_code = {offer.code: offer for offer in found if offer.is_current}
        self.withdrawn = {offer.code: offer for offer in found if not offer.is_current}
        self.by_key: dict[str, Quote | None] = {}
        for offer in self.by_code.values():
            self.by_key[offer.row_key] = None if offer.row_key in self.by_key else offer

    def of(self, provider: str, code: str, key: str) -> tuple[Quote | None, Quote | None]:
        """Return the newest version that a row speaks of, and the offer of somebody else that has its id."""
        named = self.by_code.get(code)
        if named is not None and named.provider.code == provider:
            return named, None
        offer = self.by_key.get(key)
        if offer is not None:
            return offer, None
        other = named or self.withdrawn.get(code)
        if other is not None and other.provider.code != provider:
            return None, other
        return other, None


@lru_cache(maxsize=1_024)
def provider_code(name: str) -> str:
    """Return the code of a provider by the name that a file happens to use."""
    return slugify(name)[:60] or "unknown"


def offer_key(key: str, name: str, code: str) -> str:
    """Return the natural key of an offer with the provider's code for the name that the file happens to use."""
    return code + key.removeprefix(_key_of_provider(name))


@lru_cache(maxsize=1_024)
def _key_of_provider(name: str) -> str:
    return row_key({"provider": name})[: 1 - len(KEY_COLUMNS)]


def _resolved(  # noqa: PLR0913 - each is one thing known of the row
    row: Mapping[str, Any], provider: str, name: str, key: str, offer: Quote | None, columns: dict[str, Any]
) -> Resolved:
    outcome, differences = RowOutcome.NEW, {}
    if offer is not None and offer.is_current:
        differences = _differences(offer, columns)
        if offer.quoted_on > columns["quoted_on"]:
            outcome = RowOutcome.OLDER
        else:
            outcome = RowOutcome.CHANGED if differences else RowOutcome.SAME
    return Resolved(
        line=row["source_line"], outcome=outcome, provider_code=provider, provider_name=str(row["provider"])[:120],
        code=name, row_key=key, offer=offer, columns=columns, differences=differences,
    )  # fmt: skip


def _differences(offer: Quote, columns: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what differs; what the intake adds to a looser statement makes no new price."""
    found: dict[str, tuple[Any, Any]] = {}
    if not accelerator_accepts(offer.accelerator, columns["accelerator"]):
        found["accelerator"] = (offer.accelerator, columns["accelerator"])
    of_offer = vars(offer)
    for name, attname in COMPARED:
        was, now = of_offer[attname], columns.get(attname, UNSTATED[attname])
        if was != now and not (name in ADDED_BY_INTAKE and was in (None, "")):
            found[name] = (was, now)
    return found


def _fitter(column: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """Return what makes of a value what the column keeps, so that the same row read again is the same."""
    if column.name in LISTS:
        return list
    if isinstance(column, models.DecimalField):
        return _fitted_decimal
    if isinstance(column, models.IntegerField):
        return _fitted_integer
    if isinstance(column, models.CharField):
        return partial(_fitted_text, column.max_length)
    return _as_it_is


def _fitted_decimal(value: Decimal) -> Any:
    if abs(value) >= MOST:
        return _TooLarge("at most 16 digits before the decimal sign")
    return value.quantize(CENTRE, ROUND_HALF_UP)


def _fitted_integer(value: int) -> Any:
    return _TooLarge(f"at most {MOST_INTEGER}") if value > MOST_INTEGER else value


def _fitted_text(longest: int | None, value: str) -> Any:
    if longest and len(value) > longest:
        return _TooLarge(f"at most {longest} characters, here are {len(value):,}")
    return value.replace("\0", "")


def _as_it_is(value: Any) -> Any:
    return value


_FITTED = {column.name: (column.attname, _fitter(column)) for column in TAKEN}
