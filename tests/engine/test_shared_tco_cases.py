"""Every published cost case, against the engine's own functions."""

import json
from pathlib import Path

import numpy as np
import pytest

from procurement.engine import finance
from procurement.engine.load_curve import shaped_curve
from procurement.engine.periods import present_factors, price_growth, whole_years

SHARED = Path(__file__).resolve().parents[2] / "../shared/cases/tco.json"
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SHARED.exists(), reason="the shared folder is not here")]


def opex(inputs):
    colo_hours = 720  # the paper converts colocation with 720 hours a month
    found = {
        f"maint_{name[0]}": inputs["maintenance_pct_of_price_per_year"] * price / 8760
        for name, price in inputs["system_price_usd"].items()
    }
    found["colo_per_h"] = inputs["colocation_usd_per_rack_month"]["A-D"] / colo_hours
    per_kwh = inputs["electricity_usd_per_kwh"] + inputs["cooling_usd_per_kwh_air"]
    for name, dollars in (("A", 0.87), ("B", 2.91), ("D", 4.20)):  # published power and cooling per hour
        found[f"implied_kw_{name}"] = dollars / per_kwh
    return found


def break_even(inputs):
    cloud = inputs.get("cloud_usd_per_h_8gpu") or inputs["cloud_usd_per_h"]
    capital = inputs.get("capex_usd") or inputs["capex_usd_list_no_discount"]
    hours = finance.break_even_hours(capital, cloud, inputs["opex_usd_per_h"])
    month = 720 if "capex_usd_list_no_discount" in inputs else 730
    within = {"within_5y": hours <= inputs["horizon_hours"]} if "horizon_hours" in inputs else {}
    return {"breakeven_hours": hours, "breakeven_months": hours / month, **within}


def five_years(inputs):
    cloud = inputs["cloud_usd_per_h"] * inputs["hours"]
    owned = inputs["capex_usd"] + inputs["opex_usd_per_h"] * inputs["hours"]
    saving = cloud - owned
    return {
        "cloud_5y_usd": cloud, "onprem_5y_usd": owned, "saving_usd": saving, "saving_pct": saving / cloud * 100,
    }  # fmt: skip


def tokens(inputs):
    per_hour = inputs["capex_usd"] / inputs["hours"] + inputs["opex_usd_per_h"]
    millions = inputs["tokens_per_s"] * 3600 / 1e6
    owned, cloud = per_hour / millions, inputs["cloud_usd_per_h"] / millions
    return {
        "onprem_usd_per_h": per_hour, "onprem_usd_per_1m": owned, "cloud_usd_per_1m": cloud,
        "cloud_ratio": cloud / owned, "api_ratio": inputs["api_usd_per_1m_output"] / round(owned, 2),
    }  # fmt: skip


def list_price(inputs):
    hours = finance.break_even_hours(inputs["capex_2025_list"], inputs["cloud"], inputs["opex_2026"])
    return {
        "months_with_2025_list_price_and_2026_opex": hours / 730,
        "capex_ratio": round(inputs["capex_2026_sale"] / inputs["capex_2025_list"], 6),
    }


def discounted(inputs):
    months, rate = inputs["months"], inputs["discount_rate_effective_annual"]
    cloud = inputs["cloud_usd_per_h"] * inputs["hours_per_month"]
    owned = inputs["opex_usd_per_h"] * inputs["hours_per_month"]
    found = {}
    for timing in ("begin", "mid", "end"):
        annuity = present_factors(rate, months, timing).sum()
        cloud_pv, owned_pv = cloud * annuity, inputs["capex_usd_t0"] + owned * annuity
        found |= {f"cloud_pv_{timing}": cloud_pv, f"onprem_pv_{timing}": owned_pv}
        found[f"saving_pct_{timing}"] = (1 - owned_pv / cloud_pv) * 100
    falling = cloud * (present_factors(rate, months, "mid") * price_growth(-0.2, whole_years(months))).sum()
    found["saving_pct_mid_cloud_minus20pct_per_year"] = (1 - found["onprem_pv_mid"] / falling) * 100
    return found


def cluster(inputs):
    found = {}
    hours, term, gpus = inputs["hours_per_month"], inputs["term_months"], inputs["gpus"]
    for name, offer in inputs["providers"].items():
        gpu = offer["gpu"] * gpus * hours
        others = offer["storage"] + offer["network"] + offer["cpu"]
        support = offer["support_pct"] * (gpu + others)
        goodput = offer["goodput_pct"] * gpu  # on accelerator spend alone
        monthly = gpu + others + support + goodput + offer["setup"] / term + offer["debug"]
        found |= {
            f"{name}_gpu": gpu, f"{name}_support": support, f"{name}_goodput": goodput, f"{name}_monthly": monthly,
            f"{name}_36m": monthly * term,
        }  # fmt: skip
    for name in ("hyperscaler", "silver"):
        found[f"{name}_rel"] = found[f"{name}_36m"] / found["gold_36m"]
    return found


def epoch(inputs):
    oom = inputs["price_performance_oom_per_year"]
    (y0, m0, d0), (y1, m1, d1) = inputs["acquired"], inputs["training_start"]
    days = (np.datetime64(f"{y1}-{m1:02}-{d1:02}") - np.datetime64(f"{y0}-{m0:02}-{d0:02}")).astype(int)
    value = inputs["price_per_gpu_server_share_usd"] * 10 ** (-oom * days / 365.25)
    hardware = value * oom * np.log(10) / 8766 * inputs["chip_hours"]
    fabric = inputs["interconnect_fraction_of_cluster"]
    power_kw = inputs["chip_tdp_kw"] * inputs["chip_to_server_power"] * inputs["tdp_fraction"] * inputs["pue"]
    total = hardware / (1 - fabric) + inputs["chip_hours"] * power_kw * inputs["usd_per_kwh"]
    return {
        "value_per_gpu_at_start_usd": value, "nominal_total_usd": total,
        "total_2023_usd": total * inputs["ppi_to_2023_12"] / inputs["ppi_from"],
    }  # fmt: skip


def elastic(inputs):
    used, owned = inputs["average_servers"] * inputs["hours"], inputs["peak_servers"] * inputs["hours"]
    return {"used_server_hours": used, "owned_server_hours": owned, "ratio": owned / used}


def hybrid(inputs):
    curve = shaped_curve(inputs["trough"], inputs["peak"], "linear")
    ratio = inputs["own_to_cloud_hourly_cost_ratio"]
    owned = sum(finance.own_or_rent_unit(float(curve.share_above(k)), ratio) for k in range(inputs["peak"]))
    cost = 24 * (owned * ratio + float(curve.burst_above(owned)))
    everything = {"all_cloud": 24 * curve.mean, "all_owned": 24 * inputs["peak"] * ratio}
    saving = (1 - cost / everything["all_cloud"]) * 100
    return {"k_star": owned, "hybrid_cost_cloud_hours": cost, **everything, "saving_pct": saving}


def wind(inputs):
    net = inputs["gross_kwh_per_turbine"] * inputs["turbines"] * (1 - inputs["loss_factor"])
    kw = inputs["machine_kw"] * inputs["turbines"]
    capital, operating = inputs["capex_usd_per_kw"] * kw, inputs["opex_usd_per_kw_year"] * kw
    return {
        "lcoe_usd_per_kwh": finance.levelised_cost(inputs["fixed_charge_rate"], capital, operating, net),
        "plant_aep_kwh": net,
    }


def levelised(inputs):
    return {
        f"r{rate}_u{share}": finance.levelised_cost_per_useful_hour(
            inputs["capex_usd"], inputs["opex_usd_per_h"], inputs["gpus"], inputs["life_years"], rate / 100, share / 100
        )
        for rate in (0, 8, 12)
        for share in (100, 60, 30)
    }


def loan(inputs):
    value, years = inputs["gpu_value_usd"], inputs["term_years"]
    months = years * 12
    payments = finance.loan_payment(value * inputs["ltv"], inputs["apr"], months) * months
    cash = value * (1 - inputs["ltv"]) + payments + inputs["opex_pct_of_value_per_year"] * value * years
    rent = inputs["rent_usd_per_gpu_h"] * inputs["hours_per_year"] * years * value / inputs["gpu_price_usd"]
    found = {"loan_payments": payments, "cash_out": cash, "rent_total": rent}
    for share in inputs["declining_balance_depreciation"]:
        net = cash - value * (1 - share) ** years
        found |= {f"own_net_dep{share * 100:.0f}": net, f"saving_pct_dep{share * 100:.0f}": (1 - net / rent) * 100}
    return found


def one_year(inputs):
    share = finance.commitment_break_even(inputs["reserved_usd_per_h"], inputs["on_demand_usd_per_h"])
    return {"breakeven_utilisation": share, "breakeven_month_if_fully_used": share * 12 * inputs["term_years"]}


def book(inputs):
    year = {name: inputs[name] * inputs["hours"] for name in ("on_demand", "reserved_1y", "reserved_3y")}
    return {
        "od_year": year["on_demand"], "r1_year": year["reserved_1y"], "r3_year": year["reserved_3y"],
        "save1": year["on_demand"] - year["reserved_1y"], "save3": year["on_demand"] - year["reserved_3y"],
        "u_star_pct": finance.commitment_break_even(inputs["reserved_1y"], inputs["on_demand"]) * 100,
    }  # fmt: skip


def prepay(inputs):
    months = round(inputs["term_hours_3y"] / 730)
    effective = finance.reserved_effective_rate(
        inputs["partial_upfront_usd"], inputs["term_hours_3y"], inputs["recurring_usd_per_h"]
    )
    rate = inputs["discount_rate"]
    return {
        "effective_hourly": effective,
        "required_all_upfront_discount_pct_pay_begin": finance.prepay_discount(rate, months, is_due=True) * 100,
        "required_all_upfront_discount_pct_pay_end": finance.prepay_discount(rate, months, is_due=False) * 100,
    }


def fisher(inputs):
    return {
        "inflation_2003_pct": finance.inflation_between(inputs["2003_5y_nominal"], inputs["2003_5y_real"]) * 100,
        "inflation_2021_pct": finance.inflation_between(inputs["2021_5y_nominal"], inputs["2021_5y_real"]) * 100,
        "four_year_2003_nominal_pct": (inputs["2003_3y_nominal"] + inputs["2003_5y_nominal"]) / 2 * 100,
    }


def macrs(inputs):
    deductions = finance.macrs5_deductions(inputs["cost_usd"])
    return {
        "year1_usd": deductions[0], "year2_usd": deductions[1], "table": list(finance.MACRS5),
        "sum": sum(finance.MACRS5),
    }  # fmt: skip


def shield(inputs):
    tax, rate = inputs["tax_rate"], inputs["discount"]
    return {
        "bonus100": finance.tax_shield(tax, (1.0,), rate),
        "macrs5": finance.tax_shield(tax, finance.macrs5_deductions(1.0), rate),
        "sl5": finance.tax_shield(tax, finance.straight_line_deductions(1.0, 5), rate),
        "sl5_halfyear": finance.tax_shield(tax, finance.straight_line_deductions(1.0, 5, is_half_year=True), rate),
    }


def idle(inputs):
    yearly = inputs["gpus"] * inputs["gpu_hour_spot_usd"] * 8760
    found = {}
    for place, years in inputs["interconnect_years"].items():
        whole = int(years)
        weights = np.append(np.ones(whole), years - whole)
        values = yearly * weights / (1 + inputs["discount"]) ** np.arange(whole + 1)
        found[place.split("_")[-1].lower() if "_" in place else place.lower()] = values.sum()
    return found


def ranges(inputs):
    point = sum(likely for _, likely, _ in inputs["ranges_kusd_per_vehicle_min_ml_max"]) / 1000
    return {"point_musd": point, "point_32_busd": point * inputs["units"] / 1000}


def recovery(inputs):
    return {f"crf_7_{years}": finance.capital_recovery_factor(inputs["rate"], years) for years in inputs["years"]}


COMPUTED = {
    "LP2368-OPEX": opex, "LP2368-BE-A-OD": break_even, "LP2368-BE-A-3Y": break_even, "LP2368-TCO5-D": five_years,
    "LP2368-TOKEN-A": tokens, "LP2225-BE-OD": break_even, "DERIVED-LP2368-A-AWS-OD": break_even,
    "DERIVED-LP2368-A-NEO-LOW": break_even, "DERIVED-LP-BRIDGE": list_price, "DERIVED-NPV-D": discounted,
    "SEMI-CLUSTER-TCO": cluster, "EPOCH-GPT4": epoch, "ARMBRUST-ELASTIC": elastic, "DERIVED-HYBRID-ARMBRUST": hybrid,
    "NREL-WISDEM-LCOE": wind, "DERIVED-LCOGH": levelised, "OSS-OWN-RENT-LOAN": loan, "COMMIT-AZ-1Y": one_year,
    "COMMIT-P5-BOOK": book, "COMMIT-PREPAY": prepay, "OMB-FISHER": fisher, "IRS-MACRS5": macrs,
    "DERIVED-TAXSHIELD": shield, "DELAY-GPUIDLE-NPV": idle, "GAO-TRI-MC": ranges, "CONV-CRF": recovery,
}  # fmt: skip


def cases():
    if not SHARED.exists():
        return []
    return [pytest.param(case, id=case["id"]) for case in json.loads(SHARED.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("_case", cases())
def test_a_published_case_is_reproduced(_case):
    found = COMPUTED[_case["id"]](_case["inputs"])

    for name, expected in _case["expected"].items():
        tolerance = _case["tolerance"].get(name, _case["tolerance"].get("*"))
        assert found[name] == pytest.approx(expected, rel=tolerance), name
