"""One option of a recommendation, ready to be shown: figures as stored, codes turned into sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from procurement.models import Answer, OptionRow
from reports.places import Places
from reports.reason_facts import ReasonFacts
from reports.reasons import not_modelled_sentence, reason_sentences
from reports.sentences import words
from reports.templatetags.figures import known, money_text, rate_text

COMPONENT_NAMES = {
    "compute": "Compute", "unused_commitment": "Commitment not used", "idle_capacity": "Capacity not used",
    "resale_forgone": "Resale forgone", "hardware": "Accelerators and servers", "egress": "Data out",
    "second_place_overhead": "Overhead of a second place", "switching_cost": "Move from the present place",
    "foregone_value": "Value of work not done while waiting", "residual": "Resale at the end", "setup": "Set-up",
    "exit": "Exit",
}  # fmt: skip


def component_name(component: str) -> str:
    """Return a cost component as people call it."""
    return COMPONENT_NAMES.get(component, words(component).capitalize())


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option with everything that a page, a memo or a workbook shows of it."""

    code: str
    name: str
    kind: str
    position: int
    is_recommended: bool
    is_runner_up: bool
    is_feasible: bool
    currency: str
    npv: Decimal | None
    nominal_cost: Decimal | None
    capital: Decimal | None
    operating: Decimal | None
    cost_per_accelerator_hour: Decimal | None
    cost_per_useful_accelerator_hour: Decimal | None
    cost_per_unit: Decimal | None
    components: Mapping[str, Decimal]  # nominal
    components_npv: Mapping[str, Decimal]
    months: Sequence[tuple[int, Decimal]]
    why_not: Sequence[str]
    conditions: Sequence[str]
    incomplete: Sequence[str]
    not_modelled: Sequence[str]
    detail: Mapping[str, Any]

    @property
    def is_current(self) -> bool:
        """Whether it is the do-nothing twin."""
        return self.kind == "current"

    @property
    def expected(self) -> Decimal | None:
        """Mean present cost over the cases drawn, where it differs from the present cost at likely values."""
        mean = decimal_of(self.detail.get("npv_mean"))
        return None if mean is None or self.npv is None or abs(mean - self.npv) < 1 else mean

    @property
    def parts(self) -> list[tuple[str, Decimal | None, Decimal | None]]:
        """Components by name: nominal and present cost."""
        keys = dict.fromkeys([*self.components, *self.components_npv])
        return [(component_name(key), self.components.get(key), self.components_npv.get(key)) for key in keys]

    @property
    def adds_up(self) -> bool:
        """Whether parts and months are the totals that are shown, to the cent."""
        checked = (
            (list(self.components.values()), self.nominal_cost),
            (list(self.components_npv.values()), self.npv),
            ([amount for _, amount in self.months], self.nominal_cost),
        )
        return all(not parts or total is None or sum(parts, Decimal(0)) == total for parts, total in checked)

    @property
    def remarks(self) -> list[str]:
        """What to know of the figures: what they rest on and what is left out."""
        detail = self.detail
        basis = {"marginal": "Marginal rate: what is already spent is not counted.", "loaded": ""}
        charge = {"share": "Charged for the share it reserves.", "whole": ""}
        told = [basis.get(str(detail.get("rate_basis")), ""), charge.get(str(detail.get("charge_basis")), "")]
        if known(detail.get("other_charge")):
            other = "the share it reserves" if detail.get("charge_basis") == "whole" else "whole tranches"
            told.append(f"Charged for {other}: {money_text(detail['other_charge'], self.currency)}.")
        if known(self.cost_per_unit):
            told.append(f"{rate_text(self.cost_per_unit, self.currency, words(detail.get('unit') or 'unit'))}.")
        if self.incomplete:
            told.append(f"Partial total: {', '.join(self.incomplete)} neither priced nor waived.")
        return [sentence for sentence in told if sentence]


def option_view(row: OptionRow, places: Places, answer: Answer, facts: ReasonFacts | None = None) -> OptionView:
    """Return a stored option ready to be shown; ``facts`` adds the figures behind bare reasons."""
    detail = row.detail
    parts = list(row.components.all())
    currency = answer.currency
    reasons = detail.get("reasons") or ()
    told = facts.of_option(row.option, reasons) if facts else reasons
    return OptionView(
        code=row.option,
        name=places.option(row.option),
        kind=row.kind,
        position=row.position,
        is_recommended=bool(answer.option) and row.option == answer.option,
        is_runner_up=bool(answer.runner_up) and row.option == answer.runner_up,
        is_feasible=row.is_feasible,
        currency=currency,
        npv=row.npv,
        nominal_cost=row.nominal_cost,
        capital=row.capital,
        operating=row.operating,
        cost_per_accelerator_hour=row.cost_per_accelerator_hour,
        cost_per_useful_accelerator_hour=row.cost_per_useful_accelerator_hour,
        cost_per_unit=decimal_of(detail.get("cost_per_unit")),
        components={part.component: part.amount for part in parts},
        components_npv={part.component: part.present_cost for part in parts if part.present_cost is not None},
        months=[(entry.month, entry.amount) for entry in row.months.all()],
        why_not=() if row.is_feasible else reason_sentences(told, currency, places.option),
        conditions=reason_sentences(detail.get("conditions"), currency),
        incomplete=[component_name(part) for part in detail.get("incomplete_cost") or ()],
        not_modelled=[not_modelled_sentence(part) for part in detail.get("not_modelled") or ()],
        detail=detail,
    )


def decimal_of(value: Any) -> Decimal | None:
    """Return a figure of an answer document; unknown stays unknown."""
    return None if value is None or value == "" else Decimal(str(value))
