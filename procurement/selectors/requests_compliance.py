"""What speaks against a bid: the must-haves of the request it breaks, and whether it can still be signed."""

from collections.abc import Iterator
from datetime import date

from procurement.choices import asked_item_choices, interconnect_choices, label
from procurement.models import BidTerms, QuoteRequest
from providers.reference import accelerator_accepts


def must_have_faults(quote_request: QuoteRequest, terms: BidTerms) -> list[str]:
    """Return each must-have that a bid does not meet, in words with both values; an answer that is missing counts."""
    return [*_offer_faults(quote_request, terms), *_site_faults(quote_request, terms), *_missing(quote_request, terms)]


def is_expired(terms: BidTerms, today: date) -> bool:
    """Return whether a bid can no longer be signed on a day of the request's zone."""
    return terms.valid_until < today


def _offer_faults(quote_request: QuoteRequest, terms: BidTerms) -> Iterator[str]:
    wanted = quote_request.accelerator_types
    if not any(accelerator_accepts(name, terms.accelerator) for name in wanted):
        yield f"offers {terms.accelerator}; asked were {', '.join(wanted)}"
    if terms.quantity_available < quote_request.accelerators:
        yield f"offers {terms.quantity_available} accelerators; {quote_request.accelerators} are needed together"
    if quote_request.region and terms.region.casefold() != quote_request.region.casefold():
        yield f"stands in {terms.region or 'no stated region'}; asked was {quote_request.region}"
    if quote_request.least_interconnect:
        order = [code for code, _ in interconnect_choices()]
        offered = terms.interconnect
        if not offered or order.index(offered) < order.index(quote_request.least_interconnect):
            yield f"scale {_word(offered)}; at least {label(quote_request.least_interconnect).lower()} is needed"
    least = quote_request.least_domain_accelerators
    if least and (terms.largest_domain_accelerators or 0) < least:
        yield f"largest domain {_word(terms.largest_domain_accelerators)}; {least} are needed in one"
    fabrics = quote_request.accepted_fabrics
    if fabrics and terms.fabric not in fabrics:
        yield f"fabric {_word(terms.fabric)}; accepted: {', '.join(map(label, fabrics))}"
    rate = quote_request.least_allreduce_gbps
    if rate is not None and (terms.measured_allreduce_gbps is None or terms.measured_allreduce_gbps < rate):
        yield f"measured all-reduce {_word(terms.measured_allreduce_gbps)}; {_word(rate)} Gbit/s are needed"


def _site_faults(quote_request: QuoteRequest, terms: BidTerms) -> Iterator[str]:
    power = quote_request.accepted_power
    if power and terms.power_status not in power:
        yield f"power {_word(terms.power_status)}; accepted: {', '.join(power)}"
    last = quote_request.latest_delivery_on
    if last and (terms.earliest_start is None or terms.earliest_start > last):
        yield f"delivery {_word(terms.earliest_start)}; needed by {last}"
    longest = quote_request.longest_term_months
    if longest and (terms.term_months or 0) > longest:
        yield f"term of {terms.term_months} months; at most {longest} are accepted"


def _missing(quote_request: QuoteRequest, terms: BidTerms) -> Iterator[str]:
    words = dict(asked_item_choices())
    for name in quote_request.must_answer:
        if getattr(terms, name) in (None, ""):
            yield f"{words[name].partition(':')[0].lower()} not answered"


def _word(value: object) -> str:
    if value in (None, ""):
        return "not stated"
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text.replace("_", " ")
