"""T100: a backup is only worth what its restore proves."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from procurement.management.archive import backup_write, manifest_read, media_restore, table_digests
from procurement.services.jobs import job_request

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(tmp_path, settings):
    for number in range(3):
        job_request(kind="import", dedupe_key=f"import:{number}", args={"sheet": number})
    uploads = tmp_path / "media" / "sheets"
    uploads.mkdir(parents=True)
    (uploads / "prices.bin").write_bytes(b"gpu,price\nH100,2.10\n")
    backup_write(tmp_path / "backup")
    return tmp_path / "backup"


def test_t100_a_backup_is_verified_row_by_row_in_a_passing_database(backup):
    said = StringIO()

    call_command("restore", str(backup), "--verify", stdout=said)

    assert "can be restored" in said.getvalue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'restore_check_%'")
        assert cursor.fetchone() == (0,)


def test_t100_rows_that_were_changed_in_the_manifest_are_noticed(backup):
    path = backup / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["tables"]["procurement_job"][1] = "0" * 32
    path.write_text(json.dumps(manifest))

    with pytest.raises(CommandError, match=r"differ from the backup: procurement_job\."):
        call_command("restore", str(backup), "--verify")


@pytest.mark.parametrize("name", ["database.dump", "media.tar"])
def test_t100_a_damaged_file_is_named_before_anything_is_touched(backup, name):
    with (backup / name).open("r+b") as file:
        file.seek(100)
        file.write(b"damaged")

    with pytest.raises(CommandError, match=f"{name} is damaged"):
        call_command("restore", str(backup))


def test_t100_a_database_that_holds_rows_is_not_overwritten(backup):
    before = table_digests()

    with pytest.raises(CommandError, match="database is not empty"):
        call_command("restore", str(backup))

    assert table_digests() == before


def test_uploaded_files_come_back_as_they_were(backup, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "elsewhere"

    media_restore(backup)

    assert (tmp_path / "elsewhere" / "sheets" / "prices.bin").read_bytes() == b"gpu,price\nH100,2.10\n"


def test_a_folder_that_is_no_backup_is_refused(tmp_path):
    with pytest.raises(CommandError, match=r"is no backup: it has no manifest\.json"):
        manifest_read(tmp_path)


def test_a_backup_never_overwrites_another(backup):
    with pytest.raises(CommandError, match="exists already"):
        backup_write(backup)
