"""Rows of a price file against the offers in force: new, another version, the same, or older."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache, partial
from typing import Any, TypeAlias

from django.db import models
from django.db.models.expressions import RawSQL
from django.utils.text import slugify

from procurement.models import Build, OfferTerms, Quote, RowOutcome
from providers import Fault
from providers.contract import KEY_COLUMNS, row_key
from providers.reference import accelerator_accepts

Column: TypeAlias = "models.Field[Any, Any]"
Columns: TypeAlias = Mapping[str, Sequence[Any]]  # rows of a sheet as providers read them: the values of each column
Differences: TypeAlias = Mapping[str, tuple[Any, Any]]  # column to its value in force and that of the row
FIELDS: Mapping[str, Column] = {
    column.name: column for column in Quote._meta.concrete_fields
    if column.name in {"row_key", "ranges", *(one.name for one in OfferTerms._meta.fields)}
}  # columns that a sheet fills  # fmt: skip
UNSTATED: Mapping[str, Any] = {
    column.attname: column.get_default() for column in FIELDS.values()
}  # what a column of a quote holds that a row does not state  # fmt: skip
# what makes a price another price: the rest of a row says where it was read
NOT_COMPARED = frozenset({"code", "source_line", "derivation", "flags", "quoted_on", "row_key", "accelerator"})
COMPARED = tuple((name, column.attname) for name, column in FIELDS.items() if name not in NOT_COMPARED)
SET_APART = frozenset({"code", "cluster", "row_key"})  # settled by looking at other rows and records
ADDED_BY_INTAKE = frozenset({"vram_gb", "form_factor"})
CENTRE = Decimal(1).scaleb(-8)  # places that a column of a quote keeps
MOST = Decimal(10) ** 16
MOST_INTEGER = 2_147_483_647
# the offer of each natural key, and of each id the version in force or else the newest one withdrawn
SPOKEN_OF = """
SELECT id FROM procurement_quote
WHERE is_current AND row_key = ANY(ARRAY(SELECT jsonb_array_elements_text(%s::jsonb)))
UNION ALL
(SELECT DISTINCT ON (code) id FROM procurement_quote
 WHERE code = ANY(ARRAY(SELECT jsonb_array_elements_text(%s::jsonb))) ORDER BY code, is_current DESC, version DESC)
"""
LOOKED_UP = 1_000  # rows whose offers are fetched at once


@dataclass(slots=True)
class Resolved:
    """Ready rows with what each does to the offer in force; one entry of every list for each row.

    ``columns`` holds the columns of the quotes that they become, as the database keeps them; a column that no row
    states is left out and is UNSTATED. ``offers`` are the key and version of the offer that was compared.
    """

    provider_codes: list[str]
    provider_names: list[str]
    columns: dict[str, list[Any]]
    outcomes: list[RowOutcome] = field(default_factory=list)
    offers: list[tuple[int, int] | None] = field(default_factory=list)
    differences: list[Differences] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def lines(self) -> list[int]:
        """Line of each row."""
        return self.columns["source_line"]

    def only(self, places: Sequence[int]) -> "Resolved":
        """Return the rows at some places."""

        def picked(values: list[Any]) -> list[Any]:
            return [values[place] for place in places]

        return Resolved(
            picked(self.provider_codes), picked(self.provider_names),
            {name: picked(values) for name, values in self.columns.items()},
            picked(self.outcomes), picked(self.offers), picked(self.differences),
        )  # fmt: skip


class OfferBook:
    """Resolves the rows of one sheet; refuses by row what contradicts another row or offer."""

    def __init__(self) -> None:
        self.clusters = dict(Build.objects.values_list("code", "pk"))
        self.lines: dict[str, int] = {}

    def resolve(self, rows: Columns, done: Callable[[int], None] | None = None) -> tuple[Resolved, list[Fault]]:
        """Return the rows that may become quotes, and the faults of those that may not.

        ``done`` hears how many rows were compared, every LOOKED_UP rows.
        """
        columns, faults = self._columns(rows)
        names = rows["provider"]
        codes = [provider_code(name) for name in names]
        keys = [offer_key(key, name, code) for key, name, code in zip(rows["row_key"], names, codes, strict=True)]
        resolved = Resolved(codes, [str(name)[:120] for name in names], columns | {"row_key": keys, "code": []})
        faulty = {fault.line for fault in faults}
        good: list[int] = []
        for start in range(0, len(keys), LOOKED_UP):
            places = range(start, min(start + LOOKED_UP, len(keys)))
            known = _KnownOffers(keys[start : places.stop], rows["id"][start : places.stop])
            for place in places:
                offer, taken = known.of(codes[place], rows["id"][place], keys[place])
                name = str(rows["id"][place]) if offer is None else offer.code
                fault = self._contradiction(rows["source_line"][place], name, taken)
                if fault is not None:
                    faults.append(fault)
                elif rows["source_line"][place] not in faulty:
                    self.lines[name] = rows["source_line"][place]
                    good.append(place)
                _add(resolved, place, name, offer)
            if done is not None:
                done(places.stop)
        return (resolved if len(good) == len(keys) else resolved.only(good)), faults

    def _contradiction(self, line: int, name: str, taken: Quote | None) -> Fault | None:
        if taken is not None:
            hint = f"give the row another id: `{name}` is an offer of {taken.provider.name}"
            return Fault(line, "id", name, "id_taken", hint)
        if name in self.lines:
            hint = f"line {self.lines[name]} is the same offer: keep one, or give the other its own id"
            return Fault(line, "id", name, "offer_named_twice", hint)
        return None

    def _columns(self, rows: Columns) -> tuple[dict[str, list[Any]], list[Fault]]:
        """Return what rows state, fitted to the columns of a quote, and the faults of what does not fit."""
        columns: dict[str, list[Any]] = {}
        faults: list[Fault] = []
        for name, values in rows.items():
            column = FIELDS.get("code" if name == "id" else name)
            if column is not None and name not in SET_APART:
                columns[column.attname] = fitted = _fitted(column, values)
                for line, value, kept in zip(rows["source_line"], values, fitted, strict=True):
                    if isinstance(kept, _TooLarge):
                        faults.append(Fault(line, name, str(value)[:80], "too_large", kept.hint))
        clusters = rows.get("cluster")
        if clusters is not None:
            columns["cluster_id"] = [self.clusters.get(cluster) for cluster in clusters]
            for line, cluster, kept in zip(rows["source_line"], clusters, columns["cluster_id"], strict=True):
                if cluster and kept is None:
                    known = ", ".join(sorted(self.clusters)[:20]) or "none"
                    faults.append(Fault(line, "cluster", cluster, "unknown_build", f"known builds: {known}"))
        return columns, faults


@dataclass(frozen=True, slots=True)
class _TooLarge:
    """What a column cannot keep."""

    hint: str


def _fitted(column: Column, values: Sequence[Any]) -> list[Any]:
    """Return values as the column keeps them, so that the same row read again is the same."""
    fit, unstated = _fitter(column), UNSTATED[column.attname]
    if isinstance(column, models.JSONField):
        return [unstated if value is None else fit(value) for value in values]
    known = {value: fit(value) for value in set(values) if value is not None} | {None: unstated}
    return [known[value] for value in values]  # a sheet repeats most of its values


class _KnownOffers:
    """The offers that rows may speak of: by the id of the same provider, else by their natural key."""

    def __init__(self, keys: Sequence[str], codes: Sequence[str]) -> None:
        spoken_of = RawSQL(SPOKEN_OF, (json.dumps(keys), json.dumps(codes)))
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


def _add(resolved: Resolved, place: int, name: str, offer: Quote | None) -> None:
    """Note what the row at a place does to the offer in force."""
    columns = resolved.columns
    outcome = RowOutcome.NEW
    differences: Differences = {}
    if offer is not None and offer.is_current:
        differences = _differences(offer, {name: values[place] for name, values in columns.items() if name != "code"})
        outcome = RowOutcome.CHANGED if differences else RowOutcome.SAME
        if offer.quoted_on > columns["quoted_on"][place]:
            outcome = RowOutcome.OLDER
    columns["code"].append(name)
    resolved.outcomes.append(outcome)
    resolved.differences.append(differences)
    resolved.offers.append(None if offer is None else (offer.pk, offer.version))


def _differences(offer: Quote, row: Mapping[str, Any]) -> Differences:
    """Return what differs; what the intake adds to a looser statement makes no new price."""
    found: dict[str, tuple[Any, Any]] = {}
    if not accelerator_accepts(offer.accelerator, row["accelerator"]):
        found["accelerator"] = (offer.accelerator, row["accelerator"])
    of_offer = vars(offer)
    for name, attname in COMPARED:
        was, now = of_offer[attname], row.get(attname, UNSTATED[attname])
        if was != now and not (name in ADDED_BY_INTAKE and was in (None, "")):
            found[name] = (was, now)
    return found


def _fitter(column: Column) -> Callable[[Any], Any]:
    if isinstance(column, models.DecimalField):
        return _fitted_decimal
    if isinstance(column, models.IntegerField):
        return _fitted_integer
    if isinstance(column, models.CharField):
        return partial(_fitted_text, column.max_length)
    return list if column.default is list else _as_it_is


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
