"""What a recommendation shows beside its options: tornado, load curve, when to sign, lease or buy, improving."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.models import Answer
from reports.option_view import OptionView, decimal_of
from reports.places import Places
from reports.sentences import counted, listing, words
from reports.templatetags.figures import day_text, known, money_text, month_text, number_text, percent_text

LOSSES = {
    "communication": "Communication between accelerators", "failures": "Failures and restarts",
    "feed": "Waiting for data", "idle": "Idle time",
}  # fmt: skip
WAYS = {
    "later": "Rent for {months}, sign then", "shorter": "Sign for {months} and renew", "on_demand": "Stay on demand",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Swing:
    """One input with both ends, and what they do to the choice."""

    name: str
    low: str
    high: str
    cost_low: Decimal | None
    cost_high: Decimal | None
    gap_low: Decimal | None  # chosen less other
    gap_high: Decimal | None
    swing: Decimal | None
    is_turning: bool


@dataclass(frozen=True, slots=True)
class Tornado:
    """The swings of all uncertain inputs, the largest first."""

    against: str
    base: Decimal | None  # what is drawn at likely values: the difference, the cost where there is no other option
    is_difference: bool
    rows: Sequence[Swing]


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of the demand on its load-duration curve."""

    first: Decimal
    last: Decimal
    share: Decimal
    is_owned: bool


@dataclass(frozen=True, slots=True)
class LoadCurve:
    """Which part of the demand is owned, which is rented, and the share of hours at which both cost the same."""

    option: str
    accelerators: Decimal
    owned: Decimal
    slices: Sequence[Slice]
    critical_share: Decimal | None
    sentences: Sequence[str]
    prices: Sequence[tuple[str, Decimal, Decimal]]  # place, fixed and variable [currency per accelerator-hour]
    costs: Sequence[tuple[int, Decimal | None]]
    three: Sequence[tuple[str, Decimal]]


@dataclass(frozen=True, slots=True)
class Way:
    """Another way than to sign now."""

    name: str
    place: str
    npv: Decimal | None
    difference: Decimal | None
    pays_at: str


@dataclass(frozen=True, slots=True)
class Commitment:
    """When to sign a commitment."""

    option: str
    sign_by: str
    npv: Decimal | None
    path: str
    ways: Sequence[Way]


@dataclass(frozen=True, slots=True)
class Improvement:
    """What the present fleet gives at its best month, and where its money goes."""

    lead: str
    losses: Sequence[tuple[str, Decimal | None]]
    useful: Decimal | None
    cost: Decimal | None
    remarks: Sequence[str]


@dataclass(frozen=True, slots=True)
class Details:
    """Everything of this module for one recommendation; None where it does not apply."""

    tornado: Tornado | None
    load_curve: LoadCurve | None
    commitments: Sequence[Commitment]
    leases: Sequence[tuple[str, Sequence[str]]]
    improvement: Improvement | None


def details_of(answer: Answer, options: Sequence[OptionView], places: Places) -> Details:
    """Return the details of a recommendation, the recommended option's first."""
    ordered = sorted(options, key=lambda option: (not option.is_recommended, not option.is_runner_up, option.position))
    curves = [option for option in ordered if option.detail.get("load_curve")]
    signed = [option for option in ordered if (option.detail.get("commitment") or {}).get("alternatives")]
    leased = [option for option in ordered if option.detail.get("lease")]
    better = next((option for option in ordered if option.detail.get("improvement")), None)
    return Details(
        tornado=tornado_view(answer.recommendation.get("tornado"), places),
        load_curve=load_curve_view(curves[0], places) if curves else None,
        commitments=[commitment_view(option, places) for option in signed[:1]],
        leases=[(option.name, lease_sentences(option.detail["lease"], option.currency)) for option in leased[:1]],
        improvement=improvement_view(better.detail["improvement"], better.currency) if better else None,
    )


def tornado_view(found: Any, places: Places) -> Tornado | None:
    """Return the tornado; None where no input is uncertain."""
    if not isinstance(found, Mapping) or not found.get("inputs"):
        return None
    is_difference = known(found.get("difference"))
    rows = [
        Swing(
            name=input_name(str(row["input"]), places),
            low=value_text(row.get("low")),
            high=value_text(row.get("high")),
            cost_low=decimal_of(row.get("npv_low")),
            cost_high=decimal_of(row.get("npv_high")),
            gap_low=decimal_of(row.get("difference_low")),
            gap_high=decimal_of(row.get("difference_high")),
            swing=decimal_of(row.get("swing")),
            is_turning=bool(row.get("turns")),
        )
        for row in found["inputs"]
    ]
    base = decimal_of(found.get("difference") if is_difference else found.get("npv"))
    against = places.option(str(found["against"])) if found.get("against") else ""
    return Tornado(against, base, is_difference, rows)


def input_name(name: str, places: Places) -> str:
    """Return an input by the record it belongs to: `quotes/aws-1/price` is the price of that offer."""
    parts = name.split("/")
    if parts[0] == "dates":
        return f"Day {places.build(parts[1])} is usable"
    figure = words("/".join(parts[2:]) if parts[0] in ("quotes", "builds", "workloads") else parts[-1])
    figure = " ".join(part for part in figure.replace("/", " ").split() if not part.isdigit())
    if parts[0] == "assumptions":
        return " ".join(words(part) for part in parts[1:]).capitalize()
    owner = "" if parts[0] == "workloads" else f", {places.place(parts[1])}"
    return f"{figure[:1].upper()}{figure[1:]}{owner}"


def value_text(value: Any) -> str:
    """Return the value of an input: a day, or a number as it was stated."""
    if not known(value):
        return "never"
    return day_text(value) if isinstance(value, str) and value.count("-") == 2 else number_text(value)


def load_curve_view(option: OptionView, places: Places) -> LoadCurve:
    """Return a hybrid on its load-duration curve."""
    found = option.detail["load_curve"]
    owned = Decimal(str(found["owned"]))
    slices = [
        Slice(Decimal(str(row["from"])), Decimal(str(row["to"])), Decimal(str(row["share"])), row["to"] <= owned)
        for row in found["slices"]
    ]
    prices = [
        (places.place(row["place"]), Decimal(str(row["fixed"])), Decimal(str(row["variable"])))
        for row in found["prices"]
    ]
    three = found.get("three_prices") or {}
    mix = [(places.place(place), Decimal(str(count))) for place, count in (three.get("accelerators") or {}).items()]
    return LoadCurve(
        option=option.name,
        accelerators=Decimal(str(found["accelerators"])),
        owned=owned,
        slices=slices,
        critical_share=decimal_of(found.get("critical_share")),
        sentences=fractile_sentences(found),
        prices=prices,
        costs=[(int(row["owned"]), decimal_of(row.get("npv"))) for row in found["costs"]],
        three=mix,
    )


def fractile_sentences(found: Mapping[str, Any]) -> list[str]:
    """Return the critical fractile in words: why this many are owned."""
    share, fractile = decimal_of(found.get("critical_share")), found.get("critical_fractile")
    if share is None:
        return ["Renting is never dearer by the hour than running an owned accelerator: there is no share to own at."]
    told = [
        f"An accelerator is worth owning while it works more than {percent_text(share, 1)} of all hours: its fixed "
        "cost by what renting costs more than running it."
    ]
    if known(fractile):
        told.append(
            f"So the demand that is exceeded {percent_text(share, 1)} of the time (its {percent_text(fractile, 1)} "
            "fractile) is owned; whole nodes, whole tranches and what is ready in time move the number from there."
        )
    else:
        told.append("That is more than all hours: by this measure nothing is worth owning.")
    return told


def commitment_view(option: OptionView, places: Places) -> Commitment:
    """Return when to sign a commitment."""
    found = option.detail["commitment"]
    ways = [
        Way(
            name=WAYS[row["kind"]].format(months=counted(row.get("months") or 0, "month")),
            place=places.place(str(row["quote"])),
            npv=decimal_of(row.get("npv")),
            difference=decimal_of(row.get("difference")),
            pays_at=path_text(row.get("pays_at_price_path")),
        )
        for row in found["alternatives"]
    ]
    sign_by = day_text(found["sign_by"]) if found.get("sign_by") else "no last day is stated"
    return Commitment(option.name, sign_by, decimal_of(found.get("npv")), path_text(found.get("price_path")), ways)


def path_text(value: Any) -> str:
    """Return a yearly change of prices."""
    if not known(value):
        return "none in range"
    change = Decimal(str(value))
    return "0% a year" if not change else f"{'+' if change > 0 else ''}{percent_text(change, 1)} a year"


def lease_sentences(found: Mapping[str, Any], currency: str) -> list[str]:
    """Return what a lease of the same hardware may cost at most."""
    told = []
    for key, covered in (("hardware", "the hardware"), ("with_maintenance", "the hardware with its maintenance")):
        part = found[key]
        per_year = f", {money_text(part['per_year'], currency)} a year" if known(part.get("per_year")) else ""
        told.append(
            f"Buying {covered} costs {money_text(part['buy'], currency)} today; a lease of "
            f"{counted(found['months'], 'month')} in advance costs the same at "
            f"{money_text(part['per_month'], currency)} a month{per_year}."
        )
    rate = percent_text(found["rate"], 2)
    return [*told, f"Both are debt-like and discounted at {rate} a year, after tax where tax is paid."]


def improvement_view(found: Mapping[str, Any], currency: str) -> Improvement:
    """Return what the present fleet could give, and where its money goes."""
    best, mean = percent_text(found["best_useful_share"], 1), percent_text(found["mean_useful_share"], 1)
    month = month_text(date.fromisoformat(str(found["best_month"])))
    measured = "best measured month" if found["basis"] == "measured" else "best planned month; no month is measured"
    lead = (
        f"In {month}, its {measured}, {best} of the hours paid for were useful work; the mean is {mean}. Every month "
        f"like that would give {number_text(found['more_useful_hours_per_month'], 0)} useful accelerator-hours more "
        f"for the same money, worth {money_text(found['worth_per_month'], currency)} a month."
    )
    remarks = []
    if found.get("modelled"):
        remarks.append(f"From the model, not measured: {listing([words(name) for name in found['modelled']])}.")
    if found.get("not_measured"):
        names = listing([words(name) for name in found["not_measured"]])
        remarks.append(f"Neither measured nor modelled, counted as no loss: {names}.")
    return Improvement(
        lead=lead,
        losses=[(name, decimal_of(found["lost_per_month"].get(key))) for key, name in LOSSES.items()],
        useful=decimal_of(found.get("useful_per_month")),
        cost=decimal_of(found.get("cost_per_month")),
        remarks=remarks,
    )
