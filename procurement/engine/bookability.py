"""Whether a quote can be had for a workload: verdict, reasons, notes, what is assumed and unproven (R14)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from procurement.engine.bookability_checks import Checks, checks_of
from procurement.engine.bookability_columns import UNKNOWN
from procurement.engine.forecast import Forecast
from procurement.engine.pairs import Bits, Counts, Flags, Kinds, Pairs, any_of, of_quotes
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

    Flags are kept for all pairs, words are made for the pairs that are asked for.
    """

    scenario: Scenario
    readiness: Mapping[str, Readiness]
    checks: Checks
    by_class: NDArray[np.int8]  # verdict where nothing speaks against a quote, shape (quotes,)
    unverified: Bits
    unusable: Bits  # unverified or ruled out
    candidate: Bits  # what may be bought (semantics 10)
    excluded: Mapping[str, Counts]  # by reason, how many quotes it speaks against, shape (workloads,)
    row_of: Mapping[str, int]
    column_of: Mapping[str, int]

    @property
    def verdicts(self) -> NDArray[np.int8]:
        """Indices into VERDICTS of all pairs, shape (workloads, quotes): the first that applies."""
        found = np.where(self.checks.is_early.matrix(), np.int8(NOT_BOOKABLE_YET), self.by_class)
        found[self.unusable.matrix()] = NOT_USABLE
        found[self.unverified.matrix()] = UNVERIFIED
        return found

    @property
    def is_candidate(self) -> Flags:
        """What may be bought, shape (workloads, quotes)."""
        return self.candidate.matrix()

    def _verdict(self, row: int, column: int) -> int:
        if self.unverified.at(row, column):
            return UNVERIFIED
        if self.unusable.at(row, column):
            return NOT_USABLE
        return NOT_BOOKABLE_YET if self.checks.is_early.at(row, column) else int(self.by_class[column])

    def offer(self, workload: str, quote: str) -> Booking:
        """Return one pair in words."""
        row, column = self.row_of[workload], self.column_of[quote]
        record = self.scenario.quotes[column]
        sign_by = self._sign_by(row, column)
        return Booking(
            workload=workload,
            quote=quote,
            verdict=VERDICTS[self._verdict(row, column)],
            is_candidate=self.candidate.at(row, column),
            reasons=self._reasons(row, column),
            notes=self._notes(row, column, sign_by),
            assumed=self.checks.quotes.assumed[column],
            unproven=UNPROVEN if self._is_unproven(row, column) else (),
            sign_by=sign_by,
            facts=self._facts(record),
        )

    def candidates(self, workload: str) -> Flags:
        """Return which quotes may be bought for a workload, shape (quotes,)."""
        return self.candidate.of_workload(self.row_of[workload])

    def counts(self, workload: str) -> dict[str, int]:
        """Return how many quotes each reason speaks against; a quote with several reasons counts for each."""
        row = self.row_of[workload]
        return {code: int(numbers[row]) for code, numbers in self.excluded.items() if numbers[row]}

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
        checks = self.checks
        known = [flags for code, flags in checks.hard.items() if code not in kept | set(ASSUMED_OF)]
        found = any_of([checks.no_rate, checks.unverified["quote_expired"], *known], *self.shape)
        for code, field in ASSUMED_OF.items():
            is_assumed = np.array([field in fields for fields in checks.quotes.assumed], dtype=np.bool_)
            trusted = of_quotes(is_assumed & trusts_list_prices, len(self.row_of))
            if code not in kept:
                found |= checks.hard[code].bits().without(trusted.bits())
        return found.matrix()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of quotes and of workloads."""
        return len(self.column_of), len(self.row_of)

    def _reasons(self, row: int, column: int) -> tuple[str, ...]:
        codes = {**self.checks.unverified, **self.checks.hard}
        found = [code for code, flags in codes.items() if flags.at(row, column)]
        return tuple(dict.fromkeys((*self._named_reasons(row, column), *found)))

    def _named_reasons(self, row: int, column: int) -> list[str]:
        named = [f"missing:{field}" for field in self.checks.quotes.missing[column]]
        if self.checks.no_rate.at(row, column):
            named.append(f"no_rate:{self.scenario.quotes[column].accelerator}")
        return named

    def _notes(self, row: int, column: int, sign_by: date | None) -> tuple[str, ...]:
        verdict = self._verdict(row, column)
        if verdict in (UNVERIFIED, NOT_USABLE):
            return ()
        quotes, workloads = self.checks.quotes, self.checks.workloads
        notes = []
        overbuy = self.checks.overbuy(row, column)
        if overbuy > 0.5:
            notes.append(f"overbuy_accelerator_days:{round(overbuy)}")
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
        nodes = math.ceil(self.checks.needed.at(row, column) / quotes.node[column])
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
        return quotes.cluster[column] == UNKNOWN and bool(self.checks.needed.at(row, column) > quotes.node[column])

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
    shape = len(scenario.quotes), len(scenario.workloads)
    unverified = any_of((checks.has_missing, *checks.unverified.values()), *shape)
    unusable = any_of((checks.no_rate, *checks.hard.values()), *shape) | unverified
    by_class = _by_class(checks)
    is_firm = of_quotes(by_class != BEST_EFFORT, shape[1]).bits()
    is_accepted = any_of((checks.is_inside_node, _accepting(checks, shape[0])), *shape)
    early = checks.is_early.bits()
    is_offered = is_firm | is_accepted
    counts = _reason_counts(scenario, checks)
    everything = of_quotes(np.ones(shape[0], dtype=np.bool_), shape[1]).bits()
    counts["not_bookable_yet"] = early.without(unusable).counts()
    counts["best_effort_only"] = everything.without(unusable | early | is_offered).counts()
    return Bookings(
        scenario=scenario,
        readiness=readiness,
        checks=checks,
        by_class=by_class,
        unverified=unverified,
        unusable=unusable,
        candidate=is_offered.without(unusable | early),
        excluded=dict(sorted(counts.items())),
        row_of={workload.id: row for row, workload in enumerate(scenario.workloads)},
        column_of={quote.id: column for column, quote in enumerate(scenario.quotes)},
    )


def _by_class(checks: Checks) -> NDArray[np.int8]:
    """Return the verdict on each quote where nothing speaks against it."""
    classes = [BY_CLASS.get(one or "", BEST_EFFORT) for one in checks.quotes.capacity_class]
    return np.where(checks.quotes.has_quantity, np.array(classes, dtype=np.int8), np.int8(BEST_EFFORT))


def _accepting(checks: Checks, quotes: int) -> Pairs:
    """Return which workloads can live with best effort, whatever the quote (semantics 10)."""
    return Pairs(
        checks.workloads.accepts_best_effort, Kinds(np.zeros(quotes, dtype=np.intp), np.zeros(1, dtype=np.intp))
    )


def _reason_counts(scenario: Scenario, checks: Checks) -> dict[str, Counts]:
    """Return how many quotes each reason speaks against; all of them rule a quote out."""
    found = {code: flags.counts() for code, flags in {**checks.unverified, **checks.hard}.items()}
    everywhere = np.ones(len(scenario.workloads), dtype=np.int64)
    for field, number in Counter(field for fields in checks.quotes.missing for field in fields).items():
        found[f"missing:{field}"] = found.get(f"missing:{field}", 0) + number * everywhere
    members = np.bincount(checks.no_rate.kinds.of, minlength=checks.no_rate.kinds.sample.size)
    for kind in np.flatnonzero(checks.no_rate.values.any(axis=0)):
        code = f"no_rate:{scenario.quotes[checks.no_rate.kinds.sample[kind]].accelerator}"
        found[code] = found.get(code, 0) + checks.no_rate.values[:, kind] * members[kind]
    return found
