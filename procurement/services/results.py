"""Finished answers to rows. Money arrives as decimal strings that the engine's border has rounded once."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from procurement.engine.answer_digests import RULED_OUT
from procurement.models import (
    Answer,
    AvailabilityRow,
    ComponentRow,
    EnergizationRow,
    MonthRow,
    OptionRow,
    Run,
    RunAnswer,
    Workload,
)

AVAILABILITY_ROWS_KEPT = 500  # a workload against tens of thousands of quotes keeps the nearest misses only


def energization_store(*, run: Run, stage: Mapping[str, Any]) -> None:
    """Replace the energization rows of a run."""
    run.energization.all().delete()
    planned = {
        build["id"]: sum(tranche["planned_accelerators"] for tranche in build["tranches"])
        for build in run.inputs["builds"]
    }
    operators = {build["id"]: build.get("operator", "own") for build in run.inputs["builds"]}
    EnergizationRow.objects.bulk_create(
        [
            _energization_row(run, code, readiness, stage["forecast"][code], planned[code], operators[code])
            for code, readiness in stage["readiness"].items()
        ]
    )


def availability_store(
    *, run: Run, digests: Mapping[str, str], stage: Mapping[str, Any], workload_codes: Sequence[str]
) -> None:
    """Replace the availability rows of the workloads whose answer is open, and link the answers to the run."""
    names = _workload_names(run)
    for code in workload_codes:
        answer, _ = Answer.objects.update_or_create(
            digest=digests[code],
            defaults={"workload_code": code, "workload_name": names[code], "currency": run.currency},
        )
        RunAnswer.objects.update_or_create(run=run, workload_code=code, defaults={"answer": answer})
        answer.availability.all().delete()
        offers = stage["bookability"].get(code, {})
        nearest = sorted(offers, key=lambda quote: (len(offers[quote]["reasons"]), quote))[:AVAILABILITY_ROWS_KEPT]
        AvailabilityRow.objects.bulk_create([_availability_row(answer, quote, offers[quote]) for quote in nearest])


def comparisons_store(*, run: Run, stage: Mapping[str, Any], workload_codes: Sequence[str]) -> None:
    """Replace option, component and month rows of the open answers and mark them complete."""
    links = run.run_answers.select_related("answer").filter(workload_code__in=workload_codes)
    for link in links:
        _answer_store(link.answer, stage)


def _answer_store(answer: Answer, stage: Mapping[str, Any]) -> None:
    code = answer.workload_code
    options = stage["options"].get(code, [])
    recommendation = stage["recommendation"][code]
    answer.options.all().delete()
    recommended = recommendation.get("option")
    ordered = sorted(options, key=lambda option: option["option"] != recommended)
    rows = [_option_row(answer, position, option) for position, option in enumerate(ordered)]
    OptionRow.objects.bulk_create(rows)
    ComponentRow.objects.bulk_create(
        [
            ComponentRow(
                option=row,
                component=component,
                amount=Decimal(amount),
                present_cost=_decimal((option.get("components_npv") or {}).get(component)),
            )
            for row, option in zip(rows, ordered, strict=True)
            for component, amount in (option.get("components") or {}).items()
        ]
    )
    MonthRow.objects.bulk_create(
        [
            MonthRow(option=row, month=entry["month"], amount=Decimal(entry["amount"]))
            for row, option in zip(rows, ordered, strict=True)
            for entry in option.get("by_month") or []
        ]
    )
    best = rows[0] if rows and rows[0].option == recommended else None
    answer.verdict = recommendation["verdict"] or ""
    answer.option = recommended or ""
    answer.runner_up = recommendation.get("runner_up") or ""
    answer.is_tie = bool(recommendation.get("tie"))
    answer.how_sure = _how_sure_word(recommendation.get("how_sure"))
    answer.npv = best.npv if best else None
    answer.cost_per_accelerator_hour = best.cost_per_accelerator_hour if best else None
    answer.cost_per_useful_accelerator_hour = best.cost_per_useful_accelerator_hour if best else None
    answer.approval_amount = _decimal(recommendation.get("approval_amount"))
    answer.premium_over_cheapest = _decimal(recommendation.get("premium_over_cheapest"))
    answer.oldest_input_on = _day(recommendation.get("oldest_input_on"))
    answer.recommendation = recommendation
    answer.excluded = stage["excluded"].get(code, {})
    answer.need = stage["need"].get(code, {})
    answer.throughput = stage["throughput"].get(code, {})
    answer.bridge = stage["bridge"].get(code, {})
    answer.is_complete = True
    answer.save()


def _energization_row(  # noqa: PLR0913 - one argument per source of the row
    run: Run, code: str, readiness: Mapping[str, Any], forecast: Mapping[str, Any], planned: int, operator: str
) -> EnergizationRow:
    gates = readiness.get("gate_accelerators") or {}
    return EnergizationRow(
        run=run, build_code=code, operator=operator, planned_accelerators=planned,
        energization_status=readiness["energization_status"], availability_status=readiness["availability_status"],
        usable_accelerators=readiness["usable_accelerators"] or 0,
        energized_accelerators=gates.get("powered") or 0, accessible_accelerators=gates.get("accessible") or 0,
        forecast_status=forecast["status"], p50_on=_day(forecast.get("p50")), p80_on=_day(forecast.get("p80")),
        p90_on=_day(forecast.get("p90")), next_change_on=_day(readiness.get("next_change_on")),
        readiness=readiness, forecast=forecast,
    )  # fmt: skip


def _availability_row(answer: Answer, quote: str, offer: Mapping[str, Any]) -> AvailabilityRow:
    detail = {key: value for key, value in offer.items() if key not in ("verdict", "reasons")}
    if set(offer["reasons"]) & set(RULED_OUT):
        detail["sign_by"] = None  # nobody signs it, and the answer must not depend on the day of its price
    return AvailabilityRow(
        answer=answer, quote_code=quote, verdict=offer["verdict"], reasons=offer["reasons"], detail=detail
    )


def _option_row(answer: Answer, position: int, option: Mapping[str, Any]) -> OptionRow:
    return OptionRow(
        answer=answer, position=position, option=option["option"], kind=option["option"].split(":")[0],
        is_feasible=option["feasible"], npv=_decimal(option.get("npv")),
        nominal_cost=_decimal(option.get("nominal_cost")), capital=_decimal(option.get("capital")),
        operating=_decimal(option.get("operating")),
        cost_per_accelerator_hour=_decimal(option.get("cost_per_accelerator_hour")),
        cost_per_useful_accelerator_hour=_decimal(option.get("cost_per_useful_accelerator_hour")),
        detail={key: value for key, value in option.items() if key not in ("by_month",)},
    )  # fmt: skip


def _workload_names(run: Run) -> dict[str, str]:
    return {workload["id"]: workload["id"] for workload in run.inputs["workloads"]} | dict(
        Workload.objects.values_list("code", "name")
    )


def _how_sure_word(how_sure: Any) -> str:
    return str(how_sure.get("word", "")) if isinstance(how_sure, Mapping) else str(how_sure or "")


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _day(value: Any) -> date | None:
    return date.fromisoformat(value) if isinstance(value, str) else value
