"""What each workload's answer depends on, as one digest a workload (method/tco.md, section 5).

A run takes over every answer whose digest is known, so a digest must change with everything that the answer shows and
should change with nothing else. A quote for a wrong accelerator or from a provider that is not allowed is never priced:
of it the answer shows that it was ruled out and why, so its money and the day of its price are left out.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from procurement.engine import ENGINE_VERSION
from procurement.engine.quote_filter import accepts_accelerator, allows_provider
from procurement.engine.quote_terms import quote_expires_on

Document = Mapping[str, Any]

NEVER_READ_WHEN_RULED_OUT = (
    "price", "upfront", "setup_fee", "exit_fee", "egress_per_gb", "storage_per_gb_month", "support_fraction", "costs",
    "waived", "list_price", "price_steps", "quoted_on", "valid_until",
)  # fmt: skip
DAYS_OF_A_QUOTE = ("purchase_model", "quoted_on", "valid_until", "lead_time_days", "booking_horizon_days")
RULED_OUT = ("wrong_accelerator", "provider_not_allowed")  # the reasons of the filter


def answer_digests(document: Document) -> dict[str, str]:
    """Return the digest of each workload's answer, by workload.

    Parameters
    ----------
    document
        A scenario document as a run freezes it: plain JSON, every day as ISO text.
    """
    shared = [ENGINE_VERSION, document["as_of"], document["assumptions"], document["policy"], document["builds"]]
    common = _hash(shared)
    supplies = _Supplies(document)
    return {
        workload["id"]: hashlib.sha256(common + supplies.hash_for(workload) + _hash(workload)).hexdigest()
        for workload in document["workloads"]
    }


def dated_questions(document: Document) -> dict[str, Any]:
    """Return the document with one quote of each set of days: all of it that energization and its dates depend on."""
    dated = {tuple(quote.get(name) for name in DAYS_OF_A_QUOTE): quote for quote in document["quotes"]}
    return {**document, "quotes": list(dated.values())}


class _Supplies:
    """The hash of all quotes as each filter sees them; quotes are hashed once and filters are asked once."""

    def __init__(self, document: Document) -> None:
        self._quotes: Sequence[Document] = document["quotes"]
        self._whole = [_hash(quote) for quote in self._quotes]
        as_of = date.fromisoformat(document["as_of"])
        self._ruled_out = [_hash(_without_price(quote, as_of)) for quote in self._quotes]
        kept = " ".join(document["assumptions"].get("keep_options", ()))
        self._is_kept = [bool(kept) and quote["id"] in kept for quote in self._quotes]
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], bytes] = {}

    def hash_for(self, workload: Document) -> bytes:
        """Return the hash of every quote, without its price where the workload's filter rules it out."""
        key = (tuple(workload.get("accelerator_types", ())), tuple(workload.get("allowed_providers", ())))
        if key not in self._known:
            self._known[key] = self._hash_by(*key)
        return self._known[key]

    def _hash_by(self, types: Sequence[str], providers: Sequence[str]) -> bytes:
        names = {quote.get("accelerator") for quote in self._quotes}
        sellers = {quote.get("provider") for quote in self._quotes}
        accepted = {name for name in names if accepts_accelerator(types, name)}
        allowed = {name for name in sellers if allows_provider(providers, name)}
        rows = zip(self._quotes, self._whole, self._ruled_out, self._is_kept, strict=True)
        seen = [
            whole if is_kept or (quote.get("accelerator") in accepted and quote.get("provider") in allowed) else bare
            for quote, whole, bare, is_kept in rows
        ]
        return hashlib.sha256(b"".join(seen)).digest()


def _without_price(quote: Document, as_of: date) -> dict[str, Any]:
    """Return what an answer shows of a quote that the filter rules out, and what its days mean for booking."""
    kept = {key: value for key, value in quote.items() if key not in NEVER_READ_WHEN_RULED_OUT}
    quoted_on, valid_until = _day(quote.get("quoted_on")), _day(quote.get("valid_until"))
    model = quote.get("purchase_model", "on_demand")
    expires = quote_expires_on(purchase_model=model, quoted_on=quoted_on, valid_until=valid_until)
    days = {
        "is_quoted": quoted_on is not None,
        "is_quoted_later": quoted_on is not None and quoted_on > as_of,
        "is_expired": expires is not None and expires < as_of,
    }
    return kept | days


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _hash(value: Any) -> bytes:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).digest()
