"""Opened bids side by side: options as columns, asked items as rows, each price with its derivation and its rate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.choices import asked_item_choices
from procurement.engine.money import newest_rate
from procurement.models import BidState, BidTerms, FxRate, QuoteRequest, RequestBid
from procurement.selectors.assumptions import assumption_set_in_force
from procurement.selectors.requests import READABLE, bids_of, request_today
from procurement.selectors.requests_compliance import is_expired, must_have_faults
from providers import Reason, derive_rate
from providers.cells import plain
from providers.rates import rounded

CHOICES = ("price_basis", "purchase_model", "payment_option", "interconnect", "fabric", "power_status",
           "cooling_status")  # fmt: skip
MONEY = ("upfront", "setup_fee", "exit_fee", "storage_per_gb_month", "egress_per_gb")
# rows beside the asked items: column, words, unit
PRICE_ROWS = (
    ("base_rate", "Price, in our currency", "per accelerator-hour"),
    ("rate", "Price", "per accelerator-hour"),
    ("price", "Price, as stated", ""),
    ("price_basis", "Stated per", ""),
    ("price_includes_tax", "Tax in the price", ""),
    ("purchase_model", "Bought", ""),
    ("upfront", "Paid up front", "per unit of the stated price"),
    ("payment_option", "Share paid up front", ""),
    ("setup_fee", "Setup", "once"),
    ("exit_fee", "Exit", "once"),
    ("support_fraction", "Support", "fraction of recurring cost"),
    ("valid_until", "Can be signed until", ""),
)
OFFER_ROWS = (
    ("accelerator", "Accelerator", ""),
    ("quantity_available", "Offered together", "accelerators"),
    ("accelerators_per_node", "In one node", "accelerators"),
    ("region", "Region", ""),
)
NOTE_ROWS = (("reference", "Their document", ""), ("note", "Note", ""))
UNITS = {
    "largest_domain_accelerators": "accelerators", "measured_allreduce_gbps": "Gbit/s", "term_months": "months",
    "min_accelerators": "accelerators", "storage_per_gb_month": "per GB-month", "egress_per_gb": "per GB",
}  # fmt: skip
BESIDE = {"support_fraction", "accelerators_per_node", *(row[0] for row in NOTE_ROWS)}


@dataclass(frozen=True, slots=True)
class Option:
    """One opened bid with what a buyer asks of it: rate, conversion, and what speaks against it."""

    bid: RequestBid
    terms: BidTerms
    rate: Decimal | None
    why_no_rate: str
    steps: tuple[str, ...]
    base_rate: Decimal | None
    fx: FxRate | None
    why_no_base_rate: str
    our_currency: str
    reasons: tuple[str, ...]

    @property
    def name(self) -> str:
        """Supplier, and the option where it is not the only one by name."""
        supplier = self.bid.invitation.provider.name
        return supplier if self.bid.option == "main" else f"{supplier}, {self.bid.option}"

    @property
    def fx_words(self) -> str:
        """How the price became ours: the rate with its day and source, or why there is none."""
        if self.why_no_base_rate:
            return self.why_no_base_rate
        if self.fx is None:
            return f"stated in {self.our_currency}"
        source = f", {self.fx.source}" if self.fx.source else ""
        return f"1 {self.fx.base} = {plain(self.fx.rate)} {self.fx.counter} on {self.fx.on}{source}"


@dataclass(frozen=True, slots=True)
class Cell:
    """What one option says to one item."""

    value: Any
    currency: str = ""
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One item over all options."""

    key: str
    words: str
    unit: str
    kind: str
    differs: bool
    cells: tuple[Cell, ...]

    @property
    def is_asked(self) -> bool:
        """Whether the request asks for it; other rows are of interest where somebody states something."""
        return self.key not in BESIDE or any(cell.value not in (None, "") for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Options as columns, items as rows."""

    options: tuple[Option, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was opened: comparable options, those that stand apart with their reasons, and what was never opened."""

    request: QuoteRequest
    today: date
    currency: str
    compared: Matrix
    apart: Matrix
    unopened: tuple[RequestBid, ...] = field(default=())

    @property
    def unopened_ids(self) -> list[int]:
        """The bids that were never opened, by id."""
        return [bid.pk for bid in self.unopened]


def request_comparison(quote_request: QuoteRequest) -> Comparison:
    """Return opened bids, cheapest first; apart what breaks a must-have, can no longer be signed or was rejected."""
    today = request_today(quote_request)
    assumption_set = assumption_set_in_force()
    currency = assumption_set.currency if assumption_set else ""
    rates = list(assumption_set.fx.all()) if assumption_set else []
    bids = list(bids_of(quote_request))
    options = [_option(bid, quote_request, today, currency, rates) for bid in bids if bid.state in READABLE]
    options.sort(key=lambda option: (option.base_rate is None, option.base_rate or 0, option.bid.pk))
    compared = [option for option in options if not option.reasons]
    apart = [option for option in options if option.reasons]
    return Comparison(
        request=quote_request, today=today, currency=currency, compared=_matrix(compared, quote_request),
        apart=_matrix(apart, quote_request),
        unopened=tuple(bid for bid in bids if bid.state not in READABLE),
    )  # fmt: skip


def converted(
    amount: Decimal, source: str, target: str, rates: Iterable[FxRate], day: date
) -> tuple[Decimal, FxRate | None] | Reason:
    """Return an amount in another currency with the dated rate used, or the reason why it cannot be said."""
    if source == target:
        return amount, None
    if not target:
        return Reason("no_assumptions", "no assumption set is in force", "put one in force")
    rate = newest_rate(source, target, rates, day)
    if rate is None:
        return Reason(
            "rate_missing", f"no dated rate between {source} and {target}", "add one to the assumption set in force"
        )
    return rounded(amount * rate.rate if rate.base == source else amount / rate.rate), rate


def _option(
    bid: RequestBid, quote_request: QuoteRequest, today: date, currency: str, rates: Sequence[FxRate]
) -> Option:
    terms = bid.terms
    derived = derive_rate({item.name: getattr(terms, item.name) for item in BidTerms._meta.concrete_fields})
    rate, steps, why_no_rate = (None, (), derived.message) if isinstance(derived, Reason) else (*derived, "")
    base_rate, fx, why_not = None, None, why_no_rate
    if rate is not None:
        found = converted(rate, terms.currency, currency, rates, today)
        base_rate, fx = (None, None) if isinstance(found, Reason) else found
        why_not = found.message if isinstance(found, Reason) else ""
    return Option(
        bid, terms, rate, why_no_rate, tuple(steps), base_rate, fx, why_not, currency,
        tuple(_reasons(bid, quote_request, terms, today)),
    )  # fmt: skip


def _reasons(bid: RequestBid, quote_request: QuoteRequest, terms: BidTerms, today: date) -> list[str]:
    """Return why an option stands apart; a bid that was chosen is compared whatever became of its validity since."""
    reasons = [f"rejected: {bid.state_reason.rstrip('.')}"] if bid.state == BidState.REJECTED else []
    if is_expired(terms, today) and bid.state in (BidState.OPENED, BidState.REJECTED):
        reasons.append(f"expired: could be signed until the end of {terms.valid_until} {quote_request.time_zone}")
    return reasons + must_have_faults(quote_request, terms)


def _matrix(options: Sequence[Option], quote_request: QuoteRequest) -> Matrix:
    asked = [(key, words.partition(":")[0], UNITS.get(key, "")) for key, words in asked_item_choices()]
    further = [(f"further:{number}", text, "") for number, text in enumerate(quote_request.questions)]
    rows = [_row(options, *item) for item in (*PRICE_ROWS, *OFFER_ROWS, *asked, *further, *NOTE_ROWS)]
    return Matrix(tuple(options), tuple(rows))


def _row(options: Sequence[Option], key: str, words: str, unit: str) -> Row:
    values = [_value(option, key) for option in options]
    comparable = [value for option, value in zip(options, values, strict=True) if not option.reasons]
    least = min((value for value in comparable if value is not None), default=None) if key == "base_rate" else None
    cells = tuple(
        Cell(value, _currency(option, key), is_best=len(comparable) > 1 and least is not None and value == least)
        for option, value in zip(options, values, strict=True)
    )
    return Row(key, words, unit, _kind(key), len({_comparable(cell) for cell in cells}) > 1, cells)


def _value(option: Option, key: str) -> Any:
    if key in ("rate", "base_rate"):
        return getattr(option, key)
    if key.startswith("further:"):
        number, answers = int(key.partition(":")[2]), option.terms.further_answers
        return answers[number] if number < len(answers) else None
    if key in CHOICES:
        return getattr(option.terms, f"get_{key}_display")() or None
    value = getattr(option.terms, key)
    return None if value == "" else value


def _currency(option: Option, key: str) -> str:
    return option.terms.currency if key in ("rate", "price", *MONEY) else ""


def _comparable(cell: Cell) -> tuple[Any, str]:
    """Return what makes an answer another one: not its case, and nothing is nothing in any currency."""
    if isinstance(cell.value, str):
        return cell.value.strip().casefold(), ""
    return cell.value, cell.currency if cell.value else ""


def _kind(key: str) -> str:
    if key in ("rate", "base_rate"):
        return "rate"
    return "money" if key in ("price", *MONEY) else "value"
