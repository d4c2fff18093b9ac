"""The four answers of a recommendation in sentences: what, why, how sure, what would change it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from procurement.models import Answer
from reports.option_view import OptionView, decimal_of
from reports.places import Places, option_parts
from reports.reasons import reason_code, reason_sentences
from reports.sentences import counted, listing, words
from reports.templatetags.figures import (
    day_text,
    known,
    money_short_text,
    money_text,
    number_text,
    percent_text,
)

WHY_NOT = ("runner_up_dearer", "second_place_not_worth", "on_prem_passed_over", "cheaper_but_infeasible", "constraint")

# input of a flip point -> its name and how its value reads
FLIP_INPUTS = {
    "utilisation": ("use of the accelerators", "percent"),
    "cloud_price": ("the rental price", "times"),
    "price_path": ("the yearly change of rental prices", "percent"),
    "delay": ("the delay of the build", "months"),
    "delay_months": ("the delay of the build", "months"),
    "capital": ("the capital cost", "times"),
    "power_price": ("the price of power", "times"),
    "discount_rate": ("the discount rate", "percent"),
    "horizon": ("the horizon", "months"),
    "horizon_months": ("the horizon", "months"),
}


def what_sentence(answer: Answer, places: Places, current_place: str = "") -> str:
    """Return what is recommended, in one sentence."""
    parts = option_parts(answer.option)
    build, quote = places.build(parts.build), places.quote(parts.quote)
    if answer.verdict == "wait":
        return f"Wait. Then: {places.option(answer.option.partition(':')[2])}."
    sentences = {
        "on_prem": f"Own it: run it on {build}.",
        "cloud": f"Rent it: {quote}.",
        "hybrid": f"Own the base at {build} and rent the peak: {quote}.",
        "bridge_then_on_prem": f"Rent until {build} is ready, then move there: {quote}.",
        "stay": f"Leave it where it runs today{f': {current_place}' if current_place else ''}.",
        "none_feasible": "Nothing on record fits this workload.",
    }
    return sentences.get(answer.verdict, "No recommendation can be given yet.")


def why_sentences(
    answer: Answer, places: Places, recommended: OptionView | None, current: OptionView | None
) -> list[str]:
    """Return why: the saving against doing nothing first, then the coded reasons; why others lost stands apart."""
    saving = []
    said = set(WHY_NOT)
    gap = _saving(recommended, current)
    if gap is not None:
        said.add("cheaper_than_current")
        told = money_short_text(abs(gap), answer.currency)
        saves = f"It saves {told} against doing nothing" if gap >= 0 else f"It costs {told} more than doing nothing"
        saving = [f"{saves}, in present value."]
    reasons = [reason for reason in answer.recommendation.get("reasons") or () if reason_code(reason)[0] not in said]
    return [*saving, *reason_sentences(reasons, answer.currency, places.option)]


def sure_sentences(answer: Answer) -> list[str]:
    """Return what the word for certainty rests on: completeness, age, grade of evidence and margin."""
    how = answer.recommendation.get("how_sure")
    if not isinstance(how, Mapping):
        return []
    sentences: list[str] = []
    probability = decimal_of(how.get("probability_cheapest"))
    if probability is not None:
        sentences.append(f"Cheapest in {number_text(probability * 10, 0)} of 10 cases drawn.")
    incomplete = how.get("incomplete_cost") or []
    sentences.append(
        f"Costs are partial: {words(incomplete)} neither priced nor waived."
        if incomplete or how.get("completeness") == "partial"
        else "Every expected cost is priced, covered or waived."
    )
    margin = decimal_of(how.get("margin"))
    if margin is not None:
        sentences.append(f"The runner-up costs {percent_text(margin, 1)} more.")
    if how.get("worst_grade"):
        sentences.append(f"The weakest evidence that counts has grade {how['worst_grade']}.")
    for key, told in (("unproven", "Not proven"), ("assumed", "Assumed, not stated")):
        if how.get(key):
            sentences.append(f"{told}: {words(how[key])}.")
    if probability is None:
        sentences.append("No ranges are stated, so no probability is given.")
    return sentences


def flip_sentence(point: Mapping[str, Any], currency: str) -> str:
    """Return what would have to be true of one input for the other answer."""
    key = _flip_key(point)
    name, kind = FLIP_INPUTS.get(key, (words(key), "number"))
    value = point.get("value", point.get("at"))
    today = point.get("today", point.get("current"))
    if not known(value):
        return f"No value of {name} within its range changes the answer."
    turn = ""
    if known(today):
        turn = " above" if decimal_of(value) > decimal_of(today) else " below"  # type: ignore[operator]
    then = f", today {flip_value(today, kind)}" if known(today) else ""
    return f"{name[:1].upper()}{name[1:]}{turn} {flip_value(value, kind)}{then}."


def _flip_key(point: Mapping[str, Any]) -> str:
    return str(point.get("input") or point.get("name") or point.get("code") or "")


def flip_value(value: Any, kind: str) -> str:
    """Return the value of a flip point with its unit."""
    if kind == "percent":
        return percent_text(value, 1)
    if kind == "times":
        return f"{number_text(value, 2)} times today's"
    if kind == "months":
        return f"{number_text(value, 1)} months"
    return number_text(value)


def change_sentences(answer: Answer) -> list[str]:
    """Return what would change the answer: flip points that exist, then how far none does."""
    points = answer.recommendation.get("flip_points") or []
    found = [point for point in points if known(point.get("value", point.get("at")))]
    missing = [point for point in points if point not in found]
    sentences = [flip_sentence(point, answer.currency) for point in found]
    if missing:
        names = [FLIP_INPUTS.get(_flip_key(point), (words(_flip_key(point)), ""))[0] for point in missing]
        sentences.append(f"No value in its range of {listing(names)} changes the answer.")
    return sentences


def lost_sentences(winner: OptionView | None, loser: OptionView | None, answer: Answer) -> list[str]:
    """Return why the runner-up lost: how much dearer, and what it would do better."""
    if winner is None or loser is None or winner.npv is None or loser.npv is None:
        return []
    gap = loser.npv - winner.npv
    share = f" ({percent_text(gap / winner.npv, 1)})" if winner.npv else ""
    verb = "more" if gap >= 0 else "less"
    sentences = [f"Its present cost is {money_text(abs(gap), answer.currency)}{share} {verb}."]
    if winner.capital is not None and loser.capital is not None and winner.capital != loser.capital:
        less = loser.capital < winner.capital
        difference = money_text(abs(loser.capital - winner.capital), answer.currency)
        sentences.append(f"It needs {difference} {'less' if less else 'more'} capital.")
    return sentences


def _saving(recommended: OptionView | None, current: OptionView | None) -> Decimal | None:
    if recommended is None or current is None or recommended.is_current:
        return None
    return None if recommended.npv is None or current.npv is None else current.npv - recommended.npv


def why_not_sentences(answer: Answer, places: Places) -> list[str]:
    """Return why owned capacity or a second place was passed over."""
    shown = ("second_place_not_worth", "on_prem_passed_over", "cheaper_but_infeasible")
    reasons = [reason for reason in answer.recommendation.get("reasons") or () if reason_code(reason)[0] in shown]
    return reason_sentences(reasons, answer.currency, places.option)


def premium_sentence(answer: Answer) -> str:
    """Return the premium over the cheapest compliant option, where there is one."""
    if not answer.premium_over_cheapest:
        return ""
    premium = money_text(answer.premium_over_cheapest, answer.currency)
    return f"It costs {premium} more than the cheapest compliant option; the reasons above justify it."


def breakeven_sentences(option: OptionView, places: Places) -> list[str]:
    """Return the three break-evens of an option, each named for what it is."""
    breakeven = option.detail.get("breakeven")
    if not isinstance(breakeven, Mapping) or not breakeven.get("against"):
        return []
    against = places.option(str(breakeven["against"]))
    if breakeven.get("reason") and not known(breakeven.get("months")):
        told = BREAKEVEN_REASONS.get(str(breakeven["reason"]), words(breakeven["reason"]))
        beyond = breakeven.get("months_beyond_window")
        later = f"; at the last month's rate it would after {number_text(beyond, 1)} months" if known(beyond) else ""
        return [f"Against “{against}”: {told}{later}."]
    discounted = breakeven.get("discounted") or {}
    periods: list[tuple[str, Any, Any, str, int]] = [
        ("pays back after", breakeven.get("months"), discounted.get("months"), "months", 1),
        ("after", breakeven.get("hours"), discounted.get("hours"), "hours of use", 0),
    ]
    parts = [
        f"{verb} {number_text(simple, places_)} {unit}{_discounted(later, places_)}"
        for verb, simple, later, unit, places_ in periods
        if known(simple)
    ]
    if known(breakeven.get("utilisation")):
        later = discounted.get("utilisation")
        also = f" (discounted {percent_text(later, 1)})" if known(later) else ""
        parts.append(f"and costs the same at {percent_text(breakeven['utilisation'], 1)} use{also}")
    return [f"Against “{against}” it {', '.join(parts)}."] if parts else []


BREAKEVEN_REASONS = {
    "cloud_not_dearer_than_running": "renting costs no more than running the own machine, so it never pays back",
    "beyond_window": "it does not pay back within the window",
    "never": "it never pays back",
}


def _discounted(value: Any, places: int) -> str:
    return f" (discounted {number_text(value, places)})" if known(value) else ""


def conditions_of(answer: Answer) -> Sequence[str]:
    """Return what must hold before anybody signs."""
    return reason_sentences(answer.recommendation.get("conditions"), answer.currency)


def age_sentence(answer: Answer, as_of: Any) -> str:
    """Return how old the oldest input is."""
    if answer.oldest_input_on is None:
        return "The age of the oldest input is not known."
    days = (as_of - answer.oldest_input_on).days
    oldest = day_text(answer.oldest_input_on)
    return f"The oldest input is of {oldest}, {counted(days, 'day')} before the day of evaluation."
