"""A finished run as the engine answers it, made by hand so that every figure can be checked by eye.

Chat serving, 24 months at 64 accelerators at peak; money in EUR.

    hybrid:hall-2+aurora-h100-12   hardware 1,200,000 + power 180,000 + compute 420,000         = 1,800,000.00
    cloud:aurora-h100-12           compute 2,300,000 + support 100,000                           = 2,400,000.00
    current                        compute 3,000,000                                             = 3,000,000.00
"""

from datetime import UTC, date, datetime
from decimal import Decimal

from django.contrib.auth.models import Group, User

from procurement.models import (
    Answer,
    AssumptionSet,
    AvailabilityRow,
    ComponentRow,
    EnergizationRow,
    MonthRow,
    OptionRow,
    Run,
    RunAnswer,
    RunState,
)

AS_OF = date(2026, 11, 30)
HYBRID = "hybrid:hall-2+aurora-h100-12"
RENT = "cloud:aurora-h100-12"
OWN = "on_prem:hall-2"
CURRENT = "current"


def make_person(name="ana", role="analyst", **changes):
    person = User.objects.create_user(name, f"{name}@example.com", "correct horse battery", **changes)
    if role:
        person.groups.add(Group.objects.get_or_create(name=role)[0])
    return person


def make_assumptions(**changes):
    values = {
        "name": "Finance 2027", "dated_on": date(2026, 11, 1), "source": "CFO memo of 1 Nov 2026", "currency": "EUR",
        "discount_rate": Decimal("0.08"), "is_in_force": True, "evaluated_on": AS_OF, "horizon_months": 24,
    }  # fmt: skip
    return AssumptionSet.objects.create(**values | changes)


def make_run(assumption_set=None, **changes):
    assumption_set = assumption_set or AssumptionSet.objects.first() or make_assumptions()
    number = Run.objects.count() + 1
    values = {
        "inputs": make_inputs(), "inputs_digest": f"{number:02d}" + "ab" * 31, "engine_version": "1.0.0",
        "as_of": AS_OF,
        "currency": "EUR", "assumption_set": assumption_set, "state": RunState.FINISHED,
        "last_asked_at": datetime(2026, 11, 30, 6, number % 60, tzinfo=UTC),
        "finished_at": datetime(2026, 11, 30, 6, number % 60, 30, tzinfo=UTC), "workload_count": 3,
    }  # fmt: skip
    run = Run.objects.create(**values | changes)
    make_energization(run)
    for make in (make_chat, make_training, make_vision):
        answer = make(number)
        RunAnswer.objects.create(run=run, answer=answer, workload_code=answer.workload_code)
    return run


def make_inputs():
    quote = {
        "provider": "aurora", "sku": "gpu-8x-h100", "accelerator": "H100 SXM", "accelerators_per_node": 8,
        "price": "2.49", "price_basis": "per_accelerator_hour", "currency": "EUR", "purchase_model": "reserved",
        "term_months": 12, "region": "eu-north-1", "quoted_on": "2026-11-10", "valid_until": "2026-12-04",
        "capacity_class": "confirmed", "quantity_available": 256,
    }  # fmt: skip
    return {
        "schema": "scenario/1",
        "as_of": "2026-11-30",
        "assumptions": {
            "currency": "EUR", "discount_rate": "0.08", "horizon_months": 24, "hours_per_month": "730",
            "risk_quantile": "0.8", "discount_timing": "as_ledger",
        },
        "quotes": [
            {"id": "aurora-h100-12", **quote},
            {"id": "borealis-h200-od", **quote, "provider": "borealis", "sku": "h200.8", "accelerator": "H200 SXM",
             "purchase_model": "on_demand", "price": "3.10", "valid_until": None, "quoted_on": "2026-09-20"},
            {"id": "cirrus-a100-spot", **quote, "provider": "cirrus", "sku": "<script>alert(1)</script>",
             "accelerator": "A100 80GB", "purchase_model": "spot", "price": "1.10"},
        ],
        "builds": [
            {"id": "hall-2", "operator": "own", "site": "lulea", "accelerator": "H100 SXM", "accelerators_per_node": 8,
             "committed": True, "tranches": [{"id": "T1", "planned_accelerators": 64}]},
        ],
        "workloads": [
            {"id": "chat", "kind": "llm_inference", "shape": "replicas", "accelerators": 64, "start": "2027-01-01",
             "need_by": "2027-01-15", "months": 24, "accelerator_types": ["H100 SXM", "H200 SXM"],
             "demand": {"base": 24, "peak": 64, "curve": "linear"}, "current": {"place": "legacy-cloud"}},
            {"id": "pretraining", "kind": "llm_training", "shape": "one_job", "accelerators": 512,
             "start": "2027-02-01", "months": 6, "demand": {"utilisation": "0.9"}},
            {"id": "vision", "kind": "vision_training", "shape": "one_job", "accelerators": 16,
             "start": "2027-01-10", "months": 3, "demand": {"hours_per_month": "400"}},
        ],
        "policy": {},
    }  # fmt: skip


def make_energization(run):
    gates = {"installed": 64, "powered": 64, "cooled": 48, "networked": 64, "scheduled": 48, "accessible": 48}
    EnergizationRow.objects.create(
        run=run, build_code="hall-2", operator="own", planned_accelerators=64, energization_status="energized",
        availability_status="partial", usable_accelerators=48, energized_accelerators=64, accessible_accelerators=48,
        forecast_status="ok", p50_on=date(2027, 1, 9), p80_on=date(2027, 1, 19), p90_on=date(2027, 1, 22),
        readiness={
            "gate_accelerators": gates, "binding_gates": ["cooled"], "flags": ["overdue_remainder:cooled"],
            "missing_facts": [], "last_known_usable": 48, "next_change_on": "2026-12-08",
            "gate_status": {gate: "verified" if count == 64 else "partial" for gate, count in gates.items()},
            "newest_evidence": {"powered": {"date": "2026-11-12", "grade": "B"}},
        },
        forecast={"status": "ok", "p50": "2027-01-09", "p80": "2027-01-19", "p90": "2027-01-22", "by_date": []},
    )  # fmt: skip


def make_chat(number=1):
    options = [
        make_option(
            HYBRID, {"hardware": "1200000.00", "power": "180000.00", "compute": "420000.00"},
            first_month="1225000.00", capital="1200000.00", per_hour="2.1400", per_useful="2.3100",
            conditions=["sign_by:2026-12-04"], not_modelled=["egress"],
            breakeven={"against": RENT, "hours": "4820.5", "months": "14.2", "utilisation": "0.48",
                       "discounted": {"hours": "5010.2", "months": "14.9", "utilisation": "0.51"}, "reason": None},
        ),
        make_option(
            RENT, {"compute": "2300000.00", "support": "100000.00"}, first_month="100000.00", capital="0.00",
            per_hour="2.8500", per_useful="3.0700",
        ),
        make_option(CURRENT, {"compute": "3000000.00"}, first_month="125000.00", capital="0.00", per_hour="3.5600",
                    per_useful="3.8400"),
        make_option(OWN, {}, feasible=False, reasons=["not_ready_by_need"]),
    ]  # fmt: skip
    recommendation = {
        "verdict": "hybrid", "option": HYBRID, "runner_up": RENT, "tie": False,
        "reasons": [{"code": "cheapest", "npv": "1746000.00"},
                    {"code": "cheaper_than_runner_up", "option": RENT, "difference": "582000.00", "share": 0.25},
                    {"code": "decided_by_rate", "rate_basis": "loaded", "charge_basis": "whole"},
                    {"code": "cheaper_than_current", "difference": "1164000.00"},
                    {"code": "runner_up_dearer", "option": RENT, "npv": "2328000.00", "difference": "582000.00",
                     "component": "compute"},
                    {"code": "on_prem_passed_over", "option": OWN, "because": ["not_ready_by_need"]}],
        "conditions": ["sign_by:2026-12-04", "renew:scheduled"],
        "flip_points": [
            {"input": "utilisation", "value": 0.48, "today": 0.65, "against": RENT, "is_factor": False},
            {"input": "cloud_price", "value": 0.62, "today": 1.0, "against": RENT, "is_factor": True},
            {"input": "discount_rate", "value": None, "today": 0.08, "reason": "none in range", "against": RENT},
        ],
        "premium_over_cheapest": "0.00", "approval_amount": "1746000.00",
        "how_sure": {"word": "medium", "completeness": "complete", "incomplete_cost": [], "age_days": 71,
                     "worst_grade": "B", "unproven": [], "assumed": [], "margin": 0.3333, "probability_cheapest": None},
        "not_modelled": ["egress", "tax"], "oldest_input_on": "2026-09-20",
        "split": {"hall-2": "0.75", "aurora-h100-12": "0.25"},
    }  # fmt: skip
    answer = make_answer(number, "chat", "Chat serving", recommendation, options)
    answer.need = {"fewest_by_memory": 8, "best_n": 64, "notes": []}
    answer.throughput = {
        "hall-2": {"efficiency": "0.97", "goodput": "0.985", "feed": "1", "useful_share": "0.955", "notes": []},
        "aurora-h100-12": {"efficiency": "0.95", "goodput": "0.98", "feed": "1", "useful_share": "0.931",
                           "notes": ["feed_not_stated"]},
    }  # fmt: skip
    answer.excluded = {"wrong_accelerator": 14, "quote_expired": 3, "missing:quantity_available": 2}
    answer.save()
    AvailabilityRow.objects.create(
        answer=answer, quote_code="aurora-h100-12", verdict="usable_if_booked", reasons=[],
        detail={"notes": ["book_by:2026-12-04"], "assumed": [], "unproven": ["powered", "cooled"],
                "sign_by": "2026-12-04", "facts": {}},
    )  # fmt: skip
    AvailabilityRow.objects.create(
        answer=answer, quote_code="cirrus-a100-spot", verdict="not_usable",
        reasons=["wrong_accelerator", "not_interruptible"], detail={"notes": [], "assumed": ["domain"]},
    )  # fmt: skip
    return answer


def make_training(number=1):
    options = [make_option("cloud:borealis-h200-od", {"compute": "5200000.00"}, first_month="866666.67",
                           capital="0.00", per_hour="3.1000", per_useful="3.4100", months=6)]  # fmt: skip
    recommendation = {
        "verdict": "cloud", "option": "cloud:borealis-h200-od", "runner_up": None, "tie": False,
        "reasons": [{"code": "only_feasible"}], "conditions": ["evidence_before_prepayment"],
        "flip_points": [], "premium_over_cheapest": "0.00", "approval_amount": "5096000.00",
        "how_sure": {"word": "low", "completeness": "partial", "incomplete_cost": ["support"], "age_days": 71,
                     "worst_grade": None, "unproven": ["powered", "cooled"], "assumed": ["quantity"], "margin": None,
                     "probability_cheapest": None}, "not_modelled": [], "oldest_input_on": "2026-09-20", "split": {},
    }  # fmt: skip
    return make_answer(number, "pretraining", "Foundation model pretraining", recommendation, options)


def make_vision(number=1):
    recommendation = {
        "verdict": "none_feasible", "option": None, "runner_up": None, "tie": False,
        "reasons": [{"code": "nothing_fits", "offers": 19}], "conditions": [], "flip_points": [],
        "premium_over_cheapest": None, "approval_amount": None, "how_sure": None, "not_modelled": [],
        "oldest_input_on": None, "split": {},
    }  # fmt: skip
    answer = make_answer(number, "vision", "Vision training", recommendation, [])
    answer.excluded = {"wrong_accelerator": 11, "starts_after_need": 5, "residency": 3}
    answer.save()
    return answer


def make_answer(number, code, name, recommendation, options):
    best = options[0] if options and options[0]["option"] == recommendation["option"] else None

    def figure(key):
        return None if best is None or best.get(key) is None else Decimal(best[key])

    amount = recommendation["approval_amount"]
    answer = Answer.objects.create(
        digest=f"{number:02d}{code}".ljust(64, "0")[:64], workload_code=code, workload_name=name, currency="EUR",
        is_complete=True, verdict=recommendation["verdict"], option=recommendation["option"] or "",
        runner_up=recommendation["runner_up"] or "", is_tie=False,
        how_sure=(recommendation["how_sure"] or {}).get("word", ""), npv=figure("npv"),
        cost_per_accelerator_hour=figure("cost_per_accelerator_hour"),
        cost_per_useful_accelerator_hour=figure("cost_per_useful_accelerator_hour"),
        approval_amount=None if amount is None else Decimal(amount), oldest_input_on=recommendation["oldest_input_on"],
        recommendation=recommendation,
    )  # fmt: skip
    for position, option in enumerate(options):
        store_option(answer, position, option)
    return answer


def present_cost(amount):
    """Return 97 % of an amount: what the factory's discount rate makes of every row."""
    return (Decimal(amount) * Decimal("0.97")).quantize(Decimal("0.01"))


def make_option(name, components, *, feasible=True, first_month="0.00", capital=None, per_hour=None, per_useful=None,
                months=24, **more):  # fmt: skip
    """Return an option: the first month as stated, the rest spread evenly, the last month takes the cents."""
    total = sum((Decimal(amount) for amount in components.values()), Decimal(0))
    rest = total - Decimal(first_month)
    step = (rest / (months - 1)).quantize(Decimal("0.01")) if feasible else Decimal(0)
    amounts = [Decimal(first_month), *[step] * (months - 2), rest - step * (months - 2)] if feasible else []
    return {
        "option": name, "feasible": feasible, "reasons": [], "conditions": [],
        "npv": str(sum(map(present_cost, components.values()))) if feasible else None, "npv_mean": None,
        "nominal_cost": str(total) if feasible else None, "capital": capital,
        "operating": str(total - Decimal(capital)) if capital else None, "components": components,
        "by_month": [{"month": month, "amount": str(amount)} for month, amount in enumerate(amounts)],
        "cost_per_accelerator_hour": per_hour, "cost_per_useful_accelerator_hour": per_useful, "cost_per_unit": None,
        "breakeven": None, "rate_basis": "loaded", "charge_basis": "whole", "incomplete_cost": [], "not_modelled": [],
    } | more  # fmt: skip


def store_option(answer, position, option):
    def figure(key):
        return None if option.get(key) is None else Decimal(option[key])

    row = OptionRow.objects.create(
        answer=answer, position=position, option=option["option"], kind=option["option"].split(":")[0],
        is_feasible=option["feasible"], npv=figure("npv"), nominal_cost=figure("nominal_cost"),
        capital=figure("capital"), operating=figure("operating"),
        cost_per_accelerator_hour=figure("cost_per_accelerator_hour"),
        cost_per_useful_accelerator_hour=figure("cost_per_useful_accelerator_hour"),
        detail={key: value for key, value in option.items() if key != "by_month"},
    )  # fmt: skip
    for component, amount in option["components"].items():
        ComponentRow.objects.create(
            option=row, component=component, amount=Decimal(amount), present_cost=present_cost(amount)
        )
    for entry in option["by_month"]:
        MonthRow.objects.create(option=row, month=entry["month"], amount=Decimal(entry["amount"]))
    return row
