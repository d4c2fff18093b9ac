"""T58: what a received file is called or holds never decides where it lies or how a browser takes it."""

import stat
from datetime import date
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.models import PriceSheet
from procurement.services.file_names import kept_name
from procurement.services.price_sheets import price_sheet_receive
from tests.factories import actor, make_user
from tests.procurement.api_tools import ApiClient
from tests.procurement.page_tools import signed_in
from tests.procurement.sheet_tools import GOOD, HEADER
from tests.providers.nasty_workbooks import workbook

pytestmark = pytest.mark.django_db
CONTENT = (HEADER + GOOD).encode()
PAGE = b"<html><script>alert(1)</script></html>"
NAMES = {
    "../../etc/passwd": "passwd",
    "/etc/cron.d/prices.csv": "prices.csv",
    "..\\..\\windows\\prices.csv": "prices.csv",
    "C:\\prices.csv": "prices.csv",
    "prices.html": "prices.html",
    "prices.svg": "prices.svg",
    "prices.csv\x00.html": "prices.csv.html",
    "\u202evsc.secirp.exe": "vsc.secirp.exe",
    "a\r\nSet-Cookie: x=1.csv": "aSet-Cookie: x=1.csv",
    "CON": "CON",
    "NUL.csv": "NUL.csv",
    ".htaccess": ".htaccess",
    "..": "file",
    "prices/": "file",
    "": "file",
    'quo"te;name=.csv': 'quo"te;name=.csv',
    "Preise März ☃.csv": "Preise März ☃.csv",
}


@pytest.mark.parametrize(("given", "kept"), NAMES.items(), ids=map(repr, NAMES))
def test_t58_a_name_is_kept_to_be_read_and_nothing_else(given, kept, settings):
    assert kept_name(given) == kept
    sheet, _ = price_sheet_receive(
        by=actor("analyst"), file_name=given, content=CONTENT, observed_on=date(2026, 11, 29), source="mail", options={}
    )

    stored = Path(sheet.file.path)
    assert sheet.file_name == kept
    assert stored.parent == Path(settings.MEDIA_ROOT) / "price_sheets"
    assert stored.name == f"{sheet.content_sha256}.bin"
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    answer = signed_in("viewer").get(reverse("procurement:price_sheet_file", args=[sheet.pk]))
    assert b"".join(answer.streaming_content) == CONTENT
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert not {"Set-Cookie", "\r", "\n"} & {answer.get("Set-Cookie", ""), *answer["Content-Disposition"]}


def test_t58_a_very_long_name_is_refused_with_its_length():
    with pytest.raises(ProcurementError, match="has 5,004 characters; at most 200"):
        price_sheet_receive(
            by=actor("analyst"), file_name="a" * 5_000 + ".csv", content=CONTENT, observed_on=date(2026, 11, 29),
            source="mail", options={},
        )  # fmt: skip


@pytest.mark.parametrize("content", [CONTENT, PAGE, workbook() + PAGE], ids=["csv", "page", "workbook and page"])
def test_t58_page_and_api_store_and_give_back_whatever_it_is_as_bytes_to_save(content):
    browser = signed_in("analyst")
    form = {"observed_on": "2026-11-29", "source": "mail", "mode": "strict"}
    browser.post(
        reverse("procurement:price_sheet_new"),
        {**form, "file": SimpleUploadedFile("../x.html", content, content_type="text/html")},
    )
    program = ApiClient(make_user("program", role="analyst"))
    program.client.post(
        "/api/v1/price-sheets/",
        {"observed_on": "2026-11-28", "source": "mail", "file": SimpleUploadedFile("../y.html", content, "text/html")},
        headers=program.headers,
    )

    sheets = PriceSheet.objects.order_by("observed_on")
    assert [sheet.file_name for sheet in sheets] == ["y.html", "x.html"]
    for sheet in sheets:
        for answer in (
            browser.get(reverse("procurement:price_sheet_file", args=[sheet.pk])),
            browser.get(f"/api/v1/price-sheets/{sheet.pk}/file/"),
        ):
            assert b"".join(answer.streaming_content) == content
            assert answer["Content-Type"] == "application/octet-stream"
            assert answer["Content-Disposition"].startswith("attachment")
            assert answer["X-Content-Type-Options"] == "nosniff"
        assert browser.get(f"/media/{sheet.file.name}").status_code == 404
        assert signed_in(None, "stranger").get(f"/media/{sheet.file.name}").status_code in (302, 404)


@pytest.mark.parametrize("address", ["/price-sheets/new/", "/api/v1/price-sheets/"])
@override_settings(MAX_BODY_BYTES=1_000)
def test_t58_a_body_above_the_limit_is_refused_before_it_is_read(address):
    answer = signed_in("analyst").post(address, {"file": SimpleUploadedFile("large.csv", b"x" * 2_000)})

    assert answer.status_code == 413
    assert PriceSheet.objects.count() == 0
