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
    money_text,
    number_text,
    percent_text,
)

DRAWN = "beats_in_draws"
WHY_NOT = ("runner_up_dearer", "second_place_not_worth", "on_prem_passed_over", "cheaper_but_infeasible", "constraint")
MOST_TELLING = (
    "tie", "only_feasible", "cheaper_than_current", "current_is_cheapest", "owned_base", "bridged_until",
    "waited_until", "cheaper_than_runner_up", "cheapest",
)  # fmt: skip

# input of a flip point -> its name and how its value reads
FLIP_INPUTS = {
    "utilisation": ("use of the accelerators", "percent"),
    "cloud_price": ("the rental price", "times"),
    "price_path": ("the yearly change of rental prices", "percent"),
    "delay_months": ("the delay of the build", "months"),
    "capital": ("the capital cost", "times"),
    "power_price": ("the price of power", "times"),
    "discount_rate": ("the discount rate", "percent"),
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


def reasons_of(answer: Answer) -> list[dict[str, Any]]:
    """Return the coded reasons of an answer; where cases were drawn, the amounts that rank are expected ones."""
    reasons = [dict(reason) for reason in answer.recommendation.get("reasons") or ()]
    if any(reason_code(reason)[0] == DRAWN for reason in reasons):
        return [{**reason, "basis": "expected"} for reason in reasons]
    return reasons


def why_sentences(answer: Answer, places: Places) -> list[str]:
    """Return why, the most telling reason first; why others lost stands apart."""
    reasons = [reason for reason in reasons_of(answer) if reason_code(reason)[0] not in WHY_NOT]
    reasons.sort(key=_telling)
    return reason_sentences(reasons, answer.currency, places.option)


def _telling(reason: Mapping[str, Any]) -> int:
    code = reason_code(reason)[0]
    return MOST_TELLING.index(code) if code in MOST_TELLING else len(MOST_TELLING)


def sure_sentences(answer: Answer, recommended: OptionView | None) -> list[str]:
    """Return what the word for certainty rests on: cases drawn, completeness, age, grade of evidence and margin."""
    how = answer.recommendation.get("how_sure")
    if not isinstance(how, Mapping):
        return []
    probability = decimal_of(how.get("probability_cheapest"))
    sentences = [] if probability is None else [f"It is the cheapest in {_frequency(probability)} drawn."]
    sentences += _range_sentences(recommended)
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


def _frequency(probability: Decimal) -> str:
    if probability == 1:
        return "every case"
    of_ten = round(probability * 10)
    return f"{of_ten} of 10 cases" if 0 < of_ten < 10 else f"{int(probability * 100)} of 100 cases"


def _range_sentences(option: OptionView | None) -> list[str]:
    if option is None:
        return []
    low, high = decimal_of(option.detail.get("npv_p10")), decimal_of(option.detail.get("npv_p90"))
    if low is None or high is None or low == high:
        return []
    between = f"{money_text(low, option.currency)} and {money_text(high, option.currency)}"
    return [f"In 8 of 10 cases its present cost lies between {between}."]


def flip_sentence(point: Mapping[str, Any]) -> str:
    """Return what would have to be true of one input for the other answer."""
    name, kind = _flip_input(point)
    value, today = point["value"], point.get("today")
    turn, then = "", ""
    if known(today):
        turn = " above" if decimal_of(value) > decimal_of(today) else " below"  # type: ignore[operator]
        then = "" if point.get("is_factor") else f", today {flip_value(today, kind)}"
    return f"{name[:1].upper()}{name[1:]}{turn} {flip_value(value, kind)}{then}."


def _flip_input(point: Mapping[str, Any]) -> tuple[str, str]:
    key = str(point.get("input") or "")
    return FLIP_INPUTS.get(key, (words(key), "number"))


def flip_value(value: Any, kind: str) -> str:
    """Return the value of a flip point with its unit."""
    if kind == "percent":
        return percent_text(value, 1)
    if kind == "times":
        return f"{number_text(value, 2)} times today's"
    if kind == "months":
        return f"{number_text(value, 1)} months"
    return number_text(value)


def change_lead(answer: Answer, places: Places) -> str:
    """Return what the answer would change to, where all flip points lead to the same option."""
    others = {str(point["against"]) for point in _flips(answer) if point.get("against")}
    if len(others) != 1:
        return ""
    return f"Each of these alone would make “{places.option(others.pop())}” the better choice:"


def change_sentences(answer: Answer) -> list[str]:
    """Return what would change the answer: flip points that exist, then which inputs have none."""
    found = _flips(answer)
    sentences = [flip_sentence(point) for point in found]
    missing = [_flip_input(point)[0] for point in answer.recommendation.get("flip_points") or [] if point not in found]
    if missing:
        ranges = "its range" if len(missing) == 1 else "their ranges"
        sentences.append(f"No value in {ranges} of {listing(missing)} changes the answer.")
    return sentences


def _flips(answer: Answer) -> list[Mapping[str, Any]]:
    return [point for point in answer.recommendation.get("flip_points") or [] if known(point.get("value"))]


def lost_sentences(winner: OptionView | None, loser: OptionView | None, answer: Answer) -> list[str]:
    """Return why the runner-up lost, and how its capital compares."""
    if winner is None or loser is None:
        return []
    told = ("runner_up_dearer", "runner_up_unproven", "tie")
    reasons = [reason for reason in reasons_of(answer) if reason_code(reason)[0] in told]
    sentences = reason_sentences(reasons, answer.currency)
    if winner.capital is not None and loser.capital is not None and winner.capital != loser.capital:
        less = loser.capital < winner.capital
        difference = money_text(abs(loser.capital - winner.capital), answer.currency)
        sentences.append(f"It needs {difference} {'less' if less else 'more'} capital.")
    return sentences


def why_not_sentences(answer: Answer, places: Places) -> list[str]:
    """Return why owned capacity or a second place was passed over."""
    shown = ("second_place_not_worth", "on_prem_passed_over", "cheaper_but_infeasible")
    reasons = [reason for reason in reasons_of(answer) if reason_code(reason)[0] in shown]
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
