"""Cloud options: one quote serves the whole workload (semantics 8 to 10)."""

from dataclasses import replace

import numpy as np

from procurement.engine.costs.base import QuoteUse, Span, TailQuote
from procurement.engine.costs.billing import terms_begun
from procurement.engine.costs.registry import COMPONENTS, quote_cost_flows
from procurement.engine.equal_work import Asked, accelerators_at, asked_hours, shares_at, work_at
from procurement.engine.ledger import Ledger
from procurement.engine.options_base import CloudPlan, Priced
from procurement.engine.periods import Amount
from procurement.engine.setting import Setting, missing_exchange
from procurement.engine.tables import Quote, Workload
from procurement.engine.units import (
    instance_size,
    instances_billed,
    is_committed,
    price_per_accelerator_hour,
    term_length,
)
from procurement.engine.work import Work


def cloud_priced(plan: CloudPlan, workload: Workload, setting: Setting, asked: Asked | None = None) -> Priced:
    """Return the ledger of a workload at one quote, with the hours it works there.

    Parameters
    ----------
    plan
        The quote, N in its type, useful share, terms paid and the tail's quote.
    workload, setting
        The workload and how money is valued.
    asked
        What is asked of this quote where it is not the whole workload (bridge, hybrid).
    """
    asked = asked_hours(workload, setting.assumptions) if asked is None else asked
    work = work_at(asked, plan.accelerators, setting.hours_per_month, plan.share)
    end = np.maximum(work.finish, asked.end)
    use = quote_use(plan, workload, setting, work, end)
    ledger = Ledger(quote_cost_flows(use), setting.terms)
    hours = work.accelerator_hours()
    return Priced(ledger, hours, work.hours, work.finish, None if plan.useful is None else hours * plan.useful)


def quote_use(plan: CloudPlan, workload: Workload, setting: Setting, work: Work, end: Amount) -> QuoteUse:
    """Return what the cost components need to know of a workload at a quote."""
    quote = setting.quotes[plan.quote]
    tail = None if plan.tail is None else TailQuote(setting.quotes[plan.tail], work)
    return QuoteUse(
        quote=quote,
        workload=workload,
        work=work,
        span=Span(0.0, 0.0, end, setting.hours_per_month),
        exchange=setting.exchange,
        terms_begun=plan.terms,
        billed_accelerators=instances_billed(quote, plan.accelerators) * instance_size(quote),
        tail=tail,
        storage_gb=workload.storage_gb,
        egress_gb_per_month=workload.egress_gb_per_month,
    )


def cloud_plan(quote: Quote, workload: Workload, setting: Setting, asked: Asked | None = None) -> CloudPlan | None:
    """Return the plan of a whole workload at a quote, without a tail; None where its type has no published rate."""
    accelerators = accelerators_at(workload, quote.accelerator, quote.accelerators_per_node or 1)
    if accelerators is None:
        return None
    share, useful = shares_at(workload, quote, accelerators)
    asked = asked_hours(workload, setting.assumptions) if asked is None else asked
    plan = CloudPlan(quote.id, accelerators, share, useful)
    if not is_committed(quote) or not share > 0.0:
        return plan
    work = work_at(asked, accelerators, setting.hours_per_month, share)
    return replace(plan, terms=terms_begun(quote, max(asked.window.length, float(np.max(work.finish)))))


def with_tail(
    plan: CloudPlan, workload: Workload, setting: Setting, partners: tuple[Quote, ...], asked: Asked | None = None
) -> CloudPlan:
    """Return the plan whose last, partly used term is bought on demand where that is cheaper (semantics 9)."""
    quote = setting.quotes[plan.quote]
    partner = tail_partner(quote, partners, setting)
    if partner is None or plan.terms < 2 or not is_committed(quote):
        return plan
    shorter = replace(plan, terms=plan.terms - 1, tail=partner.id)
    whole, cut = (cloud_priced(choice, workload, setting, asked).ledger for choice in (plan, shorter))
    return shorter if worth(cut) < worth(whole) else plan


def worth(ledger: Ledger) -> float:
    """Return what a choice between two ledgers compares: present cost, nominal cost without a discount rate."""
    total = ledger.total_nominal() if ledger.terms.rate is None else ledger.total_present()
    return float(np.mean(total))


def tail_partner(quote: Quote, partners: tuple[Quote, ...], setting: Setting) -> Quote | None:
    """Return the cheapest on-demand quote of the same provider for the same accelerator; None where there is none."""
    fitting = [
        partner
        for partner in partners
        if partner.id != quote.id
        and partner.purchase_model == "on_demand"
        and partner.provider == quote.provider
        and partner.accelerator == quote.accelerator
        and partner.region == quote.region
        and not missing_exchange((partner.currency,), setting)
    ]
    priced = [(comparable_price(partner, setting), partner.id, partner) for partner in fitting]
    known = [entry for entry in priced if np.isfinite(entry[0])]
    return min(known, key=lambda entry: entry[:2])[2] if known else None


def comparable_price(quote: Quote, setting: Setting) -> float:
    """Return the price of one accelerator-hour in the answer's currency; NaN where it cannot be derived."""
    price = price_per_accelerator_hour(quote, setting.hours_per_month)
    rate = setting.exchange.get(quote.currency or "")
    return float("nan") if price is None or rate is None else float(np.mean(price * rate))


def price_reasons(quote: Quote, setting: Setting) -> tuple[str, ...]:
    """Return why a quote cannot be priced: a missing price, currency, exchange rate or term."""
    reasons = []
    if quote.price is None:
        reasons.append("missing:price")
    if quote.currency is None:
        reasons.append("missing:currency")
    elif quote.price_basis == "term_total" and term_length(quote) is None:
        reasons.append("missing:term_months")
    currencies = (quote.currency, *(line.currency for line in quote.costs if line.amount is not None))
    return (*reasons, *missing_exchange(currencies, setting))


def cloud_incomplete(quote: Quote) -> tuple[str, ...]:
    """Return the expected components that are neither priced, nor covered, nor waived (semantics 18)."""
    priced = {line.component for line in quote.costs if line.amount is not None}
    covered = {name for line in quote.costs for name in line.covers} | {waiver.component for waiver in quote.waived}
    stated = {
        "compute": quote.price is not None,
        "storage": quote.storage_per_gb_month is not None,
        "egress": quote.egress_per_gb is not None,
        "support": quote.support_fraction is not None,
    }
    settled = priced | covered | set(quote.includes) | {name for name, known in stated.items() if known}
    return tuple(entry.key for entry in COMPONENTS if entry.expected_cloud and entry.key not in settled)


def cloud_not_modelled(quote: Quote, workload: Workload) -> tuple[str, ...]:
    """Return what the total leaves out: exclusions, and needs that the quote does not price (never 0)."""
    settled = set(quote.includes) | {line.component for line in quote.costs if line.amount is not None}
    needs = {
        "storage": bool(workload.storage_gb) and quote.storage_per_gb_month is None,
        "egress": bool(workload.egress_gb_per_month) and quote.egress_per_gb is None,
    }
    missing = [name for name, is_missing in needs.items() if is_missing and name not in settled]
    tax = ["tax_in_price"] if quote.price_includes_tax else []
    return tuple(dict.fromkeys((*quote.excludes, *missing, *tax)))
