"""Pages, interface and command of measured use: one service behind all of them."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from procurement.models import UsageFile, UsageJob, UsageOffer, UsageRow, Workload
from tests.factories import make_assumptions, make_build, make_workload
from tests.procurement.api_tools import client_of
from tests.procurement.page_tools import signed_in
from tests.procurement.test_actuals import SACCT, job, work

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _records():
    make_assumptions()
    make_build()
    make_workload()


def sent(*lines, **changes):
    """Return the form of a file that covers November."""
    content = "\n".join((SACCT, *lines)).encode()
    form = {"source": "slurmdbd", "time_zone": "UTC", "covers_from": "2026-11-01", "covers_until": "2026-11-30"}
    return {"file": SimpleUploadedFile("jobs.txt", content), **form, **changes}


def text_of(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_a_file_is_uploaded_read_and_compared():
    client = signed_in("analyst")
    waiting = client.post(reverse("procurement:usage_file_new"), sent(job(1, 1, 16)), follow=True)
    work()

    file = client.get(reverse("procurement:usage_file", args=[UsageFile.objects.get().pk]))
    overview = text_of(client.get(reverse("procurement:actuals")))
    detail = text_of(client.get(reverse("procurement:workload_measured", args=["serve"])))

    assert b"Being read" in waiting.content
    assert b"Every row counts" in file.content
    assert "50.0%" in overview
    assert "Accept" in overview
    assert "utilisation 0.5" in detail
    assert "Completed" in detail


def test_a_form_that_is_wrong_keeps_what_was_typed_and_says_what_is_right():
    answer = signed_in("analyst").post(
        reverse("procurement:usage_file_new"), sent(job(1, 1, 2), time_zone="Berlin time")
    )

    assert answer.status_code == 422
    assert b"IANA" in answer.content
    assert b"Berlin time" in answer.content


def test_a_name_is_assigned_on_the_page_of_the_file():
    client = signed_in("analyst")
    client.post(reverse("procurement:usage_file_new"), sent(job(1, 1, 2, account="grp17")))
    work()
    row = UsageRow.objects.get()

    page = client.get(reverse("procurement:usage_file", args=[row.file_id])).content.decode()
    client.post(reverse("procurement:usage_assign", args=[row.file_id, row.pk]), {"code": "serve"})

    assert "grp17" in page
    assert UsageJob.objects.get().workload.code == "serve"


def test_an_offer_is_accepted_or_declined_with_a_reason_on_the_page():
    client = signed_in("analyst")
    client.post(reverse("procurement:usage_file_new"), sent(job(1, 1, 16)))
    work()
    offer = UsageOffer.objects.get()

    asked = client.post(reverse("procurement:usage_offer_decide", args=[offer.pk, "decline"]), {}, follow=True)
    client.post(reverse("procurement:usage_offer_decide", args=[offer.pk, "accept"]), {"reason": "one month"})

    assert b"Say why" in asked.content
    assert Workload.objects.get().demand == {"utilisation": 0.5}
    assert client.post(reverse("procurement:usage_offer_decide", args=[offer.pk, "frame"]), {}).status_code == 404


def test_who_may_not_decide_sees_who_may():
    signed_in("analyst").post(reverse("procurement:usage_file_new"), sent(job(1, 1, 16)))
    work()

    page = text_of(signed_in("viewer").get(reverse("procurement:actuals")))

    assert "by analyst or administrator" in page
    assert "Accept" not in page


def test_the_pages_say_what_to_do_when_nothing_was_measured():
    client = signed_in("viewer")

    assert "Nothing has been measured yet" in text_of(client.get(reverse("procurement:actuals")))
    assert "No usage files yet" in text_of(client.get(reverse("procurement:usage_files")))
    assert "Nothing has been measured of it" in text_of(
        client.get(reverse("procurement:workload_measured", args=["serve"]))
    )


def test_a_file_is_withdrawn_and_downloaded_on_its_page():
    client = signed_in("analyst")
    client.post(reverse("procurement:usage_file_new"), sent(job(1, 1, 2)))
    work()
    file = UsageFile.objects.get()

    content = b"".join(client.get(reverse("procurement:usage_file_file", args=[file.pk])).streaming_content)
    client.post(reverse("procurement:usage_withdraw", args=[file.pk]), {"version": file.version, "reason": "test data"})

    assert content.startswith(SACCT.encode())
    assert not UsageJob.objects.exists()


def test_the_interface_receives_compares_and_decides():
    client = client_of("analyst")
    fields = {"source": "slurmdbd", "covers_from": "2026-11-01", "covers_until": "2026-11-30"}
    first = client.upload("actuals/files/", {**fields, "file": sent(job(1, 1, 16))["file"]})
    again = client.upload("actuals/files/", {**fields, "file": sent(job(1, 1, 16))["file"]})
    work()

    measured = client.get("actuals/workloads/serve/").json()
    offer = client.get("actuals/offers/?state=open").json()["results"][0]
    accepted = client.post(f"actuals/offers/{offer['id']}/accept/", {"reason": "measured"}, If_Match='"1"')

    assert (first.status_code, again.status_code) == (201, 200)
    assert measured["total"]["utilisation"] == 0.5
    assert measured["figures"][0] == {
        "name": "utilisation", "unit": "share", "planned": 1.0, "measured": 0.5, "reason": ""
    }  # fmt: skip
    assert (accepted.status_code, accepted.json()["state"]) == (200, "accepted")


def test_the_interface_tells_what_is_wrong_row_by_row():
    client = client_of("analyst")
    client.upload("actuals/files/", {"source": "x", "file": sent(job(1, 1, 2, state="EXPLODED"))["file"]})
    work()
    file = client.get("actuals/files/").json()["results"][0]

    row = client.get(f"actuals/files/{file['id']}/rows/?state=faulty").json()["results"][0]

    assert file["state"] == "refused"
    assert (row["line"], row["column"], row["value"]) == (2, "State", "EXPLODED")


def test_the_command_receives_files_and_prints_what_became_of_them(tmp_path):
    path = tmp_path / "jobs.txt"
    path.write_text("\n".join((SACCT, job(1, 1, 2), job(2, 1, 2, account="grp17"))))
    told = StringIO()

    call_command("import_actuals", str(path), source="slurmdbd", covers=["2026-11-01", "2026-11-30"], stdout=told)
    work()
    call_command("import_actuals", str(path), source="slurmdbd", wait=True, stdout=told)

    assert "jobs.txt: received" in told.getvalue()
    assert "already, nothing to do" in told.getvalue()
    assert "2 rows read: 2 new, 0 changed, 0 same, 1 held" in told.getvalue()
    assert "line 3, column workload held 'grp17'" in told.getvalue()


def test_the_command_names_what_is_not_on_record(tmp_path):
    path = tmp_path / "jobs.txt"
    path.write_text(SACCT)

    with pytest.raises(CommandError, match="Known codes: hall-1"):
        call_command("import_actuals", str(path), source="x", build="hall-9")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_actuals", str(tmp_path / "none.txt"), source="x")
