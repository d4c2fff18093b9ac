"""Whether a quote can be had for a workload: verdict, reasons, notes, what is assumed and unproven (R14)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from procurement.engine.bookability_checks import Checks, checks_of
from procurement.engine.bookability_columns import UNKNOWN, Flags
from procurement.engine.forecast import Forecast
from procurement.engine.quote_terms import approval_days, quote_expires_on
from procurement.engine.readiness import SEVEN_FACTS, Readiness
from procurement.engine.tables import Quote, Scenario

__all__ = ["VERDICTS", "Booking", "Bookings", "approval_days", "bookability", "quote_expires_on"]

VERDICTS = ("unverified", "not_usable", "not_bookable_yet", "usable_assured", "usable_if_booked", "best_effort")
UNVERIFIED, NOT_USABLE, NOT_BOOKABLE_YET, USABLE_ASSURED, USABLE_IF_BOOKED, BEST_EFFORT = range(len(VERDICTS))
BY_CLASS = {"confirmed": USABLE_ASSURED, "reservation_offer": USABLE_IF_BOOKED}  # every other class: best effort
UNPROVEN = ("powered", "cooled")
DAYS_OF_INTERRUPTION = 30  # days that a monthly chance of interruption is about
UNKNOWN_FACT = "unknown"
ASSUMED_OF = {  # reasons that hold of a list price by assumption where it does not state the field
    "one_domain_too_small": "largest_domain_accelerators",
    "interconnect_too_weak": "interconnect",
}


@dataclass(frozen=True, slots=True)
class Booking:
    """One quote for one workload, in words."""

    workload: str
    quote: str
    verdict: str
    is_candidate: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    assumed: tuple[str, ...]
    unproven: tuple[str, ...]
    sign_by: date | None
    facts: Mapping[str, str]

    def answer(self) -> dict[str, Any]:
        """Return the fields of the answer document, ready for JSON."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "assumed": list(self.assumed),
            "unproven": list(self.unproven),
            "sign_by": self.sign_by.isoformat() if self.sign_by else None,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bookings:
    """Every workload with every quote.

    ``verdicts`` are indices into VERDICTS and ``is_candidate`` says what may be bought (semantics 10), both of shape
    (workloads, quotes); words are made for the pairs that are asked for.
    """

    scenario: Scenario
    readiness: Mapping[str, Readiness]
    checks: Checks
    verdicts: NDArray[np.int8]
    is_candidate: Flags
    row_of: Mapping[str, int]
    column_of: Mapping[str, int]

    def offer(self, workload: str, quote: str) -> Booking:
        """Return one pair in words."""
        row, column = self.row_of[workload], self.column_of[quote]
        record = self.scenario.quotes[column]
        sign_by = self._sign_by(row, column)
        return Booking(
            workload=workload,
            quote=quote,
            verdict=VERDICTS[self.verdicts[row, column]],
            is_candidate=bool(self.is_candidate[row, column]),
            reasons=self._reasons(row, column),
            notes=self._notes(row, column, sign_by),
            assumed=self.checks.quotes.assumed[column],
            unproven=UNPROVEN if self._is_unproven(row, column) else (),
            sign_by=sign_by,
            facts=self._facts(record),
        )

    def candidates(self, workload: str) -> Flags:
        """Return which quotes may be bought for a workload, shape (quotes,)."""
        row: Flags = self.is_candidate[self.row_of[workload]]
        return row

    def counts(self, workload: str) -> dict[str, int]:
        """Return how many quotes each reason speaks against; a quote with several reasons counts for each."""
        row = self.row_of[workload]
        checks = self.checks
        excluded = ~self.is_candidate[row]
        found = {code: flags[row] & excluded for code, flags in {**checks.unverified, **checks.hard}.items()}
        found["not_bookable_yet"] = self.verdicts[row] == NOT_BOOKABLE_YET
        found["best_effort_only"] = excluded & (self.verdicts[row] == BEST_EFFORT)
        counted = {code: int(flags.sum()) for code, flags in found.items()}
        for column in np.flatnonzero((checks.has_missing[row] | checks.no_rate[row]) & excluded):
            for code in self._named_reasons(row, int(column)):
                counted[code] = counted.get(code, 0) + 1
        return {code: number for code, number in sorted(counted.items()) if number}

    def frame(self, pairs: Iterable[tuple[str, str]] | None = None) -> pd.DataFrame:
        """Return pairs as rows in words; every pair when none are named, which is slow for many."""
        wanted = pairs if pairs is not None else ((one, other) for one in self.row_of for other in self.column_of)
        rows = [self.offer(workload, quote) for workload, quote in wanted]
        return pd.DataFrame([{name: getattr(row, name) for name in Booking.__dataclass_fields__} for row in rows])

    def answer(self, workload: str, quotes: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the answers of some quotes for one workload, ready for JSON."""
        return {quote: self.offer(workload, quote).answer() for quote in quotes}

    def barred(self, tolerated: Iterable[str], *, trusts_list_prices: bool = False) -> Flags:
        """Return where a known fact speaks against a pair, shape (workloads, quotes).

        Fields that an offer leaves out and the ``tolerated`` reasons are no such fact. What is only assumed of a list
        price, that it reaches no further than one node, is one unless list prices are trusted.
        """
        kept = set(tolerated)
        known = [flags for code, flags in self.checks.hard.items() if code not in kept | set(ASSUMED_OF)]
        for code, field in ASSUMED_OF.items():
            is_assumed = np.array([field in fields for fields in self.checks.quotes.assumed], dtype=np.bool_)
            if code not in kept:
                known.append(self.checks.hard[code] & ~(is_assumed & trusts_list_prices))
        barred = np.logical_or.reduce([self.checks.no_rate, self.checks.unverified["quote_expired"], *known])
        return np.asarray(barred, dtype=np.bool_)

    def _reasons(self, row: int, column: int) -> tuple[str, ...]:
        codes = {**self.checks.unverified, **self.checks.hard}
        found = [code for code, flags in codes.items() if flags[row, column]]
        return tuple(dict.fromkeys((*self._named_reasons(row, column), *found)))

    def _named_reasons(self, row: int, column: int) -> list[str]:
        named = [f"missing:{field}" for field in self.checks.quotes.missing[column]]
        if self.checks.no_rate[row, column]:
            named.append(f"no_rate:{self.scenario.quotes[column].accelerator}")
        return named

    def _notes(self, row: int, column: int, sign_by: date | None) -> tuple[str, ...]:
        verdict = self.verdicts[row, column]
        if verdict in (UNVERIFIED, NOT_USABLE):
            return ()
        quotes, workloads = self.checks.quotes, self.checks.workloads
        notes = []
        overbuy = self.checks.overbuy[row, column]
        if overbuy > 0.5:
            notes.append(f"overbuy_accelerator_days:{round(float(overbuy))}")
        if verdict == NOT_BOOKABLE_YET:
            notes.append(f"bookable_from:{_day(workloads.start[row, 0] - quotes.horizon[column])}")
        elif verdict == USABLE_IF_BOOKED:
            notes.append(f"book_by:{_day(workloads.need[row, 0] - quotes.lead[column])}")
        if not math.isnan(quotes.interruption[column]):
            notes.append(f"p_no_interruption:{self._undisturbed(row, column):.3f}")
        quickest = approval_days(self.scenario.policy)
        if quickest is not None and sign_by is not None and (sign_by - self.scenario.as_of).days < quickest:
            notes.append("approval_too_slow")
        return (*notes, *self._renewals(column))

    def _undisturbed(self, row: int, column: int) -> float:
        """Return the chance that no node is interrupted: (1 - m)^(nodes x days / 30)."""
        quotes = self.checks.quotes
        nodes = math.ceil(self.checks.needed[row, column] / quotes.node[column])
        periods = nodes * float(self.checks.workloads.days[row, 0]) / DAYS_OF_INTERRUPTION
        return float((1 - quotes.interruption[column]) ** periods)

    def _renewals(self, column: int) -> list[str]:
        """Return the gates of the quote's cluster whose evidence has aged."""
        cluster = self.scenario.quotes[column].cluster
        known = self.readiness.get(cluster or "")
        flags = known.flags if known else ()
        return [f"renew:{flag.removeprefix('stale:')}" for flag in flags if flag.startswith("stale:")]

    def _sign_by(self, row: int, column: int) -> date | None:
        """Return the earlier of start - lead time and the last day of the quote."""
        quotes = self.checks.quotes
        last = min(self.checks.workloads.start[row, 0] - quotes.lead[column], quotes.expires[column])
        return _day(last)

    def _is_unproven(self, row: int, column: int) -> bool:
        """Tell whether more than one node is offered without a record of the cluster."""
        quotes = self.checks.quotes
        return quotes.cluster[column] == UNKNOWN and bool(self.checks.needed[row, column] > quotes.node[column])

    def _facts(self, quote: Quote) -> dict[str, str]:
        """Return the seven facts; what is not on record stays unknown."""
        known = self.readiness.get(quote.cluster or "")
        network = " ".join(part for part in (quote.interconnect, quote.fabric) if part)
        stated = {
            "accelerator_type": quote.accelerator,
            "size": None if quote.quantity_available is None else str(quote.quantity_available),
            "network_design": network or None,
            "delivery_date": quote.earliest_start.isoformat() if quote.earliest_start else None,
            "buyer_access_terms": quote.capacity_class,
        }
        if known is not None:
            stated |= {
                "size": stated["size"] or str(known.planned_accelerators),
                "network_design": stated["network_design"] or known.gate_status["networked"],
                "power_status": known.energization_status,
                "cooling_readiness": known.gate_status["cooled"],
                "delivery_date": stated["delivery_date"] or known.gate_status["installed"],
                "buyer_access_terms": known.gate_status["accessible"],
            }
        return {fact: stated.get(fact) or UNKNOWN_FACT for fact in SEVEN_FACTS}


def _day(ordinal: float) -> date:
    """Return the day of an ordinal, kept within the calendar."""
    return date.fromordinal(int(min(max(ordinal, 1), date.max.toordinal())))


def bookability(scenario: Scenario, readiness: Mapping[str, Readiness], forecasts: Mapping[str, Forecast]) -> Bookings:
    """Return for every workload and quote whether it can be had.

    Parameters
    ----------
    scenario
        Quotes, workloads and the records of clusters that serve quotes.
    readiness, forecasts
        Of every build, by id; a quote that names a cluster is judged by them (semantics 12).
    """
    checks = checks_of(scenario, readiness, forecasts)
    verdicts = _verdicts(checks)
    return Bookings(
        scenario=scenario,
        readiness=readiness,
        checks=checks,
        verdicts=verdicts,
        is_candidate=_candidates(checks, verdicts),
        row_of={workload.id: row for row, workload in enumerate(scenario.workloads)},
        column_of={quote.id: column for column, quote in enumerate(scenario.quotes)},
    )


def _verdicts(checks: Checks) -> NDArray[np.int8]:
    """Return the first verdict that applies, in the order of the rules."""
    classes = [BY_CLASS.get(one or "", BEST_EFFORT) for one in checks.quotes.capacity_class]
    by_class = np.array(classes, dtype=np.int8)
    by_class = np.where(checks.quotes.has_quantity, by_class, np.int8(BEST_EFFORT))
    verdicts = np.broadcast_to(by_class, checks.needed.shape).copy()
    verdicts[checks.is_early] = NOT_BOOKABLE_YET
    for flags in (checks.no_rate, *checks.hard.values()):
        verdicts[flags] = NOT_USABLE
    for flags in (checks.has_missing, *checks.unverified.values()):
        verdicts[flags] = UNVERIFIED
    return verdicts


def _candidates(checks: Checks, verdicts: NDArray[np.int8]) -> Flags:
    """Return what may be bought: firm offers, and best effort where the workload can live with it (semantics 10)."""
    is_firm = (verdicts == USABLE_ASSURED) | (verdicts == USABLE_IF_BOOKED)
    is_inside_node = checks.needed <= checks.quotes.node
    is_accepted = checks.workloads.accepts_best_effort | is_inside_node
    return np.asarray(is_firm | ((verdicts == BEST_EFFORT) & is_accepted), dtype=np.bool_)
