"""Measured use: received once, counted once, named where unknown, compared with the plan, offered and never applied."""

from contextlib import nullcontext
from datetime import date
from typing import Any

import pytest

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.models import (
    AuditEntry,
    Job,
    UsageCharge,
    UsageFile,
    UsageJob,
    UsageOffer,
    UsageRow,
    UsageSample,
    Workload,
)
from procurement.selectors.actuals import build_measured, costs_of, workload_measured, workloads_measured
from procurement.services.actuals import usage_assign, usage_receive, usage_withdraw
from procurement.services.job_runner import job_work
from procurement.services.usage_offers import usage_offer_accept, usage_offer_decline
from procurement.services.workloads import workload_update
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.factories import actor, make_assumptions, make_build, make_provider, make_workload

pytestmark = pytest.mark.django_db

SACCT = "JobID|Account|Cluster|State|AllocTRES|ElapsedRaw|Start|End"
NOVEMBER = {"covers_from": date(2026, 11, 1), "covers_until": date(2026, 11, 30)}


def job(number, begin, end, *, gpus=8, state="COMPLETED", account="serve", cluster="hall-1"):
    """Return a line of sacct about a job that used all the time between begin and end, given as day and hour."""
    start, stop = (f"2026-11-{int(at):02d}T{round(at % 1 * 24):02d}:00:00" for at in (begin, end))
    seconds = round((end - begin) * 86400)
    return f"{number}|{account}|{cluster}|{state}|gres/gpu={gpus}|{seconds}|{start}|{stop}"


def receive(*lines, by=None, header=SACCT, name="jobs.txt", **options) -> UsageFile:
    """Send a file and let it be read."""
    content = "\n".join((header, *lines)).encode()
    values = {"file_name": name, "content": content, "source": "slurmdbd", "options": options}
    file, _ = usage_receive(by=by or actor("analyst"), **values)
    work()
    file.refresh_from_db()
    return file


def work():
    """Read what was received; recomputing recommendations is tested elsewhere."""
    Job.objects.exclude(kind="usage_import").delete()
    while (row := job_work(kinds=JOB_KINDS, farewells=JOB_FAREWELLS, pulse=lambda _: nullcontext())) is not None:
        assert row.status == "done", row.last_error


@pytest.fixture(autouse=True)
def _records():
    make_assumptions()
    make_build()
    make_workload()


def test_jobs_of_a_file_are_measured_beside_the_plan():
    # serve plans 8 accelerators around the clock; November has 720 hours. 8 x 240 h completed, 8 x 120 h failed
    file = receive(job(1, 1, 11), job(2, 11, 16, state="FAILED"), **NOVEMBER)

    measured = workload_measured(Workload.objects.get())

    assert (file.state, file.rows_new, file.rows_held) == ("imported", 2, 0)
    assert measured.planned.utilisation == pytest.approx(1.0)
    assert measured.total.utilisation == pytest.approx(360 / 720)
    assert measured.total.completed_share == pytest.approx(240 / 360)
    assert measured.total.useful_hours == pytest.approx(8 * 240)
    assert [month.is_partial for month in measured.months] == [False]


def test_the_build_is_measured_against_all_it_plans():
    # 32 of 64 accelerators on 29 of 30 days
    receive(job(1, 1, 30, gpus=32), **NOVEMBER)

    assert build_measured(UsageJob.objects.get().build).total.utilisation == pytest.approx(29 / 60)


def test_the_same_file_twice_is_counted_once():
    first = receive(job(1, 1, 2))
    second, is_new = usage_receive(
        by=actor("analyst"), file_name="again.txt", content=f"{SACCT}\n{job(1, 1, 2)}".encode(), source="x", options={}
    )

    assert (second.pk, is_new) == (first.pk, False)
    assert UsageJob.objects.count() == 1


def test_files_that_overlap_count_a_job_once_and_its_newest_state():
    receive(job(1, 1, 2, state="RUNNING").replace("2026-11-02T00:00:00", "Unknown"), job(2, 1, 2))
    later = receive(job(1, 1, 4), job(2, 1, 2), job(3, 3, 4), name="later.txt")

    assert (later.rows_new, later.rows_changed, later.rows_same) == (1, 1, 1)
    assert sorted(UsageJob.objects.values_list("job_id", "outcome")) == [
        ("1", "completed"), ("2", "completed"), ("3", "completed")
    ]  # fmt: skip


def test_an_older_file_does_not_take_an_ending_back():
    receive(job(1, 1, 4))
    receive(job(1, 1, 2, state="RUNNING").replace("2026-11-02T00:00:00", "Unknown"), name="old.txt")

    assert UsageJob.objects.get().outcome == "completed"


def test_one_faulty_row_stops_the_file_and_is_named_with_column_and_value():
    file = receive(job(1, 1, 2), job(2, 1, 2, state="EXPLODED"))

    row = UsageRow.objects.get()
    assert (file.state, file.rows_faulty, UsageJob.objects.count()) == ("refused", 1, 0)
    assert (row.line, row.column, row.value) == (3, "State", "EXPLODED")
    assert "COMPLETED" in row.release


def test_the_good_rows_count_when_that_was_asked_for():
    file = receive(job(1, 1, 2), job(2, 1, 2, state="EXPLODED"), is_skipping_faulty=True)

    assert (file.state, file.rows_new, file.rows_faulty) == ("imported", 1, 1)


def test_a_refused_file_may_be_sent_again():
    receive(job(2, 1, 2, state="EXPLODED"))

    assert receive(job(2, 1, 2, state="EXPLODED"), is_skipping_faulty=True).state == "imported"


def test_unknown_names_are_held_once_with_what_is_near_and_the_jobs_count_for_the_rest():
    file = receive(job(1, 1, 2, account="sreve"), job(2, 1, 2, account="sreve"), **NOVEMBER)

    row = UsageRow.objects.get()
    assert (row.code, row.value, row.count, row.line) == ("unknown_workload", "sreve", 2, 2)
    assert "is it serve?" in row.release
    assert file.rows_held == 2
    assert build_measured(UsageJob.objects.first().build).total.busy_hours == 2 * 8 * 24


def test_a_name_that_a_person_explains_counts_from_then_on():
    file = receive(job(1, 1, 2, account="grp17", cluster="tuin"), **NOVEMBER)
    for code, row in zip(("hall-1", "serve"), UsageRow.objects.order_by("code"), strict=True):
        usage_assign(by=actor("analyst", reason="told by ops"), row=row, code=code)

    file.refresh_from_db()
    found = UsageJob.objects.get()
    assert (found.build.code, found.workload.code, file.rows_held) == ("hall-1", "serve", 0)
    assert file.aliases == {"place": {"tuin": "hall-1"}, "workload": {"grp17": "serve"}}
    assert AuditEntry.objects.filter(action="usage.assign", reason="told by ops").count() == 2


def test_a_name_cannot_mean_what_is_not_on_record():
    receive(job(1, 1, 2, account="grp17"))

    with pytest.raises(ProcurementError, match="Known codes: serve"):
        usage_assign(by=actor("analyst"), row=UsageRow.objects.get(), code="nothing")


def test_what_is_said_on_import_holds_where_the_rows_say_nothing():
    receive(job(1, 1, 2, account="", cluster=""), build=make_build("hall-2"), workload=Workload.objects.get())

    found = UsageJob.objects.get()
    assert (found.build.code, found.workload.code) == ("hall-2", "serve")


def test_a_file_of_one_workload_does_not_cover_its_build():
    receive(job(1, 1, 2), workload=Workload.objects.get(), **NOVEMBER)

    assert build_measured(UsageJob.objects.get().build).total is None
    assert workload_measured(Workload.objects.get()).total.covered_hours == 720


def test_a_file_that_is_withdrawn_counts_nothing_and_the_others_are_read_again():
    receive(job(1, 1, 2), job(2, 2, 3))
    second = receive(job(2, 2, 3), job(3, 3, 4), name="second.txt")
    first = UsageFile.objects.exclude(pk=second.pk).get()

    usage_withdraw(by=actor("analyst", reason="wrong cluster"), file=first, version=first.version)
    work()

    assert sorted(UsageJob.objects.values_list("job_id", flat=True)) == ["2", "3"]
    assert UsageFile.objects.get(pk=first.pk).state == "withdrawn"


def test_withdrawing_asks_why():
    file = receive(job(1, 1, 2))

    with pytest.raises(ProcurementError, match="Say why"):
        usage_withdraw(by=actor("analyst", reason=""), file=file, version=file.version)


@pytest.mark.parametrize("role", ["viewer"])
def test_who_may_only_read_sends_no_files(role):
    with pytest.raises(PermissionRefused):
        receive(job(1, 1, 2), by=actor(role))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"time_zone": "Mars/Base"}, "time_zone"), ({"covers_from": date(2026, 11, 1)}, "covers_until"),
        ({"covers_from": date(2026, 11, 2), "covers_until": date(2026, 11, 1)}, "covers_until"),
    ],
)  # fmt: skip
def test_what_is_said_on_import_is_checked(options, field):
    with pytest.raises(ProcurementError) as refused:
        receive(job(1, 1, 2), **options)

    assert set(refused.value.fields) == {field}


def test_samples_stand_for_jobs_where_there_are_none_and_overlaps_are_held():
    header = "from,minutes,place,accelerators_in_use"
    receive("2026-11-01T00:00,60,hall-1,32", header=header, name="a.csv")
    second = receive("2026-11-01T00:30,60,hall-1,64", header=header, name="b.csv")

    assert (second.rows_held, UsageSample.objects.count()) == (1, 1)
    assert build_measured(UsageSample.objects.get().build).total.utilisation == pytest.approx(0.5)


def bill(*, day="2026-11-01", cost="1200", end="2026-12-01") -> str:
    """Return a FOCUS line of 24 hours of 8 H100."""
    return f"AWS,us-east-1,Usage,{day},{end},Hours,24,100,2400,{cost},{cost},{cost},USD,p5.48xlarge Linux"


FOCUS = (
    "ProviderName,RegionId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,PricingUnit,PricingQuantity,ListUnitPrice,"
    "ListCost,ContractedCost,EffectiveCost,BilledCost,BillingCurrency,ChargeDescription"
)


def test_the_realised_cost_of_a_useful_hour_is_the_bill_over_completed_work():
    make_provider("aws", name="AWS")
    receive(job(1, 1, 11), job(2, 11, 16, state="FAILED"), **NOVEMBER)
    receive(bill(), header=FOCUS, name="focus.csv", workload=Workload.objects.get())

    cost = costs_of(workload_measured(Workload.objects.get()).total)[0]

    # 1,200 over 192 hours paid; 1,200 over the 1,920 hours of the job that completed
    assert (cost.currency, cost.per_hour, cost.per_useful_hour) == ("USD", 6.25, pytest.approx(0.625))


def test_without_whole_job_records_that_cost_is_unknown_with_the_reason():
    make_provider("aws", name="AWS")
    receive(job(1, 1, 11), job(2, 11, 16))
    receive(bill(), header=FOCUS, name="focus.csv", workload=Workload.objects.get())

    cost = costs_of(workload_measured(Workload.objects.get()).total)[0]

    assert cost.per_useful_hour is None
    assert cost.reason == "job records cover 360 of 720 hours"


def test_a_newer_bill_of_the_same_month_replaces_the_older():
    make_provider("aws", name="AWS")
    receive(bill(), header=FOCUS, name="mid.csv")
    receive(bill(cost="1300"), header=FOCUS, name="end.csv")

    assert [charge.effective_cost for charge in UsageCharge.objects.all()] == [1300]


def offered(**changes: Any) -> UsageOffer:
    """Return the offer of half a month in use against around the clock."""
    receive(job(1, 1, 16), **NOVEMBER, **changes)
    return UsageOffer.objects.get()


def test_a_whole_month_is_offered_as_demand_and_changes_nothing_by_itself():
    offer = offered()

    assert (offer.field, offer.planned, offer.measured) == ("demand", {"utilisation": 1.0}, {"utilisation": 0.5})
    assert offer.basis["words"] == "2026-11, 1 jobs ended"
    assert Workload.objects.get().demand == {"utilisation": 1.0}


def test_a_partial_month_offers_nothing():
    receive(job(1, 1, 16), covers_from=date(2026, 11, 1), covers_until=date(2026, 11, 20))

    assert not UsageOffer.objects.exists()


def test_a_demand_that_is_stated_by_month_is_offered_in_hours():
    workload_update(
        by=actor("analyst"), workload=Workload.objects.get(), version=1, values={"demand": {"hours_per_month": 700}}
    )

    assert offered().measured == {"hours_per_month": 365.0}


def test_a_stated_curve_is_not_replaced_by_a_mean():
    demand = {"base": 2, "peak": 8, "curve": "linear"}
    workload_update(by=actor("analyst"), workload=Workload.objects.get(), version=1, values={"demand": demand})
    receive(job(1, 1, 16), **NOVEMBER)

    assert not UsageOffer.objects.exists()


def test_an_accepted_offer_is_a_change_of_the_workload_with_its_history():
    offer = offered()

    usage_offer_accept(by=actor("analyst", reason="a quiet month"), offer=offer, version=offer.version)

    workload = Workload.objects.get()
    assert (workload.demand, workload.version) == ({"utilisation": 0.5}, 2)
    assert UsageOffer.objects.get().state == "accepted"
    assert set(AuditEntry.objects.filter(reason="a quiet month").values_list("action", flat=True)) == {
        "workload.update", "usage_offer.accepted"
    }  # fmt: skip


def test_a_declined_offer_keeps_its_reason_and_is_not_made_again():
    offer = offered()
    usage_offer_decline(by=actor("analyst", reason="holidays"), offer=offer, version=offer.version)
    receive(job(9, 17, 17), name="more.txt")

    assert Workload.objects.get().demand == {"utilisation": 1.0}
    assert [(one.state, one.decision_reason) for one in UsageOffer.objects.all()] == [("declined", "holidays")]


def test_declining_asks_why():
    offer = offered()

    with pytest.raises(ProcurementError, match="Say why"):
        usage_offer_decline(by=actor("analyst", reason=" "), offer=offer, version=offer.version)


@pytest.mark.parametrize("decide", [usage_offer_accept, usage_offer_decline])
def test_who_may_not_edit_the_workload_decides_nothing(decide):
    offer = offered()

    with pytest.raises(PermissionRefused):
        decide(by=actor("facilities"), offer=offer, version=offer.version)


def test_an_offer_is_decided_once_and_only_as_it_was_seen():
    offer = offered()
    usage_offer_accept(by=actor("analyst"), offer=offer, version=1)

    with pytest.raises(VersionConflict):
        usage_offer_decline(by=actor("analyst"), offer=offer, version=1)
    with pytest.raises(ProcurementError, match="accepted already"):
        usage_offer_decline(by=actor("analyst"), offer=offer, version=2)


def test_an_offer_against_a_plan_that_has_moved_is_not_taken():
    offer = offered()
    workload = Workload.objects.get()
    workload_update(by=actor("analyst"), workload=workload, version=1, values={"demand": {"utilisation": 0.9}})

    with pytest.raises(ProcurementError, match="by now"):
        usage_offer_accept(by=actor("analyst"), offer=offer, version=offer.version)


def test_measured_steps_are_offered_as_the_anchor_of_the_training():
    training = {"params_b": 70, "mfu_node": 0.5, "tokens_per_step": 4_000_000}
    make_workload("train", training=training, shape="one_job", accelerators=64, demand={"utilisation": 1.0})
    rows = (f"2026-11-01T0{hour}:00,60,hall-1,train,64,{step}" for hour, step in enumerate((7.0, 7.4, 9.0)))
    receive(*rows, header="from,minutes,place,workload,accelerators_in_use,step_s", name="steps.csv")

    offer = UsageOffer.objects.get(workload__code="train", field="training")
    assert offer.measured["anchor"] == {"accelerators": 64, "step_s": 7.4}
    usage_offer_accept(by=actor("analyst"), offer=offer, version=offer.version)
    assert Workload.objects.get(code="train").training["anchor"]["step_s"] == 7.4


def test_failures_of_enough_node_days_are_offered_to_the_build_with_their_interval():
    # 64 accelerators for 29 days are 232 node-days; five files of the like pass 1,000
    lines = [job(number, 1, 30, gpus=320, state="NODE_FAIL" if number == 1 else "COMPLETED") for number in (1, 2)]
    receive(*lines, **NOVEMBER)

    offer = UsageOffer.objects.get(build__code="hall-1")
    # 2 x 320 / 8 x 29 days = 2,320 node-days, one node lost: 0.43 per 1,000
    assert offer.measured["likely"] == 0.43
    usage_offer_accept(by=actor("facilities"), offer=offer, version=offer.version)
    assert float(offer.build.__class__.objects.get(code="hall-1").failures_per_1000_node_days) == 0.43


def test_the_list_of_workloads_holds_only_what_was_measured():
    make_workload("idle")
    receive(job(1, 1, 2))

    assert [measured.record.code for measured in workloads_measured()] == ["serve"]
