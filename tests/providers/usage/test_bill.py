"""FOCUS bills: realised cost by month, account and tag, none of it twice."""

from datetime import date
from decimal import Decimal

from providers.usage import read_usage

HEADER = (
    "BillingAccountId,ProviderName,RegionId,ChargeCategory,ChargeClass,ChargePeriodStart,ChargePeriodEnd,PricingUnit,"
    "PricingQuantity,PricingCategory,CommitmentDiscountStatus,ListUnitPrice,ListCost,ContractedCost,EffectiveCost,"
    "BilledCost,BillingCurrency,ChargeDescription,Tags"
)


def charge(start="2026-10-03", end="2026-10-04", hours="24", cost="1200", *, status="", category="Usage", tags="",
           listed="2400", account="a-1"):  # fmt: skip
    description = "p5.48xlarge Linux"
    return (
        f"{account},AWS,us-east-1,{category},,{start}T00:00:00Z,{end}T00:00:00Z,Hours,{hours},Standard,{status},100,"
        f"{listed},{cost},{cost},{cost},USD,{description},{tags}"
    )


def read(*lines):
    return read_usage("\n".join((HEADER, *lines)).encode(), file_name="focus.csv", time_zone="UTC")


def test_costs_are_summed_by_month_with_their_accelerator_hours():
    # p5.48xlarge holds 8 H100: two days of October are 48 x 8 = 384 accelerator-hours, one of November 192
    sheet = read(charge(), charge("2026-10-04", "2026-10-05"), charge("2026-11-01", "2026-11-02"))

    assert [(one.month, one.accelerator_hours, one.effective_cost) for one in sheet.charges] == [
        (date(2026, 10, 1), 384, Decimal(2400)), (date(2026, 11, 1), 192, Decimal(1200))
    ]  # fmt: skip
    assert sheet.charges[0].period_start == date(2026, 10, 3)


def test_tags_name_the_workload_and_accounts_stay_apart():
    tagged = '"{""workload"": ""serve""}"'
    sheet = read(charge(tags=tagged), charge(tags="{broken"), charge(account="a-2"))

    assert sorted((one.account, one.workload) for one in sheet.charges) == [("a-1", ""), ("a-1", "serve"), ("a-2", "")]


def test_taxes_are_left_out_and_broken_sums_are_held():
    sheet = read(charge(category="Tax"), charge(listed="999"))

    assert [(one.code, one.rows) for one in sheet.left_out] == [("tax", 1)]
    assert [one.codes for one in sheet.held] == [("cost_identity_broken",)]
    assert sheet.charges == ()


def test_unused_commitment_is_a_charge_without_hours():
    sheet = read(charge(status="Used"), charge(status="Unused", hours="", listed="", cost="300"))

    found = {one.commitment_status: (one.accelerator_hours, one.unused_commitment_cost) for one in sheet.charges}
    assert found == {"used": (192, Decimal(300)), "unused": (None, Decimal(300))}
